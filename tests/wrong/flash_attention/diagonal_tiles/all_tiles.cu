// Wrong: visits every tile.
extern "C" __global__
void flash_attention_diagonal_tiles(
    const float* __restrict__ q,   // [queries, 16]
    const float* __restrict__ k,   // [keys, 16]
    const float* __restrict__ v,   // [keys, 16]
    float* __restrict__ o,         // [queries, 16]
    float* __restrict__ lse,       // [queries]
    int queries, int keys, int offset)
{
    __shared__ float k_tile[32][16], v_tile[32][16];
    const int lane = threadIdx.x, row0 = 32 * blockIdx.x, row = row0 + lane;
    float query[16], out[16] = {}, most = -3.402823466e38f, sum = 0.0f;
    for (int i = 0; i < 16; ++i)
        query[i] = row < queries ? q[row * 16 + i] : 0.0f;
    const int end = keys;
    for (int key0 = 0; key0 < end; key0 += 32) {
        for (int i = lane; i < 32 * 16; i += 32)
            if (key0 * 16 + i < keys * 16) {
                k_tile[i / 16][i % 16] = k[key0 * 16 + i];
                v_tile[i / 16][i % 16] = v[key0 * 16 + i];
            }
        __syncthreads();
        for (int j = 0; j < 32; ++j) {
            const int key = key0 + j;
            if (key >= keys || key > row + offset) continue;
            float score = 0.0f;
            for (int i = 0; i < 16; ++i) score += query[i] * k_tile[j][i];
            const float top = fmaxf(most, score), shrink = expf(most - top),
                        weight = expf(score - top);
            sum = sum * shrink + weight;
            for (int i = 0; i < 16; ++i)
                out[i] = out[i] * shrink + weight * v_tile[j][i];
            most = top;
        }
        __syncthreads();
    }
    if (row < queries) {
        for (int i = 0; i < 16; ++i) o[row * 16 + i] = out[i] / sum;
        lse[row] = most + logf(sum);
    }
}
