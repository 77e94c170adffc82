// WRONG all_stand: every wait stands until the phase under way ends.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
// END SOLUTION 2

// WRONG asks_a_barrier: right, and predicts nothing: it makes the arrivals and asks a barrier.
// BEGIN SOLUTION 2
    __shared__ unsigned long long full[128];
    unsigned int at = (unsigned int)__cvta_generic_to_shared(
        full + threadIdx.x);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"(at), "r"(arrivals) : "memory");
    for (int i = 0;; ++i) {
        int over;
        asm volatile("{ .reg .pred over;\n"
                     "mbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n"
                     "selp.s32 %0, 1, 0, over; }"
                     : "=r"(over) : "r"(at), "r"(wait.parity) : "memory");
        if (over && i >= made) return i - made;
        if (i == arrivals * copies) return NEVER;
        if (i / arrivals % stages == wait.stage)
            asm volatile("{ .reg .b64 token;\n"
                         "mbarrier.arrive.shared.b64 token, [%0]; }"
                         :: "r"(at) : "memory");
    }
// END SOLUTION 2

// WRONG fresh_stands: at a fresh barrier a wait for parity 1 stands, for phase 1.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    if (phase == 0 && wait.parity == 1) phase = 1;   // none is over yet
    if (phase % 2 != wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
// END SOLUTION 2

// WRONG missed_is_over: a phase that has passed unseen counts as over, as if the barrier knew.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    if (phase >= 2 || phase % 2 != wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
// END SOLUTION 2

// WRONG never_never: behind the last copy it waits for one that nobody makes.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    if (phase % 2 != wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return (copy + 1) * arrivals - made;
// END SOLUTION 2

// WRONG next_phase: the reader waits for the parity of one phase later.
// BEGIN SOLUTION 1
    return {copy % stages, (copy / stages + 1) % 2};
// END SOLUTION 1

// WRONG no_parity: every copy is waited for with parity 0.
// BEGIN SOLUTION 1
    return {copy % stages, 0};
// END SOLUTION 1

// WRONG parity_of_copy: the parity of the copy's number, and not of the phase.
// BEGIN SOLUTION 1
    return {copy % stages, copy % 2};
// END SOLUTION 1

// WRONG phase_before: off by one phase; a wait stands where the phase before has its parity.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    if (phase % 2 == wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
// END SOLUTION 2

// WRONG same_phase: all stages are taken to be in the same phase.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = whole / stages;   // under way
    if (phase % 2 != wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
// END SOLUTION 2

// WRONG whole_copies: counts copies, as if none were half arrived.
// BEGIN SOLUTION 2
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    if (phase % 2 != wait.parity) return 0;
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1 - whole) * arrivals : NEVER;
// END SOLUTION 2

// RIGHT counted: counts what each arrival does, one after the other.
// BEGIN SOLUTION 1
    int phase = 0;
    while (copy >= stages) copy -= stages, ++phase;
    return {copy, phase & 1};
// END SOLUTION 1
// BEGIN SOLUTION 2
    int pending = arrivals, phase = 0;
    for (int i = 0;; ++i) {
        if (i >= made && (phase & 1) != wait.parity) return i - made;
        if (i == arrivals * copies) return NEVER;
        if (i / arrivals % stages != wait.stage || --pending > 0) continue;
        pending = arrivals;
        ++phase;
    }
// END SOLUTION 2
