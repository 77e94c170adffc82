// matmul/exercises/split_k: share one tile's sum among several blocks.
//
// c[row, col] += alpha * (sum over i of a[row, i] * b[i, col])
//
// Launch:   block (16, 16),
//           grid (ceil(n/16), ceil(m/16), parts); c holds zeros
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  c holds zeros and beta is 0
//
// A small c has too few tiles to fill a GPU. Let blockIdx.z take a part of k:
// from begin to end. As given the last part sums all of k, and the others
// store zeros, perhaps over it. Asked: equal parts, added up in c.
// 22_shared_tiles collects its sums in a buffer; here c itself is the place,
// which is why it has to hold zeros.

extern "C" __global__
void matmul_split_k(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int part = blockIdx.z, parts = gridDim.z;
    // YOUR CODE 1: which part of k is this block's?
    int begin = part < parts - 1 ? k : 0, end = k;
    float acc = 0.0f;
    for (int i = begin; i < end; ++i)
        if (row < m && col < n) acc += a[row * k + i] * b[i * n + col];
    // YOUR CODE 2: add it to c
    if (row < m && col < n) c[row * n + col] = alpha * acc;
}
