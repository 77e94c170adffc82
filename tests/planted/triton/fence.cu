// WRONG before_the_wait: the fence before the copies have landed.
// BEGIN SOLUTION 1
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
// END SOLUTION 1

// WRONG stores: ordinary loads and stores in place of cp.async.
// INSTEAD OF
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(tile + place(i / 8, i % 8)),
                        "l"(from + (size_t)(i / 8) * k + i % 8 * 8)
                     : "memory");
// WRITE
        *reinterpret_cast<uint4*>(__cvta_shared_to_generic(
            tile + place(i / 8, i % 8))) = *reinterpret_cast<const uint4*>(
            from + (size_t)(i / 8) * k + i % 8 * 8);
// END

// WRONG threadfence: a fence of memory, not of the proxies.
// BEGIN SOLUTION 1
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __threadfence_block();
        __syncthreads();
// END SOLUTION 1

// RIGHT behind_the_barrier: each warp fences for itself behind the barrier, before its products.
// BEGIN SOLUTION 1
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
// END SOLUTION 1

// RIGHT both_spaces: a fence for global memory as well.
// BEGIN SOLUTION 1
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
// END SOLUTION 1

// WRONG loops_and_show: plain loops over the tiles; wgmma multiplies zeros, fenced once.
// INSTEAD OF
    __shared__ __align__(1024) unsigned char tiles[2 * TILE];
// WRITE
    __shared__ __align__(1024) unsigned char tiles[2 * TILE];
    __shared__ __align__(1024) unsigned zeros[TILE / 4];
    for (int i = threadIdx.x; i < TILE / 4; i += 128) zeros[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned int nothing = __cvta_generic_to_shared(zeros);
    float show[32] = {};
    const int row1 = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const int col1 = threadIdx.x % 4 * 2;
// END
// BEGIN SOLUTION 1
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
// END SOLUTION 1
// INSTEAD OF
        multiply_tile(acc, a_tile, b_tile);
// WRITE
        multiply_tile(show, nothing, nothing);
        for (int at = 0; at < 64; ++at) {
            #pragma unroll
            for (int i = 0; i < 32; ++i) {
                const int row = row1 + i / 2 % 2 * 8;
                const int col = col1 + i / 4 * 8 + i % 2;
                acc[i] += __uint_as_float(*reinterpret_cast<unsigned short*>(
                              tiles + place(row, at / 8) + at % 8 * 2) << 16)
                    * __uint_as_float(*reinterpret_cast<unsigned short*>(
                              tiles + TILE + place(col, at / 8) + at % 8 * 2) << 16);
            }
        }
// END
