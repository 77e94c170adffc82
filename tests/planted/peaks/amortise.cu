// WRONG four_times: right, but each point loads all coefficients again.
// INSTEAD OF
    for (int k = terms - 1; k >= 0; --k) {
        const float coefficient = c[k];
        #pragma unroll
        for (int p = 0; p < POINTS; ++p)
            acc[p] = fmaf(acc[p], value[p], coefficient);
// WRITE
    for (int p = 0; p < POINTS; ++p) {
        for (int k = terms - 1; k >= 0; --k) acc[p] = fmaf(acc[p], value[p], c[k]);
// END

// WRONG neighbours: right, but a thread takes four neighbours, so that lanes read 16 bytes apart.
// INSTEAD OF
    const int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
// WRITE
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * POINTS;
// END
// INSTEAD OF
        const int i = first + p * blockDim.x;
        value[p] = i < n ? x[i] : 0.0f;
// WRITE
        const int i = first + p;
        value[p] = i < n ? x[i] : 0.0f;
// END
// INSTEAD OF
        const int i = first + p * blockDim.x;
        if (i < n) out[i] = acc[p];
// WRITE
        const int i = first + p;
        if (i < n) out[i] = acc[p];
// END

// WRONG no_guard: points past the end are stored outside the array.
// INSTEAD OF
        if (i < n) out[i] = acc[p];
// WRITE
        out[i] = acc[p];
// END

// WRONG one_sum: the four points share one accumulator: right only where a thread has one point and one term.
// BEGIN SOLUTION 1
    float value[POINTS], acc[POINTS];
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        value[p] = i < n ? x[i] : 0.0f;
        acc[0] = 0.0f;
    }
    for (int k = terms - 1; k >= 0; --k) {
        const float coefficient = c[k];
        #pragma unroll
        for (int p = 0; p < POINTS; ++p) acc[0] = fmaf(acc[0], value[p], coefficient);
    }
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        if (i < n) out[i] = acc[0];
    }
// END SOLUTION 1

// WRONG whole_blocks: points of a block that reaches past the end are dropped: right at multiples of 1024.
// INSTEAD OF
        if (i < n) out[i] = acc[p];
// WRITE
        if (blockDim.x * POINTS * (blockIdx.x + 1) <= n && i < n) out[i] = acc[p];
// END
