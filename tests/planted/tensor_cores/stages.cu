// WRONG no_barrier: no barrier before the stage that was read is filled again.
// INSTEAD OF
        __syncthreads();
// WRITE
// END

// WRONG one_stage_too_near: fills the stage that is multiplied.
// INSTEAD OF
        fetch(tile + 2, (tile + 2) % 3);
// WRITE
        fetch(tile + 2, (tile + 3) % 3);
// END

// WRONG two_stages: two stages, one tile ahead.
// BEGIN SOLUTION 1
    __shared__ alignas(16) unsigned short a_tile[2][16 * 64];
    __shared__ alignas(16) unsigned short b_tile[2][64 * 64];
// END SOLUTION 1
// BEGIN SOLUTION 2
    fetch(0, 0);
// END SOLUTION 2
// BEGIN SOLUTION 3
        const int stage = tile % 2;
        wait_for_all_but<0>();
        __syncthreads();
        fetch(tile + 1, (tile + 1) % 2);
// END SOLUTION 3

// WRONG waits_for_all: three stages, and all copies are waited for at once.
// INSTEAD OF
        wait_for_all_but<1>();
// WRITE
        wait_for_all_but<0>();
// END

// WRONG waits_too_late: the tile that is multiplied may still be on its way.
// INSTEAD OF
        wait_for_all_but<1>();
// WRITE
        wait_for_all_but<2>();
// END

// WRONG another_spelling: waits for all copies, by another instruction.
// INSTEAD OF
        wait_for_all_but<1>();
// WRITE
        asm volatile("cp.async.wait_all;" ::: "memory");
// END

// WRONG empty_groups: the one group that it leaves on its way is empty.
// INSTEAD OF
        wait_for_all_but<1>();
// WRITE
        asm volatile("cp.async.commit_group;" ::: "memory");
        wait_for_all_but<1>();
// END

// RIGHT counters: counts the stages instead of dividing.
// BEGIN SOLUTION 3
        wait_for_all_but<1>();
        __syncthreads();
        const int stage = now, into = now == 0 ? 2 : now - 1;
        fetch(tile + 2, into);
        now = now == 2 ? 0 : now + 1;
// END SOLUTION 3
// INSTEAD OF
    for (int tile = 0; tile * 64 < k; ++tile) {
// WRITE
    int now = 0;
    for (int tile = 0; tile * 64 < k; ++tile) {
// END
