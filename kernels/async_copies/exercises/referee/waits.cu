// async_copies/exercises/referee/waits: the barriers that the exercise
//     `wait` speaks of, asked after every arrival. The grader runs it.
//
// goes[made, stage, parity] = 1 if a wait for that parity at that stage's
//     barrier goes on when `made` arrivals have been made, else 0
//
// Launch:   block (32), grid (1)
// Defines:  none
// Cost:     8*stages*(arrivals*copies + 1) bytes, 0 flops
// Assumes:  stages <= 16; sm_80
typedef unsigned long long Barrier;

__device__ unsigned int shared(const void* pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

__device__ void make_barrier(Barrier* full, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"(shared(full)), "r"(arrivals) : "memory");
}

__device__ void arrive(Barrier* full)
{
    asm volatile("{ .reg .b64 token;\n"
                 "mbarrier.arrive.shared.b64 token, [%0]; }"
                 :: "r"(shared(full)) : "memory");
}

// Whether a wait for this parity goes on now.
__device__ int goes_on(Barrier* full, int parity)
{
    int over;
    asm volatile("{ .reg .pred over;\n"
                 "mbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n"
                 "selp.s32 %0, 1, 0, over; }"
                 : "=r"(over) : "r"(shared(full)), "r"(parity) : "memory");
    return over;
}

extern "C" __global__
void async_copies_waits(
    int* __restrict__ goes,   // [arrivals * copies + 1, stages, 2]
    int stages, int arrivals, int copies)
{
    __shared__ Barrier ring[16];
    int thread = threadIdx.x;
    if (thread < stages) make_barrier(ring + thread, arrivals);
    for (int made = 0; made <= arrivals * copies; ++made) {
        if (made > 0 && thread == 0)
            arrive(ring + (made - 1) / arrivals % stages);
        __syncthreads();
        if (thread < 2 * stages)
            goes[2 * stages * made + thread] =
                goes_on(ring + thread / 2, thread % 2);
        __syncthreads();
    }
}
