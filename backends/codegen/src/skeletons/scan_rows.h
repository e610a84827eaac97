// Many rows: a warp takes a row, tile by tile.

// From the totals of the lanes: what comes before this lane. `carry` moves on past the last lane.
DEVICE Accumulator prefix_of_lane(const Arguments& a, Accumulator total, u32 lane, Accumulator& carry) {
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const Accumulator before = shuffled_up(total, distance);
        if (lane >= distance) total = combine(a, before, total);
    }
    const Accumulator before = shuffled_up(total, 1);
    const Accumulator prefix = lane == 0 ? carry : combine(a, carry, before);
    carry = combine(a, carry, shuffled_from(total, WARP - 1));
    return prefix;
}

// The points of the short pack at the end of a row, after `value`.
DEVICE void scan_short_pack(const Arguments& a, const Place& row, i64 outer, Index pack, Accumulator value) {
    Place line = row;
    const Span span = locate<OUTER, OUTER + INNER>(a, pack, line);
    ROLLED
    for (u32 v = 0; v < span.live; ++v) {
        const Place place = beside(a, line, v);
        const i64 index = (i64)span.position + v;
        Element element;
        fetch(a, place, element);
        value = combine(a, value, map(a, place, index, outer, element));
        finish(a, place, index, outer, value, element);
        commit(a, place, element);
    }
}

ENTRY(THREADS) void SCAN(ARGUMENT Arguments a) {
    const Index number = (Index)block() * (THREADS / WARP) + thread() / WARP;
    if (number >= (Index)a.outer_size) return;
    const u32 lane = thread() % WARP;
    const i64 outer = (i64)number;
    Place row = origin();
    locate<0, OUTER>(a, number, row);
    Accumulator carry = identity(a, outer);
    const Index packs = (Index)a.plan[4], complete = complete_packs(a, packs);
    ROLLED
    for (Index base = 0; base < complete; base += WARP * UNROLL) {
        Place places[UNROLL];
        Span spans[UNROLL];
        Element elements[UNROLL][WIDTH];
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            const Index pack = base + lane * UNROLL + u;
            places[u] = row;
            spans[u].live = 0;
            if (pack < complete) {
                spans[u] = locate<OUTER, OUTER + INNER>(a, pack, places[u]);
                fetch_pack(a, places[u], elements[u]);
            }
        }
        Accumulator running[UNROLL * WIDTH];
        Accumulator total = identity(a, outer);
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            if (spans[u].live > 0) {
                UNROLLED
                for (u32 v = 0; v < WIDTH; ++v) {
                    const Place place = beside(a, places[u], v);
                    total = combine(a, total, map(a, place, (i64)spans[u].position + v, outer, elements[u][v]));
                    running[u * WIDTH + v] = total;
                }
            }
        }
        const Accumulator prefix = prefix_of_lane(a, total, lane, carry);
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            if (spans[u].live > 0) {
                UNROLLED
                for (u32 v = 0; v < WIDTH; ++v) {
                    const Accumulator value = combine(a, prefix, running[u * WIDTH + v]);
                    finish(a, beside(a, places[u], v), (i64)spans[u].position + v, outer, value, elements[u][v]);
                }
                commit_pack(a, places[u], elements[u]);
            }
        }
    }
    if (WIDTH > 1 && complete < packs && lane == 0) scan_short_pack(a, row, outer, complete, carry);
}
