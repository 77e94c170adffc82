// async_copies/11_message: one block writes letters and raises a flag for
//     each; another sees the flag and reads the letter.
//
// seen[pair, r] = what the reader found in letters[pair, STRIDE*r]
//                 after it had seen flag r;     r + 1 was sent
//
// Changed:  rewrite: two blocks, one message after the other
// Launch:   block (1), grid (2*pairs)
// Defines:  WRITER = 1, READER = 1, STRIDE = 1, PAST_L1 = 0,
//           SCOPE = cuda::thread_scope_device
// Cost:     8*pairs*rounds bytes, 0 flops
// Assumes:  letters, flags and answers are 0 at first; all blocks run at
//           once; sm_70
#include <cuda/atomic>
#ifndef WRITER
#define WRITER 1
#endif
#ifndef READER
#define READER 1
#endif
#ifndef STRIDE
#define STRIDE 1
#endif
#ifndef PAST_L1
#define PAST_L1 0
#endif
#if PAST_L1
#define LOAD "ld.global.cg.s32"
#else
#define LOAD "ld.global.s32"
#endif
#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif
constexpr auto RELAXED = cuda::memory_order_relaxed;
using Shared = cuda::atomic_ref<int, cuda::thread_scope_device>;

extern "C" __global__
void async_copies_message(
    int* letters,   // [pairs * rounds * STRIDE]
    int* flags,     // [pairs * 64]
    int* seen,      // [pairs * rounds]
    int pairs, int rounds)
{
    int pair = blockIdx.x / 2;
    int* mine = letters + pair * rounds * STRIDE;
    Shared flag(flags[64 * pair]);
    Shared answer(flags[64 * pair + 32]);   // in another line than the flag
    for (int r = 0; r < rounds; ++r) {
        if (blockIdx.x % 2 == 0) {
            mine[STRIDE * r] = r + 1;
#if WRITER
            cuda::atomic_thread_fence(cuda::memory_order_release, SCOPE);
#endif
            flag.store(r + 1, RELAXED);
            while (answer.load(RELAXED) != r + 1) { }   // one at a time
        } else {
            while (flag.load(RELAXED) != r + 1) { }
#if READER
            cuda::atomic_thread_fence(cuda::memory_order_acquire, SCOPE);
#endif
            int found;   // an ordinary load that no compiler may move
            asm volatile(LOAD " %0, [%1];"
                         : "=r"(found) : "l"(mine + STRIDE * r) : "memory");
            seen[pair * rounds + r] = found;
            answer.store(found < 0 ? 0 : r + 1, RELAXED);
        }
    }
}
