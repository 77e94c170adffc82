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
// HINT 1: __ballot_sync gives every lane a word with a bit for each lane that
//         keeps its element. Which of these bits lie before yours?
// HINT 2: __popc counts bits; (1u << lane) - 1 has those below the lane.
// HINT 3: Each warp leaves its count in shared memory; after a barrier every
//         thread adds up the counts of the warps before its own.
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
    // BEGIN SOLUTION 1: place: how many the tile keeps before this element;
    //                   total: how many it keeps in all
    // GIVEN: keep = i < n;
    unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0)
        of_warp[warp] = __popc(votes);
    __syncthreads();
    place = __popc(votes & ((1u << lane) - 1));
    total = 0;
    for (int w = 0; w < 8; ++w) {
        if (w < warp)
            place += of_warp[w];
        total += of_warp[w];
    }
    // END SOLUTION 1
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
