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
extern "C" __global__
void peaks_recompute(
    const float* __restrict__ in,        // [n]
    const float* __restrict__ weights,   // [n]: weight(0), weight(1), ...
    float* __restrict__ out,             // [n]
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // YOUR CODE 1: the weight from i and n (roughly 2 lines)
        const float weight = weights[i];
        out[i] = in[i] * weight;
    }
}
