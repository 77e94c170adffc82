// peaks/exercises/recompute: below the ridge, computing a number is cheaper
//     than reading it.
//
// out[i] = in[i] * weight(i),
//          weight(i) = 1 - |(2*i + 1) / n - 1|, a triangle over the array
//
// Launch:   block (256), grid (ceil(n/256))
// Cost:     8*n bytes, 5*n flops
// Assumes:  nothing
//
// The code below reads every weight from memory: 12 bytes an element. Asked:
// the same values with 8 bytes an element, without reading weights at all.
// HINT 1: The weight depends on i and n alone, and both are in
//         registers already.
// HINT 2: Convert before you divide: (2 * i + 1) / n is an integer
//         division, and 0 or 1.
// HINT 3: 2 * i + 1 leaves the range of an int when i is above 2^30;
//         (float)i * 2.0f does not.
extern "C" __global__
void peaks_recompute(
    const float* __restrict__ in,        // [n]
    const float* __restrict__ weights,   // [n]: weight(0), weight(1), ...
    float* __restrict__ out,             // [n]
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // BEGIN SOLUTION 1: the weight from i and n (roughly 2 lines)
        // GIVEN: const float weight = weights[i];
        const float place = (2.0f * i + 1.0f) / n;
        const float weight = 1.0f - fabsf(place - 1.0f);
        // END SOLUTION 1
        out[i] = in[i] * weight;
    }
}
