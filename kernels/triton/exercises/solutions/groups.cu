// triton/exercises/groups: the order in which a grid goes through the tiles
//     of c.
//
// out[2*t] = the row of tiles that program t computes,
// out[2*t + 1] = the column of tiles
//
// Launch:   block (128), grid (ceil(down*across/128))
// Defines:  none
// Cost:     8*down*across bytes, 0 flops
// Assumes:  2*down*across < 2^31
//
// c has `down` rows and `across` columns of tiles. Programs go through
// `group` rows of tiles at a time: down the first column of the group, then
// down the next one, and so on to the last column; then the next group of
// rows. The last group may have fewer rows. Asked: both by formula, without
// going through other tiles.
// HINT 1: A whole group has group * across tiles. Which group is tile t in,
//         and at which row does it begin?
// HINT 2: Within a group, count on: the height of the group divides that
//         number into columns.
// HINT 3: The last group is only down - first rows high.
extern "C" __global__
void triton_groups(
    int* __restrict__ out,   // [2*down*across]
    int down, int across, int group)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= down * across) return;
    int row = 0, col = 0;
    // BEGIN SOLUTION 1: its row and its column (about 5 lines)
    int first = t / (group * across) * group;
    int high = min(down - first, group);
    int within = t % (group * across);
    row = first + within % high;
    col = within / high;
    // END SOLUTION 1
    out[2 * t] = row;
    out[2 * t + 1] = col;
}
