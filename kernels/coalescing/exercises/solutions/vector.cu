// coalescing/exercises/vector: scale and add with float4, right at every n.
//
// out[i] = a * x[i] + y[i]
//
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  none
// Cost:     12*n bytes, 2*n flops
// Assumes:  x, y and out start at multiples of 16 bytes
//
// The grid has a thread for every four elements, rounded up. Asked:
// float4 loads and stores wherever a whole float4 exists, and the last
// n % 4 elements right.
// HINT 1: reinterpret_cast<const float4*>(x)[i] is one 16-byte load
//         of elements 4i to 4i + 3.
// HINT 2: A whole float4 exists for i < n / 4, with C's integer division.
// HINT 3: The rest begins at n / 4 * 4. The grid has at least n % 4 threads;
//         give each one element.
extern "C" __global__
void coalescing_vector(
    const float* __restrict__ x,   // [n]
    const float* __restrict__ y,   // [n]
    float* __restrict__ out,       // [n]
    int n,
    float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: whole float4, then what is left (about 10 lines)
    int quads = n / 4;
    if (i < quads) {
        float4 p = reinterpret_cast<const float4*>(x)[i];
        float4 q = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(out)[i] =
            make_float4(a * p.x + q.x, a * p.y + q.y,
                        a * p.z + q.z, a * p.w + q.w);
    }
    int rest = 4 * quads + i;
    if (rest < n) {
        out[rest] = a * x[rest] + y[rest];
    }
    // END SOLUTION 1
}
