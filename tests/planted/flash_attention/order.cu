// WRONG as_given: one section of all heads.
// BEGIN SOLUTION 1
    const int tile = tiles - 1 - n / heads, head = n % heads;
// END SOLUTION 1

// WRONG whole_sections: the last section is taken to be as large as the others.
// BEGIN SOLUTION 1
    const int first = n / (size * tiles) * size, m = n - first * tiles;
    const int tile = tiles - 1 - m / size, head = first + m % size;
// END SOLUTION 1

// WRONG shortest_first: within a section the shortest rows come first.
// BEGIN SOLUTION 1
    const int first = n / (size * tiles) * size;
    const int here = min(size, heads - first), m = n - first * tiles;
    const int tile = m / here, head = first + m % here;
// END SOLUTION 1

// WRONG heads_in_turn: within a section one head comes after the other.
// BEGIN SOLUTION 1
    const int first = n / (size * tiles) * size, m = n - first * tiles;
    const int tile = tiles - 1 - m % tiles, head = first + m / tiles;
// END SOLUTION 1

// WRONG counted: walks through all pieces before its own.
// BEGIN SOLUTION 1
    int tile = 0, head = 0, seen = 0;
    for (int first = 0; first < heads; first += size)
        for (int t = tiles - 1; t >= 0; --t)
            for (int h = first; h < min(first + size, heads); ++h)
                if (seen++ == n) tile = t, head = h;
// END SOLUTION 1
