// measure/exercises/unwritten: how many elements of each column
//     are still poison?
//
// missing[col] = number of NaN in out[:, col]
//
// Launch:   block (128), grid (ceil(cols/128)): one thread for each column
// Defines:  none
// Cost:     4*rows*cols + 4*cols bytes, 0 flops
// Assumes:  nothing
extern "C" __global__
void measure_unwritten(
    const float* __restrict__ out,  // [rows, cols]
    int* __restrict__ missing,      // [cols]
    int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: count the NaN of column col
}
