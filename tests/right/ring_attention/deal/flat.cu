// Right: the threads of the grid share all elements, without regard to rows.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int thread = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < gpus * length * width; k += gridDim.x * 256) {
        int row = k / width, p = row / length, i = row % length;
        int chunk = 2 * i < length ? p : 2 * gpus - 1 - p;
        out[k] = in[(chunk * (length / 2) + i % (length / 2)) * width + k % width];
    }
}
