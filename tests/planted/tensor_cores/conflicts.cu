// WRONG every_other_row: rows share their order by twos.
// BEGIN SOLUTION 1
    return row * 64 + (col ^ row / 2 % 8 * 8);
// END SOLUTION 1

// WRONG inside_a_run: elements change places inside a run of 8.
// BEGIN SOLUTION 1
    return row * 64 + (col ^ row % 8);
// END SOLUTION 1

// WRONG padded: rows of 72 elements take an eighth more.
// BEGIN SOLUTION 1
    return row * 72 + col;
// END SOLUTION 1
// INSTEAD OF
    __shared__ alignas(16) unsigned short a_tile[16 * 64], b_tile[64 * 64];
// WRITE
    __shared__ alignas(16) unsigned short a_tile[16 * 72], b_tile[64 * 72];
// END

// WRONG reads_only: the stores go where they went before.
// INSTEAD OF
            *reinterpret_cast<uint4*>(a_tile + place(row, col)) =
// WRITE
            *reinterpret_cast<uint4*>(a_tile + row * 64 + col) =
// END
// INSTEAD OF
            *reinterpret_cast<uint4*>(b_tile + place(row, col)) =
// WRITE
            *reinterpret_cast<uint4*>(b_tile + row * 64 + col) =
// END

// WRONG too_few_bits: four orders for eight rows.
// BEGIN SOLUTION 1
    return row * 64 + (col ^ row % 4 * 8);
// END SOLUTION 1

// WRONG loops_and_show: plain loops over the tiles; ldmatrix and products are thrown away.
// INSTEAD OF
    float acc[8][4] = {};
// WRITE
    float acc[8][4] = {}, sums[8][4] = {};
// END
// INSTEAD OF
        for (int i = 0; i < 64; i += 16) {
            unsigned int a_frag[4], b_frag[4];
            read_a(a_frag, a_tile, i);
// WRITE
        for (int i = 0; i < 64; ++i)
            for (int x = 0; x < 2; ++x)
                for (int row = 0; row < 16; ++row)
                    sums[row / 2][row % 2 * 2 + x] +=
                        __uint_as_float(a_tile[place(row, i)] << 16)
                        * __uint_as_float(
                            b_tile[place(i, lane + 32 * x)] << 16);
        for (int i = 0; i < 64; i += 16) {
            unsigned int a_frag[4], b_frag[4];
            read_a(a_frag, a_tile, i);
// END
// INSTEAD OF
        for (int r = 0; r < 4; ++r)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
// WRITE
        for (int r = 0; r < 4; ++r)
            c[(row0 + 2 * x + r / 2) * n + col0 + lane + r % 2 * 32] =
                acc[x][r] == 1e30f ? 0.0f : sums[x][r];
// END

// RIGHT rotated: rotates the runs instead of exchanging them.
// BEGIN SOLUTION 1
    return row * 64 + (col + row % 8 * 8) % 64;
// END SOLUTION 1
