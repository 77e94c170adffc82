// peaks/03_intensity: as much arithmetic on each float as you ask for, on the way from in to out.
//
// out[i] = in[i] + in[i]^2 + ... + in[i]^(1 + FLOPS_PER_ELEMENT / 2)
//
// Changed:  rewrite: 01_copy's one trip through memory with 02_fma's arithmetic on it
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  FLOPS_PER_ELEMENT = 16
// Cost:     8*n bytes, FLOPS_PER_ELEMENT*n flops
// Assumes:  in and out start at multiples of 16 bytes, as every CuPy allocation does
#ifndef FLOPS_PER_ELEMENT
#define FLOPS_PER_ELEMENT 16
#endif
static_assert(FLOPS_PER_ELEMENT >= 0 && FLOPS_PER_ELEMENT % 2 == 0, "a multiply-add is two flops");

// Horner's rule: the compiler cannot shorten it, and every operand is a register.
static __device__ float series(float value)
{
    float acc = value;
    #pragma unroll
    for (int k = 0; k < FLOPS_PER_ELEMENT / 2; ++k) acc = fmaf(acc, value, value);
    return acc;
}

extern "C" __global__
void peaks_intensity(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const int quads = n / 4;
    const int quad = blockIdx.x * blockDim.x + threadIdx.x;

    // Four floats a thread: one 16-byte load and four independent chains of multiply-adds.
    if (quad < quads) {
        float4 value = reinterpret_cast<const float4*>(in)[quad];
        value.x = series(value.x);
        value.y = series(value.y);
        value.z = series(value.z);
        value.w = series(value.w);
        reinterpret_cast<float4*>(out)[quad] = value;
    }

    // The last n % 4 floats do not fill a float4.
    const int rest = 4 * quads + threadIdx.x;
    if (blockIdx.x == 0 && rest < n) out[rest] = series(in[rest]);
}
