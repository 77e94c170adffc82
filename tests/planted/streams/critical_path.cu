// WRONG no_barrier: no barrier between writing and looking.
// INSTEAD OF
        __syncthreads();
// WRITE
// END

// WRONG one_round: one round is not enough.
// INSTEAD OF
    } while (__syncthreads_or(changed));
// WRITE
    } while (__syncthreads_or(false));
// END

// WRONG one_thread: one thread does it all; right, and slow.
extern "C" __global__
void streams_critical_path(
    const float* __restrict__ length,   // [n]
    const int* __restrict__ first,      // [n + 1]
    const int* __restrict__ before,     // [edges]
    float* end,                         // [n]
    int n)
{
    if (threadIdx.x == 0) {
        for (int node = 0; node < n; ++node)
            end[node] = length[node];
        for (bool changed = true; changed;) {
            changed = false;
            for (int node = 0; node < n; ++node) {
                float latest = 0;
                for (int edge = first[node]; edge < first[node + 1]; ++edge)
                    latest = fmaxf(latest, end[before[edge]]);
                if (length[node] + latest != end[node]) {
                    end[node] = length[node] + latest;
                    changed = true;
                }
            }
        }
    }
}

// WRONG sum: adds up the ends in place of taking the latest.
// INSTEAD OF
                latest = fmaxf(latest, ends[before[edge]]);
// WRITE
                latest += ends[before[edge]];
// END

// WRONG barriers_for_show: the first thread does it all; the others meet it at barriers.
// BEGIN SOLUTION 1
    __shared__ float lengths[256];
    lengths[node] = mine;
    ends[node] = mine;
    __syncthreads();
    for (bool changed = true; node == 0 && changed;) {
        changed = false;
        for (int i = 0; i < n; ++i) {
            float latest = 0;
            for (int edge = first[i]; edge < first[i + 1]; ++edge)
                latest = fmaxf(latest, ends[before[edge]]);
            changed |= lengths[i] + latest != ends[i];
            ends[i] = lengths[i] + latest;
        }
    }
    for (int round = 0; round < 16; ++round) __syncthreads();
    mine = ends[node];
// END SOLUTION 1
// INSTEAD OF
    float own = node < n ? length[node] : 0, mine = own;
// WRITE
    float mine = node < n ? length[node] : 0;
// END

// RIGHT two_arrays: two arrays in turn, one barrier a round, and n rounds at most.
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

// WRONG each_for_itself: every thread works out all ends alone; barriers for show.
// BEGIN SOLUTION 1
    float all[256];
    for (int v = 0; v < n; ++v) all[v] = length[v];
    bool changed = true;
    while (changed) {
        changed = false;
        for (int v = 0; v < n; ++v) {
            float latest = 0;
            for (int edge = first[v]; edge < first[v + 1]; ++edge)
                latest = fmaxf(latest, all[before[edge]]);
            changed |= all[v] != length[v] + latest;
            all[v] = length[v] + latest;
        }
    }
    for (int round = 0; round < 2; ++round) {
        ends[node] = own;
        __syncthreads();
    }
    if (node < n) mine = all[node];
// END SOLUTION 1
