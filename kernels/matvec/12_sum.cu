// matvec/12_sum: adds up the rows that 11_parts has left, always in the same
//     order.
//
// y[c] = partial[0, c] + partial[1, c] + ...
//
// Changed:  rewrite: the second half of 11_parts
// Launch:   block (256), grid (ceil(cols/32))
// Defines:  none
// Cost:     4*(split*cols + cols) bytes, split*cols flops
// Assumes:  nothing
extern "C" __global__
void matvec_sum(
    const float* __restrict__ partial,   // [split, cols]
    float* __restrict__ y,               // [cols]
    int cols, int split)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int c = blockIdx.x * 32 + lane;
    float acc = 0;
    #pragma unroll 8
    for (int s = warp; s < split; s += 8)
        acc += partial[(long long)s * cols + min(c, cols - 1)];
    __shared__ float sums[8][32];
    sums[warp][lane] = acc;
    __syncthreads();
    if (warp == 0 && c < cols) {
        for (int from = 1; from < 8; ++from) acc += sums[from][lane];
        y[c] = acc;
    }
}
