// caches/04_hot: a vector that every row of a matrix needs again,
//     and a matrix that is read once.
//
// out[t] = sum over at = t, t + threads, ... < rows * quads
//          of matrix[at] . hot[at % quads]
//
// Changed:  rewrite: two streams of loads, of which one comes back
// Launch:   block (1024), grid (264)
// Defines:  none
// Cost:     16*(rows + 1)*quads bytes, 8*rows*quads flops
// Assumes:  rows * quads + threads < 2^31
extern "C" __global__
void __launch_bounds__(1024) caches_hot(
    const float4* __restrict__ matrix,   // [rows * quads]
    const float4* __restrict__ hot,      // [quads]
    float* __restrict__ out,             // [threads]
    int rows, int quads)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x,
        threads = gridDim.x * blockDim.x;
    int col = thread % quads, step = threads % quads;
    float sum = 0;
    #pragma unroll 4
    for (int at = thread; at < rows * quads; at += threads) {
        float4 once = matrix[at], again = hot[col];
        sum += once.x * again.x + once.y * again.y
               + once.z * again.z + once.w * again.w;
        col += step;
        if (col >= quads) col -= quads;
    }
    out[thread] = sum;
}
