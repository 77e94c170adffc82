// WRONG not_back: the mean is that of the smaller numbers.
// INSTEAD OF
    float mean = near + apart;
// WRITE
    float mean = apart;
// END

// WRONG own_element: each thread takes its own first element away.
// INSTEAD OF
    float near = row[0];
// WRITE
    float near = row[min((int)threadIdx.x, cols - 1)];
// END

// WRONG too_late: the squares are rounded before anything is taken away.
// INSTEAD OF
        squares += value * value;
// WRITE
        squares += row[c] * row[c] - 2.0f * near * row[c] + near * near;
// END

// WRONG three_passes: right, but the row is read three times.
// BEGIN SOLUTION 1
    for (int c = threadIdx.x; c < cols; c += 256) sum += row[c];
    float mean = block_sum<0>(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += 256) {
        float apart = row[c] - mean;
        squares += apart * apart;
    }
    float variance = block_sum<1>(squares) / cols;
// END SOLUTION 1

// RIGHT last_element: any element of the row will do.
// BEGIN SOLUTION 1
    const float far_end = row[cols - 1];
    for (int c = threadIdx.x; c < cols; c += 256) {
        float less = row[c] - far_end;
        sum += less;
        squares = fmaf(less, less, squares);
    }
    float shifted = block_sum<0>(sum) / cols;
    float variance = block_sum<1>(squares) / cols - shifted * shifted;
    float mean = shifted + far_end;
// END SOLUTION 1
