// WRONG any_streams: as many streams as chunks.
// INSTEAD OF
        in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
// WRITE
        in_free = in_free + copy_time;
// END

// WRONG no_guard: no guard.
// INSTEAD OF
    if (chunks <= most)
// WRITE
// END

// WRONG no_start: nothing costs anything to start.
// INSTEAD OF
    float copy_time = copy / chunks + start;
    float kernel_time = kernel / chunks + start;
// WRITE
    float copy_time = copy / chunks;
    float kernel_time = kernel / chunks;
// END

// WRONG one_after_the_other: nothing overlaps.
// INSTEAD OF
        in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
// WRITE
        in_free = out_free + copy_time;
// END

// WRONG one_engine: copies of both directions share an engine.
// INSTEAD OF
        out_free = fmaxf(out_free, compute_free) + copy_time;
// WRITE
        out_free = fmaxf(in_free, compute_free) + copy_time;
        in_free = out_free;
// END

// WRONG one_thread: one thread does it all; right, and slow.
extern "C" __global__
void streams_chunks(
    float* __restrict__ done,   // [most]
    int most, int streams,
    float copy, float kernel, float start)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int chunks = 1; chunks <= most; ++chunks) {
            float copy_time = copy / chunks + start;
            float kernel_time = kernel / chunks + start;
            float in_free = 0, compute_free = 0, out_free = 0;
            float stream_done[8] = {};
            for (int chunk = 0; chunk < chunks; ++chunk) {
                int stream = chunk % streams;
                in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
                compute_free = fmaxf(compute_free, in_free) + kernel_time;
                out_free = fmaxf(out_free, compute_free) + copy_time;
                stream_done[stream] = out_free;
            }
            done[chunks - 1] = out_free;
        }
}

// RIGHT window: a ring of ends by hand, in place of an index modulo streams.
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

// WRONG one_thread_tells: a block's first thread works out all numbers, the others store them.
// BEGIN SOLUTION 1
    __shared__ float times[64];
    if (threadIdx.x == 0)
        for (int all = chunks; all < chunks + 64 && all <= most; ++all) {
            copy_time = copy / all + start;
            kernel_time = kernel / all + start;
            in_free = compute_free = out_free = 0;
            for (int s = 0; s < 8; ++s) stream_done[s] = 0;
            for (int chunk = 0; chunk < all; ++chunk) {
                int stream = chunk % streams;
                in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
                compute_free = fmaxf(compute_free, in_free) + kernel_time;
                out_free = fmaxf(out_free, compute_free) + copy_time;
                stream_done[stream] = out_free;
            }
            times[all - chunks] = out_free;
        }
    __syncthreads();
    if (chunks <= most) out_free = times[threadIdx.x];
// END SOLUTION 1
