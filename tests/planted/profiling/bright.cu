// WRONG no_atomic: blocks add without atomics and lose counts.
// BEGIN SOLUTION 1
    int count = __syncthreads_count(i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x == 0) {
        out[0] += count;
    }
// END SOLUTION 1

// WRONG no_barrier: thread 0 reads the block's sum before the others have added.
// BEGIN SOLUTION 1
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    if (i < n && in[i] >= level) atomicAdd(&count, 1);
    if (threadIdx.x == 0) atomicAdd(out, count);
// END SOLUTION 1

// WRONG no_guard: the last block reads past the end.
// BEGIN SOLUTION 1
    int count = __syncthreads_count(in[i] >= level);
    if (threadIdx.x == 0) {
        atomicAdd(out, count);
    }
// END SOLUTION 1

// WRONG one_a_warp: one atomic for each warp, eight times what is asked.
// BEGIN SOLUTION 1
    unsigned here = __ballot_sync(~0u, i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(out, __popc(here));
    }
// END SOLUTION 1

// RIGHT shared_count: a word of shared memory for each warp, added up by one thread.
// BEGIN SOLUTION 1
    __shared__ int of_warp[8];
    unsigned here = __ballot_sync(~0u, i < n && in[i < n ? i : 0] >= level);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = __popc(here);
    __syncthreads();
    if (threadIdx.x == 0) {
        int count = 0;
        for (int w = 0; w < 8; ++w) count += of_warp[w];
        atomicAdd(out, count);
    }
// END SOLUTION 1

// RIGHT by_ballots: each warp counts by a vote and adds in shared memory.
// BEGIN SOLUTION 1
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned votes = __ballot_sync(~0u, i < n && in[i < n ? i : 0] >= level);
    __shared__ int of_warp[8];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 0; w < 8; ++w) count += of_warp[w];
        atomicAdd(out, count);
    }
// END SOLUTION 1
