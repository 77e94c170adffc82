// WRONG every_block_reads_all: right, but every block reads the whole array.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    if (threadIdx.x == 0) {
        lows[blockIdx.x] = low;
        highs[blockIdx.x] = high;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        low = fminf(low, in[i]);
        high = fmaxf(high, in[i]);
    }
    bring_together(low, high);
    if (threadIdx.x == 0 && blockIdx.x == 0) spread[0] = high - low;
// END SOLUTION 2

// WRONG last_by_number: the block with the last number is not the one that arrives last.
// INSTEAD OF
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
// WRITE
        last = blockIdx.x == gridDim.x - 1;
// END

// WRONG no_fence: a block may draw its ticket before its results can be seen.
// INSTEAD OF
        __threadfence();
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
// WRITE
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
// END
// INSTEAD OF
        __threadfence();
        bool mine = threadIdx.x < gridDim.x;
// WRITE
        bool mine = threadIdx.x < gridDim.x;
// END

// WRONG not_reset: the counter is not 0 again, so a second launch finds no last block.
// INSTEAD OF
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
// WRITE
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
// END

// WRONG zero_as_start: threads without a block bring in 0.
// INSTEAD OF
        low = mine ? __ldcg(&lows[threadIdx.x]) : INF;
        high = mine ? __ldcg(&highs[threadIdx.x]) : -INF;
// WRITE
        low = mine ? __ldcg(&lows[threadIdx.x]) : 0.0f;
        high = mine ? __ldcg(&highs[threadIdx.x]) : 0.0f;
// END

// RIGHT one_thread_at_the_end: thread 0 of the last block reads the few results alone, and sets the counter.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    if (threadIdx.x == 0) {
        lows[blockIdx.x] = low;
        highs[blockIdx.x] = high;
        __threadfence();
        if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
            __threadfence();
            for (int block = 0; block < gridDim.x; ++block) {
                low = fminf(low, __ldcg(&lows[block]));
                high = fmaxf(high, __ldcg(&highs[block]));
            }
            spread[0] = high - low;
            *arrived = 0;
        }
    }
// END SOLUTION 2

// WRONG first_waits: the first block waits for all tickets; so many may not run at once.
// BEGIN SOLUTION 1
    __shared__ bool last;
    if (threadIdx.x == 0) {
        lows[blockIdx.x] = low;
        highs[blockIdx.x] = high;
        __threadfence();
        atomicAdd(arrived, 1);
        while (blockIdx.x == 0 && *(volatile unsigned*)arrived < gridDim.x) { }
        last = blockIdx.x == 0;
        if (last) *(volatile unsigned*)arrived = 0;
    }
    __syncthreads();
// END SOLUTION 1

// RIGHT all_know: __syncthreads_or tells every thread whether its block is the last.
// BEGIN SOLUTION 1
    bool drew_last = false;
    if (threadIdx.x == 0) {
        lows[blockIdx.x] = low;
        highs[blockIdx.x] = high;
        __threadfence();
        drew_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    const bool last = __syncthreads_or(drew_last);
// END SOLUTION 1
