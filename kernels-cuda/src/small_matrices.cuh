// Small matrices of large stacks, in registers: a row (or a column) for each lane of a group of N lanes, several groups a warp.
// Matrices are column-major and contiguous; those shorter than N count as continued by the identity matrix. To be
// compiled after the elements.
//
// A row is a ring: column k is at its head in step k, since each step moves all elements by one. So the loop over steps
// stays a loop, though registers have no addresses.

enum { TINY_THREADS = 128 };

// A value of another lane of the warp.
template <class T> DEVICE T value_from(T value, u32 lane) {
    union {
        T value;
        u32 words[sizeof(T) / 4];
    } both;
    both.value = value;
    UNROLLED
    for (u32 w = 0; w < sizeof(T) / 4; w++) both.words[w] = shuffle_from(both.words[w], lane);
    return both.value;
}

// A lane's group: its first lane in the warp, the lane's own number in it, and the group's matrix.
struct Place {
    u32 first, row;
    u64 matrix;
};

template <u32 N> DEVICE Place place_of() {
    const u32 lane = thread() % WARP;
    const u64 groups = (u64)block() * (block_size() / N);
    return Place{lane - lane % N, lane % N, groups + thread() / N};
}

// The lane of the group that bids most, the first of those that bid the same.
template <u32 N> DEVICE u32 highest_bidder(Real bid, const Place& place) {
    u32 lane = place.row;
    UNROLLED
    for (u32 distance = N / 2; distance > 0; distance /= 2) {
        const u32 from = place.first + (place.row ^ distance);
        const Real other = value_from(bid, from);
        const u32 bidder = shuffle_from(lane, from);
        if (other > bid || (other == bid && bidder < lane)) {
            bid = other;
            lane = bidder;
        }
    }
    return place.first + lane;
}

// The lane of the group's next pivot: the largest element. A row of the identity before its turn (`early`) bids less than
// any number, one that was chosen least.
template <u32 N> DEVICE u32 choose_pivot(Element head, bool chosen, bool early, const Place& place) {
    return highest_bidder<N>(chosen ? (Real)-2 : early ? (Real)-1 : bid_of(head), place);
}

// Where the lane of a pivot lays what the lanes of its group need of it: the elements of its row and of its right-hand
// sides. Four to a quad, since threads read and write the widest where addresses are known to be aligned.
struct alignas(16) Four {
    Element at[4];
};

// The inverse of a pivot that its row is about to be multiplied by. That of a subnormal number would be infinite, though the
// quotients are not: pivot and row are multiplied by a power of two then.
template <u32 COUNT> DEVICE Element inverse_for(Element pivot, Element (&row)[COUNT]) {
    if (size(pivot) < (Real)TINY) {
        const Real lift = (Real)1 / (Real)EPSILON;
        pivot = pivot * lift;
        UNROLLED
        for (u32 j = 0; j < COUNT; j++) row[j] = row[j] * lift;
    }
    return make((Real)1) / pivot;
}

