// WRONG last_missing: the last element is never written.
// BEGIN SOLUTION 1
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += threads)
        buffer[i] = value;
// END SOLUTION 1

// WRONG missing_guard: the number of turns is rounded up and nothing stops the last one.
// BEGIN SOLUTION 1
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < (n + threads - 1) / threads; ++turn, i += threads)
        buffer[i] = value;
// END SOLUTION 1

// WRONG one_each: each thread writes one element: right only while there are at least n threads.
// BEGIN SOLUTION 1
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < threads)
        buffer[i] = value;
// END SOLUTION 1

// WRONG one_thread: one thread writes it all.
// BEGIN SOLUTION 1
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) buffer[i] = value;
// END SOLUTION 1

// WRONG own_stretch: each thread writes a stretch of its own, so a warp touches 32 sectors at once.
// BEGIN SOLUTION 1
    int threads = gridDim.x * blockDim.x;
    int each = (n + threads - 1) / threads, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = thread * each; i < n && i < (thread + 1) * each; ++i)
        buffer[i] = value;
// END SOLUTION 1
