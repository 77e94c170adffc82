// streams/02_count: a kernel so short that only its launch takes time.
//
// count[0] += 1, by one thread
//
// Changed:  rewrite: a launch, and next to nothing in it
// Launch:   block (32), grid (1)
// Defines:  none
// Cost:     8 bytes, 0 flops
// Assumes:  launches one after another
extern "C" __global__
void streams_count(
    int* __restrict__ count)   // [1]
{
    if (threadIdx.x == 0)
        count[0] += 1;
}
