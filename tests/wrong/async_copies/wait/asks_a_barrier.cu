// Wrong: right, and predicts nothing: it makes the arrivals and asks a barrier.
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
