// host_memory/exercises/negate: negate a matrix between two arrays
//     of different pitch.
//
// out[row, col] = -in[row, col]    for col < cols;
//                                  what fills up a row of out stays untouched
//
// Launch:   block (256), grid (rows, ceil(cols/256))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  both pitches >= 4*cols and multiples of 4
//
// A row starts its array's pitch after the row before, and a pitch counts
// bytes. The code as given takes it for a number of floats. Asked: right
// results, at most 4 sectors a request.
extern "C" __global__
void host_memory_negate(
    const float* __restrict__ in,   // [rows, in_pitch / 4]
    float* __restrict__ out,        // [rows, out_pitch / 4]
    int rows, int cols, size_t in_pitch, size_t out_pitch)
{
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    // YOUR CODE 1: find where the row starts in each array
    const float* in_row = in + row * in_pitch;
    float* out_row = out + row * out_pitch;
    if (row < rows && col < cols) {
        out_row[col] = -in_row[col];
    }
}
