// A warp takes one segment of one row. With several segments a row, the sums of the segments are found and scanned first.

struct Segment {
    Index row, begin, end, number;
    bool alive;
};

DEVICE Segment segment_of_warp(const Arguments& a) {
    const Index splits = (Index)a.plan[2], length = (Index)a.plan[3], packs = (Index)a.plan[4];
    const Index unit = (Index)block() * (THREADS / WARP) + thread() / WARP;
    Segment segment;
    segment.row = splits == 1 ? unit : unit / splits;
    segment.number = splits == 1 ? 0 : unit - segment.row * splits;
    segment.alive = segment.row < (Index)a.outer_size;
    segment.begin = segment.number * length < packs ? segment.number * length : packs;
    segment.end = packs - segment.begin < length ? packs : segment.begin + length;
    return segment;
}

ENTRY(THREADS) void SCAN_PARTS(ARGUMENT Arguments a) {
    const Segment segment = segment_of_warp(a);
    if (!segment.alive) return;
    const u32 lane = thread() % WARP;
    Place place = origin();
    locate<0, OUTER>(a, segment.row, place);
    const Accumulator value = fold_row(a, place, (i64)segment.row, segment.begin, segment.end, lane, WARP);
    if (lane == 0) ((Accumulator*)a.scratch)[segment.row * (Index)a.plan[2] + segment.number] = value;
}

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

ENTRY(THREADS) void SCAN(ARGUMENT Arguments a) {
    const Segment segment = segment_of_warp(a);
    if (!segment.alive) return;
    const u32 lane = thread() % WARP;
    const Index splits = (Index)a.plan[2];
    const i64 outer = (i64)segment.row;
    Place row = origin();
    locate<0, OUTER>(a, segment.row, row);
    Accumulator carry = identity(a, outer);
    if (splits > 1) carry = ((const Accumulator*)a.scratch)[segment.row * splits + segment.number];
    const Index complete = complete_packs(a, segment.end);
    ROLLED
    for (Index base = segment.begin; base < complete; base += WARP * UNROLL) {
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
    if (WIDTH > 1 && complete < segment.end && lane == 0) {
        // The short pack at the end of the row.
        Place line = row;
        const Span span = locate<OUTER, OUTER + INNER>(a, complete, line);
        ROLLED
        for (u32 v = 0; v < span.live; ++v) {
            const Place place = beside(a, line, v);
            const i64 index = (i64)span.position + v;
            Element element;
            fetch(a, place, element);
            carry = combine(a, carry, map(a, place, index, outer, element));
            finish(a, place, index, outer, carry, element);
            commit(a, place, element);
        }
    }
}
