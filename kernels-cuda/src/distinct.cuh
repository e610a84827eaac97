// The distinct ones of sorted elements: those that differ from the element before them.
//
// The first kernel counts them in each tile, the second adds the counts up, and after the host has made room, the third
// writes. What is selected is found by looking at the elements, both times.
//
// The text before this file defines Value, differ(earlier, later, equal_nan) and written (a value as a result has it).

enum { THREADS = 256, WIDE = 1024, WARPS = THREADS / WARP, WIDTH = 16 / sizeof(Value), ROUNDS = 4, TILE = THREADS * ROUNDS * WIDTH };

struct Distinct {
    const Value* sorted;   // aligned to 16
    u64 count;
    u64 equal_nan;         // whether NaN equals NaN
    u64* counts;           // of each tile; then of all tiles up to its end
    u64 tiles;
    u64* total;
    Value* out;
};

struct alignas(16) Pack {
    Value at[WIDTH];
};

DEVICE Value of_lane_before(Value value) {
    union {
        Value value;
        u32 words[(sizeof(Value) + 3) / 4];
    } parts;
    parts.words[0] = 0;
    parts.value = value;
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) parts.words[i] = shuffle_up(parts.words[i], 1);
    return parts.value;
}

// A warp's part of a tile: WIDTH neighbours a lane in each round, and which of them are selected.
struct Part {
    Pack packs[ROUNDS];
    u32 chosen[ROUNDS];

    DEVICE_MEMBER Part(const Distinct& a, u64 tile) {
        const u32 lane = thread() % WARP;
        const u64 begin = tile * TILE + thread() / WARP * (WARP * ROUNDS * WIDTH) + lane * WIDTH;
        const bool whole = (tile + 1) * TILE <= a.count, equal_nan = a.equal_nan != 0;
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) {
            const u64 at = begin + r * (WARP * WIDTH);
            if (whole || at + WIDTH <= a.count) packs[r] = *(const Pack*)(a.sorted + at);
            else {
                UNROLLED
                for (u32 v = 0; v < WIDTH; ++v) packs[r].at[v] = a.sorted[at + v < a.count ? at + v : a.count - 1];
            }
        }
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) {
            const u64 at = begin + r * (WARP * WIDTH);
            const Value last = packs[r].at[WIDTH - 1];
            Value before = of_lane_before(last);
            if (lane == 0) before = a.sorted[at > 0 && at <= a.count ? at - 1 : 0];
            u32 flags = at == 0 || differ(before, packs[r].at[0], equal_nan) ? 1 : 0;
            UNROLLED
            for (u32 v = 1; v < WIDTH; ++v) {
                if (differ(packs[r].at[v - 1], packs[r].at[v], equal_nan)) flags |= 1u << v;
            }
            const u64 left = at < a.count ? a.count - at : 0;
            if (!whole && left < WIDTH) flags &= (1u << left) - 1;
            chosen[r] = flags;
        }
    }
};

ENTRY(THREADS) void distinct_count(ARGUMENT Distinct a) {
    SHARED u32 sums[WARPS];
    const Part part(a, block());
    u32 own = 0;
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) own += popcount(part.chosen[r]);
    own = warp_sum(own);
    if (thread() % WARP == 0) sums[thread() / WARP] = own;
    barrier();
    if (thread() > 0) return;
    u64 count = 0;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) count += sums[w];
    a.counts[block()] = count;
}

// One block.
ENTRY(WIDE) void distinct_offsets(ARGUMENT Distinct a) {
    enum { AT_ONCE = 8 };
    u64 before = 0;
    ROLLED
    for (u64 base = 0; base < a.tiles; base += WIDE * AT_ONCE) {
        u64 counts[AT_ONCE], own = 0, all;
        const u64 first = base + thread() * AT_ONCE;
        UNROLLED
        for (u32 i = 0; i < AT_ONCE; ++i) counts[i] = first + i < a.tiles ? a.counts[first + i] : 0;
        UNROLLED
        for (u32 i = 0; i < AT_ONCE; ++i) own += counts[i];
        u64 running = before + block_scan<WIDE>(own, all);
        UNROLLED
        for (u32 i = 0; i < AT_ONCE; ++i) {
            running += counts[i];
            if (first + i < a.tiles) a.counts[first + i] = running;
        }
        before += all;
        barrier();
    }
    if (thread() == 0) *a.total = before;
}

ENTRY(THREADS) void distinct_write(ARGUMENT Distinct a) {
    SHARED u32 sums[WARPS];
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    const Part part(a, block());
    u32 before[ROUNDS], own = 0;
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const u32 mine = popcount(part.chosen[r]), running = warp_scan(mine, lane);
        before[r] = own + running - mine;
        own += shuffle_from(running, WARP - 1);
    }
    if (lane == 0) sums[warp] = own;
    barrier();
    Value* out = a.out + (block() == 0 ? 0 : a.counts[block() - 1]);
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) {
        if (w < warp) out += sums[w];
    }
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        u32 place = before[r];
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            if (part.chosen[r] >> v & 1) out[place++] = written(part.packs[r].at[v]);
        }
    }
}
