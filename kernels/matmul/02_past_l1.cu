// matmul/02_past_l1: a control: the same loads, but L1 may keep nothing.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  plain loads -> __ldcg, which asks the L2 at once
//           (from 02_coalesced)
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16)); any block shape
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
extern "C" __global__
void matmul_past_l1(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        float acc = 0.0f;
        for (int i = 0; i < k; ++i) {
            acc += __ldcg(a + row * k + i) * __ldcg(b + i * n + col);
        }
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
