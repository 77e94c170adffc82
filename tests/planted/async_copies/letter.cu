// WRONG block_scope: released and acquired for the block alone; the reader is in another one.
// INSTEAD OF
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
// WRITE
    cuda::atomic_ref<int, cuda::thread_scope_block> sent(flag[thread]);
// END

// WRONG no_acquire: the writer releases, and the reader does not acquire.
// INSTEAD OF
        while (sent.load(cuda::memory_order_acquire) == 0) { }
// WRITE
        while (sent.load(cuda::memory_order_relaxed) == 0) { }
// END

// WRONG no_release: the reader acquires, and the writer has not released.
// INSTEAD OF
        sent.store(1, cuda::memory_order_release);
// WRITE
        sent.store(1, cuda::memory_order_relaxed);
// END

// WRONG relaxed: the device sees the flag, and nothing orders what it stands for.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_relaxed);
    } else {
        while (sent.load(cuda::memory_order_relaxed) == 0) { }
        out[thread] = sums[thread] + sum;
    }
// END SOLUTION 1

// WRONG seq_cst: right, and the flag asks for one order of everything.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_seq_cst);
    } else {
        while (sent.load(cuda::memory_order_seq_cst) == 0) { }
        out[thread] = sums[thread] + sum;
    }
// END SOLUTION 1

// WRONG system: right, and ordered for the host as well.
// INSTEAD OF
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
// WRITE
    cuda::atomic_ref<int, cuda::thread_scope_system> sent(flag[thread]);
// END

// WRONG threadfence: right, with fences beside the flag.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        __threadfence();
        sent.store(1, cuda::memory_order_relaxed);
    } else {
        while (sent.load(cuda::memory_order_relaxed) == 0) { }
        __threadfence();
        out[thread] = sums[thread] + sum;
    }
// END SOLUTION 1

// WRONG reads_it_all: the second block adds up everything itself, and acquires for show.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_release);
    } else {
        sent.load(cuda::memory_order_acquire);
        float whole = 0.0f;
        for (int i = thread; i < half; i += 64) whole += in[i];
        out[thread] = whole + sum;
    }
// END SOLUTION 1

// WRONG no_letter: the first block finishes itself, and the second acquires for show.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_release);
        for (int i = half + thread; i < n; i += 64) sum += in[i];
        out[thread] = sum;
    } else {
        sent.load(cuda::memory_order_acquire);
    }
// END SOLUTION 1
// INSTEAD OF
    for (int i = begin + thread; i < end; i += 64) sum += in[i];
// WRITE
    for (int i = begin + thread; blockIdx.x == 0 && i < end; i += 64)
        sum += in[i];
// END

// RIGHT exchange: an exchange raises the flag.
// INSTEAD OF
        sent.store(1, cuda::memory_order_release);
// WRITE
        sent.exchange(1, cuda::memory_order_release);
// END

// WRONG acquires_afterwards: waits with plain loads, reads the letter, and acquires when all is over.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.store(1, cuda::memory_order_release);
    } else {
        while (*(volatile int*)&flag[thread] == 0) { }
        out[thread] = *(volatile float*)&sums[thread] + sum;
        if (sent.load(cuda::memory_order_acquire) == 0) out[thread] = 0;
    }
// END SOLUTION 1

// RIGHT asks_by_atomics: the reader asks with an atomic that acquires.
// BEGIN SOLUTION 1
    cuda::atomic_ref<int, cuda::thread_scope_device> sent(flag[thread]);
    if (blockIdx.x == 0) {
        sums[thread] = sum;
        sent.fetch_add(1, cuda::memory_order_release);
    } else {
        while (sent.fetch_add(0, cuda::memory_order_acquire) == 0) { }
        out[thread] = sums[thread] + sum;
    }
// END SOLUTION 1
