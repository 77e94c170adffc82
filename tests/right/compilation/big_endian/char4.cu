// Right: one load of a uchar4, put together byte by byte.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 word = ((const uchar4*)bytes)[i];
        out[i] = (int)((unsigned)word.x << 24 | word.y << 16 | word.z << 8
                       | word.w);
    }
}
