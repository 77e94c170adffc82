// WRONG no_barrier: the warps do not wait for one another.
// INSTEAD OF
    __syncthreads();
// WRITE
// END

// WRONG no_guard: no guard: short rows take in what follows them.
// INSTEAD OF
        held[k] = c < cols ? a[c] + b[c] : 0.0f;
// WRITE
        held[k] = a[c] + b[c];
// END

// WRONG reads_total: it stores the sums and reads them again.
// BEGIN SOLUTION 1
    for (int c = threadIdx.x; c < cols; c += 128) {
        float sum = a[c] + b[c];
        sums[c] = sum;
        squares += sum * sum;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 128)
        result[c] = sums[c] * scale * weight[c];
// END SOLUTION 1

// WRONG reads_twice: right, but it reads both matrices twice.
// BEGIN SOLUTION 1
    for (int c = threadIdx.x; c < cols; c += 128) {
        float sum = a[c] + b[c];
        squares += sum * sum;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 128) {
        float sum = a[c] + b[c];
        sums[c] = sum;
        result[c] = sum * scale * weight[c];
    }
// END SOLUTION 1

// RIGHT shared_row: the row waits in shared memory, and all threads take part in every round.
// BEGIN SOLUTION 1
    __shared__ float row[1024];
    for (int c0 = 0; c0 < cols; c0 += 128) {
        int c = min(c0 + (int)threadIdx.x, cols - 1);
        float sum = a[c] + b[c];
        row[c0 + threadIdx.x] = sum;
        if (c0 + threadIdx.x < cols) squares += sum * sum;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c0 = 0; c0 < cols; c0 += 128) {
        int c = min(c0 + (int)threadIdx.x, cols - 1);
        float factor = scale * weight[c];
        if (c0 + threadIdx.x < cols) {
            sums[c] = row[c];
            result[c] = row[c] * factor;
        }
    }
// END SOLUTION 1
