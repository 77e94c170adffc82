// golden/global_store: one store a thread, to TYPE number AT, where ON holds.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  TYPE = int, AT = i, ON = true
#ifndef TYPE
#define TYPE int
#endif
#ifndef AT
#define AT i
#endif
#ifndef ON
#define ON true
#endif
union Held { TYPE value; int words[(sizeof(TYPE) + 3) / 4]; };

extern "C" __global__
void golden_global_store(
    int* __restrict__ out,        // [8192]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    if (i < n && (ON)) {
        Held held;
        for (int& word : held.words) word = lane;
        reinterpret_cast<TYPE*>(out)[AT] = held.value;
    }
}
