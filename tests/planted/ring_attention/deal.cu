// WRONG chunk_off: the late chunks of all GPUs but the first are one chunk too far back.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        int p = row / length, i = row % length, half = length / 2;
        int token = i < half ? p * half + i
                             : (2 * gpus - (p > 0 ? p : 1)) * half + i - half;
        for (int c = lane; c < width; c += 32)
// END SOLUTION 2

// WRONG columns: right, but neighbouring lanes have neighbouring rows.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int thread = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    int rows = gpus * length, half = length / 2;
    for (int k = thread; k < rows * width; k += gridDim.x * 256) {
        int row = k % rows, c = k / rows, p = row / length, i = row % length;
        int token = i < half ? p * half + i
                             : (2 * gpus - 1 - p) * half + i - half;
        out[row * width + c] = in[token * width + c];
    }
}

// WRONG first_32: the elements of a row from the 33rd on are left out.
// BEGIN SOLUTION 2
        for (int c = lane; c < min(width, 32); c += 32)
// END SOLUTION 2

// WRONG no_guard: no guard: warps behind the last row copy too.
// INSTEAD OF
    if (row < gpus * length) {
// WRITE
    {
// END

// WRONG one_lane: right, but one lane copies a row.
// BEGIN SOLUTION 2
        for (int c = 0; c < (lane == 0 ? width : 0); ++c)
// END SOLUTION 2

// WRONG plain: plain: GPU 0 has the first rows.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        int p = row / length, i = row % length, half = length / 2;
        int token = p * length + i + 0 * half;
        for (int c = lane; c < width; c += 32)
// END SOLUTION 2

// WRONG runs: right, but every lane copies a run of neighbouring elements.
// BEGIN SOLUTION 2
        int each = (width + 31) / 32;
        for (int c = lane * each; c < min(width, (lane + 1) * each); ++c)
// END SOLUTION 2

// WRONG second_half_forward: the late chunks are dealt out in the order of the GPUs, not zigzag.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        int p = row / length, i = row % length, half = length / 2;
        int token = i < half ? p * half + i
                             : (gpus + p) * half + i - half;
        for (int c = lane; c < width; c += 32)
// END SOLUTION 2

// WRONG second_half_reversed: the late chunk is dealt out back to front.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        int p = row / length, i = row % length, half = length / 2;
        int token = i < half ? p * half + i
                             : (2 * gpus - p) * half - 1 - (i - half);
        for (int c = lane; c < width; c += 32)
// END SOLUTION 2

// WRONG striped: striped: every GPU has each gpus-th row.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
        int p = row / length, i = row % length, half = length / 2;
        int token = i * gpus + p + 0 * half;
        for (int c = lane; c < width; c += 32)
// END SOLUTION 2

// RIGHT flat: the threads of the grid share all elements, without regard to rows.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int thread = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < gpus * length * width; k += gridDim.x * 256) {
        int row = k / width, p = row / length, i = row % length;
        int chunk = 2 * i < length ? p : 2 * gpus - 1 - p;
        out[k] = in[(chunk * (length / 2) + i % (length / 2)) * width + k % width];
    }
}

// RIGHT sender: asks where a row of in goes, and not where a row of out comes from.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int token = blockIdx.x * 8 + threadIdx.y, half = length / 2;
    if (token >= gpus * length) return;
    int chunk = token / half, late = chunk >= gpus;
    int p = late ? 2 * gpus - 1 - chunk : chunk;
    int row = p * length + late * half + token % half;
    for (int c = threadIdx.x; c < width; c += 32)
        out[row * width + c] = in[token * width + c];
}

// RIGHT wide: four floats a lane where the width allows it.
extern "C" __global__
void ring_attention_deal(
    const float* __restrict__ in,   // [gpus*length, width]
    float* __restrict__ out,        // [gpus, length, width]
    int gpus, int length, int width)
{
    int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (row >= gpus * length) return;
    int p = row / length, i = row % length, half = length / 2;
    int token = i < half ? p * half + i : (2 * gpus - 1 - p) * half + i - half;
    const float* from = in + token * width;
    float* to = out + row * width;
    if (width % 4 == 0)
        for (int c = 4 * lane; c < width; c += 128)
            *(float4*)(to + c) = *(const float4*)(from + c);
    else
        for (int c = lane; c < width; c += 32) to[c] = from[c];
}
