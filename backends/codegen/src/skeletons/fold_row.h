// How the lanes of a warp, or the warps of a block, fold a row between them.

// Folds packs begin..end of a row by `lanes` neighbouring lanes, or by a whole block if they are more than a warp. The
// first lane of every warp (or of the lanes) ends up with the warp's part. All lanes of a warp go round equally often.
DEVICE Accumulator fold_row(const Arguments& a, const Place& row, i64 outer, Index begin, Index end, u32 lane, u32 lanes) {
    if (!COMMUTATIVE && lanes > WARP) {
        // Each warp takes one run of neighbours.
        const Index part = (end - begin + lanes / WARP - 1) / (lanes / WARP);
        begin += lane / WARP * part;
        if (begin > end) begin = end;
        if (end - begin > part) end = begin + part;
        lane %= WARP;
        lanes = WARP;
    }
    const Index complete = complete_packs(a, end);
    Accumulator partial[LANES];
    UNROLLED
    for (u32 i = 0; i < LANES; ++i) partial[i] = identity(a, outer);
    ROLLED
    for (Index base = begin; base < complete; base += lanes * UNROLL) {
        Accumulator tile = identity(a, outer);
        UNROLLED
        for (u32 first = 0; first < UNROLL; first += AHEAD) {
            Place places[AHEAD];
            Span spans[AHEAD];
            Element elements[AHEAD][WIDTH];
            UNROLLED
            for (u32 k = 0; k < AHEAD; ++k) {
                const u32 u = first + k;
                const Index pack = base + (COMMUTATIVE ? u * lanes + lane : lane * UNROLL + u);
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
                        const Accumulator next = map(a, place, (i64)spans[k].position + v, outer, elements[k][v]);
                        Accumulator& into = COMMUTATIVE ? partial[((first + k) * WIDTH + v) % LANES] : tile;
                        into = combine(a, into, next);
                    }
                }
            }
        }
        if (!COMMUTATIVE) partial[0] = combine(a, partial[0], fold_lanes(a, tile, lanes));
    }
    fold_entries<LANES>(a, partial);
    Accumulator value = COMMUTATIVE ? fold_lanes(a, partial[0], lanes < WARP ? lanes : WARP) : partial[0];
    if (WIDTH > 1 && begin <= complete && complete < end && lane == 0) {
        value = fold_short_pack(a, row, outer, complete, value);
    }
    return value;
}
