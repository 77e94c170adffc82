// golden/trips: a loop that each lane leaves after a number of rounds of its own.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  TRIPS = 5, UNROLL = 1
#ifndef TRIPS
#define TRIPS 5
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

extern "C" __global__
void golden_trips(
    const int* __restrict__ in,   // [8192]
    int* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = 0;
        #pragma unroll UNROLL
        for (int k = 0; k <= i % TRIPS; ++k) sum += in[i + 64 * k];
        out[i] = sum;
    }
}
