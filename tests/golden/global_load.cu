// golden/global_load: one load a thread, of TYPE number AT, where ON holds.
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
void golden_global_load(
    const int* __restrict__ in,   // [8192]
    int* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    if (i < n && (ON)) {
        Held held = {};
        held.value = reinterpret_cast<const TYPE*>(in)[AT];
        int sum = lane;
        for (int word : held.words) sum += word;  // all of it, so that no load is narrowed
        out[i] = sum;
    }
}
