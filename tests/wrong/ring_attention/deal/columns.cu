// Wrong: right, but neighbouring lanes have neighbouring rows.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int thread = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    int rows = gpus * length, half = length / 2;
    for (int k = thread; k < rows * width; k += gridDim.x * 256) {
        int row = k % rows, c = k / rows, p = row / length, i = row % length;
        int token = i < half ? p * half + i
                             : (2 * gpus - 1 - p) * half + i - half;
        out[row * width + c] = in[token * width + c];
    }
}
