// async_copies/13_orders: what an atomic waits for, by its order and scope.
//
// Each thread stores `rounds` numbers and counts them on a counter of its
// own; clocks[thread] = how many clocks of the SM that took.
//
// Changed:  rewrite: nobody reads the message, only its price is measured
// Launch:   block (32), grid (SMs)
// Defines:  ORDER = cuda::memory_order_relaxed,
//           SCOPE = cuda::thread_scope_device, USED = 0
// Cost:     8*threads*rounds bytes, 0 flops
// Assumes:  counters are 0 at first; sm_70
#include <cuda/atomic>
#ifndef ORDER
#define ORDER cuda::memory_order_relaxed
#endif
#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif
#ifndef USED
#define USED 0
#endif

extern "C" __global__
void async_copies_orders(
    int* __restrict__ notes,        // [threads]
    int* __restrict__ counters,     // [threads]
    long long* __restrict__ clocks, // [threads]
    int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, SCOPE> counter(counters[thread]);
    long long start = clock64();
    for (int r = 0; r < rounds; ++r) {
        asm volatile("st.global.s32 [%0], %1;"
                     :: "l"(notes + thread), "r"(r + 1) : "memory");
        int before = counter.fetch_add(1, ORDER);
        if (USED && before != r) break;   // never so, but it has to look
    }
    clocks[thread] = clock64() - start;
}
