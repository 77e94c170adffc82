// WRONG chunks: each lane has a stretch of the row, so lanes are not neighbours.
// BEGIN SOLUTION 1
        float acc = 0;
        int share = (cols + 31) / 32;
        for (int c = lane * share; c < min((lane + 1) * share, cols); ++c)
            acc += a[r * cols + c] * x[c];
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
// END SOLUTION 1

// WRONG four_steps: the lanes' sums are added in four steps, which is half of them.
// BEGIN SOLUTION 1
        float acc = 0;
        for (int c = lane; c < cols; c += 32)
            acc += a[r * cols + c] * x[c];
        for (int far = 8; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
// END SOLUTION 1

// WRONG no_guard: columns behind the end are read.
// BEGIN SOLUTION 1
        float acc = 0;
        for (int c = lane; c - lane < cols; c += 32)
            acc += a[r * cols + c] * x[c];
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
// END SOLUTION 1

// WRONG one_lane: right, but lane 0 does all the work, as given.
// BEGIN SOLUTION 1
        float acc = 0;
        if (lane == 0)
            for (int c = 0; c < cols; ++c)
                acc += a[r * cols + c] * x[c];
// END SOLUTION 1

// RIGHT shared: the lanes' sums meet in shared memory.
// BEGIN SOLUTION 1
        float acc = 0;
        for (int c = lane; c < cols; c += 32)
            acc += a[r * cols + c] * x[c];
        __shared__ float sums[8][32];
        sums[threadIdx.x / 32][lane] = acc;
        __syncwarp();
        acc = 0;
        for (int other = 0; other < 32; ++other)
            acc += sums[threadIdx.x / 32][other];
// END SOLUTION 1

// WRONG lane_0_adds: the lanes load side by side, and lane 0 still adds up all products.
// BEGIN SOLUTION 1
        __shared__ float products[8][32];
        float acc = 0;
        for (int c0 = 0; c0 < cols; c0 += 32) {
            int c = c0 + lane;
            products[threadIdx.x / 32][lane] = c < cols ? a[r * cols + c] * x[c] : 0;
            __syncwarp();
            if (lane == 0)
                for (int k = 0; k < 32; ++k) acc += products[threadIdx.x / 32][k];
            __syncwarp();
        }
// END SOLUTION 1

// RIGHT four_sums: four sums a lane, so that four loads are under way.
// BEGIN SOLUTION 1
        float parts[4] = {};
        for (int c0 = 0; c0 < cols; c0 += 128)
            for (int k = 0; k < 4; ++k) {
                int c = c0 + 32 * k + lane;
                if (c < cols) parts[k] += a[r * cols + c] * x[c];
            }
        float acc = parts[0] + parts[1] + (parts[2] + parts[3]);
        for (int far = 1; far < 32; far *= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
// END SOLUTION 1
