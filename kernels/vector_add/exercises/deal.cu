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
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    // YOUR CODE 1: which elements are this thread's?
    int share = (n + blockDim.x - 1) / blockDim.x;
    int first = threadIdx.x * share;
    int end = min(first + share, n);
    int step = 1;
    for (int i = first; i < end; i += step) {
        out[i] = in[i] + 1.0f;
    }
}
