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
// HINT 1: A row of out is number p * length + i. Which division gives p, and
//         what is left over?
// HINT 2: Cut the sequence into 2 * gpus chunks of length/2 rows. GPU p has
//         chunk p, and of the late ones the p-th from the end.
// HINT 3: Lane l copies elements l, l + 32, l + 64 and so on.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;   // of out
    if (row < gpus * length) {
        // BEGIN SOLUTION 1: token, the row of in that this row of out holds
        // GIVEN: int token = row;
        int p = row / length, i = row % length, half = length / 2;
        int token = i < half ? p * half + i
                             : (2 * gpus - 1 - p) * half + i - half;
        // END SOLUTION 1
        // BEGIN SOLUTION 2: which elements does this lane copy?
        // GIVEN: for (int c = 0; c < (lane == 0 ? width : 0); ++c)
        for (int c = lane; c < width; c += 32)
        // END SOLUTION 2
            out[row * width + c] = in[token * width + c];
    }
}
