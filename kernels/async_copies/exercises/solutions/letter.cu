// async_copies/exercises/letter: block 0 adds up the first half and sends
//     its sums; block 1 adds up the rest and finishes.
//
// out[t] = in[t] + in[t + 64] + in[t + 128] + ...     for t = 0 ... 63
//
// Launch:   block (64), grid (2)
// Defines:  none
// Cost:     4*n bytes, n flops
// Assumes:  flag is 0 at first; sm_70
//
// At the end `sums` holds the sums of the first half, and every flag is 1.
// Asked: a message that cannot go wrong, at the least price. The order
// belongs to the flag's own store and load; no fence stands beside them, and
// nothing is ordered for the host.
// HINT 1: The writer gives something away, the reader gets something: which
//         of the two releases, which acquires?
// HINT 2: Blocks of one grid run on one device. Whom does each scope name?
#include <cuda/atomic>

extern "C" __global__
void async_copies_letter(
    const float* __restrict__ in,   // [n]
    float* sums,                    // [64], from block to block
    int* flag,                      // [64], one for each thread
    float* __restrict__ out,        // [64]
    int n)
{
    int half = n / 2 / 64 * 64, thread = threadIdx.x;
    int begin = blockIdx.x == 0 ? 0 : half, end = blockIdx.x == 0 ? half : n;
    float sum = 0.0f;
    for (int i = begin + thread; i < end; i += 64) sum += in[i];
    // BEGIN SOLUTION 1: the message
    // GIVEN: cuda::atomic_ref<int, cuda::thread_scope_block>
    // GIVEN:     sent(flag[thread]);
    // GIVEN: if (blockIdx.x == 0) {
    // GIVEN:     sums[thread] = sum;
    // GIVEN:     sent.store(1, cuda::memory_order_relaxed);
    // GIVEN: } else {
    // GIVEN:     while (sent.load(cuda::memory_order_relaxed) == 0) { }
    // GIVEN:     out[thread] = sums[thread] + sum;
    // GIVEN: }
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_release);
    } else {
        while (sent.load(cuda::memory_order_acquire) == 0) { }
        out[thread] = sums[thread] + sum;
    }
    // END SOLUTION 1
}
