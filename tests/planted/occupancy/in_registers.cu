// WRONG at_least: counts an element in every quarter up to its own.
// BEGIN SOLUTION 1
        #pragma unroll
        for (int c = 0; c < 4; ++c) count[c] += quarter >= c;
// END SOLUTION 1

// WRONG in_global_memory: the counters lie in global memory, not in registers.
extern "C" __global__
void occupancy_in_registers(
    const float* __restrict__ in,   // [n]
    int* __restrict__ out,          // [4, threads]
    int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int c = 0; c < 4; ++c) out[c * threads + t] = 0;
    for (int i = t; i < n; i += threads) {
        int quarter = int(4 * in[i]);
        ++out[quarter * threads + t];
    }
}

// WRONG in_shared_memory: the counters lie in shared memory, not in registers.
// BEGIN SOLUTION 1
        ++count[quarter];
// END SOLUTION 1
// INSTEAD OF
    int count[4] = {0, 0, 0, 0};
// WRITE
    __shared__ int counts[64][4];
    int* count = counts[threadIdx.x];
    for (int c = 0; c < 4; ++c) count[c] = 0;
// END

// WRONG one_block: strides by the block: right with one block only.
// INSTEAD OF
    int threads = gridDim.x * blockDim.x;
// WRITE
    int threads = gridDim.x * blockDim.x, step = blockDim.x;
// END
// INSTEAD OF
    for (int i = t; i < n; i += threads) {
// WRITE
    for (int i = t; i < n; i += step) {
// END

// WRONG still_indexed: right results, but the index is known at run time alone: the array is in local memory.
// BEGIN SOLUTION 1
        count[quarter] += 1;
// END SOLUTION 1

// WRONG three_quarters: leaves out the last quarter.
// BEGIN SOLUTION 1
        #pragma unroll
        for (int c = 0; c < 3; ++c) count[c] += quarter == c;
// END SOLUTION 1
