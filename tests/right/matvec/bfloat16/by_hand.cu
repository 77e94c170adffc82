// Right: the four pairs are written out, the sums kept in four parts.
// matvec/exercises/bfloat16: eight bfloat16 numbers a load, and a sum in
//     float.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...     (a in bfloat16)
//
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  none
// Cost:     2*rows*cols + 4*(rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of 8; rows * cols < 2^31
//
// A bfloat16 is the upper half of a float's bits. As given, a lane loads one
// of them at a time, 2 bytes. Asked: 16 bytes a lane and load, from a and
// from x alike.
extern "C" __global__
void matvec_bfloat16(
    const unsigned short* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,            // [cols]
    float* __restrict__ y,                  // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < rows) {
        float acc = 0;
        const uint4* words = reinterpret_cast<const uint4*>(a + r * cols);
        float4 part = make_float4(0, 0, 0, 0);
        for (int w = lane; w < cols / 8; w += 32) {
            uint4 word = words[w];
            float4 low = reinterpret_cast<const float4*>(x)[2 * w];
            float4 high = reinterpret_cast<const float4*>(x)[2 * w + 1];
            part.x += __uint_as_float(word.x << 16) * low.x
                + __uint_as_float(word.x & 0xffff0000) * low.y;
            part.y += __uint_as_float(word.y << 16) * low.z
                + __uint_as_float(word.y & 0xffff0000) * low.w;
            part.z += __uint_as_float(word.z << 16) * high.x
                + __uint_as_float(word.z & 0xffff0000) * high.y;
            part.w += __uint_as_float(word.w << 16) * high.z
                + __uint_as_float(word.w & 0xffff0000) * high.w;
        }
        acc = part.x + part.y + part.z + part.w;
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        if (lane == 0) y[r] = acc;
    }
}
