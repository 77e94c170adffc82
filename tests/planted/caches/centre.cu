// WRONG keeps_one: every element of a thread is the last one kept.
// BEGIN SOLUTION 2
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) target[c] = kept[KEEP - 1] - mean;
    }
// END SOLUTION 2

// WRONG local_array: keeps the row in local memory, by an index known only at run time.
// BEGIN SOLUTION 1
    // YOUR CODE 1: add up, and keep what was loaded
    float kept[KEEP]; int k = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += kept[k++] = row[c];
// END SOLUTION 1
// BEGIN SOLUTION 2
    // YOUR CODE 2: subtract from what was kept
    k = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        target[c] = kept[k++] - mean;
// END SOLUTION 2

// WRONG no_guard: reads and adds what lies behind the row.
// INSTEAD OF
        kept[k] = c < cols ? row[c] : 0;
// WRITE
        kept[k] = row[c];
// END

// WRONG reads_again: right, but the row is read a second time.
// BEGIN SOLUTION 1
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) sum += row[c];
    }
// END SOLUTION 1
// BEGIN SOLUTION 2
    #pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        int c = threadIdx.x + k * blockDim.x;
        if (c < cols) target[c] = *(volatile const float*)(row + c) - mean;
    }
// END SOLUTION 2

// WRONG wrong_mean: divides by the columns that a block could keep, right at 1,024 columns only.
// INSTEAD OF
    float mean = part[0] / cols;
// WRITE
    float mean = part[0] / (KEEP * 256);
// END
