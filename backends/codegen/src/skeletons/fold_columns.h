// Folds every `step`-th line from `begin` to `end` of the columns of a pack.
DEVICE void fold_columns(
    const Arguments& a, const Place& place, const Span& span, Index begin, Index end, Index step, Accumulator (&value)[WIDTH]
) {
    Accumulator partial[LANES][WIDTH];
    UNROLLED
    for (u32 i = 0; i < LANES * WIDTH; ++i) partial[i / WIDTH][i % WIDTH] = identity(a, (i64)span.position + i % WIDTH);
    Index base = begin;
    ROLLED
    for (; base + step * (UNROLL - 1) < end; base += step * UNROLL) {
        Place places[UNROLL];
        Element elements[UNROLL][WIDTH];
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            places[u] = place;
            locate<OUTER, OUTER + INNER>(a, base + u * step, places[u]);
            load_elements(a, places[u], span.live, elements[u]);
        }
        UNROLLED
        for (u32 i = 0; i < UNROLL * WIDTH; ++i) {
            const u32 u = i / WIDTH, v = i % WIDTH;
            if (PURE || v < span.live) {
                const i64 index = (i64)(base + u * step), outer = (i64)span.position + v;
                const Accumulator next = map(a, beside(a, places[u], v), index, outer, elements[u][v]);
                partial[u % LANES][v] = combine(a, partial[u % LANES][v], next);
            }
        }
    }
    ROLLED
    for (; base < end; base += step) {
        Place line = place;
        Element elements[WIDTH];
        locate<OUTER, OUTER + INNER>(a, base, line);
        load_elements(a, line, span.live, elements);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            if (PURE || v < span.live) {
                const Accumulator next = map(a, beside(a, line, v), (i64)base, (i64)span.position + v, elements[v]);
                partial[0][v] = combine(a, partial[0][v], next);
            }
        }
    }
    UNROLLED
    for (u32 i = WIDTH; i < LANES * WIDTH; ++i) {
        partial[0][i % WIDTH] = combine(a, partial[0][i % WIDTH], partial[i / WIDTH][i % WIDTH]);
    }
    UNROLLED
    for (u32 v = 0; v < WIDTH; ++v) value[v] = partial[0][v];
}
