// golden/global_atomic: one atomicAdd a thread, to TYPE number AT; KEEP asks for the old value.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  TYPE = int, AT = i, KEEP = 0
#ifndef TYPE
#define TYPE int
#endif
#ifndef AT
#define AT i
#endif
#ifndef KEEP
#define KEEP 0
#endif

extern "C" __global__
void golden_global_atomic(
    int* __restrict__ sums,       // [8192]
    int* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    if (i < n) {
        TYPE old = atomicAdd(reinterpret_cast<TYPE*>(sums) + (AT), TYPE(lane));
        out[i] = KEEP ? int(old) : lane;
    }
}
