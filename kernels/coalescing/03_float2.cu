// coalescing/03_float2: one instruction moves two floats per lane: LD.64,
//     half the instructions.
//
// out[i] = in[i]
//
// Changed:  float -> float2, and a tail for the last n % 2  (from 02_offset)
// Launch:   block (256), grid (ceil(n/512))
// Defines:  none
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 8 bytes
extern "C" __global__
void coalescing_float2(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = n / 2;
    if (i < pairs) {
        reinterpret_cast<float2*>(out)[i] =
            reinterpret_cast<const float2*>(in)[i];
    }
    int rest = 2 * pairs + i;
    if (rest < n) {
        out[rest] = in[rest];
    }
}
