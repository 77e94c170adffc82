// WRONG first_elements: takes the first count elements instead of the chosen ones.
// BEGIN SOLUTION 1
    bool works = thread < count;
    int i = works ? thread : 0;
// END SOLUTION 1

// WRONG flags_as_given: right, but in scattered lanes: the kernel as it was given.
// BEGIN SOLUTION 1
    bool works = thread < n && flag[thread] == 1;
    int i = thread;
// END SOLUTION 1

// WRONG no_guard: threads behind the end of the list read it all the same.
// BEGIN SOLUTION 1
    bool works = thread < n;
    int i = works ? chosen[thread] : 0;
// END SOLUTION 1

// WRONG still_flagged: takes elements from the list, but leaves those out whose own number is not flagged.
// BEGIN SOLUTION 1
    bool works = thread < count && flag[thread] == 1;
    int i = works ? chosen[thread] : 0;
// END SOLUTION 1
