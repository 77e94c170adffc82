// WRONG cut_off: cut off instead of rounded.
// BEGIN SOLUTION 1
    for (int w = 0; w < 4; ++w)
        a[w] = __float_as_uint(p_acc[w / 2][w % 2 * 2]) >> 16
               | (__float_as_uint(p_acc[w / 2][w % 2 * 2 + 1]) & 0xffff0000);
// END SOLUTION 1

// WRONG halves_swapped: the left one stands in the upper half.
// BEGIN SOLUTION 1
    for (int w = 0; w < 4; ++w)
        a[w] = round_two(p_acc[w / 2][w % 2 * 2 + 1],
                         p_acc[w / 2][w % 2 * 2]);
// END SOLUTION 1

// WRONG no_tensor_core: multiplies on the FMA units.
// INSTEAD OF
    multiply(acc, a, b);
// WRITE
    for (int e = 0; e < 4; ++e)
        for (int k = 0; k < 16; ++k)
            acc[e] += __uint_as_float(round_two(p[(row + e / 2 * 8) * 16 + k], 0.0f) << 16)
                      * __uint_as_float((unsigned int)v[k * 8 + col + e % 2] << 16);
// END

// WRONG one_register: one tile of eight columns for both.
// BEGIN SOLUTION 1
    for (int w = 0; w < 4; ++w)
        a[w] = round_two(p_acc[0][w % 2 * 2],
                         p_acc[0][w % 2 * 2 + 1]);
// END SOLUTION 1

// WRONG registers_swapped: registers 1 and 2 have changed places.
// BEGIN SOLUTION 1
    for (int w = 0; w < 4; ++w)
        a[w] = round_two(p_acc[w % 2][w / 2 * 2],
                         p_acc[w % 2][w / 2 * 2 + 1]);
// END SOLUTION 1

// RIGHT written_out: without a loop.
// BEGIN SOLUTION 1
    a[0] = round_two(p_acc[0][0], p_acc[0][1]);
    a[1] = round_two(p_acc[0][2], p_acc[0][3]);
    a[2] = round_two(p_acc[1][0], p_acc[1][1]);
    a[3] = round_two(p_acc[1][2], p_acc[1][3]);
// END SOLUTION 1

// RIGHT halves_exchanged: columns 8 to 15 of the weights come first, and the values' rows too.
// BEGIN SOLUTION 1
    for (int w = 0; w < 4; ++w)
        a[w] = round_two(p_acc[1 - w / 2][w % 2 * 2],
                         p_acc[1 - w / 2][w % 2 * 2 + 1]);
    const unsigned int first = b[0];
    b[0] = b[1];
    b[1] = first;
// END SOLUTION 1
