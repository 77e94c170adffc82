// transpose/exercises/edges: a transpose that is right at every shape.
//
// out[c, r] = in[r, c]
//
// Launch:   block (32, 8), grid (ceil(cols/32), ceil(rows/32))
// Defines:  none
// Cost:     8*rows*cols bytes, 0 flops
// Assumes:  rows * cols < 2^31
//
// The kernel below is right where rows and cols are multiples of 32.
// Elsewhere the last tiles stick out over the matrix. Asked: right at every
// shape, nothing touched outside the two arrays.
// HINT 1: A thread that has nothing to load must still reach the barrier.
//         Guard loads and stores.
// HINT 2: row and col mean the same in both halves: the place in `in`.
//         So both guards say the same.
// HINT 3: k moves the row in the first half and the column in the second.
extern "C" __global__
void transpose_edges(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    __shared__ float tile[32][33];
    int row = blockIdx.y * 32 + threadIdx.y;
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        // BEGIN SOLUTION 1: load what exists
        // GIVEN: tile[threadIdx.y + k][threadIdx.x] =
        // GIVEN:     in[(row + k) * cols + col];
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
        // END SOLUTION 1
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        // BEGIN SOLUTION 2: store what exists
        // GIVEN: out[(col + k) * rows + row] =
        // GIVEN:     tile[threadIdx.x][threadIdx.y + k];
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
        // END SOLUTION 2
    }
}
