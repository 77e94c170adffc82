// Wrong: right numbers, with four loads of one byte each.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned word = 0;
        for (int k = 0; k < 4; ++k) {
            word |= (unsigned)bytes[4 * i + k] << (24 - 8 * k);
        }
        out[i] = (int)word;
    }
}
