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
extern "C" __global__
void warps_staircase(
    const int* __restrict__ blocks,   // [n]
    int* __restrict__ waves,          // [n]
    int* __restrict__ empty,          // [n]
    int n, int sms, int places)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        // YOUR CODE 1: the blocks of a wave, and the waves of this grid
        int wave = sms;
        int needed = blocks[j] / wave;
        waves[j] = needed;
        empty[j] = needed * wave - blocks[j];
    }
}
