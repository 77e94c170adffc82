// WRONG fetch_first: asks before it waits for the products of the step before.
// BEGIN SOLUTION 2
// END SOLUTION 2
// INSTEAD OF
        wait_for_products<1>();
// WRITE
        if (threadIdx.x == 0 && step + ahead < steps)
            fetch_stage(step + ahead);
        wait_for_products<1>();
// END

// WRONG four_stages: hides the fault behind a fourth stage.
// BEGIN SOLUTION 1
    const int ahead = 2;
// END SOLUTION 1
// INSTEAD OF
constexpr int STAGES = 3;
// WRITE
constexpr int STAGES = 4;
// END

// WRONG one_step_forgotten: asks for two steps before the loop and then leaves one out.
// BEGIN SOLUTION 2
        if (threadIdx.x == 0 && step + STAGES < steps)
            fetch_stage(step + STAGES);
// END SOLUTION 2

// WRONG waits_for_all: waits for all products, and so loses what the ring is for.
// BEGIN SOLUTION 1
    const int ahead = STAGES;
// END SOLUTION 1
// INSTEAD OF
        wait_for_products<1>();
// WRITE
        wait_for_products<0>();
// END

// WRONG waits_twice: waits for the newest products as well, at once.
// BEGIN SOLUTION 2
        // YOUR CODE 2: ask for a later step
        if (threadIdx.x == 0 && step + 2 < steps)
            fetch_stage(step + 2);
// END SOLUTION 2
// INSTEAD OF
        wait_for_products<1>();
// WRITE
        wait_for_products<1>(); wait_for_products<0>();
// END

// WRONG words_in_a_comment: waits for all products; the other wait stands in a comment of the PTX.
// INSTEAD OF
        wait_for_products<1>();
// WRITE
        asm volatile("// wgmma.wait_group.sync.aligned 1\n" ::: "memory");
        wait_for_products<0>();
// END
// INSTEAD OF
    wait_for_products<0>();
    store(c, acc, blockIdx.y * 64, blockIdx.x * 64, n);
// WRITE
    store(c, acc, blockIdx.y * 64, blockIdx.x * 64, n);
// END

// RIGHT asked_at_the_top: asks at the beginning of the next step.
// BEGIN SOLUTION 2
        const int next = step + 2;
        if (next < steps && threadIdx.x == 0) fetch_stage(next);
// END SOLUTION 2
