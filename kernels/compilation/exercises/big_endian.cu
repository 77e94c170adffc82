// compilation/exercises/big_endian: numbers from a file that was written on
//     another kind of machine.
//
// out[i] = the 32-bit integer in bytes[4*i] to bytes[4*i + 3], of which the
//          first byte is the highest
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  n < 2^29; bytes starts at a multiple of 4 bytes
//
// A GPU takes the lowest byte first. As given, the bytes are taken that way,
// and every number comes out backwards. Asked: the right numbers, with one
// load of four bytes for each.
extern "C" __global__
void compilation_big_endian(
    const unsigned char* __restrict__ bytes,  // [4*n]
    int* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // YOUR CODE 1: one load, and the bytes in the other order
        unsigned word = 0;
        for (int k = 0; k < 4; ++k) {
            word |= (unsigned)bytes[4 * i + k] << (8 * k);
        }
        out[i] = (int)word;
    }
}
