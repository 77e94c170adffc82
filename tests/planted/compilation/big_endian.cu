// WRONG byte_loads: right numbers, with four loads of one byte each.
// BEGIN SOLUTION 1
        unsigned word = 0;
        for (int k = 0; k < 4; ++k) {
            word |= (unsigned)bytes[4 * i + k] << (24 - 8 * k);
        }
        out[i] = (int)word;
// END SOLUTION 1

// WRONG halves_swapped: exchanges the halves of the word, not its bytes.
// BEGIN SOLUTION 1
        unsigned word = ((const unsigned*)bytes)[i];
        out[i] = (int)(word << 16 | word >> 16);
// END SOLUTION 1

// WRONG no_guard: the last block reads and writes past the end.
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

// RIGHT char4: one load of a uchar4, put together byte by byte.
// BEGIN SOLUTION 1
        uchar4 word = ((const uchar4*)bytes)[i];
        out[i] = (int)((unsigned)word.x << 24 | word.y << 16 | word.z << 8
                       | word.w);
// END SOLUTION 1

// RIGHT shifts: shifts and masks in place of __byte_perm.
// BEGIN SOLUTION 1
        unsigned word = ((const unsigned*)bytes)[i];
        out[i] = (int)(word >> 24 | word >> 8 & 0xff00 | word << 8 & 0xff0000
                       | word << 24);
// END SOLUTION 1
