// Wrong: places are drawn from a counter, so the order is lost.
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
    if (threadIdx.x == 0)
        of_warp[0] = 0;
    __syncthreads();
    if (keep)
        place = atomicAdd(&of_warp[0], 1);
    __syncthreads();
    total = of_warp[0];
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
