// Wrong: one thread does it all; right, and slow.
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
