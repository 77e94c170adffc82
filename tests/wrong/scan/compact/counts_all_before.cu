// Wrong: right, but each thread reads all marks before its own.
extern "C" __global__
void scan_compact(
    const int* __restrict__ in,     // [n]
    int* __restrict__ kept,         // [n]
    int* __restrict__ counts,       // [ceil(n/256)]
    int n)
{
    int first = blockIdx.x * 256, i = first + threadIdx.x;
    int value = i < n ? in[i] : -1;
    bool keep = value >= 0;
    int place = threadIdx.x, total = min(256, n - first);
    __shared__ int marks[256];
    marks[threadIdx.x] = keep;
    __syncthreads();
    place = total = 0;
    for (int t = 0; t < 256; ++t) {
        if (t < threadIdx.x)
            place += marks[t];
        total += marks[t];
    }
    if (keep)
        kept[first + place] = value;
    if (threadIdx.x >= total && i < n)
        kept[i] = 0;
    if (threadIdx.x == 0)
        counts[blockIdx.x] = total;
}
