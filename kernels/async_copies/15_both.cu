// async_copies/15_both: two blocks raise a flag each in the same moment, and
//     each then looks at the other's.
//
// seen[pair, r, side] = 1 if this side found the other's flag raised
//
// Changed:  rewrite: both write first, and both read then
// Launch:   block (1), grid (2*pairs)
// Defines:  ORDER = cuda::memory_order_relaxed
// Cost:     8*pairs*rounds bytes, 0 flops
// Assumes:  flags are 0 at first; all blocks run at once; sm_70
#include <cuda/atomic>
#ifndef ORDER
#define ORDER cuda::memory_order_relaxed
#endif
constexpr auto RELAXED = cuda::memory_order_relaxed;
using Shared = cuda::atomic_ref<int, cuda::thread_scope_device>;

extern "C" __global__
void async_copies_both(
    int* flags,   // [pairs * 96]
    int* seen,    // [pairs * rounds * 2]
    int pairs, int rounds)
{
    int pair = blockIdx.x / 2, side = blockIdx.x % 2;
    Shared met(flags[96 * pair]);                     // three lines a pair
    Shared mine(flags[96 * pair + 32 + 32 * side]);
    Shared other(flags[96 * pair + 64 - 32 * side]);
    int before = 1;   // found in the round before: it has to be known
    for (int r = 0; r < rounds; ++r) {
        met.fetch_add(before < 0 ? 0 : 1, RELAXED);
        while (met.load(RELAXED) < 2 * (r + 1)) { }   // both begin
        mine.store(r + 1, RELAXED);
        cuda::atomic_thread_fence(ORDER, cuda::thread_scope_device);
        before = other.load(RELAXED);
        seen[2 * (pair * rounds + r) + side] = before > r;
    }
}
