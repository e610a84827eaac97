// Factorisations of matrices by one block each: many small ones in one launch, and the forms that no vendor library has
// (Hessenberg and Schur). Matrices are column-major and contiguous, as the solver's contract says.
//
// The text before this file is that of the elements, and defines EPSILON and TINY (the smallest normal number over EPSILON)
// of their type. Every thread takes the same decisions from the same memory; only the loops over elements
// are shared out, with a barrier before anything is read that another thread wrote.

enum { MOST_THREADS = 256, ATTEMPTS = 30, EXCEPTIONAL = 10 };

// How the threads of a block share out the rows and columns of a matrix: neighbours along a column, without divisions.
struct Grid {
    u32 row, row_step, column, column_step;
};

DEVICE Grid grid_of(u32 rows) {
    u32 width = 1;
    while (width < rows && width < WARP && width < block_size()) width *= 2;
    return Grid{thread() & (width - 1), width, thread() / width, block_size() / width};
}

// The largest of a number of each thread with its position; of equal ones the one at the lowest position.
DEVICE u32 position_of_largest(Real value, u32 at) {
    SHARED Real values[MOST_THREADS];
    SHARED u32 places[MOST_THREADS];
    values[thread()] = value;
    places[thread()] = at;
    barrier();
    for (u32 width = block_size() / 2; width; width /= 2) {
        if (thread() < width) {
            const Real other = values[thread() + width];
            const u32 place = places[thread() + width];
            if (other > values[thread()] || (other == values[thread()] && place < places[thread()])) {
                values[thread()] = other;
                places[thread()] = place;
            }
        }
        barrier();
    }
    const u32 result = places[0];
    barrier();
    return result;
}

DEVICE Real sum_of_all(Real value) {
    SHARED Real values[MOST_THREADS];
    values[thread()] = value;
    barrier();
    for (u32 width = block_size() / 2; width; width /= 2) {
        if (thread() < width) values[thread()] = values[thread()] + values[thread() + width];
        barrier();
    }
    const Real result = values[0];
    barrier();
    return result;
}

DEVICE Real largest_of_all(Real value) {
    SHARED Real values[MOST_THREADS];
    values[thread()] = value;
    barrier();
    for (u32 width = block_size() / 2; width; width /= 2) {
        if (thread() < width) values[thread()] = larger(values[thread()], values[thread() + width]);
        barrier();
    }
    const Real result = values[0];
    barrier();
    return result;
}

// The length of a vector, scaled against overflow.
DEVICE Real norm_of(const Element* x, u32 count) {
    Real most = 0;
    for (u32 i = thread(); i < count; i += block_size()) most = larger(most, size(x[i]));
    most = largest_of_all(most);
    // A NaN may have been passed over: the sum has it.
    if (most == (Real)0) most = (Real)1;
    Real sum = 0;
    for (u32 i = thread(); i < count; i += block_size()) {
        const Real part = modulus(x[i]) / most;
        sum = sum + part * part;
    }
    return most * root(sum_of_all(sum));
}

// A reflection 1 - tau v v' with v[0] = 1, whose adjoint leaves only beta (real) of a vector with this head and a tail
// of this length; v is the tail divided by `divisor`, whose reciprocal may be infinite.
struct Reflection {
    Element tau, divisor;
    Element beta;
};

DEVICE Reflection reflection(Element head, Real tail) {
    Reflection result;
    result.tau = make(0);
    result.divisor = make(1);
    result.beta = head;
#if COMPLEX
    if (tail == (Real)0 && head.im == (Real)0) return result;
#else
    if (tail == (Real)0) return result;
#endif
    const Real length = hypotenuse(modulus(head), tail), beta = real(head) > (Real)0 ? -length : length;
#if COMPLEX
    result.tau = Element{(beta - head.re) / beta, -head.im / beta};
#else
    result.tau = (beta - head) / beta;
#endif
    result.divisor = head - make(beta);
    result.beta = make(beta);
    return result;
}

