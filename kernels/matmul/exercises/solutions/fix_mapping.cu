// matmul/exercises/fix_mapping: let a warp read neighbours,
//     not thirty-two rows of a.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (32, 32), grid (ceil(n/32), ceil(m/32))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// As given, the lanes of a warp stand in one column of c, so each load
// of a touches 32 sectors. Asked: at most 4 sectors a request, loads
// and stores alike.
// HINT 1: Thread numbers go along x first: the 32 lanes of a warp differ
//         in threadIdx.x alone.
// HINT 2: Which of a[row, i], b[i, col] and c[row, col] are neighbours
//         in memory when col grows by one?

extern "C" __global__
void matmul_fix_mapping(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    // BEGIN SOLUTION 1: choose row and col anew
    // GIVEN: int row = blockIdx.y * blockDim.y + threadIdx.x;
    // GIVEN: int col = blockIdx.x * blockDim.x + threadIdx.y;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    // END SOLUTION 1
    if (row < m && col < n) {
        float acc = 0.0f;
        for (int i = 0; i < k; ++i) {
            acc += a[row * k + i] * b[i * n + col];
        }
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
