// caches/09_hops: the chase again, with the time of every single hop.
//
// at = next[at], `warm` times and then `hops` times;
// trail[h] = at after hop h, cycles[h] = how long that hop took
//
// Changed:  one time for all hops -> one for each     (from 01_chase)
// Launch:   block (1), grid (1)
// Defines:  none
// Cost:     4*warm + 12*hops bytes, 0 flops
// Assumes:  next holds positions from 0 to n - 1
extern "C" __global__
void caches_hops(
    const int* __restrict__ next,   // [n]
    int* __restrict__ trail,        // [hops]
    int* __restrict__ cycles,       // [hops]
    int warm, int hops)
{
    int at = 0;
    for (int hop = 0; hop < warm; ++hop) at = next[at];
    for (int hop = 0; hop < hops; ++hop) {
        long long start = clock64();
        at = next[at];
        trail[hop] = at;  // waits for the load
        cycles[hop] = int(clock64() - start);
    }
}
