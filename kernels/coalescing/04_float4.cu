// coalescing/04_float4: four floats per lane with one instruction each way,
//     and a tail for the last n % 4.
//
// out[i] = in[i]
//
// Changed:  one float -> one float4, and a tail    (from 01_strided)
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
