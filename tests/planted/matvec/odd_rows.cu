// WRONG head_too_long: the head of a row shorter than that reaches into the next one.
// INSTEAD OF
        int head = min((4 - r * cols % 4) % 4, cols);
        int quads = (cols - head) / 4;
// WRITE
        int head = (4 - r * cols % 4) % 4;
        int quads = max(cols - head, 0) / 4;
// END

// WRONG no_head: takes every row for aligned.
// INSTEAD OF
        int head = min((4 - r * cols % 4) % 4, cols);
// WRITE
        int head = 0;
// END

// WRONG no_tail: leaves out the floats behind the last word.
// INSTEAD OF
        if (tail < cols) acc += row[tail];
// WRITE
// END

// WRONG scalar: right, but one float a lane and load, as given.
// BEGIN SOLUTION 1
        for (int c = lane; c < cols; c += 32)
            acc += row[c];
// END SOLUTION 1

// RIGHT rounded_down: words from the aligned one before the row, with what is not of the row set to 0.
// BEGIN SOLUTION 1
        int begin = r * cols, end = begin + cols;
        for (int w = begin / 4 + lane; 4 * w < end; w += 32)
            if (4 * w >= begin && 4 * w + 4 <= end) {
                float4 word = reinterpret_cast<const float4*>(a)[w];
                acc += word.x + word.y + word.z + word.w;
            } else {
                for (int i = max(4 * w, begin); i < min(4 * w + 4, end); ++i)
                    acc += a[i];
            }
// END SOLUTION 1
