// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 1
#define WIDTH 2
#define VECTOR 1
#define UNROLL 1
#define AHEAD 1
#define LANES 2
#define PURE 0
#define BLIND 0
#define COMMUTATIVE 1

struct Divisor {
    u64 length, packs, magic, shift;
};

struct Arguments {
    u64 outer_size, inner_size;
    u32* fault;
    byte* scratch;
    u64 plan[8];
    byte* operand[2];
    Divisor dim[2];
    i64 stride[2][2];
    u64 scalar[1][2];
};

#define ONCE
// <common.h>

// <shuffle.h>

struct Accumulator {
    i64 part0;
};

DEVICE Accumulator shuffled_down(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_down_any(value.part0, by);
    return moved;
}
DEVICE Accumulator shuffled_up(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_up_any(value.part0, by);
    return moved;
}
DEVICE Accumulator shuffled_from(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_from_any(value.part0, by);
    return moved;
}

struct Element {
    i64 r0_0;
    i64 w1_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<i64>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<i64>(a.operand[1] + p.at[1], e.w1_0);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<i64, 1 * WIDTH> pack;
        load_pack(a.operand[0] + p.at[0], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r0_0 = pack.at[1 * v + 0];
        }
    }
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    {
        Pack<i64, 1 * WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            pack.at[1 * v + 0] = e[v].w1_0;
        }
        store_pack(a.operand[1] + p.at[1], pack);
    }
}

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const i64 v0 = 0ll;
    Accumulator result;
    result.part0 = v0;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, const Element& e) {
    const i64 v1 = e.r0_0;
    Accumulator result;
    result.part0 = v1;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const i64 v2 = earlier.part0;
    const i64 v3 = later.part0;
    const i64 v4 = (i64)((u64)v2 + (u64)v3);
    Accumulator result;
    result.part0 = v4;
    return result;
}

DEVICE void finish(const Arguments& a, const Place& p, i64 index, i64 outer, const Accumulator& value, Element& e) {
    const i64 v5 = value.part0;
    e.w1_0 = v5;
}

#define SCAN cuproxide_cumsum_int64
#define SCAN_CLEAR cuproxide_cumsum_int64_clear
#define SCAN_TILES cuproxide_cumsum_int64_tiles
#define ROUNDS 6
#define RESIDENT 3
// <teams.h>

// <fold.h>

// <fold_row.h>

// <scan_rows.h>

// Few long rows, in one pass over memory: each block takes a tile of a row, publishes the sum of the tile, and puts what
// comes before it together from the sums of the tiles of its group and from that of all groups before. So the same sums
// are added in the same order, whichever block comes first.

enum { WARPS = THREADS / WARP, TILE_PACKS = THREADS * ROUNDS, GROUP = THREADS };

// Every word of a published sum carries a flag in its upper half, so that no order among words is needed.
struct Published {
    u64 words[(sizeof(Accumulator) + 3) / 4];
};

DEVICE void publish(Published* at, const Accumulator& value) {
    Parts<Accumulator> parts;
    parts.words[sizeof(parts) / 4 - 1] = 0;
    parts.value = value;
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) write_word(&at->words[i], (u64)1 << 32 | parts.words[i]);
}

DEVICE Accumulator await(const Published* at) {
    Parts<Accumulator> parts;
    u64 words[sizeof(parts) / 4];
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) words[i] = read_word(&at->words[i]);
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) {
        while (words[i] >> 32 == 0) words[i] = read_word(&at->words[i]);
        parts.words[i] = (u32)words[i];
    }
    return parts.value;
}

ENTRY(THREADS) void SCAN_CLEAR(ARGUMENT Arguments a) {
    const Index i = (Index)block() * THREADS + thread();
    if (i < (Index)a.plan[5]) ((u64*)a.scratch)[i] = 0;
}

// Replaces the sums of the packs of a warp by what comes before each in the warp, all rounds at once for the sake of
// latency. Returns the sum of all.
DEVICE Accumulator scan_rounds(const Arguments& a, i64 outer, Accumulator (&sums)[ROUNDS], u32 lane) {
    UNROLLED
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) {
            const Accumulator before = shuffled_up(sums[r], distance);
            if (lane >= distance) sums[r] = combine(a, before, sums[r]);
        }
    }
    Accumulator carry = identity(a, outer);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const Accumulator before = shuffled_up(sums[r], 1), whole = shuffled_from(sums[r], WARP - 1);
        sums[r] = lane == 0 ? carry : combine(a, carry, before);
        carry = combine(a, carry, whole);
    }
    return carry;
}

