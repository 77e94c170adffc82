// Wrong: the last block reads and writes past the end.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = ((const unsigned*)bytes)[i];
    out[i] = (int)__byte_perm(word, 0, 0x0123);
}
