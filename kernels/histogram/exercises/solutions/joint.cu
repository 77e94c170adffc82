// histogram/exercises/joint: how often two kinds of bytes occur together,
//     counted in shared memory.
//
// counts[16 * (a[i] / 16) + b[i] / 16] += 1 for every i
//
// Launch:   block (256), grid (4)
// Defines:  none
// Cost:     2*n bytes, 0 flops
// Assumes:  n + 1024 < 2^31
//
// As given, every pair of bytes adds to a counter in global memory. Asked:
// each block counts in its shared memory first, and a counter of a block
// then costs one atomic in global memory.
// HINT 1: Shared memory holds whatever was there before: who writes the
//         zeros, and who may count before all of them are written?
// HINT 2: The block has as many threads as there are counters.
extern "C" __global__
void histogram_joint(
    const unsigned char* __restrict__ a,    // [n]
    const unsigned char* __restrict__ b,    // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    // BEGIN SOLUTION 1: the block's own counters
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    // END SOLUTION 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 4 * 256) {
        int bin = 16 * (a[i] / 16) + b[i] / 16;
        // BEGIN SOLUTION 2: count in them
        // GIVEN: atomicAdd(&counts[bin], 1);
        atomicAdd(&bins[bin], 1);
        // END SOLUTION 2
    }
    // BEGIN SOLUTION 3: add them to the global ones
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
    // END SOLUTION 3
}