ENTRY_RESIDENT(THREADS, RESIDENT) void SCAN_TILES(ARGUMENT Arguments a) {
    SHARED u32 ticket;
    SHARED Accumulator sums[WARPS], looks[WARPS + 1];
    // Blocks take their tiles in the order in which they start, so the tiles before are under way.
    if (thread() == 0) ticket = take_ticket((u32*)a.scratch);
    barrier();
    const Index tiles = (Index)a.plan[2], number = ticket, row = number / tiles, tile = number - row * tiles;
    const Index groups = (tiles + GROUP - 1) / GROUP, group = tile / GROUP;
    Published* const tile_sums = (Published*)(a.scratch + 16) + row * tiles;
    Published* const group_sums = (Published*)(a.scratch + 16) + ((Index)a.outer_size * tiles + row * groups);
    const u32 in_group = (u32)(tile % GROUP), lane = thread() % WARP, warp = thread() / WARP;
    const i64 outer = (i64)row;
    Place start = origin();
    locate<0, OUTER>(a, row, start);
    const Index packs = (Index)a.plan[4], complete = complete_packs(a, packs);
    const Index pack = tile * TILE_PACKS + warp * (WARP * ROUNDS) + lane;

    Element elements[ROUNDS][WIDTH];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (pack + r * WARP < complete) {
            Place place = start;
            locate<OUTER, OUTER + INNER>(a, pack + r * WARP, place);
            fetch_pack(a, place, elements[r]);
        }
    }
    // The sum of each pack, then what comes before it within the warp.
    Accumulator earlier[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        earlier[r] = identity(a, outer);
        if (pack + r * WARP < complete) {
            Place place = start;
            const Span span = locate<OUTER, OUTER + INNER>(a, pack + r * WARP, place);
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                const Place here = beside(a, place, v);
                earlier[r] = combine(a, earlier[r], map(a, here, (i64)span.position + v, outer, elements[r][v]));
            }
        }
    }
    Accumulator carry = identity(a, outer);
    if (COMMUTATIVE) {
        // The sum of the tile is needed by others, so it comes first.
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) carry = combine(a, carry, earlier[r]);
        carry = fold_lanes(a, carry, WARP);
    } else carry = scan_rounds(a, outer, earlier, lane);
    if (lane == 0) sums[warp] = carry;
    barrier();
    Accumulator before = identity(a, outer), own = before;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) {
        if (w == warp) before = own;
        own = combine(a, own, sums[w]);
    }
    if (thread() == 0) publish(tile_sums + tile, own);
    if (COMMUTATIVE) scan_rounds(a, outer, earlier, lane);

    // Each thread waits for one tile of the group, the last one for the groups before.
    Accumulator look = identity(a, outer);
    if (thread() < in_group) look = await(tile_sums + group * GROUP + thread());
    if (thread() == THREADS - 1) looks[WARPS] = group > 0 ? await(group_sums + group - 1) : look;
    warp_barrier();
    look = fold_lanes(a, look, WARP);
    if (lane == 0) looks[warp] = look;
    barrier();
    Accumulator first = looks[WARPS];
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) first = combine(a, first, looks[w]);
    if (thread() == 0 && in_group == GROUP - 1) publish(group_sums + group, combine(a, first, own));

    before = combine(a, first, before);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (pack + r * WARP < complete) {
            Place place = start;
            const Span span = locate<OUTER, OUTER + INNER>(a, pack + r * WARP, place);
            Accumulator value = combine(a, before, earlier[r]);
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                const Place here = beside(a, place, v);
                value = combine(a, value, map(a, here, (i64)span.position + v, outer, elements[r][v]));
                finish(a, here, (i64)span.position + v, outer, value, elements[r][v]);
            }
            commit_pack(a, place, elements[r]);
        }
    }
    if (WIDTH > 1 && complete < packs && tile + 1 == tiles && thread() == 0) {
        scan_short_pack(a, start, outer, complete, combine(a, first, own));
    }
}

