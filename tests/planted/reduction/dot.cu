// WRONG first_warp_only: only the first warp of a block arrives in its sum.
// INSTEAD OF
        sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f;
// WRITE
        sum = threadIdx.x < 1 ? sums[threadIdx.x] : 0.0f;
// END

// WRONG idle_shuffles: shuffles whose results nobody uses; thread 0 adds up the block.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    __shared__ float t[256];
    float v = i < n ? x[i] * y[i] : 0;
    for (int k = 0; k < 5; ++k) v = __shfl_sync(0xffffffff, v, threadIdx.x % 32);
    t[threadIdx.x] = v; __syncthreads();
    if (threadIdx.x == 0) { float s = 0; for (int k = 0; k < 256; ++k) s += t[k]; partial[blockIdx.x] = s; }
// END SOLUTION 2

// WRONG lanes_missing: lanes behind the end are not at the shuffle that names them.
// BEGIN SOLUTION 1
    float sum = 0.0f;
    if (i < n) {
        sum = x[i] * y[i];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
    }
// END SOLUTION 1

// WRONG no_barrier: no barrier between the warps and the first warp.
// INSTEAD OF
    __syncthreads();
// WRITE
// END

// WRONG no_guard: no guard.
// INSTEAD OF
    float sum = i < n ? x[i] * y[i] : 0.0f;
// WRITE
    float sum = x[i] * y[i];
// END

// WRONG one_thread: right sums, but one thread adds up its block.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = i; k < min(i + 256, n); ++k) sum += x[k] * y[k];
        partial[blockIdx.x] = sum;
    }
// END SOLUTION 2

// WRONG shared_tree: right sums, but the whole tree is in shared memory.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    __shared__ float sums[256];
    sums[threadIdx.x] = i < n ? x[i] * y[i] : 0.0f;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
// END SOLUTION 2

// RIGHT butterfly: by XOR, so that every lane has the sum, and a thread adds up the warps.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    float sum = i < n ? x[i] * y[i] : 0.0f;
    for (int lanes = 1; lanes < 32; lanes *= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    }
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) sum += sums[warp];
        partial[blockIdx.x] = sum;
    }
// END SOLUTION 2

// RIGHT shared_atomics: the warps add to one float of shared memory by atomics.
// BEGIN SOLUTION 2
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = total;
// END SOLUTION 2

// WRONG shuffles_for_show: every thread adds to one number in shared memory; shuffles for show.
// BEGIN SOLUTION 1
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    float sum = i < n ? x[i] * y[i] : 0.0f;
    atomicAdd(&total, sum);
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
// END SOLUTION 1
// BEGIN SOLUTION 2
    __syncthreads();
    if (sum < -1.0f) total = sum;
    if (threadIdx.x == 0) partial[blockIdx.x] = total;
// END SOLUTION 2
