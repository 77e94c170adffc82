// scan/exercises/compact: keep the elements that are not negative, in their
//     order.
//
// kept[256*t ...] = those of in[256*t ...] that are >= 0, then zeros;
// counts[t] = how many they are
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 256 < 2^31
//
// Where an element goes is how many before it are kept: a scan of ones and
// zeros. As given, all are kept. Asked: the place of each, worked out with
// warp operations and one number a warp in shared memory.
extern "C" __global__
void scan_compact(
    const int* __restrict__ in,     // [n]
    int* __restrict__ kept,         // [n]
    int* __restrict__ counts,       // [ceil(n/256)]
    int n)
{
    __shared__ int of_warp[8];
    int first = blockIdx.x * 256, i = first + threadIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int value = i < n ? in[i] : -1;
    bool keep = value >= 0;
    int place = threadIdx.x, total = min(256, n - first);
    // YOUR CODE 1: place: how many the tile keeps before this element;
    keep = i < n;
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
