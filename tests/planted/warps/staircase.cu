// WRONG full_waves: a wave that is not full does not count.
// BEGIN SOLUTION 1
        int wave = sms * places;
        int needed = blocks[j] / wave;
// END SOLUTION 1

// WRONG one_more: a grid of full waves gets one wave too many.
// BEGIN SOLUTION 1
        int wave = sms * places;
        int needed = blocks[j] / wave + 1;
// END SOLUTION 1

// WRONG one_place: an SM is given one place, however many it has.
// BEGIN SOLUTION 1
        int wave = sms;
        int needed = (blocks[j] + wave - 1) / wave;
// END SOLUTION 1
