// WRONG first_guard_only: the second load still stops at n, so a full last block lacks its halo.
// INSTEAD OF
    if (threadIdx.x < 2 * RADIUS && i + THREADS < n + 2 * RADIUS) {
// WRITE
    if (threadIdx.x < 2 * RADIUS && i + THREADS < n) {
// END

// WRONG half_the_halo: the right halo has 2 * RADIUS elements, not RADIUS.
// INSTEAD OF
    if (threadIdx.x < 2 * RADIUS && i + THREADS < n + 2 * RADIUS) {
// WRITE
    if (threadIdx.x < RADIUS && i + THREADS < n + 2 * RADIUS) {
// END

// WRONG no_guard: loads past the end of in.
// BEGIN SOLUTION 1
    tile[threadIdx.x] = in[i];
    if (threadIdx.x < 2 * RADIUS) {
        tile[THREADS + threadIdx.x] = in[i + THREADS];
    }
// END SOLUTION 1

// WRONG no_tile: right, but every thread loads its whole window.
// INSTEAD OF
            sum += tile[threadIdx.x + k];
// WRITE
            sum += in[i + k];
// END

// WRONG second_guard_only: the first load still stops at n, so a last block that is not full lacks elements.
// INSTEAD OF
    if (i < n + 2 * RADIUS) {
// WRITE
    if (i < n) {
// END

// RIGHT one_loop: one loop fills the tile, halo and all.
// BEGIN SOLUTION 1
    for (int j = i; j < min(n, (int(blockIdx.x) + 1) * THREADS) + 2 * RADIUS; j += THREADS)
        tile[j - blockIdx.x * THREADS] = in[j];
// END SOLUTION 1
