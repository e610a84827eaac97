// Few long columns: each block takes a tile of neighbouring columns, a lane a column; its warps follow each other down
// the columns.

enum { WARPS = THREADS / WARP, TILE_ROWS = WARPS * ROUNDS, GROUP = 16 };

// Adds up the sums of `count` neighbours from `at` on in this lane's column.
DEVICE Accumulator sum_of_lanes(const Arguments& a, const Published* at, u32 count, i64 outer) {
    Accumulator value = identity(a, outer);
    ROLLED
    for (u32 first = 0; first < count; first += 4) {
        Accumulator sums[4];
        UNROLLED
        for (u32 i = 0; i < 4; ++i) {
            if (first + i < count) sums[i] = await(at + (first + i) * WARP);
        }
        UNROLLED
        for (u32 i = 0; i < 4; ++i) {
            if (first + i < count) value = combine(a, value, sums[i]);
        }
    }
    return value;
}

// What comes before `tile` of a strip of columns, by one warp; publishes what the tile completes.
DEVICE Accumulator above_tile(const Arguments& a, i64 outer, Index strip, Index tile, const Accumulator& own, u32 lane) {
    const Index tiles = (Index)a.plan[2], strips = (Index)a.plan[3];
    const Index groups = (tiles + GROUP - 1) / GROUP, sections = (groups + GROUP - 1) / GROUP;
    Published* sums = published(a) + lane;
    Published* tile_sums = sums + strip * tiles * WARP;
    Published* group_sums = sums + (strips * tiles + strip * groups) * WARP;
    Published* section_sums = sums + (strips * (tiles + groups) + strip * sections) * WARP;
    const Index group = tile / GROUP, section = group / GROUP;
    const u32 in_group = (u32)(tile % GROUP), in_section = (u32)(group % GROUP);
    publish(tile_sums + tile * WARP, own);
    const Accumulator of_tiles = sum_of_lanes(a, tile_sums + group * GROUP * WARP, in_group, outer);
    const Accumulator of_groups = sum_of_lanes(a, group_sums + section * GROUP * WARP, in_section, outer);
    Accumulator of_sections = identity(a, outer);
    if (section > 0) of_sections = await(section_sums + (section - 1) * WARP);
    if (in_group == GROUP - 1) {
        const Accumulator whole = combine(a, of_tiles, own);
        publish(group_sums + group * WARP, whole);
        if (in_section == GROUP - 1) {
            publish(section_sums + section * WARP, combine(a, of_sections, combine(a, of_groups, whole)));
        }
    }
    return combine(a, of_sections, combine(a, of_groups, of_tiles));
}

ENTRY(THREADS) void SCAN_TILES(ARGUMENT Arguments a) {
    SHARED u32 ticket;
    SHARED Accumulator sums[WARPS][WARP];
    SHARED Accumulator first[WARP];
    // Blocks take their tiles in the order in which they start, so the tiles above are under way.
    if (thread() == 0) ticket = take_ticket((u32*)a.scratch);
    barrier();
    const Index strips = (Index)a.plan[3], tile = ticket / strips, strip = ticket - tile * strips;
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    const Index column = strip * WARP + lane, inner = (Index)a.inner_size;
    const Index begin = tile * TILE_ROWS + warp * ROUNDS;
    const bool alive = column < (Index)a.outer_size;
    const i64 outer = (i64)column;
    Place start = origin();
    if (alive) locate<0, OUTER>(a, column, start);

    Element elements[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (alive && begin + r < inner) {
            Place place = start;
            locate<OUTER, OUTER + INNER>(a, begin + r, place);
            fetch(a, place, elements[r]);
        }
    }
    Accumulator total = identity(a, outer);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (alive && begin + r < inner) {
            Place place = start;
            locate<OUTER, OUTER + INNER>(a, begin + r, place);
            total = combine(a, total, map(a, place, (i64)(begin + r), outer, elements[r]));
        }
    }
    sums[warp][lane] = total;
    barrier();
    Accumulator above = identity(a, outer), own = above;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) {
        if (w == warp) above = own;
        own = combine(a, own, sums[w][lane]);
    }
    if (warp == 0) first[lane] = above_tile(a, outer, strip, tile, own, lane);
    barrier();
    Accumulator value = combine(a, first[lane], above);
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (alive && begin + r < inner) {
            Place place = start;
            locate<OUTER, OUTER + INNER>(a, begin + r, place);
            value = combine(a, value, map(a, place, (i64)(begin + r), outer, elements[r]));
            finish(a, place, (i64)(begin + r), outer, value, elements[r]);
            commit(a, place, elements[r]);
        }
    }
}
