// reduction/15_places: warps take turns at several places, which may lie
//     close together or far apart.
//
// total[w*gap] += in[i] for the i of warps whose number modulo ways is w
//
// Changed:  total[0] -> total[i / 32 % ways * gap]    (from 00_one_address)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     4*n bytes, n flops
// Assumes:  total[w*gap] holds what the sums begin with; n + 256 <= 2^31
extern "C" __global__
void reduction_places(
    const float* __restrict__ in,   // [n]
    float* __restrict__ total,      // [(ways - 1)*gap + 1]
    int n, int ways, int gap)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total + i / 32 % ways * gap, in[i]);
}
