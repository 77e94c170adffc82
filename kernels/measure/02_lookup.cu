// measure/02_lookup: walk through a table at random; a step cannot begin
//     before the last one ended.
//
// out[i] = at after hops times at = next[at], from at = i
//
// Changed:  rewrite: waits for memory instead of for arithmetic
//           (from 01_work)
// Launch:   block (32), grid (ceil(n/32))
// Defines:  none
// Cost:     32*n*hops bytes, because memory moves in sectors
//           of 32 bytes; 0 flops
// Assumes:  n <= size, and every entry of next is at least 0
//           and less than size
extern "C" __global__
void measure_lookup(
    const int* __restrict__ next,   // [size]
    int* __restrict__ out,          // [n]
    int n, int hops)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = i;
        for (int hop = 0; hop < hops; ++hop)
            at = next[at];
        out[i] = at;
    }
}
