// Wrong: exchanges the halves of the word, not its bytes.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned word = ((const unsigned*)bytes)[i];
        out[i] = (int)(word << 16 | word >> 16);
    }
}
