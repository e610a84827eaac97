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
