// measure/01_work: arithmetic by the round and next to no memory,
//     so that you choose the run time.
//
// out[i] = x after rounds times x = 0.5 * x + 1, from x = i
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     4*n bytes, 2*n*rounds flops
// Assumes:  nothing
extern "C" __global__
void measure_work(
    float* __restrict__ out,        // [n]
    int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = i;
        // Each round waits for the one before; the SM's other warps fill
        // the cycles between.
        #pragma unroll 16
        for (int round = 0; round < rounds; ++round)
            x = fmaf(0.5f, x, 1.0f);
        out[i] = x;
    }
}