ENTRY(MOST_THREADS) void dense_lu(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n, steps = m < n ? m : n;
    Element* a = d.a + (u64)block() * m * n;
    i64* pivots = (i64*)d.b + (u64)block() * steps;
    const Grid g = grid_of(m);
    i32 info = 0;
    for (u32 k = 0; k < steps; k++) {
        Real most = -1;
        u32 at = k;
        for (u32 i = k + thread(); i < m; i += block_size()) {
            const Real here = bid_of(a[i + k * m]);
            if (here > most) { most = here; at = i; }
        }
        const u32 chosen = position_of_largest(most, at);
        const Element pivot = a[chosen + k * m];
        const bool singular = is_zero(pivot);
        if (singular && info == 0) info = (i32)k + 1;
        barrier();
        if (thread() == 0) pivots[k] = (i64)chosen + 1;
        if (chosen != k) {
            for (u32 j = thread(); j < n; j += block_size()) {
                const Element kept = a[k + j * m];
                a[k + j * m] = a[chosen + j * m];
                a[chosen + j * m] = kept;
            }
        }
        barrier();
        if (singular) continue;
        for (u32 i = k + 1 + thread(); i < m; i += block_size()) a[i + k * m] = a[i + k * m] / pivot;
        barrier();
        for (u32 j = k + 1 + g.column; j < n; j += g.column_step) {
            const Element factor = a[k + j * m];
            for (u32 i = k + 1 + g.row; i < m; i += g.row_step) a[i + j * m] = a[i + j * m] - a[i + k * m] * factor;
        }
        barrier();
    }
    if (thread() == 0) d.info[block()] = info;
}

DEVICE void substitute(const Element* a, Element* b, u32 m, u32 n, bool upper, bool unit) {
    const Grid g = grid_of(m);
    for (u32 step = 0; step < m; step++) {
        const u32 k = upper ? m - 1 - step : step;
        if (!unit) {
            for (u32 j = thread(); j < n; j += block_size()) b[k + j * m] = b[k + j * m] / a[k + k * m];
            barrier();
        }
        const u32 first = upper ? 0 : k + 1, end = upper ? k : m;
        for (u32 j = g.column; j < n; j += g.column_step) {
            const Element factor = b[k + j * m];
            for (u32 i = first + g.row; i < end; i += g.row_step) b[i + j * m] = b[i + j * m] - a[i + k * m] * factor;
        }
        barrier();
    }
}

ENTRY(MOST_THREADS) void dense_lu_solve(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n;
    const Element* a = d.a + (u64)block() * m * m;
    const i64* pivots = (const i64*)d.b + (u64)block() * m;
    Element* b = (Element*)d.c + (u64)block() * m * n;
    for (u32 j = thread(); j < n; j += block_size()) {
        for (u32 k = 0; k < m; k++) {
            const u32 other = (u32)(pivots[k] - 1);
            const Element kept = b[k + j * m];
            b[k + j * m] = b[other + j * m];
            b[other + j * m] = kept;
        }
    }
    barrier();
    substitute(a, b, m, n, false, true);
    substitute(a, b, m, n, true, false);
    if (thread() == 0) d.info[block()] = 0;
}

ENTRY(MOST_THREADS) void dense_solve_triangular(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n;
    substitute(d.a + (u64)block() * m * m, (Element*)d.b + (u64)block() * m * n, m, n, d.upper != 0, d.unit != 0);
    if (thread() == 0) d.info[block()] = 0;
}

ENTRY(MOST_THREADS) void dense_cholesky(ARGUMENT Dense d) {
    const u32 n = (u32)d.n;
    Element* a = d.a + (u64)block() * n * n;
    // The transpose of an upper factor is the lower factor of the transpose.
    const u32 row = d.upper ? n : 1, column = d.upper ? 1 : n;
    const Grid g = grid_of(n);
    i32 info = 0;
    for (u32 k = 0; k < n; k++) {
        const Real square = real(a[k * row + k * column]);
        if (!(square > (Real)0)) {
            info = (i32)k + 1;
            break;
        }
        const Real pivot = root(square);
        barrier();
        for (u32 i = k + thread(); i < n; i += block_size()) {
            Element* x = a + i * row + k * column;
            *x = i == k ? make(pivot) : *x * ((Real)1 / pivot);
        }
        barrier();
        for (u32 j = k + 1 + g.column; j < n; j += g.column_step) {
            const Element factor = conjugate(a[j * row + k * column]);
            for (u32 i = k + 1 + g.row; i < n; i += g.row_step) {
                Element* x = a + i * row + j * column;
                if (i >= j) *x = *x - a[i * row + k * column] * factor;
            }
        }
        barrier();
    }
    if (thread() == 0) d.info[block()] = info;
}

