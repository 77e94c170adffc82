// vector_add/exercises/deal: let the threads of one block share a loop as a
//     dealer shares out cards.
//
// out[i] = in[i] + 1
//
// Launch:   block (any), grid (1)
// Defines:  none
// Cost:     8*n bytes, n flops
// Assumes:  n + blockDim.x <= 2^31, so that i does not overflow
//
// As given, thread 0 takes the first stretch of the array, thread 1 the next,
// and so on. That is right; but the 32 threads of a warp then ask for
// elements far apart, so that each of them needs a sector of its own. Asked:
// at most 4 sectors a request, and each element once.
// HINT 1: Thread 0 should take elements 0, blockDim.x, 2 * blockDim.x ...
//         Where does thread 1 begin?
// HINT 2: Three numbers describe a thread's elements: the first one, the step
//         to the next one, and where to stop.
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    // BEGIN SOLUTION 1: which elements are this thread's?
    // GIVEN: int share = (n + blockDim.x - 1) / blockDim.x;
    // GIVEN: int first = threadIdx.x * share;
    // GIVEN: int end = min(first + share, n);
    // GIVEN: int step = 1;
    int first = threadIdx.x, end = n;
    int step = blockDim.x;
    // END SOLUTION 1
    for (int i = first; i < end; i += step) {
        out[i] = in[i] + 1.0f;
    }
}