// Elimination with partial pivoting, which is only noted (`order` is the step in which a row was chosen), of up to COLUMNS
// right-hand sides at a time, then substitution. Lanes without a matrix work on an identity.
template <u32 N, u32 COLUMNS> DEVICE void solve_rows(const Dense& d) {
    SHARED Four shared_rows[TINY_THREADS / N][N / 4], shared_rights[TINY_THREADS / N][COLUMNS / 4];
    Four* const pivot_row = shared_rows[thread() / N];
    Four* const pivot_right = shared_rights[thread() / N];
    const u32 m = (u32)d.m, n = (u32)d.n;
    const Place place = place_of<N>();
    const bool used = place.matrix < d.count, mine = used && place.row < m;
    const Element* a = d.a + place.matrix * m * m;
    Element* b = (Element*)d.c + place.matrix * m * n;
    i32 info = 0;
    for (u32 start = 0; start < n; start += COLUMNS) {
        const u32 columns = n - start < COLUMNS ? n - start : COLUMNS;
        Element row[N], right[COLUMNS];
        UNROLLED
        for (u32 j = 0; j < N; j++) {
            row[j] = mine && j < m ? a[place.row + j * m] : make(place.row == j ? (Real)1 : (Real)0);
        }
        UNROLLED
        for (u32 j = 0; j < COLUMNS; j++) {
            right[j] = mine && j < columns ? b[place.row + (u64)(start + j) * m] : make((Real)0);
        }
        u32 order = N;
        ROLLED
        for (u32 k = 0; k < N; k++) {
            const u32 chosen = choose_pivot<N>(row[0], order < N, place.row >= m && k < m, place);
            const bool own = place.first + place.row == chosen;
            if (own) {
                order = k;
                UNROLLED
                for (u32 j = 0; j < N; j++) pivot_row[j / 4].at[j % 4] = row[j];
                UNROLLED
                for (u32 j = 0; j < COLUMNS; j++) pivot_right[j / 4].at[j % 4] = right[j];
            }
            warp_barrier();
            const Element pivot = pivot_row[0].at[0], head = row[0];
            const bool singular = is_zero(pivot), below = order == N && !singular;
            if (singular && info == 0) info = (i32)k + 1;
            const Element factor = below ? row[0] / pivot : make((Real)0);
            UNROLLED
            for (u32 quad = 0; quad < N / 4; quad++) {
                if (quad == 0 || 4 * quad < N - k) {
                    const Four known = pivot_row[quad];
                    UNROLLED
                    for (u32 e = 0; e < 4; e++) {
                        const u32 j = 4 * quad + e;
                        if (j > 0) row[j - 1] = below && j < N - k ? row[j] - factor * known.at[e] : row[j];
                    }
                } else {
                    UNROLLED
                    for (u32 e = 0; e < 4; e++) row[4 * quad + e - 1] = row[4 * quad + e];
                }
            }
            row[N - 1] = head;
            UNROLLED
            for (u32 quad = 0; quad < COLUMNS / 4; quad++) {
                if (4 * quad < columns) {
                    const Four known = pivot_right[quad];
                    UNROLLED
                    for (u32 e = 0; e < 4; e++) {
                        Element& x = right[4 * quad + e];
                        x = below ? x - factor * known.at[e] : x;
                    }
                }
            }
            warp_barrier();
        }
        ROLLED
        for (u32 k = N; k-- > 0;) {
            const Element tail = row[N - 1];
            UNROLLED
            for (u32 j = N - 1; j > 0; j--) row[j] = row[j - 1];
            row[0] = tail;
            if (order == k) {
                const Element inverse = inverse_for(tail, right);
                UNROLLED
                for (u32 j = 0; j < COLUMNS; j++) {
                    right[j] = right[j] * inverse;
                    pivot_right[j / 4].at[j % 4] = right[j];
                }
            }
            warp_barrier();
            UNROLLED
            for (u32 quad = 0; quad < COLUMNS / 4; quad++) {
                if (4 * quad < columns) {
                    const Four known = pivot_right[quad];
                    UNROLLED
                    for (u32 e = 0; e < 4; e++) {
                        Element& x = right[4 * quad + e];
                        x = order < k ? x - tail * known.at[e] : x;
                    }
                }
            }
            warp_barrier();
        }
        if (used && order < m) {
            UNROLLED
            for (u32 j = 0; j < COLUMNS; j++) {
                if (j < columns) b[order + (u64)(start + j) * m] = right[j];
            }
        }
    }
    if (used && place.row == 0) d.info[place.matrix] = info;
}