// Applies the adjoint of a reflection, whose v is (1, x), to the `columns` columns from a on.
DEVICE void reflect_rows(Element* a, u32 leading, u32 columns, const Element* x, u32 tail, Element tau) {
    for (u32 j = thread(); j < columns; j += block_size()) {
        Element* y = a + (u64)j * leading;
        Element sum = y[0];
        for (u32 i = 0; i < tail; i++) sum = sum + conjugate(x[i]) * y[i + 1];
        sum = sum * conjugate(tau);
        y[0] = y[0] - sum;
        for (u32 i = 0; i < tail; i++) y[i + 1] = y[i + 1] - sum * x[i];
    }
}

// Applies a reflection to the `rows` rows from a on, from the right.
DEVICE void reflect_columns(Element* a, u32 leading, u32 rows, const Element* x, u32 tail, Element tau) {
    for (u32 i = thread(); i < rows; i += block_size()) {
        Element* y = a + i;
        Element sum = y[0];
        for (u32 j = 0; j < tail; j++) sum = sum + y[(u64)(j + 1) * leading] * x[j];
        sum = sum * tau;
        y[0] = y[0] - sum;
        for (u32 j = 0; j < tail; j++) y[(u64)(j + 1) * leading] = y[(u64)(j + 1) * leading] - sum * conjugate(x[j]);
    }
}

// Makes the reflection of a column whose head is x[-1], stores beta there and the rest of v in x. Subnormal numbers have too
// few digits for a unitary reflection, so columns of such are lifted first, as LAPACK's larfg does.
DEVICE Element make_reflection(Element* x, u32 tail) {
    Real length = norm_of(x, tail);
    const Real whole = hypotenuse(modulus(x[-1]), length);
    const Real lift = whole < (Real)TINY ? (Real)1 / (Real)TINY : (Real)1;
    if (lift != (Real)1) {
        for (u32 i = thread(); i < tail; i += block_size()) x[i] = x[i] * lift;
        barrier();
        length = norm_of(x, tail);
    }
    const Reflection made = reflection(x[-1] * lift, length);
    barrier();
    for (u32 i = thread(); i < tail; i += block_size()) x[i] = x[i] / made.divisor;
    if (thread() == 0) x[-1] = made.beta * ((Real)1 / lift);
    barrier();
    return made.tau;
}

ENTRY(MOST_THREADS) void dense_qr(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n, steps = m < n ? m : n;
    Element* a = d.a + (u64)block() * m * n;
    Element* factors = (Element*)d.b + (u64)block() * steps;
    for (u32 k = 0; k < steps; k++) {
        Element* head = a + k + k * m;
        const Element tau = make_reflection(head + 1, m - k - 1);
        if (thread() == 0) factors[k] = tau;
        reflect_rows(head + m, m, n - k - 1, head + 1, m - k - 1, tau);
        barrier();
    }
    if (thread() == 0) d.info[block()] = 0;
}

ENTRY(MOST_THREADS) void dense_qr_vectors(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n, count = (u32)d.count;
    Element* a = d.a + (u64)block() * m * n;
    const Element* factors = (const Element*)d.b + (u64)block() * count;
    for (u32 e = thread(); e < m * (n - count); e += block_size()) {
        const u32 i = e % m, j = count + e / m;
        a[i + j * m] = make(i == j ? (Real)1 : (Real)0);
    }
    barrier();
    for (u32 k = count; k-- > 0;) {
        Element* head = a + k + k * m;
        const Element tau = factors[k];
        // The reflection itself, not its adjoint.
        reflect_rows(head + m, m, n - k - 1, head + 1, m - k - 1, conjugate(tau));
        barrier();
        for (u32 i = thread(); i < m; i += block_size()) {
            Element* x = a + i + k * m;
            *x = i < k ? make(0) : i == k ? make(1) - tau : make(0) - tau * *x;
        }
        barrier();
    }
    if (thread() == 0) d.info[block()] = 0;
}

// Hessenberg form in place and the basis that leads to it.
DEVICE void reduce(Element* a, Element* basis, u32 n) {
    for (u64 e = thread(); e < (u64)n * n; e += block_size()) basis[e] = make(e % n == e / n ? (Real)1 : (Real)0);
    barrier();
    for (u32 k = 0; k + 2 < n; k++) {
        Element* x = a + (k + 2) + (u64)k * n;
        const u32 tail = n - k - 2;
        const Element tau = make_reflection(x, tail);
        reflect_rows(a + (k + 1) + (u64)(k + 1) * n, n, n - k - 1, x, tail, tau);
        barrier();
        reflect_columns(a + (u64)(k + 1) * n, n, n, x, tail, tau);
        reflect_columns(basis + (u64)(k + 1) * n, n, n, x, tail, tau);
        barrier();
        for (u32 i = thread(); i < tail; i += block_size()) x[i] = make(0);
        barrier();
    }
}

