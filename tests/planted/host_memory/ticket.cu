// WRONG by_index: takes the block with the last number for the last to finish.
// BEGIN SOLUTION 1
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) { number[0] = count; count = 0; }
// END SOLUTION 1

// WRONG count_stays: leaves the count behind, so the next launch begins too high.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = count;
        atomicExch(&done, 0);
    }
// END SOLUTION 1

// WRONG first_block: writes when block 0 has finished, which is before the others have.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == 0) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
// END SOLUTION 1

// WRONG no_barrier: no barrier: thread 0 takes the ticket while other warps still count.
// BEGIN SOLUTION 1
    __threadfence();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
// END SOLUTION 1

// WRONG no_fence: no fence: the ticket may be seen before the counts are.
// BEGIN SOLUTION 1
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
// END SOLUTION 1

// WRONG off_by_one: waits for one ticket more than there are blocks.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
// END SOLUTION 1

// WRONG tickets_stay: never sets the tickets back, so only the first launch writes a result.
// BEGIN SOLUTION 1
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
    }
// END SOLUTION 1

// RIGHT one_fence: one fence a block, of the thread that takes the ticket, behind the barrier.
// BEGIN SOLUTION 1
    __syncthreads();
    if (threadIdx.x == 0) __threadfence();
    if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) {
        number[0] = atomicExch(&count, 0);
        atomicExch(&done, 0);
    }
// END SOLUTION 1
// INSTEAD OF
        atomicAdd(&count, 1);
// WRITE
        atomicAdd(&count, 1u);
// END
