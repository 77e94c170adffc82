// Wrong: a tree in shared memory where lanes can ask each other.
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
    __shared__ int t[2][256]; int from = 0;
    t[0][threadIdx.x] = keep; __syncthreads();
    for (int d = 1; d < 256; d *= 2) { int v = t[from][threadIdx.x]; if (threadIdx.x >= d) v += t[from][threadIdx.x - d]; t[1 - from][threadIdx.x] = v; from = 1 - from; __syncthreads(); }
    int place = t[from][threadIdx.x] - keep, total = t[from][255];
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
