// Wrong: the maximum starts from minus infinity, and exp(-inf + inf) is NaN.
extern "C" __global__
void softmax_logsumexp(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    const float LOWEST = __int_as_float(0xff800000);
    int r = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    const float* row = in + (long long)r * cols;
    int count = r < rows ? cols : 0;
    float max = LOWEST, sum = 0.0f;
    for (int c = lane; c < count; c += 32) {
        float value = row[c];
        if (value > max) {
            sum *= expf(max - value);
            max = value;
        }
        sum += expf(value - max);
    }
    for (int far = 16; far > 0; far /= 2) {
        float other_max = __shfl_xor_sync(0xffffffff, max, far);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, far);
        float both = fmaxf(max, other_max);
        sum = sum * expf(max - both) + other_sum * expf(other_max - both);
        max = both;
    }
    if (lane == 0 && r < rows) out[r] = max + logf(sum);
}
