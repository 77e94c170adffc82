// peaks/05_ahead: before a thread works on its four floats it asks for its
//     next four.
//
// out[i] = in[i] + in[i]^2 + ... + in[i]^(1 + FLOPS_PER_ELEMENT / 2)
//
// Changed:  the load of the next round stands before the arithmetic of this
//           one (from 04_loop)
// Launch:   block (256), grid (8 * SMs)
// Defines:  FLOPS_PER_ELEMENT = 16
// Cost:     8*n bytes, FLOPS_PER_ELEMENT*n flops
// Assumes:  in and out start at multiples of 16 bytes, as every CuPy
//           allocation does; n / 4 + 2 * gridDim.x * blockDim.x <= 2^31
#ifndef FLOPS_PER_ELEMENT
#define FLOPS_PER_ELEMENT 16
#endif
static_assert(FLOPS_PER_ELEMENT >= 0 && FLOPS_PER_ELEMENT % 2 == 0,
              "a multiply-add is two flops");

extern "C" __global__
void peaks_ahead(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const int quads = n / 4;
    const int step = gridDim.x * blockDim.x;
    int quad = blockIdx.x * blockDim.x + threadIdx.x;

    // Four floats a thread: one 16-byte load and four independent chains,
    // by Horner's rule.
    float4 next = {};
    if (quad < quads) next = reinterpret_cast<const float4*>(in)[quad];
    #pragma unroll 1
    for (; quad < quads; quad += step) {
        const float4 value = next;
        if (quad + step < quads)
            next = reinterpret_cast<const float4*>(in)[quad + step];
        float4 acc = value;
        // 256 multiply-adds a round: the loop costs little and stays in the
        // instruction cache.
        #pragma unroll 64
        for (int k = 0; k < FLOPS_PER_ELEMENT / 2; ++k) {
            acc.x = fmaf(acc.x, value.x, value.x);
            acc.y = fmaf(acc.y, value.y, value.y);
            acc.z = fmaf(acc.z, value.z, value.z);
            acc.w = fmaf(acc.w, value.w, value.w);
        }
        reinterpret_cast<float4*>(out)[quad] = acc;
    }

    // The last n % 4 floats do not fill a float4.
    const int rest = 4 * quads + threadIdx.x;
    if (blockIdx.x == 0 && rest < n) {
        const float value = in[rest];
        float acc = value;
        for (int k = 0; k < FLOPS_PER_ELEMENT / 2; ++k)
            acc = fmaf(acc, value, value);
        out[rest] = acc;
    }
}
