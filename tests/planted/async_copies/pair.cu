// WRONG bytes_of_one: announces the bytes of one copy.
// BEGIN SOLUTION 1
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 4 * count);
            copy_bulk(a_tile, a + first, 4 * count, &full);
            copy_bulk(b_tile, b + first, 4 * count, &full);
        }
        wait(&full, number % 2);
// END SOLUTION 1

// WRONG loads: right, and the threads load both tiles.
// BEGIN SOLUTION 1
        if (threadIdx.x < count) {
            a_tile[threadIdx.x] = a[first + threadIdx.x];
            b_tile[threadIdx.x] = b[first + threadIdx.x];
        }
        __syncthreads();
// END SOLUTION 1

// WRONG no_barrier: the next copies come while others still read.
// BEGIN SOLUTION 2
// END SOLUTION 2

// WRONG same_parity: always waits for parity 0.
// BEGIN SOLUTION 1
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 8 * count);
            copy_bulk(a_tile, a + first, 4 * count, &full);
            copy_bulk(b_tile, b + first, 4 * count, &full);
        }
        wait(&full, 0);
// END SOLUTION 1

// WRONG two_phases: right, and each copy has a phase of its own: two waits for a tile.
// BEGIN SOLUTION 1
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 4 * count);
            copy_bulk(a_tile, a + first, 4 * count, &full);
        }
        wait(&full, 0);
        __syncthreads();
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 4 * count);
            copy_bulk(b_tile, b + first, 4 * count, &full);
        }
        wait(&full, 1);
// END SOLUTION 1

// WRONG whole_tiles: copies whole tiles past the end of the arrays.
// BEGIN SOLUTION 1
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 1024);
            copy_bulk(a_tile, a + first, 512, &full);
            copy_bulk(b_tile, b + first, 512, &full);
        }
        wait(&full, number % 2);
// END SOLUTION 1

// RIGHT last_thread: the last thread asks for the copies.
// BEGIN SOLUTION 1
        if (threadIdx.x == 127) {
            arrive_expecting(&full, 8 * count);
            copy_bulk(a_tile, a + first, 4 * count, &full);
            copy_bulk(b_tile, b + first, 4 * count, &full);
        }
        wait(&full, number % 2);
// END SOLUTION 1

// WRONG two_phases_in_other_words: each copy has a phase of its own, announced apart from arriving.
// BEGIN SOLUTION 1
        for (int part = 0; part < 2; ++part) {
            if (threadIdx.x == 0) {
                asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n"
                             "mbarrier.arrive.shared::cta.b64 _, [%0];"
                             :: "r"(shared(&full)), "r"(4 * count) : "memory");
                copy_bulk(part ? b_tile : a_tile, (part ? b : a) + first,
                          4 * count, &full);
            }
            wait(&full, part);
            __syncthreads();
        }
// END SOLUTION 1
