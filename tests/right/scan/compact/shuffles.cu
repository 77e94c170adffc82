// Right: scans ones and zeros with shuffles.
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
    int sum = keep;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += below;
    }
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    place = sum - keep;
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
