// What is done to matrices, and to results, for libraries of solvers that square elements as they are: some squares are out
// of range, and beside a NaN the libraries may find numbers. A block for each column.
//
// `b` holds the largest element of each column. `count` is the part of the matrix that counts, as below.

enum { WHOLE, LOWER_TRIANGLE, UPPER_TRIANGLE };

ENTRY(MOST_THREADS) void range_largest(ARGUMENT Dense d) {
    const u64 m = d.m, column = block() % d.n;
    const Element* x = d.a + block() * m;
    const u64 first = d.count == LOWER_TRIANGLE ? column : 0, end = d.count == UPPER_TRIANGLE ? column + 1 : m;
    const Real infinite = LARGEST * (Real)2;
    Real most = 0;
    for (u64 i = first + thread(); i < end; i += block_size())
        most = is_finite(x[i]) ? larger(most, smaller(size(x[i]), LARGEST)) : infinite;
    most = largest_of_all(most);
    if (thread() == 0) ((Real*)d.b)[block()] = most;
}

// The largest element of this block's matrix.
DEVICE Real range_of(const Dense& d) {
    const Real* columns = (const Real*)d.b + block() / d.n * d.n;
    Real most = 0;
    for (u64 j = thread(); j < d.n; j += block_size()) most = larger(most, columns[j]);
    return largest_of_all(most);
}

// A number between -1 and 1 that looks like chance and depends on two indices alike.
DEVICE Real chance(u64 i, u64 j) {
    u32 word = (u32)(i < j ? i : j) * 0x9e3779b9u ^ (u32)(i < j ? j : i) * 0x85ebca6bu;
    word = (word ^ word >> 16) * 0x7feb352du;
    word = (word ^ word >> 15) * 0x846ca68bu;
    return (Real)(i32)(word ^ word >> 16) / (Real)2147483648.0;
}

// Divides the matrix by its unit, however large that is, since the libraries' iterations end at bounds that are not relative,
// and moves elements by a unit in their last place or two. Of equal rows elimination leaves tiny rows that are equal again,
// and so on until there are squares of few bits, of which libraries make reflections that are none.
// A Hermitian matrix that is not finite becomes NaN throughout.
ENTRY(MOST_THREADS) void range_scale(ARGUMENT Dense d) {
    enum { TOO_FEW = 3 };
    Element* x = d.a + block() * d.m;
    const u64 column = block() % d.n;
    const Real most = range_of(d);
    if (d.count != WHOLE && most > LARGEST) {
        for (u64 i = thread(); i < d.m; i += block_size()) x[i] = make(root((Real)-1));
        return;
    }
    const Real factor = (Real)1 / power_near(most), last = d.m > TOO_FEW && d.n > TOO_FEW ? EPSILON * factor : (Real)0;
    for (u64 i = thread(); i < d.m; i += block_size()) x[i] = x[i] * (factor + last * chance(i, column));
}

// Multiplies by the unit again: the values at `c`, one for each column, or, without, the triangle above the reflections.
ENTRY(MOST_THREADS) void range_restore(ARGUMENT Dense d) {
    const u64 column = block() % d.n;
    const Real unit = power_near(range_of(d));
    if (d.c) {
        if (thread() == 0) ((Real*)d.c)[block()] = ((Real*)d.c)[block()] * unit;
    } else {
        scale_all(d.a + block() * d.m, column < d.m ? column + 1 : d.m, unit);
    }
}
