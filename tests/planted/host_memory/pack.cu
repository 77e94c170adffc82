// WRONG every_particle: right where every is 1 only: takes the first n particles.
// BEGIN SOLUTION 1
    if (i < n) {
        const float* particle = particles + 8 * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
// END SOLUTION 1

// WRONG interleaved: writes x and vx of a particle side by side, [n, 2] instead of [2, n].
// BEGIN SOLUTION 1
    if (i < n) {
        const float* particle = particles + 8 * every * i;
        out[2 * i] = particle[0];
        out[2 * i + 1] = particle[4];
    }
// END SOLUTION 1

// WRONG no_guard: the last block reads and writes past the end.
// BEGIN SOLUTION 1
    {
        const float* particle = particles + 8 * every * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
// END SOLUTION 1

// WRONG scattered: right results, but lanes write eight floats apart.
// BEGIN SOLUTION 1
    if (i / 256 * 256 + i % 32 * 8 + i % 256 / 32 < n) {
        i = i / 256 * 256 + i % 32 * 8 + i % 256 / 32;
        const float* particle = particles + 8 * every * i;
        out[i] = particle[0];
        out[n + i] = particle[4];
    }
// END SOLUTION 1