DEVICE bool is_finite(Element x) { return is_zero(x - x); }

DEVICE bool all_finite(const Element* a, u64 count) {
    Real bad = 0;
    for (u64 e = thread(); e < count; e += block_size())
        if (!is_finite(a[e])) bad = 1;
    return largest_of_all(bad) == (Real)0;
}

// The power of two next to the largest element, whose reciprocal is a normal number, too.
DEVICE Real power_near(Real most) {
    const Real normal = (Real)TINY * (Real)EPSILON;
    Real unit = 1;
    most = smaller(most, LARGEST);
    if (most == (Real)0) return unit;
    while (unit <= most / (Real)4) unit = unit * (Real)2;
    while (unit > most && unit > normal) unit = unit / (Real)2;
    return unit;
}

// What the elements are divided by lest their squares leave the range of numbers: 1 where they do not.
DEVICE Real unit_of(const Element* a, u64 count) {
    Real most = 0;
    for (u64 e = thread(); e < count; e += block_size()) most = larger(most, size(a[e]));
    most = largest_of_all(most);
    const Real least = root((Real)TINY * (Real)EPSILON) / (Real)EPSILON;
    return most >= least && most <= (Real)1 / least ? (Real)1 : power_near(most);
}

DEVICE void scale_all(Element* a, u64 count, Real factor) {
    if (factor == (Real)1) return;
    for (u64 e = thread(); e < count; e += block_size()) a[e] = a[e] * factor;
    barrier();
}

ENTRY(MOST_THREADS) void dense_hessenberg(ARGUMENT Dense d) {
    const u32 n = (u32)d.n;
    const u64 count = (u64)n * n;
    Element* a = d.a + block() * count;
    const Real unit = unit_of(a, count);
    scale_all(a, count, (Real)1 / unit);
    reduce(a, (Element*)d.b + block() * count, n);
    scale_all(a, count, unit);
    if (thread() == 0) d.info[block()] = 0;
}

// Moves of rows and columns, which triangular systems are left with; a block for each column.

ENTRY(MOST_THREADS) void dense_identity(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, column = block() % m;
    Element* x = d.a + (u64)block() * m;
    for (u32 i = thread(); i < m; i += block_size()) x[i] = make(i == column ? (Real)1 : (Real)0);
}

// One thread makes the exchanges, of numbers near to it.
ENTRY(MOST_THREADS) void dense_order(ARGUMENT Dense d) {
    enum { KEPT = 8192, AT_A_TIME = 1024 };
    SHARED u32 kept[KEPT], chosen[AT_A_TIME];
    const u32 m = (u32)d.m;
    const i64* pivots = (const i64*)d.b + (u64)block() * m;
    u32* result = (u32*)d.c + (u64)block() * m;
    u32* order = m <= KEPT ? kept : result;
    for (u32 i = thread(); i < m; i += block_size()) order[i] = i;
    for (u32 start = 0; start < m; start += AT_A_TIME) {
        const u32 count = m - start < AT_A_TIME ? m - start : AT_A_TIME;
        // A pivot that is no row would lead out of memory.
        for (u32 i = thread(); i < count; i += block_size()) {
            const u64 row = (u64)(pivots[start + i] - 1);
            chosen[i] = row < m ? (u32)row : m - 1;
        }
        barrier();
        for (u32 i = 0; thread() == 0 && i < count; i++) {
            const u32 row = order[start + i];
            order[start + i] = order[chosen[i]];
            order[chosen[i]] = row;
        }
        barrier();
    }
    if (order == result) return;
    for (u32 i = thread(); i < m; i += block_size()) result[i] = order[i];
}

ENTRY(MOST_THREADS) void dense_rows(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n;
    const u32* order = (const u32*)d.c + (u64)(block() / n) * m;
    const Element* from = (const Element*)d.b + (u64)block() * m;
    Element* to = d.a + (u64)block() * m;
    for (u32 i = thread(); i < m; i += block_size()) to[i] = from[order[i]];
}

ENTRY(MOST_THREADS) void dense_columns(ARGUMENT Dense d) {
    const u32 m = (u32)d.m, n = (u32)d.n, matrix = block() / n;
    const u32 column = ((const u32*)d.c)[(u64)matrix * n + block() % n];
    const Element* from = (const Element*)d.b + (u64)block() * m;
    Element* to = d.a + ((u64)matrix * n + column) * m;
    for (u32 i = thread(); i < m; i += block_size()) to[i] = from[i];
}