// The inverse by Gauss and Jordan's elimination in place: a column that was eliminated makes room for one of the inverse.
// The ring has turned once when it ends.
template <u32 N> DEVICE void inverse_rows(const Dense& d) {
    SHARED Four shared_rows[TINY_THREADS / N][N / 4];
    SHARED u32 shared_origins[TINY_THREADS / N][N];
    Four* const pivot_row = shared_rows[thread() / N];
    u32* const origins = shared_origins[thread() / N];
    const u32 m = (u32)d.m;
    const Place place = place_of<N>();
    const bool used = place.matrix < d.count, mine = used && place.row < m;
    const Element* a = d.a + place.matrix * m * m;
    Element* result = (Element*)d.c + place.matrix * m * m;
    Element row[N];
    UNROLLED
    for (u32 j = 0; j < N; j++) {
        row[j] = mine && j < m ? a[place.row + j * m] : make(place.row == j ? (Real)1 : (Real)0);
    }
    u32 order = N;
    i32 info = 0;
    ROLLED
    for (u32 k = 0; k < N; k++) {
        const u32 chosen = choose_pivot<N>(row[0], order < N, place.row >= m && k < m, place);
        const bool own = place.first + place.row == chosen;
        if (own) {
            order = k;
            origins[k] = place.row;
            if (is_zero(row[0])) info = (i32)k + 1;
            const Element pivot = row[0];
            row[0] = make((Real)1);
            const Element inverse = inverse_for(pivot, row);
            UNROLLED
            for (u32 j = 0; j < N; j++) {
                row[j] = row[j] * inverse;
                pivot_row[j / 4].at[j % 4] = row[j];
            }
        }
        warp_barrier();
        const Element factor = own ? make((Real)0) : row[0];
        if (!own) row[0] = make((Real)0);
        Element first;
        UNROLLED
        for (u32 quad = 0; quad < N / 4; quad++) {
            const Four known = pivot_row[quad];
            UNROLLED
            for (u32 e = 0; e < 4; e++) {
                const u32 j = 4 * quad + e;
                const Element x = own ? row[j] : row[j] - factor * known.at[e];
                if (j == 0) first = x;
                else row[j - 1] = x;
            }
        }
        row[N - 1] = first;
        warp_barrier();
    }
    if (used && order < m) {
        UNROLLED
        for (u32 j = 0; j < N; j++) {
            if (j < m) result[order + origins[j] * m] = row[j];
        }
    }
    // The earliest step that failed; the others are 0.
    UNROLLED
    for (u32 distance = N / 2; distance > 0; distance /= 2) {
        const i32 other = value_from(info, place.first + (place.row ^ distance));
        if (info == 0 || (other != 0 && other < info)) info = other;
    }
    if (used && place.row == 0) d.info[place.matrix] = info;
}

// The lower Cholesky factor; of an upper triangle, the adjoint of its transpose's.
template <u32 N> DEVICE void cholesky_rows(const Dense& d) {
    const u32 m = (u32)d.n;
    const Place place = place_of<N>();
    const bool used = place.matrix < d.count, mine = used && place.row < m;
    Element* a = d.a + place.matrix * m * m;
    const u32 down = d.upper ? m : 1, along = d.upper ? 1 : m;
    Element row[N];
    UNROLLED
    for (u32 j = 0; j < N; j++) {
        const bool given = mine && j <= place.row;
        row[j] = given ? a[place.row * down + j * along] : make(place.row == j ? (Real)1 : (Real)0);
    }
    i32 info = 0;
    ROLLED
    for (u32 k = 0; k < N; k++) {
        const Real square = real(value_from(row[0], place.first + k));
        if (info == 0 && !(square > (Real)0)) info = (i32)k + 1;
        const Real pivot = root(square), inverse = (Real)1 / pivot;
        // What follows a failure is not used.
        const Element factor = place.row == k ? make(pivot) : place.row > k ? row[0] * inverse : row[0];
        UNROLLED
        for (u32 j = 0; j + 1 < N; j++) {
            if (j + 1 < N - k) {
                const Element other = conjugate(value_from(factor, place.first + k + j + 1));
                row[j] = place.row > k ? row[j + 1] - factor * other : row[j + 1];
            } else {
                row[j] = row[j + 1];
            }
        }
        row[N - 1] = factor;
    }
    if (mine) {
        UNROLLED
        for (u32 j = 0; j < N; j++) {
            if (j <= place.row) a[place.row * down + j * along] = row[j];
        }
    }
    if (used && place.row == 0) d.info[place.matrix] = info;
}

// What the lane of column k makes of its column: v, which is 1 at row k and 0 above, tau, and what is left at row k.
template <u32 N> struct Reflected {
    Element v[N];
    Element tau, beta;
};

