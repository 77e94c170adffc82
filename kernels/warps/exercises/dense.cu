// warps/exercises/dense: long work for a few elements, done by full warps.
//
// out[i] = sqrt(in[i]), by `steps` steps of Newton's method,
//          for each i in chosen; the rest of out stays untouched
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     12*count bytes, 4*count*steps flops
// Assumes:  flag[i] is 1 for each i in chosen, else 0; 0.5 <= in[i] <= 1.5
//
// As given, a thread works if its element is flagged: a warp with one such
// lane takes as long as a warp with 32. The list of the chosen is there too.
// Asked: a quarter of the instructions.
extern "C" __global__
void warps_dense(
    const float* __restrict__ in,     // [n]
    const int* __restrict__ flag,     // [n]
    const int* __restrict__ chosen,   // [count]
    float* __restrict__ out,          // [n]
    int n, int count, int steps)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: which element, if any
    int i = thread;
    bool works = i < n && flag[i] == 1;
    if (works) {
        float a = in[i], y = 1.0f;
        #pragma unroll 1
        for (int step = 0; step < steps; ++step)
            y = 0.5f * (y + a / y);
        out[i] = y;
    }
}
