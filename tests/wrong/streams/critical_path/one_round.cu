// Wrong: one round is not enough.
extern "C" __global__
void streams_critical_path(
    const float* __restrict__ length,   // [n]
    const int* __restrict__ first,      // [n + 1]
    const int* __restrict__ before,     // [edges]
    float* __restrict__ end,            // [n]
    int n)
{
    __shared__ float ends[256];
    int node = threadIdx.x;
    float own = node < n ? length[node] : 0, mine = own;

    bool changed;
    do {
        ends[node] = mine;
        __syncthreads();
        float latest = 0;
        if (node < n)
            for (int edge = first[node]; edge < first[node + 1]; ++edge)
                latest = fmaxf(latest, ends[before[edge]]);
        changed = own + latest != mine;
        mine = own + latest;
    } while (__syncthreads_or(false));
    if (node < n)
        end[node] = mine;
}
