// What reductions and scans share: folds of a part of a row by the lanes of a warp and by the warps of a block.

DEVICE void load_elements(const Arguments& a, const Place& place, u32 live, Element (&elements)[WIDTH]) {
    if (live == WIDTH) fetch_pack(a, place, elements);
    else {
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            if (v < live) fetch(a, beside(a, place, v), elements[v]);
        }
    }
}

// Folds the accumulators of `lanes` neighbouring lanes, in their order, into the first of them.
DEVICE Accumulator fold_lanes(const Arguments& a, Accumulator value, u32 lanes) {
    for (u32 distance = 1; distance < lanes; distance *= 2) {
        value = combine(a, value, shuffled_down(value, distance));
    }
    return value;
}

// Folds packs begin..end of a row by `lanes` neighbouring lanes, or by a whole block if they are more than a warp. The
// first lane of every warp (or of the lanes) ends up with the warp's part. All lanes of a warp go round equally often.
DEVICE Accumulator fold_row(const Arguments& a, const Place& row, i64 outer, Index begin, Index end, u32 lane, u32 lanes) {
    Accumulator partial[LANES];
    UNROLLED
    for (u32 i = 0; i < LANES; ++i) partial[i] = identity(a, outer);
    if (!COMMUTATIVE && lanes > WARP) {
        // Each warp takes one run of neighbours.
        const Index part = (end - begin + lanes / WARP - 1) / (lanes / WARP);
        begin += lane / WARP * part;
        if (begin > end) begin = end;
        if (end - begin > part) end = begin + part;
        lane %= WARP;
        lanes = WARP;
    }
    for (Index base = begin; base < end; base += lanes * UNROLL) {
        Place places[UNROLL];
        Span spans[UNROLL];
        Element elements[UNROLL][WIDTH];
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            const Index pack = base + (COMMUTATIVE ? u * lanes + lane : lane * UNROLL + u);
            places[u] = row;
            spans[u].live = 0;
            if (pack < end) {
                spans[u] = locate<OUTER, OUTER + INNER>(a, pack, places[u]);
                load_elements(a, places[u], spans[u].live, elements[u]);
            }
        }
        if (COMMUTATIVE) {
            UNROLLED
            for (u32 i = 0; i < UNROLL * WIDTH; ++i) {
                const u32 u = i / WIDTH, v = i % WIDTH;
                if (v < spans[u].live) {
                    const Place place = beside(a, places[u], v);
                    const Accumulator next = map(a, place, (i64)spans[u].position + v, outer, elements[u][v]);
                    partial[i % LANES] = combine(a, partial[i % LANES], next);
                }
            }
        } else {
            Accumulator tile = identity(a, outer);
            UNROLLED
            for (u32 i = 0; i < UNROLL * WIDTH; ++i) {
                const u32 u = i / WIDTH, v = i % WIDTH;
                if (v < spans[u].live) {
                    const Place place = beside(a, places[u], v);
                    tile = combine(a, tile, map(a, place, (i64)spans[u].position + v, outer, elements[u][v]));
                }
            }
            partial[0] = combine(a, partial[0], fold_lanes(a, tile, lanes));
        }
    }
    UNROLLED
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        UNROLLED
        for (u32 i = 0; i < half; ++i) partial[i] = combine(a, partial[i], partial[i + half]);
    }
    return COMMUTATIVE ? fold_lanes(a, partial[0], lanes < WARP ? lanes : WARP) : partial[0];
}

// Folds the first lanes of the warps of a block, in their order, into thread 0. Every thread takes part.
DEVICE Accumulator fold_warps(const Arguments& a, Accumulator value) {
    SHARED Accumulator parts[THREADS / WARP];
    if (thread() % WARP == 0) parts[thread() / WARP] = value;
    barrier();
    if (thread() == 0) {
        for (u32 i = 1; i < THREADS / WARP; ++i) value = combine(a, value, parts[i]);
    }
    return value;
}
