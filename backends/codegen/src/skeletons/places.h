// Folds whose accumulators are values with the positions they come from. The loop over all elements combines values alone
// and remembers the round in which the best one came; the elements of that round are then combined again in full.

// The accumulator as if its value lay at `position`.
DEVICE Accumulator placed(Accumulator value, i64 position) {
    value.POSITION = position;
    return value;
}

// What an element adds to the best value so far.
DEVICE Accumulator better(const Arguments& a, const Accumulator& best, const Accumulator& next) {
    return placed(combine(a, best, placed(next, 0)), 0);
}

// Whether the best value of a round is better than that of all rounds before.
DEVICE bool improves(const Arguments& a, const Accumulator& best, const Accumulator& round) {
    return combine(a, best, placed(round, 1)).POSITION == 1;
}
