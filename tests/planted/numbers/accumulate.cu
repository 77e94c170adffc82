// WRONG drops_the_last_row: The last row is not added.
// BEGIN SOLUTION 1
        float acc = 0.0f;
        for (int row = 0; row < rows - 1; ++row) {
            int at = row * cols + col;
            acc = fmaf(__half2float(a[at]), __half2float(b[at]), acc);
        }
        out[col] = acc;
// END SOLUTION 1

// WRONG product_in_half: The sum is a float, but each product is rounded to half first.
// BEGIN SOLUTION 1
        float acc = 0.0f;
        for (int row = 0; row < rows; ++row) {
            int at = row * cols + col;
            acc = acc + __half2float(__hmul(a[at], b[at]));
        }
        out[col] = acc;
// END SOLUTION 1

// WRONG still_half: Multiplies in float and keeps the running sum in half.
// BEGIN SOLUTION 1
        float acc = 0.0f;
        for (int row = 0; row < rows; ++row) {
            int at = row * cols + col;
            acc = __half2float(__float2half(fmaf(__half2float(a[at]), __half2float(b[at]), acc)));
        }
        out[col] = acc;
// END SOLUTION 1
