// WRONG no_tail: right at multiples of 4 only: the last n % 4 elements are never written.
// BEGIN SOLUTION 1
    int quads = n / 4;
    if (i < quads) {
        float4 p = reinterpret_cast<const float4*>(x)[i];
        float4 q = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(out)[i] =
            make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
    }
// END SOLUTION 1

// WRONG rounds_up: takes a partial float4 at the end for a whole one, past the end of all three arrays.
// INSTEAD OF
    int quads = n / 4;
// WRITE
    int quads = (n + 3) / 4;
// END

// WRONG scalar: right results, but with four times the requests: one float per instruction.
// BEGIN SOLUTION 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = a * x[i] + y[i];
    }
// END SOLUTION 1
// INSTEAD OF
    int i = blockIdx.x * blockDim.x + threadIdx.x;
// WRITE
// END

// WRONG tail_by_one: the tail starts one element late.
// INSTEAD OF
    int rest = 4 * quads + i;
// WRITE
    int rest = 4 * quads + i + 1;
// END
