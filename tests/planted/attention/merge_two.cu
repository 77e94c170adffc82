// WRONG averaged: the two results weigh alike.
// BEGIN SOLUTION 1
    float max = fmaxf(fmaxf(of_a, of_b), -3.402823466e38f);
    float both = max + logf(expf(of_a - max) + expf(of_b - max));
    float known = fmaxf(both, -3.402823466e38f);
    float weight_a = 0.5f, weight_b = 0.5f;
// END SOLUTION 1

// WRONG by_lse: weighs by the log-sum-exp itself, not by its exponential.
// BEGIN SOLUTION 1
    float max = fmaxf(fmaxf(of_a, of_b), -3.402823466e38f);
    float both = max + logf(expf(of_a - max) + expf(of_b - max));
    float known = fmaxf(both, -3.402823466e38f);
    float weight_a = of_a / (of_a + of_b), weight_b = of_b / (of_a + of_b);
// END SOLUTION 1

// WRONG empty_is_nan: two parts without keys give NaN.
// BEGIN SOLUTION 1
    float max = fmaxf(of_a, of_b);
    float both = max + logf(expf(of_a - max) + expf(of_b - max));
    float known = both;
    float weight_a = expf(of_a - known), weight_b = expf(of_b - known);
// END SOLUTION 1

// WRONG forgotten_lse: the result is right, but the log-sum-exp is only the greater one.
// INSTEAD OF
    if (threadIdx.x == 0) lse[r] = both;
// WRITE
    if (threadIdx.x == 0) lse[r] = max;
// END

// WRONG no_maximum: exp of a log-sum-exp overflows.
// BEGIN SOLUTION 1
    float weight_a = expf(of_a), weight_b = expf(of_b);
    float both = logf(weight_a + weight_b);
    weight_a = weight_a / (weight_a + weight_b);
    weight_b = 1.0f - weight_a;
// END SOLUTION 1

// RIGHT sigmoid: the weight of b is one minus that of a, which is a logistic function.
// BEGIN SOLUTION 1
    float max = fmaxf(fmaxf(of_a, of_b), -3.402823466e38f);
    float both = max + logf(expf(of_a - max) + expf(of_b - max));
    float known = fmaxf(both, -3.402823466e38f);
    float weight_a = of_b <= -3.0e38f ? (of_a > -3.0e38f)
                                      : 1.0f / (1.0f + expf(of_b - of_a));
    float weight_b = 1.0f - weight_a;
// END SOLUTION 1
