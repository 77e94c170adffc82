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
        // YOUR CODE 1: load what exists
        tile[threadIdx.y + k][threadIdx.x] =
            in[(row + k) * cols + col];
    }
    __syncthreads();

    row = blockIdx.y * 32 + threadIdx.x;
    col = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        // YOUR CODE 2: store what exists
        out[(col + k) * rows + row] =
            tile[threadIdx.x][threadIdx.y + k];
    }
}
