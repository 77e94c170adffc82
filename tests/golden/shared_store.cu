// golden/shared_store: one store a thread to shared memory, to TYPE number AT, where ON holds.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  TYPE = int, AT = lane, ON = true
#ifndef TYPE
#define TYPE int
#endif
#ifndef AT
#define AT lane
#endif
#ifndef ON
#define ON true
#endif
union Held { TYPE value; int words[(sizeof(TYPE) + 3) / 4]; };

extern "C" __global__
void golden_shared_store(
    int* __restrict__ out,        // [n]
    int n)
{
    alignas(16) __shared__ int words[4224];   // 32 lanes, stride 33, 4 words each
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 4224; k += blockDim.x) words[k] = k;
    __syncthreads();
    if (i < n && (ON)) {
        Held held;
        for (int& word : held.words) word = lane;
        reinterpret_cast<TYPE*>(words)[AT] = held.value;
    }
    __syncthreads();
    if (i < n) out[i] = words[threadIdx.x];
}
