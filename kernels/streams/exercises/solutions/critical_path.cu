// streams/exercises/critical_path: when each node of a graph of kernels can
//     end at the earliest.
//
// end[node] = length[node] + the latest end of the nodes that it waits for
//
// Launch:   block (256), grid (1)
// Defines:  none
// Cost:     12*n bytes, 0 flops
// Assumes:  n <= 256; no node waits for itself, by whatever detour
//
// Node v waits for before[first[v]], before[first[v] + 1], ... up to, and
// without, before[first[v + 1]]. Nodes stand in no order.
//
// HINT 1: One thread a node. Put an end that is too early into ends, at first
//         the node's length, and repeat: look at the ends of those that the
//         node waits for, and work out its own anew.
// HINT 2: A barrier between the writing and the looking, and another one
//         between the looking and the next writing. The second can be
//         __syncthreads_or(changed), which also says whether to go on.
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

    // BEGIN SOLUTION 1: relax the edges in rounds, until nothing changes
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
    } while (__syncthreads_or(changed));
    // END SOLUTION 1
    if (node < n)
        end[node] = mine;
}
