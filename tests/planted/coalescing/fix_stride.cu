// WRONG drops_the_last_block: right at multiples of ITEMS * blockDim.x only: a part of a block is left out.
// INSTEAD OF
        if (i < n) {
// WRITE
        if (i < n / (ITEMS * int(blockDim.x)) * (ITEMS * int(blockDim.x))) {
// END

// WRONG half_way: steps by the warp size: blocks overlap and elements stay unwritten.
// BEGIN SOLUTION 1
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    int step = 32;
// END SOLUTION 1

// WRONG no_guard: no guard, so the last block reads and writes past the end.
// INSTEAD OF
        if (i < n) {
            out[i] = 2 * in[i];
        }
// WRITE
        out[i] = 2 * in[i];
// END

// WRONG still_strided: right results, but a request still touches up to 32 sectors.
// BEGIN SOLUTION 1
    int first = ITEMS * (blockIdx.x * blockDim.x + threadIdx.x);
    int step = 1;
// END SOLUTION 1

// RIGHT float4: a float4 load touches 16 sectors, and brings four times as much.
#ifndef ITEMS
#define ITEMS 8
#endif

extern "C" __global__
void coalescing_fix_stride(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * blockIdx.x * blockDim.x + 4 * threadIdx.x;
    for (int k = 0; k < ITEMS / 4; ++k) {
        int i = first + 4 * blockDim.x * k;
        if (i + 3 < n) {
            float4 four = *reinterpret_cast<const float4*>(in + i);
            *reinterpret_cast<float4*>(out + i) =
                make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
        } else {
            for (int j = i; j < n; ++j) out[j] = 2 * in[j];
        }
    }
}
