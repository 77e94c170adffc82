// WRONG by_elements: right, but element by element: sixteen loads and sixteen stores a thread.
extern "C" __global__
void transpose_patches(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (row < rows && col < cols)
        for (int e = 0; e < 16; ++e)
            out[(col + e % 4) * rows + row + e / 4] = in[(row + e / 4) * cols + col + e % 4];
}

// WRONG local_patch: the patch lies in local memory.
// BEGIN SOLUTION 1
        float p[4][4];
        for (int k = 0; k < 4; ++k)
            *reinterpret_cast<float4*>(p[k]) = *reinterpret_cast<const float4*>(in + (row + k) * cols + col);
        #pragma unroll 1
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<float4*>(out + (col + j) * rows + row) = make_float4(p[0][j], p[1][j], p[2][j], p[3][j]);
// END SOLUTION 1

// WRONG rows_stay_rows: stores the four rows as they came: each patch in its new place, but not turned.
// INSTEAD OF
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) =
                turned[k];
// WRITE
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) = held[k];
// END

// WRONG scalar_stores: right results, with four times the stores: one float per instruction.
// INSTEAD OF
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) =
                turned[k];
// WRITE
            const float* line = reinterpret_cast<const float*>(&turned[k]);
            for (int j = 0; j < 4; ++j) {
                out[(col + k) * rows + row + j] = line[j];
            }
// END

// WRONG square_only: right for square matrices only: steps through out by cols.
// INSTEAD OF
            *reinterpret_cast<float4*>(out + (col + k) * rows + row) =
                turned[k];
// WRITE
            *reinterpret_cast<float4*>(out + (col + k) * cols + row) = turned[k];
// END
