// Wrong: every wait stands until the phase under way ends.
// async_copies/exercises/wait: predict what a wait in a ring of barriers
//     does, before anybody asks.
//
// reader[copy] = {stage, parity} of the wait that stands until the last
//     arrival of that copy is made, and then goes on
// more[made, stage, parity] = how many arrivals are still to be made until
//     a wait for that parity at that stage goes on: 0 if it goes on at once,
//     NEVER if no arrival will let it go on
//
// Launch:   block (128), grid (ceil(2*stages*(arrivals*copies + 1)/128))
// Defines:  none
// Cost:     8*stages*(arrivals*copies + 1) + 8*copies bytes, 0 flops
// Assumes:  stages, arrivals and copies are at least 1; sm_80
//
// A ring has `stages` stages, and each of them a barrier, fresh at first,
// whose phases end with `arrivals` arrivals. A producer fills the stages in
// turn with copies 0, 1, 2 and so on, makes all arrivals of one copy before
// the first of the next, and stops behind the last of the `copies`. It waits
// for no reader, so it may be any number of copies ahead. A thread comes
// when `made` arrivals have been made, and waits.
// Asked: two predictions. No barrier is in this file. The grader has real
// ones, asks each of them after every arrival, and compares. It calls a ring
// by its numbers: right at 3 x 2 x 7 is 3 stages, 2 arrivals, 7 copies.
constexpr int NEVER = -1;

struct Wait { int stage, parity; };

// The wait of whoever reads this copy.
__device__ Wait wait_of(int copy, int stages)
{
    return {copy % stages, copy / stages % 2};
}

// How many arrivals must still be made until this wait goes on?
__device__ int arrivals_until(Wait wait, int made, int stages, int arrivals,
                              int copies)
{
    int whole = made / arrivals;   // copies whose arrivals are all made
    int phase = (whole - wait.stage + stages - 1) / stages;   // under way
    int copy = wait.stage + phase * stages;   // the one that ends it
    return copy < copies ? (copy + 1) * arrivals - made : NEVER;
}

extern "C" __global__
void async_copies_wait(
    int* __restrict__ reader,   // [copies, 2]
    int* __restrict__ more,     // [arrivals * copies + 1, stages, 2]
    int stages, int arrivals, int copies)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < copies) {
        Wait wait = wait_of(i, stages);
        reader[2 * i] = wait.stage;
        reader[2 * i + 1] = wait.parity;
    }
    if (i < 2 * stages * (arrivals * copies + 1)) {
        int made = i / (2 * stages);
        Wait wait = {i / 2 % stages, i % 2};
        more[i] = arrivals_until(wait, made, stages, arrivals, copies);
    }
}
