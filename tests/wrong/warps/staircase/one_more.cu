// Wrong: a grid of full waves gets one wave too many.
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
        int needed = blocks[j] / wave + 1;
        waves[j] = needed;
        empty[j] = needed * wave - blocks[j];
    }
}
