// caches/exercises/cycle: build the ring that a pointer chase runs round,
//     one position in each line.
//
// next[STRIDE * order[i]] = STRIDE * order[i + 1],
//                           and after the last comes the first
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  STRIDE = 32
// Cost:     8*n bytes, 0 flops
// Assumes:  order is a permutation of 0 ... n - 1; STRIDE * n < 2^31
//
// `order` says in which order the chase visits n places. Write, at each
// place, the position of the place after it. Positions count ints, and places
// are STRIDE ints apart, so that no two share a line; all other ints of
// `next` stay untouched. Asked: coalesced loads of `order`.
#ifndef STRIDE
#define STRIDE 32
#endif

extern "C" __global__
void caches_cycle(
    const int* __restrict__ order,   // [n]
    int* __restrict__ next,          // [STRIDE * n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: link place order[i] to the next one (about 3 lines)
}
