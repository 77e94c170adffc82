// WRONG fixed_step: steps by 256: right with 256 threads and below, racing above, slow below.
// BEGIN SOLUTION 1
        for (int e = tid; e < 1024; e += 256) {
// END SOLUTION 1

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_fetch(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    for (int e = threadIdx.x; e < 1024; e += blockDim.x) {
        int row = 32 * blockIdx.y + e / 32, col = 32 * blockIdx.x + e % 32;
        if (row < m && col < n) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
    }
}

// WRONG own_chunk: gives each thread a chunk in a row of its own: right, but every lane reads another sector.
// BEGIN SOLUTION 1
        int each = (1024 + threads - 1) / threads;
        for (int e = tid * each; e < min(1024, (tid + 1) * each); ++e) {
// END SOLUTION 1

// WRONG whole_rounds: moves whole rounds only: elements are left over when 1024 is no multiple of the threads.
// BEGIN SOLUTION 1
        for (int e = tid; e < 1024 / threads * threads; e += threads) {
// END SOLUTION 1
