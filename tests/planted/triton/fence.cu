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
