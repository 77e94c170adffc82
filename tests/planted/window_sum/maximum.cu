// WRONG no_barrier: threads read the tile before the others have loaded it.
// INSTEAD OF
    __syncthreads();
// WRITE
// END

// WRONG no_lower_clamp: the first block loads elements in front of in.
// INSTEAD OF
        tile[j] = in[min(max(first - RADIUS + j, 0), n - 1)];
// WRITE
        tile[j] = in[min(first - RADIUS + j, n - 1)];
// END

// WRONG no_tile: right, but every thread loads its whole window.
// INSTEAD OF
        for (int k = 1; k <= 2 * RADIUS; ++k)
            largest = fmaxf(largest, tile[threadIdx.x + k]);
// WRITE
        for (int k = 1; k <= 2 * RADIUS; ++k) largest = fmaxf(largest, in[min(max(i - RADIUS + k, 0), n - 1)]);
// END

// WRONG one_short: leaves out the last element of the window.
// INSTEAD OF
        for (int k = 1; k <= 2 * RADIUS; ++k)
            largest = fmaxf(largest, tile[threadIdx.x + k]);
// WRITE
        for (int k = 1; k < 2 * RADIUS; ++k) largest = fmaxf(largest, tile[threadIdx.x + k]);
// END

// WRONG zero_fill: fills with zeros, which win against negative values at both ends.
// INSTEAD OF
        tile[j] = in[min(max(first - RADIUS + j, 0), n - 1)];
// WRITE
        int at = first - RADIUS + j;
        tile[j] = at >= 0 && at < n ? in[at] : 0.0f;
// END
