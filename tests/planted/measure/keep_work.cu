// WRONG closed_form: one chain, and the others' results from a formula.
// BEGIN SOLUTION 1
    if (i < n) {
        float scale = in[i], x0 = 0.0f, power = 1.0f;
        for (int round = 0; round < rounds; ++round) {
            x0 = fmaf(scale, x0, 1.0f);
            power *= scale;
        }
        out[i] = 4.0f * x0 + (0 + 1 + 2 + 3) * power;
    }
// END SOLUTION 1

// WRONG missing_guard: the last block reads and writes past the end.
// INSTEAD OF
    if (i < n) {
// WRITE
    {
// END

// WRONG one_chain: only the first chain is stored; the compiler drops the other three.
// INSTEAD OF
        out[i] = x0 + x1 + x2 + x3;
// WRITE
        out[i] = x0;
// END

// WRONG one_round_less: the loop begins at 1.
// INSTEAD OF
        for (int round = 0; round < rounds; ++round) {
// WRITE
        for (int round = 1; round < rounds; ++round) {
// END

// WRONG same_start: all four chains begin at 0, so one of them would do, and does.
// INSTEAD OF
        float x0 = 0.0f, x1 = 1.0f, x2 = 2.0f, x3 = 3.0f;
// WRITE
        float x0 = 0.0f, x1 = 0.0f, x2 = 0.0f, x3 = 0.0f;
// END