// The length of a column below row k; scaled if squares leave the range of numbers with all digits. A NaN is not lost.
template <u32 N> DEVICE Real length_below(const Element (&column)[N], u32 k) {
    Real sum = 0, most = 0;
    UNROLLED
    for (u32 i = 0; i < N; i++) sum = i > k ? sum + real(column[i] * conjugate(column[i])) : sum;
    if (sum > (Real)TINY / (Real)EPSILON && sum <= LARGEST) return root(sum);
    UNROLLED
    for (u32 i = 0; i < N; i++) most = i > k ? larger(size(column[i]), most) : most;
    const Real scale = most == (Real)0 ? (Real)1 : most;
    sum = 0;
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        const Element part = column[i] / make(scale);
        sum = i > k ? sum + real(part * conjugate(part)) : sum;
    }
    return scale * root(sum);
}

// The reflection 1 - tau v v' whose adjoint leaves only beta (real) of a column from row k on. Subnormal numbers have too few
// digits for a unitary one, so columns of such are lifted first, as LAPACK's larfg does.
template <u32 N> DEVICE Reflected<N> reflect(const Element (&column)[N], u32 k) {
    Reflected<N> result;
    Element head = make((Real)0);
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        head = i == k ? column[i] : head;
        result.v[i] = column[i];
    }
    result.beta = head;
    Real tail = length_below<N>(column, k), lift = 1;
    if (hypotenuse(modulus(head), tail) < (Real)TINY) {
        lift = (Real)1 / (Real)TINY;
        head = head * lift;
        UNROLLED
        for (u32 i = 0; i < N; i++) result.v[i] = result.v[i] * lift;
        tail = length_below<N>(result.v, k);
    }
    Element divisor = make((Real)1);
    result.tau = make((Real)0);
#if COMPLEX
    const bool stays = tail == (Real)0 && head.im == (Real)0;
#else
    const bool stays = tail == (Real)0;
#endif
    if (!stays) {
        const Real length = hypotenuse(modulus(head), tail);
        const Element beta = make(real(head) > (Real)0 ? -length : length);
        result.tau = (beta - head) / beta;
        divisor = head - beta;
        result.beta = beta * ((Real)1 / lift);
    }
    const Element inverse = make((Real)1) / divisor;
    // The inverse of a larger one has fewer digits.
    const bool is_safe = size(divisor) < (Real)1 / (Real)TINY;
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        const Element below = is_safe ? result.v[i] * inverse : result.v[i] / divisor;
        result.v[i] = i > k ? below : make(i == k ? (Real)1 : (Real)0);
    }
    return result;
}

// Takes factor times v times (v' x) off a column x.
template <u32 N> DEVICE void take_off(Element (&column)[N], const Element (&v)[N], Element factor) {
    Element sum = make((Real)0);
    UNROLLED
    for (u32 i = 0; i < N; i++) sum = sum + conjugate(v[i]) * column[i];
    sum = sum * factor;
    UNROLLED
    for (u32 i = 0; i < N; i++) column[i] = column[i] - sum * v[i];
}

// Householder's QR, a column for each lane: reflections and R in place, as LAPACK's geqr2.
template <u32 N> DEVICE void qr_columns(const Dense& d) {
    const u32 m = (u32)d.m, n = (u32)d.n, steps = m < n ? m : n;
    const Place place = place_of<N>();
    const bool used = place.matrix < d.count, mine = used && place.row < n;
    Element* a = d.a + place.matrix * m * n + place.row * m;
    Element column[N], factor = make((Real)0);
    UNROLLED
    for (u32 i = 0; i < N; i++) column[i] = mine && i < m ? a[i] : make((Real)0);
    ROLLED
    for (u32 k = 0; k < steps; k++) {
        Reflected<N> made = reflect<N>(column, k);
        const bool own = place.row == k;
        if (own) {
            factor = made.tau;
            UNROLLED
            for (u32 i = 0; i < N; i++) column[i] = i > k ? made.v[i] : i == k ? made.beta : column[i];
        }
        const Element tau = value_from(made.tau, place.first + k);
        UNROLLED
        for (u32 i = 0; i < N; i++) made.v[i] = value_from(made.v[i], place.first + k);
        if (place.row > k) take_off<N>(column, made.v, conjugate(tau));
    }
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        if (mine && i < m) a[i] = column[i];
    }
    if (used && place.row < steps) ((Element*)d.b)[place.matrix * steps + place.row] = factor;
    if (used && place.row == 0) d.info[place.matrix] = 0;
}

