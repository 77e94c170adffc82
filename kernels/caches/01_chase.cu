// caches/01_chase: each load's address is the value that the last one
//     brought, so latencies add up.
//
// at = next[at], `warm` times and then `hops` times, these against the clock
//
// Changed:  nothing, the first step
// Launch:   block (1), grid (1)
// Defines:  none
// Cost:     4*(warm + hops) bytes, 0 flops
// Assumes:  next holds positions from 0 to n - 1
extern "C" __global__
void caches_chase(
    const int* __restrict__ next,     // [n]
    int* __restrict__ end,            // [1]
    long long* __restrict__ cycles,   // [1]
    int warm, int hops)
{
    int at = 0;
    for (int hop = 0; hop < warm; ++hop) at = next[at];
    long long start = clock64();
    for (int hop = 0; hop < hops; ++hop) at = next[at];
    cycles[0] = clock64() - start;
    end[0] = at;
}
