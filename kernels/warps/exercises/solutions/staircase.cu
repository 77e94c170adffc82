// warps/exercises/staircase: say how many waves a grid takes, and how many
//     places its last wave leaves empty.
//
// waves[j] = ceil(blocks[j] / (sms * places))
// empty[j] = waves[j] * sms * places - blocks[j]
//
// Launch:   block (128), grid (ceil(n/128))
// Defines:  none
// Cost:     12*n bytes, 0 flops
// Assumes:  blocks[j] + sms * places <= 2^31
//
// A wave has a block in each of the `places` of every SM. The code below
// counts one place an SM, and only the waves that are full.
// HINT 1: 12 blocks on 8 SMs with one place each are two waves, and so are
//         9 blocks and 16. What are 17?
// HINT 2: Integers are divided downwards. Add something to the number of
//         blocks first, so that a wave that is not full counts as well.
extern "C" __global__
void warps_staircase(
    const int* __restrict__ blocks,   // [n]
    int* __restrict__ waves,          // [n]
    int* __restrict__ empty,          // [n]
    int n, int sms, int places)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        // BEGIN SOLUTION 1: the blocks of a wave, and the waves of this grid
        // GIVEN: int wave = sms;
        // GIVEN: int needed = blocks[j] / wave;
        int wave = sms * places;
        int needed = (blocks[j] + wave - 1) / wave;
        // END SOLUTION 1
        waves[j] = needed;
        empty[j] = needed * wave - blocks[j];
    }
}
