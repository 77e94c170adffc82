// WRONG guard_off_by_one: i <= n lets one thread past the end when the block size does not divide n.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        y[i] = alpha * x[i] + y0[i];
    }
// END SOLUTION 1

// WRONG no_guard: no guard, so the last block reads and writes past the end.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = alpha * x[i] + y0[i];
// END SOLUTION 1

// WRONG one_block: the index within the block only, so right up to one block of elements.
// BEGIN SOLUTION 1
    int i = threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y0[i];
    }
// END SOLUTION 1

// WRONG one_thread: one thread does it all.
// BEGIN SOLUTION 1
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i) y[i] = alpha * x[i] + y0[i];
// END SOLUTION 1

// WRONG other_operand: alpha scales the other array.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + alpha * y0[i];
    }
// END SOLUTION 1

// RIGHT wide: four elements a thread where they are aligned: a quarter of the threads work.
// BEGIN SOLUTION 1
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 p = reinterpret_cast<const float4*>(x)[i];
        float4 q = reinterpret_cast<const float4*>(y0)[i];
        reinterpret_cast<float4*>(y)[i] =
            make_float4(alpha * p.x + q.x, alpha * p.y + q.y, alpha * p.z + q.z, alpha * p.w + q.w);
    }
    int rest = n / 4 * 4 + i;
    if (rest < n) y[rest] = alpha * x[rest] + y0[rest];
// END SOLUTION 1
