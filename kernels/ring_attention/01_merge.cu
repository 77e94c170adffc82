// ring_attention/01_merge: two partial results of attention become one.
//
// with a = lse[h, first + i], b = part_lse[h, i] and m = max(a, b):
// o[h, first + i, :]  = (exp(a - m) * o[...] + exp(b - m) * part[h, i, :])
//                       / (exp(a - m) + exp(b - m))
// lse[h, first + i]   = m + log(exp(a - m) + exp(b - m))
//
// Launch:   block (32, 8), grid (ceil(heads*rows/8))
// Defines:  HEAD = 128
// Cost:     12*heads*rows*HEAD + 12*heads*rows bytes,
//           5*heads*rows*HEAD flops
// Assumes:  HEAD is 64 or 128; first + rows <= length;
//           heads * length * HEAD < 2^31
#ifndef HEAD
#define HEAD 128
#endif

struct alignas(HEAD / 8) Word { float at[HEAD / 32]; };  // a lane's share

extern "C" __global__
void ring_attention_merge(
    const float* __restrict__ part,      // [heads, rows, HEAD]
    const float* __restrict__ part_lse,  // [heads, rows]
    float* __restrict__ o,               // [heads, length, HEAD]
    float* __restrict__ lse,             // [heads, length]
    int heads, int rows, int length, int first)
{
    int row = blockIdx.x * 8 + threadIdx.y;   // a warp has a row
    if (row < heads * rows) {
        int place = row / rows * length + first + row % rows;
        float a = lse[place], b = part_lse[row], m = fmaxf(a, b);
        if (b > __int_as_float(0xff800000)) {   // the part met some key
            float mine = expf(a - m), its = expf(b - m), both = mine + its;
            Word* here = (Word*)o + place * 32 + threadIdx.x;
            const Word* there = (const Word*)part + row * 32 + threadIdx.x;
            Word old = *here, more = *there;
            for (int d = 0; d < HEAD / 32; ++d) {
                old.at[d] = (mine * old.at[d] + its * more.at[d]) / both;
            }
            *here = old;
            __syncwarp();   // all lanes have read lse
            if (threadIdx.x == 0) lse[place] = m + logf(both);
        }
    }
}
