// coalescing/exercises/fix_stride: give every lane ITEMS elements without
//     spreading the warp.
//
// out[i] = 2 * in[i]
//
// Launch:   block (256), grid (ceil(n/(256*ITEMS)))
// Defines:  ITEMS = 8
// Cost:     8*n bytes, n flops
// Assumes:  nothing
//
// A thread takes ITEMS elements, from `first` in steps of `step`. As given,
// one thread's elements are neighbours, so one request's are not. Asked:
// at most 4 sectors a request.
// HINT 1: Write down which elements lanes 0, 1 and 2 read while k is 0.
//         How many sectors is that?
// HINT 2: A block owns ITEMS * blockDim.x elements in a row. Let its
//         threads take the first blockDim.x of them side by side, then
//         the next blockDim.x.
#ifndef ITEMS
#define ITEMS 8
#endif

extern "C" __global__
void coalescing_fix_stride(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    // BEGIN SOLUTION 1: choose first and step so that lanes read neighbours
    // GIVEN: int first = ITEMS * (blockIdx.x * blockDim.x + threadIdx.x);
    // GIVEN: int step = 1;
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    int step = blockDim.x;
    // END SOLUTION 1
    for (int k = 0; k < ITEMS; ++k) {
        int i = first + step * k;
        if (i < n) {
            out[i] = 2 * in[i];
        }
    }
}
