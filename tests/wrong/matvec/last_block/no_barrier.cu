// Wrong: counts before all warps of the block have stored their sums.
// matvec/exercises/last_block: the last block to finish adds up what all
//     blocks have left, always in the same order.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Launch:   block (256), grid (ceil(rows/8), split)
// Defines:  none
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  rows * cols < 2^31; done is all zeros, and counts up to split
//
// Blocks (b, 0) to (b, split - 1) share the columns of 8 rows. Each leaves
// its sums in `partial`. As given, block (b, 0) adds them up at once, which
// is too early: the others may not have come. Asked: right sums, added up by
// the block that comes last; one atomic a block, on done.
extern "C" __global__
void matvec_last_block(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    volatile float* partial,       // [split, rows]
    unsigned* done,                // [ceil(rows/8)]
    int rows, int cols, int split)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int share = (cols + split - 1) / split;
    int begin = blockIdx.y * share, end = min(begin + share, cols);
    float acc = 0;
    if (r < rows)
        for (int c = begin + lane; c < end; c += 32)
            acc += a[r * cols + c] * x[c];
    for (int far = 16; far > 0; far /= 2)
        acc += __shfl_xor_sync(0xffffffff, acc, far);
    if (r < rows && lane == 0) partial[blockIdx.y * rows + r] = acc;
    __shared__ bool last;
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicAdd(&done[blockIdx.x], 1) == split - 1;
    __syncthreads();
    if (last && r < rows && lane == 0) {
        float sum = 0;
        for (int s = 0; s < split; ++s)
            sum += partial[s * rows + r];
        y[r] = sum;
    }
}
