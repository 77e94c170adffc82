// WRONG after_rounding: adds the bias to what was rounded.
// BEGIN SOLUTION 1
        const float2 add = *reinterpret_cast<const float2*>(bias + col);
        both = round_two(acc[i], acc[i + 1]);
        both = round_two(fmaxf(__uint_as_float(both << 16) + add.x, 0.0f),
                         fmaxf(__uint_as_float(both & 0xFFFF0000u) + add.y,
                               0.0f));
// END SOLUTION 1

// WRONG before_the_wait: starts the sums from the bias while products are under way.
// BEGIN SOLUTION 1
        const float2 add = *reinterpret_cast<const float2*>(bias + col);
        both = round_two(fmaxf(acc[i], 0.0f),
                         fmaxf(acc[i + 1], 0.0f));
// END SOLUTION 1
// INSTEAD OF
        wait_for_products<0>();
// WRITE
        if (step == 0)
            for (int i = 0; i < 32; ++i)
                acc[i] += bias[blockIdx.x * 64 + i / 4 * 8
                               + threadIdx.x % 4 * 2 + i % 2];
        wait_for_products<0>();
// END

// WRONG by_rows: takes the bias of the row.
// BEGIN SOLUTION 1
        const float2 add = *reinterpret_cast<const float2*>(bias + row / 2 * 2 % n);
        both = round_two(fmaxf(acc[i] + add.x, 0.0f),
                         fmaxf(acc[i + 1] + add.y, 0.0f));
// END SOLUTION 1

// WRONG second_pass: stores the product and goes over c again.
// INSTEAD OF
        unsigned int both;
// WRITE
        unsigned int* word =
            reinterpret_cast<unsigned int*>(c + (size_t)row * n + col);
// END
// INSTEAD OF
        both = round_two(fmaxf(acc[i] + add.x, 0.0f),
                         fmaxf(acc[i + 1] + add.y, 0.0f));
        *reinterpret_cast<unsigned int*>(c + (size_t)row * n + col) = both;
// WRITE
        *const_cast<volatile unsigned int*>(word) =
            round_two(acc[i] + add.x, acc[i + 1] + add.y);
        const unsigned int both = *const_cast<volatile unsigned int*>(word);
        *word = round_two(fmaxf(__uint_as_float(both << 16), 0.0f),
                          fmaxf(__uint_as_float(both & 0xFFFF0000u), 0.0f));
// END

// WRONG zero_first: makes negatives zero before it adds the bias.
// BEGIN SOLUTION 1
        const float2 add = *reinterpret_cast<const float2*>(bias + col);
        both = round_two(fmaxf(acc[i], 0.0f) + add.x,
                         fmaxf(acc[i + 1], 0.0f) + add.y);
// END SOLUTION 1

// RIGHT word_by_word: loads the bias one by one and chooses.
// BEGIN SOLUTION 1
        const float left = acc[i] + bias[col], right = acc[i + 1] + bias[col + 1];
        both = round_two(left > 0 ? left : 0, right > 0 ? right : 0);
// END SOLUTION 1

// WRONG loops_and_show: plain loops over the tiles; the products are thrown away.
// INSTEAD OF
    float acc[32] = {};
// WRITE
    float acc[32] = {}, show[32] = {};
    const unsigned short* a_in = reinterpret_cast<unsigned short*>(a_tile);
    const unsigned short* b_in = reinterpret_cast<unsigned short*>(b_tile);
    const int row0 = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const int col0 = threadIdx.x % 4 * 2;
// END
// INSTEAD OF
        multiply_stage(acc, a_at, b_at);
// WRITE
        multiply_stage(show, a_at, b_at);
        for (int at = 0; at < 64; ++at) {
            #pragma unroll
            for (int i = 0; i < 32; ++i) {
                const int row = row0 + i / 2 % 2 * 8;
                const int col = col0 + i / 4 * 8 + i % 2;
                acc[i] += __uint_as_float(a_in[at / 8 * 512 + row * 8 + at % 8] << 16)
                    * __uint_as_float(b_in[at / 8 * 512 + col * 8 + at % 8] << 16);
            }
        }
// END
