// Wrong: an SM is given one place, however many it has.
extern "C" __global__
void warps_staircase(
    const int* __restrict__ blocks,   // [n]
    int* __restrict__ waves,          // [n]
    int* __restrict__ empty,          // [n]
    int n, int sms, int places)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        int wave = sms;
        int needed = (blocks[j] + wave - 1) / wave;
        waves[j] = needed;
        empty[j] = needed * wave - blocks[j];
    }
}
