// streams/exercises/chunks: for every number of chunks, when a pipeline of
//     copies and kernels is done.
//
// done[c] = time of the task in c + 1 chunks, dealt out to streams in turn
//
// Launch:   block (64), grid (ceil(most/64))
// Defines:  none
// Cost:     4*most bytes, 6*most*most flops
// Assumes:  1 <= streams <= 8
//
// A chunk is copied in, computed, and copied out, one after the other. Copies
// in, kernels, and copies out have an engine each, which takes the chunks in
// their order, one at a time. Chunk k belongs to stream k % streams, and a
// stream begins no chunk before it is done with the one before. A step takes
// its whole time divided by the number of chunks, and start more.
//
// HINT 1: A step begins when the chunk's step before has ended and the engine
//         is free: the later of the two.
// HINT 2: The copy in has no step before. It begins when its engine is free
//         and its stream is done with the chunk before: stream_done.
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

    // BEGIN SOLUTION 1: let all chunks go through the engines
    for (int chunk = 0; chunk < chunks; ++chunk) {
        int stream = chunk % streams;
        in_free = fmaxf(in_free, stream_done[stream]) + copy_time;
        compute_free = fmaxf(compute_free, in_free) + kernel_time;
        out_free = fmaxf(out_free, compute_free) + copy_time;
        stream_done[stream] = out_free;
    }
    // END SOLUTION 1
    if (chunks <= most)
        done[chunks - 1] = out_free;
}
