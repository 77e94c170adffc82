// Right: two arrays in turn, one barrier a round, and n rounds at most.
extern "C" __global__
void streams_critical_path(
    const float* __restrict__ length,   // [n]
    const int* __restrict__ first,      // [n + 1]
    const int* __restrict__ before,     // [edges]
    float* __restrict__ end,            // [n]
    int n)
{
    __shared__ float ends[2][256];
    int node = threadIdx.x;
    float mine = node < n ? length[node] : 0, own = mine;
    ends[0][node] = mine;
    __syncthreads();
    for (int round = 0; round < n; ++round) {
        const float* old = ends[round % 2];
        float latest = 0;
        if (node < n)
            for (int edge = first[node]; edge < first[node + 1]; ++edge)
                latest = fmaxf(latest, old[before[edge]]);
        bool changed = own + latest != mine;
        mine = own + latest;
        ends[(round + 1) % 2][node] = mine;
        if (!__syncthreads_or(changed))
            break;
    }
    if (node < n)
        end[node] = mine;
}
