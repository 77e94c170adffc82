// WRONG ends_early: c[0] is never added: right only with one term.
// BEGIN SOLUTION 1
        float acc = c[terms - 1];
        for (int k = terms - 2; k > 0; --k) acc = fmaf(acc, value, c[k]);
// END SOLUTION 1

// WRONG first_term_twice: the highest term is added twice: the loop should begin one lower.
// BEGIN SOLUTION 1
        float acc = c[terms - 1];
        for (int k = terms - 1; k >= 0; --k) acc = fmaf(acc, value, c[k]);
// END SOLUTION 1

// WRONG no_guard: threads past the end read and write outside the arrays.
// INSTEAD OF
    if (i < n) {
// WRITE
    {
// END

// WRONG powers: right, but every power is multiplied together from the start.
// BEGIN SOLUTION 1
        float acc = c[0];
        for (int k = 1; k < terms; ++k) {
            float power = value;
            for (int j = 1; j < k; ++j) power *= value;
            acc = fmaf(c[k], power, acc);
        }
// END SOLUTION 1

// WRONG reversed: the coefficients are read from the wrong end: right with one term only.
// BEGIN SOLUTION 1
        float acc = c[0];
        for (int k = 1; k < terms; ++k) acc = fmaf(acc, value, c[k]);
// END SOLUTION 1

// WRONG running_power: the power goes along, a multiplication more for each term.
// BEGIN SOLUTION 1
        float acc = 0.0f, power = 1.0f;
        for (int k = 0; k < terms; ++k) {
            acc += c[k] * power;
            power *= value;
        }
// END SOLUTION 1

// RIGHT not_unrolled: the loop as it stands, without the compiler's unrolling.
// BEGIN SOLUTION 1
        float acc = c[terms - 1];
        #pragma unroll 1
        for (int k = terms - 2; k >= 0; --k) acc = fmaf(acc, value, c[k]);
// END SOLUTION 1
