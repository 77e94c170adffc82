// WRONG high_only: values below low pass.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = fminf(in[i], high);
    }
// END SOLUTION 1

// WRONG one_element: one element per thread, so right only while the grid is large enough.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
// END SOLUTION 1

// WRONG one_thread: one thread does it all.
// BEGIN SOLUTION 1
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) out[i] = fminf(fmaxf(in[i], low), high);
// END SOLUTION 1

// WRONG redundant: right values, but the stride is one block, so that the blocks repeat each other's work.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += blockDim.x) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
// END SOLUTION 1

// WRONG skips: the stride is one too long, so that each lap misses an element.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x + 1) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
// END SOLUTION 1
