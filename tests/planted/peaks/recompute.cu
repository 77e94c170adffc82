// WRONG integer_division: the division is done in integers, and gives 0 or 1.
// BEGIN SOLUTION 1
        const float place = (2 * i + 1) / n;
        const float weight = 1.0f - fabsf(place - 1.0f);
// END SOLUTION 1

// WRONG left_edge: the weight of the element's left edge, not of its middle: off by 1/n.
// BEGIN SOLUTION 1
        const float place = (2.0f * i) / n;
        const float weight = 1.0f - fabsf(place - 1.0f);
// END SOLUTION 1

// WRONG no_guard: threads past the end read and write outside the arrays.
// INSTEAD OF
    if (i < n) {
// WRITE
    {
// END

// WRONG one_size: the array is taken to have 1,000 elements.
// BEGIN SOLUTION 1
        const float place = (2.0f * i + 1.0f) / 1000;
        const float weight = 1.0f - fabsf(place - 1.0f);
// END SOLUTION 1

// WRONG still_reads: right, but the weight is still read from memory where it matters.
// BEGIN SOLUTION 1
        const float place = (2.0f * i + 1.0f) / n;
        const float weight = place < 1.0f ? place : weights[i];
// END SOLUTION 1
