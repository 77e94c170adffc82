// Wrong: nothing costs anything to start.
extern "C" __global__
void streams_chunks(
    float* __restrict__ done,   // [most]
    int most, int streams,
    float copy, float kernel, float start)
{
    int chunks = blockIdx.x * blockDim.x + threadIdx.x + 1;
    float copy_time = copy / chunks;
    float kernel_time = kernel / chunks;
    float in_free = 0, compute_free = 0, out_free = 0;   // of the engines
    float stream_done[8] = {};

    for (int chunk = 0; chunk < chunks; ++chunk) {
        int stream = chunk % streams;
        in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
        compute_free = fmaxf(compute_free, in_free) + kernel_time;
        out_free = fmaxf(out_free, compute_free) + copy_time;
        stream_done[stream] = out_free;
    }
    if (chunks <= most)
        done[chunks - 1] = out_free;
}
