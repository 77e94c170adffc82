// attention/03_mask: minus infinity where a query must not look: keys behind
//     it, and keys that do not exist.
//
// scores[h, i, j] = -infinity where j >= n - padding[h], or CAUSAL and j > i
//
// Changed:  nothing, it is the third of five kernels
// Launch:   block (256), grid (ceil(pitch/1024), n, heads)
// Defines:  CAUSAL = 1
// Cost:     2*heads*n*n bytes, 0 flops
// Assumes:  pitch a multiple of 4; scores starts at a multiple of 16 bytes
#ifndef CAUSAL
#define CAUSAL 1
#endif
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

extern "C" __global__
void __launch_bounds__(256) attention_mask(
    float* __restrict__ scores,        // [heads, n, pitch]
    const int* __restrict__ padding,   // [heads], each from 0 to n
    int heads, int n, int pitch)
{
    int row = blockIdx.y, col = 4 * (blockIdx.x * 256 + threadIdx.x);
    int length = n - padding[blockIdx.z];
    int count = CAUSAL ? min(row + 1, length) : length;
    float* word = scores + ((long long)blockIdx.z * n + row) * pitch + col;
    if (col < pitch && col >= count)
        *reinterpret_cast<float4*>(word) = {NOTHING, NOTHING, NOTHING,
                                            NOTHING};
    else if (col < pitch)
        for (int e = max(count - col, 0); e < 4; ++e) word[e] = NOTHING;
}