// The first columns of the unitary factor that `upper` reflections stand for, a column for each lane, as LAPACK's org2r.
template <u32 N> DEVICE void qr_vectors_columns(const Dense& d) {
    const u32 m = (u32)d.m, n = (u32)d.n, steps = (u32)d.upper;
    const Place place = place_of<N>();
    const bool used = place.matrix < d.count, mine = used && place.row < n, reflects = used && place.row < steps;
    Element* a = d.a + place.matrix * m * n + place.row * m;
    const Element own = reflects ? ((const Element*)d.b)[place.matrix * steps + place.row] : make((Real)0);
    Element given[N], column[N];
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        given[i] = reflects && i < m && i > place.row ? a[i] : make(i == place.row ? (Real)1 : (Real)0);
        column[i] = make(i == place.row ? (Real)1 : (Real)0);
    }
    ROLLED
    for (u32 k = steps; k-- > 0;) {
        Element v[N];
        UNROLLED
        for (u32 i = 0; i < N; i++) v[i] = value_from(given[i], place.first + k);
        take_off<N>(column, v, value_from(own, place.first + k));
    }
    UNROLLED
    for (u32 i = 0; i < N; i++) {
        if (mine && i < m) a[i] = column[i];
    }
    if (used && place.row == 0) d.info[place.matrix] = 0;
}

ENTRY(TINY_THREADS) void tiny_solve_4(ARGUMENT Dense d) { solve_rows<4, 4>(d); }
ENTRY(TINY_THREADS) void tiny_solve_8(ARGUMENT Dense d) { solve_rows<8, 8>(d); }
ENTRY(TINY_THREADS) void tiny_solve_16(ARGUMENT Dense d) { solve_rows<16, 16>(d); }
// Rows of wide elements leave fewer registers for the right-hand sides.
ENTRY(TINY_THREADS) void tiny_solve_32(ARGUMENT Dense d) { solve_rows<32, (sizeof(Element) > 8 ? 8 : 32)>(d); }
ENTRY(TINY_THREADS) void tiny_inverse_4(ARGUMENT Dense d) { inverse_rows<4>(d); }
ENTRY(TINY_THREADS) void tiny_inverse_8(ARGUMENT Dense d) { inverse_rows<8>(d); }
ENTRY(TINY_THREADS) void tiny_inverse_16(ARGUMENT Dense d) { inverse_rows<16>(d); }
ENTRY(TINY_THREADS) void tiny_inverse_32(ARGUMENT Dense d) { inverse_rows<32>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_4(ARGUMENT Dense d) { cholesky_rows<4>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_8(ARGUMENT Dense d) { cholesky_rows<8>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_16(ARGUMENT Dense d) { cholesky_rows<16>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_32(ARGUMENT Dense d) { cholesky_rows<32>(d); }
ENTRY(TINY_THREADS) void tiny_qr_4(ARGUMENT Dense d) { qr_columns<4>(d); }
ENTRY(TINY_THREADS) void tiny_qr_8(ARGUMENT Dense d) { qr_columns<8>(d); }
ENTRY(TINY_THREADS) void tiny_qr_16(ARGUMENT Dense d) { qr_columns<16>(d); }
ENTRY(TINY_THREADS) void tiny_qr_32(ARGUMENT Dense d) { qr_columns<32>(d); }
ENTRY(TINY_THREADS) void tiny_qr_vectors_4(ARGUMENT Dense d) { qr_vectors_columns<4>(d); }
ENTRY(TINY_THREADS) void tiny_qr_vectors_8(ARGUMENT Dense d) { qr_vectors_columns<8>(d); }
ENTRY(TINY_THREADS) void tiny_qr_vectors_16(ARGUMENT Dense d) { qr_vectors_columns<16>(d); }
ENTRY(TINY_THREADS) void tiny_qr_vectors_32(ARGUMENT Dense d) { qr_vectors_columns<32>(d); }
