// coalescing/03_width: one instruction moves BYTES bytes a lane, and BYTES
//     is 1, 2, 4, 8 or 16.
//
// out[i] = in[i], in elements of BYTES bytes
//
// Changed:  in[STRIDE * i] -> in[i], float -> an element of BYTES bytes
//           (from 01_strided)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  BYTES = 4
// Cost:     2*BYTES*n bytes, 0 flops
// Assumes:  in and out start at multiples of BYTES, n < 2^31
#ifndef BYTES
#define BYTES 4
#endif
#if BYTES == 1
typedef char Element;
#elif BYTES == 2
typedef short Element;    // as wide as a half
#elif BYTES == 4
typedef float Element;
#elif BYTES == 8
typedef double Element;   // as wide as a float2
#elif BYTES == 16
typedef float4 Element;
#endif

extern "C" __global__
void coalescing_width(
    const char* __restrict__ in,   // [BYTES * n]
    char* __restrict__ out,        // [BYTES * n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        reinterpret_cast<Element*>(out)[i] =
            reinterpret_cast<const Element*>(in)[i];
    }
}
