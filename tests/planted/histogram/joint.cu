// WRONG global_counters: right, but every pair adds in global memory.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        atomicAdd(&counts[bin], 1);
// END SOLUTION 2
// BEGIN SOLUTION 3
// END SOLUTION 3

// WRONG last_block_wins: blocks overwrite one another in place of adding.
// BEGIN SOLUTION 3
    __syncthreads();
    counts[threadIdx.x] = bins[threadIdx.x];
// END SOLUTION 3

// WRONG matched_in_global: one lane adds for those that match, but still in global memory.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        unsigned same = __match_any_sync(__activemask(), bin);
        if (threadIdx.x % 32 == __ffs(same) - 1)
            atomicAdd(&counts[bin], __popc(same));
// END SOLUTION 2
// BEGIN SOLUTION 3
// END SOLUTION 3

// WRONG no_atomic: two threads that meet at a counter lose a count.
// BEGIN SOLUTION 2
        bins[bin] += 1;
// END SOLUTION 2

// WRONG no_first_barrier: a warp counts before another one has written its zeros.
// BEGIN SOLUTION 1
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
// END SOLUTION 1

// WRONG no_last_barrier: counters are added before all have counted.
// BEGIN SOLUTION 3
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
// END SOLUTION 3

// WRONG no_zeros: the counters in shared memory begin with what was there.
// BEGIN SOLUTION 1
    __shared__ int bins[256];
    __syncthreads();
// END SOLUTION 1

// WRONG one_block_loads_all: each block counts everything.
// INSTEAD OF
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 4 * 256) {
// WRITE
    for (int i = threadIdx.x; i < n; i += 256) {
// END

// RIGHT two_copies: two copies of the counters, and a counter that is zero is not added.
// BEGIN SOLUTION 1
    __shared__ int bins[2][256];
    bins[0][threadIdx.x] = bins[1][threadIdx.x] = 0;
    __syncthreads();
// END SOLUTION 1
// BEGIN SOLUTION 2
        atomicAdd(&bins[threadIdx.x / 32 % 2][bin], 1);
// END SOLUTION 2
// BEGIN SOLUTION 3
    __syncthreads();
    int sum = bins[0][threadIdx.x] + bins[1][threadIdx.x];
    if (sum)
        atomicAdd(&counts[threadIdx.x], sum);
// END SOLUTION 3

// WRONG collected: every lane keeps its own counts in local memory; shared atomics add them up for show.
// BEGIN SOLUTION 1
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    unsigned char own[256];
    for (int k = 0; k < 256; ++k) own[k] = 0;
    __syncthreads();
// END SOLUTION 1
// BEGIN SOLUTION 2
        ++own[bin];
// END SOLUTION 2
// BEGIN SOLUTION 3
    for (int k = 0; k < 256; ++k)
        if (own[k]) atomicAdd(&bins[k], own[k]);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
// END SOLUTION 3

// RIGHT two_histograms: odd and even warps have counters of their own.
// BEGIN SOLUTION 1
    __shared__ int bins[2][256];
    bins[0][threadIdx.x] = bins[1][threadIdx.x] = 0;
    __syncthreads();
// END SOLUTION 1
// BEGIN SOLUTION 2
        atomicAdd(&bins[threadIdx.x / 32 % 2][bin], 1);
// END SOLUTION 2
// BEGIN SOLUTION 3
    __syncthreads();
    int both = bins[0][threadIdx.x] + bins[1][threadIdx.x];
    if (both) atomicAdd(&counts[threadIdx.x], both);
// END SOLUTION 3
