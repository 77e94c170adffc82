// Right: a ring of ends by hand, in place of an index modulo streams.
extern "C" __global__
void streams_chunks(
    float* __restrict__ done,   // [most]
    int most, int streams,
    float copy, float kernel, float start)
{
    int chunks = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (chunks > most)
        return;
    float in_free = 0, compute_free = 0, out_free = 0, ends[8];
    for (int k = 0; k < 8; ++k)
        ends[k] = 0;
    int stream = 0;
    for (int left = chunks; left > 0; --left) {
        in_free = max(in_free, ends[stream]) + copy / chunks + start;
        compute_free = max(compute_free, in_free) + kernel / chunks + start;
        out_free = max(out_free, compute_free) + copy / chunks + start;
        ends[stream] = out_free;
        stream = stream + 1 == streams ? 0 : stream + 1;
    }
    done[chunks - 1] = out_free;
}
