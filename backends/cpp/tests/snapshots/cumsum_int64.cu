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
#define LANES 1
#define PURE 0
#define COMMUTATIVE 0

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

// <common.h>

struct Accumulator {
    i64 part0;
};

// <shuffle.h>

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
#define SCAN_TILES cuproxide_cumsum_int64_tiles
#define SCAN_CLEAR cuproxide_cumsum_int64_clear
#define ROUNDS 4
// <fold.h>

// Scans in one pass over memory: each block takes a tile, publishes the sum of it at once, and puts together what comes
// before it from the sums of the tiles of its group, of the groups of its section, and of all sections before. So the
// same sums are always added in the same order, whichever block comes first.

// Every word of a published sum carries its own flag in its upper half, so that no order among words is needed.
struct Published {
    u64 words[(sizeof(Accumulator) + 3) / 4];
};

// The scratch memory: a ticket, then the sums.
DEVICE Published* published(const Arguments& a) { return (Published*)(a.scratch + 16); }

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

// <scan_rows.h>

// Few long rows: each block takes a tile of a row. Groups and sections have as many members as a warp has lanes.

enum { WARPS = THREADS / WARP, TILE_PACKS = THREADS * ROUNDS };

// What comes before `tile` of a row, for the lanes of one warp; publishes what the tile completes.
DEVICE Accumulator before_tile(const Arguments& a, i64 outer, Index row, Index tile, const Accumulator& own, u32 lane) {
    const Index tiles = (Index)a.plan[2], groups = (tiles + WARP - 1) / WARP, sections = (groups + WARP - 1) / WARP;
    Published* all = published(a);
    const Index rows = (Index)a.outer_size;
    const Index tile_sums = row * tiles, group_sums = rows * tiles + row * groups;
    const Index section_sums = rows * (tiles + groups) + row * sections;
    const Index group = tile / WARP, section = group / WARP;
    const u32 in_group = (u32)(tile % WARP), in_section = (u32)(group % WARP);
    if (lane == 0) publish(all + tile_sums + tile, own);
    Accumulator of_tiles = identity(a, outer), of_groups = of_tiles, of_sections = of_tiles;
    if (lane < in_group) of_tiles = await(all + tile_sums + group * WARP + lane);
    if (lane < in_section) of_groups = await(all + group_sums + section * WARP + lane);
    if (section > 0) of_sections = await(all + section_sums + section - 1);
    warp_barrier();
    of_tiles = shuffled_from(fold_lanes(a, of_tiles, WARP), 0);
    of_groups = shuffled_from(fold_lanes(a, of_groups, WARP), 0);
    if (lane == 0 && in_group == WARP - 1) {
        const Accumulator whole = combine(a, of_tiles, own);
        publish(all + group_sums + group, whole);
        if (in_section == WARP - 1) {
            publish(all + section_sums + section, combine(a, of_sections, combine(a, of_groups, whole)));
        }
    }
    return combine(a, of_sections, combine(a, of_groups, of_tiles));
}

ENTRY_RESIDENT(THREADS, 4) void SCAN_TILES(ARGUMENT Arguments a) {
    SHARED u32 ticket;
    SHARED Accumulator sums[WARPS];
    SHARED Accumulator first;
    // Blocks take their tiles in the order in which they start, so the tiles before are under way.
    if (thread() == 0) ticket = take_ticket((u32*)a.scratch);
    barrier();
    const Index tiles = (Index)a.plan[2], number = ticket;
    const Index row = tiles == 1 ? number : number / tiles, tile = number - row * tiles;
    const i64 outer = (i64)row;
    const u32 lane = thread() % WARP, warp = thread() / WARP;
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
    // What comes before each pack within the warp.
    Accumulator earlier[ROUNDS];
    Accumulator carry = identity(a, outer);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        Accumulator total = identity(a, outer);
        if (pack + r * WARP < complete) {
            Place place = start;
            const Span span = locate<OUTER, OUTER + INNER>(a, pack + r * WARP, place);
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                total = combine(a, total, map(a, beside(a, place, v), (i64)span.position + v, outer, elements[r][v]));
            }
        }
        earlier[r] = prefix_of_lane(a, total, lane, carry);
    }
    if (lane == 0) sums[warp] = carry;
    barrier();
    Accumulator before = identity(a, outer), own = before;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) {
        if (w == warp) before = own;
        own = combine(a, own, sums[w]);
    }
    if (warp == 0) {
        const Accumulator value = before_tile(a, outer, row, tile, own, lane);
        if (lane == 0) first = value;
    }
    barrier();
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

