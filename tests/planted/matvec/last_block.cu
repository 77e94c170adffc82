// WRONG first_adds: the first block adds up, before the others have come.
// INSTEAD OF
        last = atomicAdd(&done[blockIdx.x], 1) == split - 1;
// WRITE
        last = atomicAdd(&done[blockIdx.x], 1) == 0;
// END

// WRONG no_barrier: counts before all warps of the block have stored their sums.
// INSTEAD OF
    __syncthreads();
    if (threadIdx.x == 0)
// WRITE
    if (threadIdx.x == 0)
// END

// WRONG no_fence: the count may arrive before the sums that it counts.
// BEGIN SOLUTION 1
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&done[blockIdx.x], 1) == split - 1;
    __syncthreads();
// END SOLUTION 1

// WRONG two_atomics: right, but two atomics a block.
// BEGIN SOLUTION 1
    __shared__ unsigned before;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) before = atomicAdd(&done[blockIdx.x], 0);
    __syncthreads();
// END SOLUTION 1
// INSTEAD OF
    if (last && r < rows && lane == 0) {
// WRITE
    if (lane == 0 && threadIdx.x < 32)
        before = atomicAdd(&done[blockIdx.x], 1);
    __syncthreads();
    bool last = before == split - 1;
    if (last && r < rows && lane == 0) {
// END

// RIGHT atomic_inc: counts with atomicInc, and asks for the last in another way.
// INSTEAD OF
        last = atomicAdd(&done[blockIdx.x], 1) == split - 1;
// WRITE
        last = atomicInc(&done[blockIdx.x], 0xffffffff) + 1 == split;
// END

// WRONG first_adds_all: the first block works out the rest itself; the others count for show.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&done[blockIdx.x], 1);
    __syncthreads();
    const bool last = false;
    if (blockIdx.y == 0) {
        float all = 0;
        if (r < rows)
            for (int c = lane; c < cols; c += 32) all += a[r * cols + c] * x[c];
        for (int far = 16; far > 0; far /= 2)
            all += __shfl_xor_sync(0xffffffff, all, far);
        if (r < rows && lane == 0) y[r] = all;
    }
// END SOLUTION 1

// WRONG first_waits: the first block waits until all have counted; so many may not run at once.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&done[blockIdx.x], 1);
        while (blockIdx.y == 0 && *(volatile unsigned*)&done[blockIdx.x] < split) { }
        __threadfence();
    }
    __syncthreads();
    const bool last = blockIdx.y == 0;
// END SOLUTION 1

// RIGHT every_thread_counts_for_itself: warps ask for their share of the ticket through __syncthreads_or.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    bool drawn = threadIdx.x == 0
        && atomicAdd(&done[blockIdx.x], 1) == split - 1;
    bool last = __syncthreads_or(drawn);
// END SOLUTION 1
