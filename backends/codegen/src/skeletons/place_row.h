// Folds packs begin..end of a row by `lanes` neighbouring lanes, or by a whole block if they are more than a warp. The
// first lane of every warp (or of the lanes) ends up with the warp's part.
DEVICE Accumulator fold_row(const Arguments& a, const Place& row, i64 outer, Index begin, Index end, u32 lane, u32 lanes) {
    const Index complete = complete_packs(a, end), round = lanes * UNROLL;
    Accumulator best = placed(identity(a, outer), 0), partial[LANES];
    UNROLLED
    for (u32 i = 0; i < LANES; ++i) partial[i] = best;
    // Where no value is better than none, the first element is the best one, if all take part.
    Index first = begin;
    bool found = WHOLE;
    if (begin + round < complete) {
        ROLLED
        for (Index base = begin; base < complete; base += round) {
            UNROLLED
            for (u32 start = 0; start < UNROLL; start += AHEAD) {
                Place places[AHEAD];
                Span spans[AHEAD];
                Element elements[AHEAD][WIDTH];
                UNROLLED
                for (u32 k = 0; k < AHEAD; ++k) {
                    const Index pack = base + (start + k) * lanes + lane;
                    places[k] = row;
                    spans[k].live = 0;
                    if (pack < complete) {
                        spans[k] = locate<OUTER, OUTER + INNER>(a, pack, places[k]);
                        fetch_pack(a, places[k], elements[k]);
                    }
                }
                UNROLLED
                for (u32 k = 0; k < AHEAD; ++k) {
                    if (spans[k].live > 0) {
                        UNROLLED
                        for (u32 v = 0; v < WIDTH; ++v) {
                            const Place place = beside(a, places[k], v);
                            Accumulator& into = partial[((start + k) * WIDTH + v) % LANES];
                            into = better(a, into, map(a, place, (i64)spans[k].position + v, outer, elements[k][v]));
                        }
                    }
                }
            }
            Accumulator joined[LANES];
            UNROLLED
            for (u32 i = 0; i < LANES; ++i) joined[i] = partial[i];
            fold_entries<LANES>(a, joined);
            if (improves(a, best, joined[0])) {
                best = placed(joined[0], 0);
                first = base;
                found = true;
            }
        }
    }

    Accumulator value = identity(a, outer);
    const Index last = found ? first + round : complete;
    ROLLED
    for (Index pack = first + lane; pack < last && pack < complete; pack += lanes) {
        Place line = row;
        Element elements[WIDTH];
        const Span span = locate<OUTER, OUTER + INNER>(a, pack, line);
        fetch_pack(a, line, elements);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            value = combine(a, value, map(a, beside(a, line, v), (i64)span.position + v, outer, elements[v]));
        }
    }
    value = fold_lanes(a, value, lanes < WARP ? lanes : WARP);
    if (WIDTH > 1 && begin <= complete && complete < end && lane == 0) {
        value = fold_short_pack(a, row, outer, complete, value);
    }
    return value;
}
