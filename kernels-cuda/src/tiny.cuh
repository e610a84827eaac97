// Small matrices of large stacks, in registers: a row for each lane of a group of N lanes, several groups a warp.
// Matrices are column-major and contiguous; those shorter than N count as continued by the identity matrix. To be
// compiled after the elements.
//
// A row is a ring: column k is at its head in step k, since each step moves all elements by one. So the loop over steps
// stays a loop, though registers have no addresses.

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

// Solves with up to COLUMNS right-hand sides at a time: elimination with partial pivoting, which is only noted (`order`
// is the step in which a row was chosen), then substitution. Lanes without a matrix work on an identity.
template <u32 N, u32 COLUMNS> DEVICE void solve_rows(const Dense& d) {
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
            // A NaN bids less than any number, a row of the identity before its turn less, one that was chosen least.
            const Real here = size(row[0]);
            const Real bid = place.row >= m && k < m ? (Real)-2 : here >= (Real)0 ? here : (Real)-1;
            const u32 chosen = highest_bidder<N>(order < N ? (Real)-3 : bid, place);
            const Element pivot = value_from(row[0], chosen);
            const bool singular = is_zero(pivot), own = place.first + place.row == chosen;
            if (singular && info == 0) info = (i32)k + 1;
            if (own) order = k;
            const Element factor = order == N && !singular ? row[0] / pivot : make((Real)0);
            const Element head = row[0];
            UNROLLED
            for (u32 j = 0; j + 1 < N; j++) {
                if (j + 1 < N - k) {
                    row[j] = row[j + 1] - factor * value_from(row[j + 1], chosen);
                } else {
                    row[j] = row[j + 1];
                }
            }
            row[N - 1] = head;
            UNROLLED
            for (u32 j = 0; j < COLUMNS; j++) {
                if (j < columns) right[j] = right[j] - factor * value_from(right[j], chosen);
            }
        }
        ROLLED
        for (u32 k = N; k-- > 0;) {
            const Element tail = row[N - 1];
            UNROLLED
            for (u32 j = N - 1; j > 0; j--) row[j] = row[j - 1];
            row[0] = tail;
            const u32 chosen = highest_bidder<N>(order == k ? (Real)1 : (Real)0, place);
            const bool own = order == k, above = order < k;
            const Element inverse = make((Real)1) / value_from(tail, chosen);
            UNROLLED
            for (u32 j = 0; j < COLUMNS; j++) {
                if (j < columns) {
                    const Element known = value_from(right[j], chosen) * inverse;
                    right[j] = own ? known : above ? right[j] - tail * known : right[j];
                }
            }
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

enum { TINY_THREADS = 128 };

ENTRY(TINY_THREADS) void tiny_solve_4(ARGUMENT Dense d) { solve_rows<4, 4>(d); }
ENTRY(TINY_THREADS) void tiny_solve_8(ARGUMENT Dense d) { solve_rows<8, 8>(d); }
ENTRY(TINY_THREADS) void tiny_solve_16(ARGUMENT Dense d) { solve_rows<16, 16>(d); }
// Rows of wide elements leave fewer registers for the right-hand sides.
ENTRY(TINY_THREADS) void tiny_solve_32(ARGUMENT Dense d) { solve_rows<32, (sizeof(Element) > 8 ? 8 : 32)>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_4(ARGUMENT Dense d) { cholesky_rows<4>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_8(ARGUMENT Dense d) { cholesky_rows<8>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_16(ARGUMENT Dense d) { cholesky_rows<16>(d); }
ENTRY(TINY_THREADS) void tiny_cholesky_32(ARGUMENT Dense d) { cholesky_rows<32>(d); }
