// WRONG down_the_rows: no shared memory; each lane walks along a row of its own.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int c = 0; row < rows && c < cols; ++c) sum += in[row * cols + c];
    if (row < rows) out[row] = sum;
}

// WRONG moved_to_the_store: turns the tile while storing it: the loads are free now, the stores conflict.
// BEGIN SOLUTION 1
    __shared__ float tile[32][32];
// END SOLUTION 1
// INSTEAD OF
            tile[r][lane] = inside
                ? in[(first + r) * cols + start + lane] : 0.0f;
// WRITE
            tile[lane][r] = inside ? in[(first + r) * cols + start + lane] : 0.0f;
// END
// INSTEAD OF
            sum += tile[lane][c];
// WRITE
            sum += tile[c][lane];
// END

// WRONG no_second_barrier: a race: the next tile overwrites this one while lanes still read it.
// INSTEAD OF
        __syncthreads();
    }
// WRITE
    }
// END

// WRONG no_tile: no shared memory, but a row of the matrix at a time and shuffles.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    int lane = threadIdx.x;
    for (int row = blockIdx.x * 32; row < min(blockIdx.x * 32 + 32, rows); ++row) {
        float sum = 0.0f;
        for (int c = lane; c < cols; c += 32) sum += in[row * cols + c];
        for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffff, sum, far);
        if (lane == 0) out[row] = sum;
    }
}

// WRONG padded_by_half: a row of 48 words leaves the lanes at two places in the banks.
// BEGIN SOLUTION 1
    __shared__ float tile[32][48];
// END SOLUTION 1

// WRONG rotates_too_short: starts each lane elsewhere, modulo 31: one column twice, another never.
// BEGIN SOLUTION 1
    __shared__ float tile[32][32];
// END SOLUTION 1
// INSTEAD OF
            sum += tile[lane][c];
// WRITE
            sum += tile[lane][(c + lane) % 31];
// END

// RIGHT rotated: each row is rotated by its number, and no column is spare.
// BEGIN SOLUTION 1
    __shared__ float tile[32][32];
// END SOLUTION 1
// INSTEAD OF
            tile[r][lane] = inside
// WRITE
            tile[r][(lane + r) % 32] = inside
// END
// INSTEAD OF
            sum += tile[lane][c];
// WRITE
            sum += tile[lane][(c + lane) % 32];
// END
