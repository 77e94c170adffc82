// coalescing/04_float4: four floats per lane: LD.128,
//     a quarter of the instructions.
//
// out[i] = in[i]
//
// Changed:  float2 -> float4    (from 03_float2)
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 16 bytes
extern "C" __global__
void coalescing_float4(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (i < quads) {
        reinterpret_cast<float4*>(out)[i] =
            reinterpret_cast<const float4*>(in)[i];
    }
    int rest = 4 * quads + i;
    if (rest < n) {
        out[rest] = in[rest];
    }
}
