// Wrong: a wave that is not full does not count.
extern "C" __global__
void warps_staircase(
    const int* __restrict__ blocks,   // [n]
    int* __restrict__ waves,          // [n]
    int* __restrict__ empty,          // [n]
    int n, int sms, int places)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        int wave = sms * places;
        int needed = blocks[j] / wave;
        waves[j] = needed;
        empty[j] = needed * wave - blocks[j];
    }
}
