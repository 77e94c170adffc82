// attention/02_scale: every score times 1 / sqrt(128), in place.
//
// scores[w] = scale * scores[w]
//
// Changed:  nothing, it is the second of five kernels
// Launch:   block (256), grid (ceil(words/1024))
// Defines:  none
// Cost:     32*words bytes, 4*words flops
// Assumes:  scores starts at a multiple of 16 bytes
extern "C" __global__
void __launch_bounds__(256) attention_scale(
    float* __restrict__ scores,   // [4*words]
    long long words, float scale)
{
    float4* quads = reinterpret_cast<float4*>(scores);
    long long first = (long long)blockIdx.x * 1024 + threadIdx.x;
    float4 held[4];
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + 256 * i < words) held[i] = quads[first + 256 * i];
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        if (first + 256 * i < words)
            quads[first + 256 * i] = {scale * held[i].x, scale * held[i].y,
                                      scale * held[i].z, scale * held[i].w};
}
