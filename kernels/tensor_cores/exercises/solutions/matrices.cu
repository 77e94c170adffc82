// tensor_cores/exercises/matrices: twelve loads a step become two.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (32), grid (n/16, m/16)
// Defines:  none
// Cost:     2*(m*k + k*n) + 4*m*n bytes, 2*m*n*k flops
// Assumes:  m, n and k multiples of 16; sm_80
//
// A warp makes 16 x 16 elements of c. a and b hold bf16. Asked: the same
// result with one ldmatrix for a's four words and one for b's four.
// HINT 1: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];
//         fills four registers from four matrices of 8 rows. Lanes 8 * j to
//         8 * j + 7 give the addresses of the rows of matrix j.
// HINT 2: For a: matrix 0 is above matrix 1, and 2 and 3 are 8 columns on.
//         So lane l gives row l % 16, column l / 16 * 8.
// HINT 3: A lane's word of b is a pair down a column. ldmatrix gives pairs
//         along a row; with .trans (behind .x4) it gives them down a column.
// HINT 4: An address in shared memory, for "r":
//         (unsigned int)__cvta_generic_to_shared(&b_tile[i][col])

// acc += a * b: 16 x 8 of c from 16 x 16 of a and 16 x 8 of b.
__device__ __forceinline__ void multiply(
    float (&acc)[4], const unsigned int (&a)[4], const unsigned int* b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__
void tensor_cores_matrices(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n, int k)
{
    // Rows of 24, so that eight of them lie in different banks.
    __shared__ alignas(16) unsigned short a_tile[16][24], b_tile[16][24];
    const int lane = threadIdx.x, row = lane / 2, half = lane % 2 * 8;
    const int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        *reinterpret_cast<uint4*>(&a_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                a + (row0 + row) * k + k0 + half);
        *reinterpret_cast<uint4*>(&b_tile[row][half]) =
            *reinterpret_cast<const uint4*>(
                b + (k0 + row) * n + col0 + half);
        __syncwarp();
        unsigned int a_frag[4], b_frag[4];
        // BEGIN SOLUTION 1: one ldmatrix for a_frag
        // GIVEN: for (int r = 0; r < 4; ++r)
        // GIVEN:     a_frag[r] = *reinterpret_cast<unsigned int*>(
        // GIVEN:         &a_tile[lane / 4 + r % 2 * 8][lane % 4 * 2 + r / 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(a_frag[0]), "=r"(a_frag[1]), "=r"(a_frag[2]),
                       "=r"(a_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &a_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        // END SOLUTION 1
        // BEGIN SOLUTION 2: one ldmatrix for b_frag
        // GIVEN: for (int r = 0; r < 4; ++r) {
        // GIVEN:     const int i = lane % 4 * 2 + r % 2 * 8;
        // GIVEN:     const int col = lane / 4 + r / 2 * 8;
        // GIVEN:     b_frag[r] = b_tile[i][col] | b_tile[i + 1][col] << 16;
        // GIVEN: }
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                     " {%0, %1, %2, %3}, [%4];"
                     : "=r"(b_frag[0]), "=r"(b_frag[1]), "=r"(b_frag[2]),
                       "=r"(b_frag[3])
                     : "r"((unsigned int)__cvta_generic_to_shared(
                           &b_tile[lane % 16][lane / 16 * 8]))
                     : "memory");
        // END SOLUTION 2
        multiply(acc[0], a_frag, &b_frag[0]);
        multiply(acc[1], a_frag, &b_frag[2]);
        __syncwarp();
    }
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 2; ++x)
            c[(row0 + lane / 4 + r / 2 * 8) * n
              + col0 + 8 * x + lane % 4 * 2 + r % 2] = acc[x][r];
}
