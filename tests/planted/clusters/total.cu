// WRONG global_atomic: adds the parts in global memory.
// BEGIN SOLUTION 1
    if (rank == 0 && threadIdx.x == 0) out[row] = 0;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (threadIdx.x == 0) atomicAdd(&out[row], sum);
// END SOLUTION 1

// WRONG no_first_barrier: reads parts that may not be written yet.
// INSTEAD OF
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (rank == 0 && threadIdx.x == 0) {
// WRITE
    __syncthreads();
    if (rank == 0 && threadIdx.x == 0) {
// END

// WRONG no_last_barrier: blocks leave while their part is read.
// INSTEAD OF
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
// WRITE
}
// END

// WRONG one_block: the first block reads the row alone.
// BEGIN SOLUTION 1
    if (rank == 0 && threadIdx.x == 0) out[row] = sum;
// END SOLUTION 1
// INSTEAD OF
    for (int c = rank * blockDim.x + threadIdx.x; c < cols;
         c += CLUSTER * blockDim.x)
// WRITE
    for (int c = threadIdx.x; rank == 0 && c < cols;
         c += blockDim.x)
// END

// WRONG own_part_only: adds up its own part four times.
// INSTEAD OF
                __cluster_map_shared_rank(&part, other));
// WRITE
                __cluster_map_shared_rank(&part, rank));
// END

// WRONG mapped_for_show: the first block reads the whole row; nobody uses the address that it maps.
// BEGIN SOLUTION 1
    __shared__ float part;
    if (threadIdx.x == 0) part = sum;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (rank == 0 && threadIdx.x == 0) {
        auto other = __cluster_map_shared_rank(&part, 1);
        asm volatile("" :: "l"(other));
        out[row] = sum;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
// END SOLUTION 1
// INSTEAD OF
    for (int c = rank * blockDim.x + threadIdx.x; c < cols;
         c += CLUSTER * blockDim.x)
// WRITE
    for (int c = threadIdx.x; rank == 0 && c < cols; c += blockDim.x)
// END

// RIGHT groups: cooperative groups.
// BEGIN SOLUTION 1
    auto cluster = cooperative_groups::this_cluster();
    __shared__ float part;
    if (threadIdx.x == 0) part = sum;
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0) {
        sum = 0;
        for (int other = 0; other < CLUSTER; ++other)
            sum += *cluster.map_shared_rank(&part, other);
        out[row] = sum;
    }
    cluster.sync();
// END SOLUTION 1
// INSTEAD OF
// clusters/exercises/total: add up a row with a cluster of blocks.
// WRITE
// clusters/exercises/total: add up a row with a cluster of blocks.
//
// out[r] = sum over c of in[r, c]
//
// Launch:   block (128), grid (CLUSTER*rows)
// Defines:  CLUSTER = 4
// Cost:     4*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols + 2^12 < 2^31; sm_90
//
// Each block has added up its share of the row; `sum` is the same in all of
// its threads. Asked: the sum over the cluster, stored once, without an
// addition in global memory and without a second reading of the row.
#include <cooperative_groups.h>
// clusters/exercises/total: add up a row with a cluster of blocks.
// END

// RIGHT pushed: every block sends its part to the first one.
// BEGIN SOLUTION 1
    __shared__ float part[CLUSTER];
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (threadIdx.x == 0)
        static_cast<float*>(__cluster_map_shared_rank(part, 0))[rank] = sum;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (rank == 0 && threadIdx.x == 0) {
        sum = 0;
        for (int other = 0; other < CLUSTER; ++other)
            sum += part[other];
        out[row] = sum;
    }
// END SOLUTION 1
