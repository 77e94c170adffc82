// WRONG second_buffer: right, with a second buffer.
// INSTEAD OF
    __syncthreads();
    if (lane == 0) of_warp[warp] = sum;
// WRITE
    __shared__ float sums[8];
    if (lane == 0) sums[warp] = sum;
// END
// INSTEAD OF
    for (int w = 0; w < 8; ++w) sum += of_warp[w];
// WRITE
    for (int w = 0; w < 8; ++w) sum += sums[w];
// END

// WRONG too_late: the barrier stands behind the store.
// INSTEAD OF
    sum = warp_sum(sum);
    __syncthreads();
    if (lane == 0) of_warp[warp] = sum;
// WRITE
    sum = warp_sum(sum);
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
// END

// WRONG warp_barrier: a barrier of the warp does not hold the others back.
// BEGIN SOLUTION 1
    __syncwarp();
// END SOLUTION 1

// RIGHT earlier: the barrier stands before the sums are worked out.
// BEGIN SOLUTION 1
// END SOLUTION 1
// INSTEAD OF
    max = warp_max(of_warp[lane % 8]);
// WRITE
    max = warp_max(of_warp[lane % 8]);
    __syncthreads();
// END
