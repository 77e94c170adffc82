// Wrong: as many streams as chunks.
extern "C" __global__
void streams_chunks(
    float* __restrict__ done,   // [most]
    int most, int streams,
    float copy, float kernel, float start)
{
    int chunks = blockIdx.x * blockDim.x + threadIdx.x + 1;
    float copy_time = copy / chunks + start;
    float kernel_time = kernel / chunks + start;
    float in_free = 0, compute_free = 0, out_free = 0;   // of the engines
    float stream_done[8] = {};

    for (int chunk = 0; chunk < chunks; ++chunk) {
        int stream = chunk % streams;
        in_free = in_free + copy_time;
        compute_free = fmaxf(compute_free, in_free) + kernel_time;
        out_free = fmaxf(out_free, compute_free) + copy_time;
        stream_done[stream] = out_free;
    }
    if (chunks <= most)
        done[chunks - 1] = out_free;
}
