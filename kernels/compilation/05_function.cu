// compilation/05_function: one function of every element, AGAIN times over.
//
// out[i] = f(f(... f(in[i])))
//
// Changed:  rewrite: another task
// Launch:   block (256), grid (ceil(n/256))
// Defines:  FUNCTION = DIVIDE (or ROOT, EXPONENTIAL, SINE, MULTIPLY_ADD),
//           AGAIN = 1
// Cost:     8*n bytes, AGAIN*n flops
// Assumes:  n + 256 <= 2^31, so that i does not overflow
#define DIVIDE(x) (1.7f / (x))
#define ROOT(x) sqrtf(x)
#define EXPONENTIAL(x) expf(-(x))
#define SINE(x) sinf(x)
#define MULTIPLY_ADD(x) (0.7f * (x) + 0.3f)
#ifndef FUNCTION
#define FUNCTION DIVIDE
#endif
#ifndef AGAIN
#define AGAIN 1
#endif

extern "C" __global__
void compilation_function(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = in[i];
        for (int again = 0; again < AGAIN; ++again) {
            value = FUNCTION(value);
        }
        out[i] = value;
    }
}
