// WRONG every_other_row: XOR with half the row number: neighbours share their banks.
// BEGIN SOLUTION 1
            tile[r][threadIdx.x ^ (r / 2)] = in[(row + k) * cols + col];
// END SOLUTION 1
// BEGIN SOLUTION 2
            out[(col + k) * rows + row] = tile[threadIdx.x][c ^ (threadIdx.x / 2)];
// END SOLUTION 2

// WRONG no_barrier: a race: other warps' elements are read before they are there.
// INSTEAD OF
    __syncthreads();

// WRITE
// END

// WRONG no_tile: no tile at all, so that the lanes of a warp store down a column.
extern "C" __global__
void transpose_swizzle(
    const float2* __restrict__ in,   // [rows, cols]
    float2* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        int row = blockIdx.y * 32 + threadIdx.y + k;
        if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
}

// WRONG padded: a spare column, for which there is no room.
// BEGIN SOLUTION 1
            tile[r][threadIdx.x] = in[(row + k) * cols + col];
// END SOLUTION 1
// BEGIN SOLUTION 2
            out[(col + k) * rows + row] = tile[threadIdx.x][c];
// END SOLUTION 2
// INSTEAD OF
    __shared__ float2 tile[32][32];
// WRITE
    __shared__ float2 tile[32][33];
// END
// INSTEAD OF
    static_assert(sizeof(tile) == 32 * 32 * sizeof(float2), "no spare byte");
// WRITE
// END

// WRONG store_only: swizzles what it stores and looks for it where it is not.
// BEGIN SOLUTION 2
            out[(col + k) * rows + row] = tile[threadIdx.x][c];
// END SOLUTION 2

// WRONG too_few_bits: XOR with three bits of the row: two lanes of a half-warp still meet.
// BEGIN SOLUTION 1
            tile[r][threadIdx.x ^ (r & 7)] = in[(row + k) * cols + col];
// END SOLUTION 1
// BEGIN SOLUTION 2
            out[(col + k) * rows + row] = tile[threadIdx.x][c ^ (threadIdx.x & 7)];
// END SOLUTION 2
