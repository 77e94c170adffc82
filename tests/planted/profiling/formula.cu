// WRONG from_global: looks the curve up in global memory; loads it again and again.
// BEGIN SOLUTION 1
    if (i < n) {
        out[i] = table[(int)(256 * in[i])];
    }
// END SOLUTION 1

// WRONG no_guard: no guard.
// BEGIN SOLUTION 1
    float grey = floorf(256 * in[i]);
    out[i] = grey * (510 - grey) * (1 / 65025.0f);
// END SOLUTION 1

// WRONG not_floored: a smooth curve, without the 256 steps of the table.
// BEGIN SOLUTION 1
    if (i < n) {
        float grey = 256 * in[i];
        out[i] = grey * (510 - grey) * (1 / 65025.0f);
    }
// END SOLUTION 1

// RIGHT integers: in integers, with one conversion at the end.
// BEGIN SOLUTION 1
    if (i < n) {
        int grey = (int)(256 * in[i]);
        out[i] = grey * (510 - grey) / 65025.0f;
    }
// END SOLUTION 1
