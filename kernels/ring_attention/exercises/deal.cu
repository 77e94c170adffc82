// ring_attention/exercises/deal: a kernel deals a sequence out, row by row,
//     zigzag.
//
// with half = length/2:
// out[p, i, :]        = in[p*half + i, :]                  for i < half
// out[p, half + i, :] = in[(2*gpus - 1 - p)*half + i, :]   for i < half
//
// Launch:   block (32, 8), grid (ceil(gpus*length/8))
// Defines:  none
// Cost:     8*gpus*length*width bytes, 0 flops
// Assumes:  length even; gpus * length * width < 2^31
//
// As given, one lane deals out a whole row, and plainly: GPU 0 has the first
// `length` rows. Asked: zigzag, and neighbouring lanes at neighbouring
// elements, so that each sector moves once.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;   // of out
    if (row < gpus * length) {
        // YOUR CODE 1: token, the row of in that this row of out holds
        int token = row;
        // YOUR CODE 2: which elements does this lane copy?
        for (int c = 0; c < (lane == 0 ? width : 0); ++c)
            out[row * width + c] = in[token * width + c];
    }
}
