// Wrong: one part still sums all of k, and the others add nothing.
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
    if (row < m && col < n) atomicAdd(c + row * n + col, alpha * acc);
}
