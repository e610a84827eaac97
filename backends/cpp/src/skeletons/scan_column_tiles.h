// Few long columns: each block takes a tile of neighbouring columns, a lane a column; its warps follow each other down
// the columns.

enum { WARPS = THREADS / WARP, TILE_ROWS = WARPS * ROUNDS, GROUP = 16 };

// One flag tells of the sums of all lanes.
DEVICE void publish_lanes(const Published& all, Index at, const Accumulator& value, u32 lane) {
    write_through(&all.sums[at * WARP + lane], value);
    memory_fence();
    warp_barrier();
    if (lane == 0) write_word(&all.flags[at], 1u);
}

// Adds up the sums of `count` neighbours from `at` on in this lane's column.
DEVICE Accumulator sum_of_lanes(const Arguments& a, const Published& all, Index at, u32 count, i64 outer, u32 lane) {
    if (lane < count) {
        while (read_word(&all.flags[at + lane]) == 0) {}
    }
    memory_fence();
    warp_barrier();
    Accumulator sums[GROUP];
    UNROLLED
    for (u32 i = 0; i < GROUP; ++i) {
        sums[i] = identity(a, outer);
        if (i < count) sums[i] = read_through(&all.sums[(at + i) * WARP + lane]);
    }
    Accumulator value = sums[0];
    UNROLLED
    for (u32 i = 1; i < GROUP; ++i) {
        if (i < count) value = combine(a, value, sums[i]);
    }
    return value;
}

// What comes before `tile` of a strip of columns, by one warp; publishes what the tile completes.
DEVICE Accumulator above_tile(const Arguments& a, i64 outer, Index strip, Index tile, const Accumulator& own, u32 lane) {
    const Index tiles = (Index)a.plan[2], strips = (Index)a.plan[3];
    const Index groups = (tiles + GROUP - 1) / GROUP, sections = (groups + GROUP - 1) / GROUP;
    const Published all = published(a);
    const Index tile_sums = strip * tiles, group_sums = strips * tiles + strip * groups;
    const Index section_sums = strips * (tiles + groups) + strip * sections;
    const Index group = tile / GROUP, section = group / GROUP;
    const u32 in_group = (u32)(tile % GROUP), in_section = (u32)(group % GROUP);
    publish_lanes(all, tile_sums + tile, own, lane);
    const Accumulator of_tiles = sum_of_lanes(a, all, tile_sums + group * GROUP, in_group, outer, lane);
    const Accumulator of_groups = sum_of_lanes(a, all, group_sums + section * GROUP, in_section, outer, lane);
    Accumulator of_sections = identity(a, outer);
    if (section > 0) of_sections = sum_of_lanes(a, all, section_sums + section - 1, 1, outer, lane);
    if (in_group == GROUP - 1) {
        const Accumulator whole = combine(a, of_tiles, own);
        publish_lanes(all, group_sums + group, whole, lane);
        if (in_section == GROUP - 1) {
            publish_lanes(all, section_sums + section, combine(a, of_sections, combine(a, of_groups, whole)), lane);
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
