// vector_add/01_one_thread: a loop on one thread, as a CPU would run it.
//
// c[i] = a[i] + b[i]
//
// Launch:   block (1), grid (1)
// Defines:  none
// Cost:     12*n bytes, n flops
// Assumes:  nothing
extern "C" __global__
void vector_add_one_thread(
    const float* __restrict__ a,  // [n]
    const float* __restrict__ b,  // [n]
    float* __restrict__ c,        // [n]
    int n)
{
    for (int i = 0; i < n; ++i) {
        c[i] = a[i] + b[i];
    }
}
