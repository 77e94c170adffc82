// async_copies/14_far_writes: writes that take long to arrive, for the
//     fences of another kernel to wait for.
//
// out[i] = passes     for all i, written `passes` times
//
// Changed:  rewrite: nothing but stores
// Launch:   block (256), grid (SMs)
// Defines:  PAUSE = 0
// Cost:     4*n*passes bytes, 0 flops
// Assumes:  n + 256*blocks < 2^31; sm_70
#ifndef PAUSE
#define PAUSE 0
#endif

extern "C" __global__
void async_copies_far_writes(
    int* __restrict__ out,   // [n], in the host's memory or elsewhere
    int n, int passes)
{
    int threads = gridDim.x * blockDim.x;
    for (int pass = 1; pass <= passes; ++pass) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
             i += threads) {
            ((volatile int*)out)[i] = pass;
            if (PAUSE > 0) __nanosleep(PAUSE);
        }
    }
}
