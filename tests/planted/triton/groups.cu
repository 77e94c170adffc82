// WRONG along_rows: along the rows of a group, not down its columns.
// BEGIN SOLUTION 1
    int first = t / (group * across) * group;
    int high = min(down - first, group);
    int within = t % (group * across);
    row = first + within / across;
    col = within % across;
// END SOLUTION 1

// WRONG last_group_whole: the last group as high as the others.
// BEGIN SOLUTION 1
    int first = t / (group * across) * group;
    int high = group;
    int within = t % (group * across);
    row = first + within % high;
    col = within / high;
// END SOLUTION 1

// WRONG row_after_row: no groups at all.
// BEGIN SOLUTION 1
    int first = t / (group * across) * group;
    int high = min(down - first, group);
    int within = t % (group * across);
    row = t / across;
    col = t % across;
// END SOLUTION 1

// RIGHT by_group: counts within the group by subtraction.
// BEGIN SOLUTION 1
    int first = t / (group * across) * group;
    int high = min(down - first, group);
    int within = t - first * across;
    row = first + within % high;
    col = within / high;
// END SOLUTION 1

// WRONG goes_through_all: every thread goes through the whole order until its turn comes.
// BEGIN SOLUTION 1
    int turn = 0;
    for (int first = 0; first < down; first += group)
        for (int c = 0; c < across; ++c)
            for (int r = first; r < min(first + group, down); ++r, ++turn)
                if (turn == t) {
                    row = r;
                    col = c;
                }
// END SOLUTION 1
