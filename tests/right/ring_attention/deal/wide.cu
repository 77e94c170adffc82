// Right: four floats a lane where the width allows it.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (row >= gpus * length) return;
    int p = row / length, i = row % length, half = length / 2;
    int token = i < half ? p * half + i : (2 * gpus - 1 - p) * half + i - half;
    const float* from = in + token * width;
    float* to = out + row * width;
    if (width % 4 == 0)
        for (int c = 4 * lane; c < width; c += 128)
            *(float4*)(to + c) = *(const float4*)(from + c);
    else
        for (int c = lane; c < width; c += 32) to[c] = from[c];
}
