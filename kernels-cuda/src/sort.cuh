// A stable radix sort of positions by 8-bit digits, lowest first. Rows are sorted together: after the digits of the
// keys come those of the row numbers, so any number of rows of any length takes the same road.
//
// The text before this file defines Key (an unsigned integer as wide as a number of the source), Position, KIND,
// INFINITE (the bits of infinity of a floating type) and COMPONENTS (2 for complex numbers).

enum { UNSIGNED = 0, SIGNED = 1, FLOATING = 2 };
enum { BY_VALUE = 0, BY_CLASS = 1, BY_ROW = 2 };
enum { THREADS = 256, ROUNDS = 16, TILE = THREADS * ROUNDS, DIGITS = 256, WARPS = THREADS / WARP };

struct Sort {
    const Key* source;
    u64 count, length, tiles;
    Key* keys;
    Position* positions;
    Key* next_keys;
    Position* next_positions;
    Position* counts;
    Position* sums;
    u64 shift, component, mode, first;
    Key* sorted;
    i64* indices;
};

DEVICE bool is_nan(Key bits) {
    if (KIND != FLOATING) return false;
    return (Key)(bits & (Key)~((Key)1 << (8 * sizeof(Key) - 1))) > (Key)INFINITE;
}

// An unsigned number that is ordered as NumPy orders the source: NaN last, the zeros equal.
DEVICE Key ordered(Key bits) {
    const Key sign = (Key)((Key)1 << (8 * sizeof(Key) - 1));
    if (KIND == UNSIGNED) return bits;
    if (KIND == SIGNED) return (Key)(bits ^ sign);
    if (is_nan(bits)) return (Key)~(Key)0;
    if (bits == sign) bits = 0;
    return (Key)(bits & sign ? ~bits : bits | sign);
}

ENTRY(THREADS) void sort_keys(ARGUMENT Sort a) {
    const u64 i = (u64)block() * THREADS + thread();
    if (i >= a.count) return;
    const u64 at = a.first ? i : (u64)a.positions[i];
    Key key;
    if (a.mode == BY_ROW) key = (Key)((at / a.length >> a.shift) & 0xff);
    else if (a.mode == BY_CLASS) {
        key = (Key)(2 * is_nan(a.source[COMPONENTS * at]) + is_nan(a.source[COMPONENTS * at + COMPONENTS - 1]));
    } else key = ordered(a.source[COMPONENTS * at + a.component]);
    a.keys[i] = key;
    if (a.first) a.positions[i] = (Position)i;
}

DEVICE u32 digit_of(Key key, const Sort& a) { return (u32)(key >> a.shift) & 0xff; }

// counts[digit][tile]: how many keys of each tile have each digit.
ENTRY(THREADS) void sort_count(ARGUMENT Sort a) {
    SHARED u32 counts[DIGITS];
    counts[thread()] = 0;
    barrier();
    const u64 base = (u64)block() * TILE + thread();
    Key keys[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (base + r * THREADS < a.count) keys[r] = a.keys[base + r * THREADS];
    }
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (base + r * THREADS < a.count) atomicAdd(&counts[digit_of(keys[r], a)], 1u);
    }
    barrier();
    a.counts[(u64)thread() * a.tiles + block()] = counts[thread()];
}

// The sum of `value` over the threads before this one, and over all of them.
DEVICE Position block_scan(Position value, Position& total) {
    SHARED Position warps[WARPS];
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    Position running = value;
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const Position before = __shfl_up_sync(0xffffffffu, running, distance);
        if (lane >= distance) running += before;
    }
    if (lane == WARP - 1) warps[warp] = running;
    barrier();
    Position before = 0;
    total = 0;
    for (u32 w = 0; w < WARPS; ++w) {
        if (w < warp) before += warps[w];
        total += warps[w];
    }
    barrier();
    return before + running - value;
}

// Turns every TILE counts into the sums of those before, and keeps the total of each tile in sums.
ENTRY(THREADS) void sort_scan(ARGUMENT Sort a) {
    const u64 entries = DIGITS * a.tiles;
    const u64 base = (u64)block() * TILE + thread() * ROUNDS;
    Position values[ROUNDS];
    Position sum = 0;
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        values[r] = base + r < entries ? a.counts[base + r] : 0;
        sum += values[r];
    }
    Position total;
    Position before = block_scan(sum, total);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (base + r < entries) a.counts[base + r] = before;
        before += values[r];
    }
    if (thread() == 0) a.sums[block()] = total;
}

// Turns the totals into the sums of those before; one block.
ENTRY(THREADS) void sort_scan_sums(ARGUMENT Sort a) {
    const u64 entries = (DIGITS * a.tiles + TILE - 1) / TILE;
    Position carry = 0;
    for (u64 base = 0; base < entries; base += THREADS) {
        const u64 i = base + thread();
        const Position value = i < entries ? a.sums[i] : 0;
        Position total;
        const Position before = block_scan(value, total);
        if (i < entries) a.sums[i] = carry + before;
        carry += total;
    }
}

// Moves every key to its place among all keys: those of smaller digits, those of equal digit in tiles before, in warps
// before, and in lanes and rounds before.
ENTRY(THREADS) void sort_scatter(ARGUMENT Sort a) {
    SHARED u32 counts[WARPS][DIGITS];
    SHARED Position starts[DIGITS];
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    for (u32 w = 0; w < WARPS; ++w) counts[w][thread()] = 0;
    const u64 entry = (u64)thread() * a.tiles + block();
    starts[thread()] = a.counts[entry] + a.sums[entry / TILE];
    barrier();

    const u64 base = (u64)block() * TILE + warp * (TILE / WARPS) + lane;
    Key keys[ROUNDS];
    Position positions[ROUNDS];
    u32 ranks[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const u64 i = base + r * WARP;
        keys[r] = 0;
        positions[r] = 0;
        if (i < a.count) {
            keys[r] = a.keys[i];
            positions[r] = a.positions[i];
        }
    }
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const bool inside = base + r * WARP < a.count;
        const u32 digit = digit_of(keys[r], a);
        const u32 peers = __match_any_sync(0xffffffffu, inside ? digit : DIGITS);
        const u32 before = (u32)__popc(peers & ((1u << lane) - 1));
        const u32 seen = counts[warp][digit];
        __syncwarp();
        if (inside && before == 0) counts[warp][digit] = seen + (u32)__popc(peers);
        __syncwarp();
        ranks[r] = seen + before;
    }
    barrier();
    u32 running = 0;
    for (u32 w = 0; w < WARPS; ++w) {
        const u32 here = counts[w][thread()];
        counts[w][thread()] = running;
        running += here;
    }
    barrier();
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (base + r * WARP < a.count) {
            const u32 digit = digit_of(keys[r], a);
            const Position to = starts[digit] + counts[warp][digit] + ranks[r];
            a.next_keys[to] = keys[r];
            a.next_positions[to] = positions[r];
        }
    }
}

// Writes what was asked for: the elements in their new order, their positions within the row.
ENTRY(THREADS) void sort_finish(ARGUMENT Sort a) {
    const u64 i = (u64)block() * THREADS + thread();
    if (i >= a.count) return;
    const u64 at = a.positions[i];
    if (a.indices) a.indices[i] = (i64)(at % a.length);
    if (a.sorted) {
        UNROLLED
        for (u32 c = 0; c < COMPONENTS; ++c) a.sorted[COMPONENTS * i + c] = a.source[COMPONENTS * at + c];
    }
}
