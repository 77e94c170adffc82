// Wrong: an element counts itself among those before it.
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
    unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0)
        of_warp[warp] = __popc(votes);
    __syncthreads();
    place = __popc(votes & ((2u << lane) - 1));
    total = 0;
    for (int w = 0; w < 8; ++w) {
        if (w < warp)
            place += of_warp[w];
        total += of_warp[w];
    }
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
