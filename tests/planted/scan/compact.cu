// WRONG counts_all_before: right, but each thread reads all marks before its own.
// BEGIN SOLUTION 1
    __shared__ int marks[256];
    marks[threadIdx.x] = keep;
    __syncthreads();
    place = total = 0;
    for (int t = 0; t < 256; ++t) {
        if (t < threadIdx.x)
            place += marks[t];
        total += marks[t];
    }
// END SOLUTION 1
// INSTEAD OF
    __shared__ int of_warp[8];
// WRITE
// END
// INSTEAD OF
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
// WRITE
// END

// WRONG first_come: places are drawn from a counter, so the order is lost.
// BEGIN SOLUTION 1
    if (threadIdx.x == 0)
        of_warp[0] = 0;
    __syncthreads();
    if (keep)
        place = atomicAdd(&of_warp[0], 1);
    __syncthreads();
    total = of_warp[0];
// END SOLUTION 1
// INSTEAD OF
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
// WRITE
// END

// WRONG inclusive: an element counts itself among those before it.
// INSTEAD OF
    place = __popc(votes & ((1u << lane) - 1));
// WRITE
    place = __popc(votes & ((2u << lane) - 1));
// END

// WRONG keeps_what_is_not_there: what lies past the end counts as kept.
// INSTEAD OF
    int value = i < n ? in[i] : -1;
// WRITE
    int value = i < n ? in[i] : 0;
// END
// INSTEAD OF
    if (keep)
// WRITE
    if (keep && first + place < n)
// END

// WRONG no_barrier: the counts of other warps may not be there yet.
// INSTEAD OF
    __syncthreads();
// WRITE
// END

// WRONG one_thread: right, but one thread does the work of all.
// BEGIN SOLUTION 1
    if (threadIdx.x == 0) {
        total = 0;
        for (int t = 0; t < 256 && first + t < n; ++t)
            if (in[first + t] >= 0)
                kept[first + total++] = in[first + t];
        of_warp[0] = total;
    }
    __syncthreads();
    total = of_warp[0];
    keep = false;
// END SOLUTION 1
// INSTEAD OF
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
// WRITE
// END

// WRONG own_warp_only: forgets the warps before.
// INSTEAD OF
            place += of_warp[w];
// WRITE
            place += 0;
// END

// WRONG shared_tree: a tree in shared memory where lanes can ask each other.
// BEGIN SOLUTION 1
    __shared__ int t[2][256]; int from = 0;
    t[0][threadIdx.x] = keep; __syncthreads();
    for (int d = 1; d < 256; d *= 2) { int v = t[from][threadIdx.x]; if (threadIdx.x >= d) v += t[from][threadIdx.x - d]; t[1 - from][threadIdx.x] = v; from = 1 - from; __syncthreads(); }
    int place = t[from][threadIdx.x] - keep, total = t[from][255];
// END SOLUTION 1
// INSTEAD OF
    int place = threadIdx.x, total = min(256, n - first);
// WRITE
// END

// RIGHT shuffles: scans ones and zeros with shuffles.
// BEGIN SOLUTION 1
    int sum = keep;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += below;
    }
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    place = sum - keep;
    total = 0;
    for (int w = 0; w < 8; ++w) {
        if (w < warp)
            place += of_warp[w];
        total += of_warp[w];
    }
// END SOLUTION 1

// RIGHT by_shuffles: the places inside a warp by a scan with shuffles.
// BEGIN SOLUTION 1
    int upto = keep;
    for (int far = 1; far < 32; far *= 2) {
        int before = __shfl_up_sync(~0u, upto, far);
        if (lane >= far) upto += before;
    }
    if (lane == 31) of_warp[warp] = upto;
    __syncthreads();
    place = upto - keep;
    total = 0;
    for (int w = 0; w < 8; ++w) {
        place += w < warp ? of_warp[w] : 0;
        total += of_warp[w];
    }
// END SOLUTION 1
