// Right: shifts and masks in place of __byte_perm.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned word = ((const unsigned*)bytes)[i];
        out[i] = (int)(word >> 24 | word >> 8 & 0xff00 | word << 8 & 0xff0000
                       | word << 24);
    }
}
