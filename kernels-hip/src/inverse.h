// 1 / x to some 20 bits, and rounded here: AMD's instruction has no name that every version of the compiler knows.
DEVICE f64 approximate_inverse(f64 x) { return 1.0 / x; }
