// WRONG loads: right, and the threads load the tiles.
// BEGIN SOLUTION 1
        ring[stage][threadIdx.x] = in[128 * tile + threadIdx.x];
// END SOLUTION 1
// INSTEAD OF
    if (threadIdx.x == 0 && tile < tiles)
        fetch_tile(ring[0], in + 128 * tile, full);
// WRITE
// END
// INSTEAD OF
        if (threadIdx.x == 0 && next < tiles)
            fetch_tile(ring[1 - stage], in + 128 * next, full + 1 - stage);
// WRITE
// END

// WRONG no_wait: nobody waits for the copy.
// BEGIN SOLUTION 1
        
// END SOLUTION 1

// WRONG one_waits: one thread waits; the others have not seen the phase end.
// BEGIN SOLUTION 1
        if (threadIdx.x == 0) wait(full + stage, number / 2 % 2);
// END SOLUTION 1

// WRONG opposite: the phase before is over, and the wait goes on at once.
// BEGIN SOLUTION 1
        wait(full + stage, number / 2 % 2 ^ 1);
// END SOLUTION 1

// WRONG parity_of_number: the parity changes with every tile, not with every turn of the ring.
// BEGIN SOLUTION 1
        wait(full + stage, number % 2);
// END SOLUTION 1

// RIGHT kept_parity: a variable holds the parity, and turns over with the ring.
// BEGIN SOLUTION 1
        wait(full + stage, parity);
        if (stage == 1) parity ^= 1;
// END SOLUTION 1
// INSTEAD OF
    int tile = blockIdx.x;
// WRITE
    int tile = blockIdx.x, parity = 0;
// END

// WRONG fresh_barriers: makes a new barrier for every tile, whose first phase has parity 0.
// BEGIN SOLUTION 1
        wait(full + stage, 0);
// END SOLUTION 1
// INSTEAD OF
        if (threadIdx.x == 0 && next < tiles)
            fetch_tile(ring[1 - stage], in + 128 * next, full + 1 - stage);
// WRITE
        if (threadIdx.x == 0 && next < tiles) {
            if (number) {
                asm volatile("mbarrier.inval.shared::cta.b64 [%0];"
                             :: "r"(shared(full + 1 - stage)) : "memory");
                make_barrier(full + 1 - stage, 1);
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            }
            fetch_tile(ring[1 - stage], in + 128 * next, full + 1 - stage);
        }
// END
