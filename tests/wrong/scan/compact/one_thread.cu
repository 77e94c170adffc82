// Wrong: right, but one thread does the work of all.
extern "C" __global__
void scan_compact(
    const int* __restrict__ in,     // [n]
    int* __restrict__ kept,         // [n]
    int* __restrict__ counts,       // [ceil(n/256)]
    int n)
{
    __shared__ int of_warp[8];
    int first = blockIdx.x * 256, i = first + threadIdx.x;
    int value = i < n ? in[i] : -1;
    bool keep = value >= 0;
    int place = threadIdx.x, total = min(256, n - first);
    if (threadIdx.x == 0) {
        total = 0;
        for (int t = 0; t < 256 && first + t < n; ++t)
            if (in[first + t] >= 0)
                kept[first + total++] = in[first + t];
        of_warp[0] = total;
    }
    __syncthreads();
    total = of_warp[0];
    keep = false;
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
