// WRONG drops_the_last_term: off by one: the constant term is missing.
// INSTEAD OF
    for (int k = 0; k < terms; ++k) {
// WRITE
    for (int k = 0; k < terms - 1; ++k) {
// END

// WRONG neighbours: takes neighbours without moving `first`: threads overlap, elements stay unwritten.
// INSTEAD OF
        int i = first + m * blockDim.x;
        x[m] = i < n ? in[i] : 0.0f;
// WRITE
        int i = first + m;
        x[m] = i < n ? in[i] : 0.0f;
// END
// INSTEAD OF
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
// WRITE
        int i = first + m;
        if (i < n) out[i] = acc[m];
// END

// WRONG no_guard: stores the sums of values past the end.
// INSTEAD OF
        if (i < n) out[i] = acc[m];
// WRITE
        out[i] = acc[m];
// END

// WRONG one_after_the_other: right results, but every coefficient is loaded again for each value.
// BEGIN SOLUTION 1
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) {
            float x = in[i], acc = 0.0f;
            for (int k = 0; k < terms; ++k) acc = fmaf(acc, x, coeff[k]);
            out[i] = acc;
        }
    }
// END SOLUTION 1

// WRONG one_value: right only where a block has one full row of values: forgets all but the first.
// INSTEAD OF
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
// WRITE
    #pragma unroll
    for (int m = 0; m < 1; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
// END

// WRONG staged: the coefficients in shared memory, and one chain at a time.
// BEGIN SOLUTION 1
    // YOUR CODE 1: the terms outside, the values inside (about 16 lines)
    __shared__ float tab[4096];
    for (int k = threadIdx.x; k < terms; k += blockDim.x) tab[k] = coeff[k];
    __syncthreads();
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) {
            float x = in[i], acc = 0.0f;
            for (int k = 0; k < terms; ++k)
                acc = fmaf(acc, x, tab[k]);
            out[i] = acc;
        }
    }
// END SOLUTION 1
