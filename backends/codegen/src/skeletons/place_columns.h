// Folds every `step`-th line from `begin` to `end` of the columns of a pack.
DEVICE void fold_columns(
    const Arguments& a, const Place& place, const Span& span, Index begin, Index end, Index step, Accumulator (&value)[WIDTH]
) {
    const Index round = step * UNROLL;
    Accumulator best[WIDTH];
    // Where no value is better than none, the first element is the best one, if all take part.
    Index first[WIDTH];
    bool found[WIDTH];
    UNROLLED
    for (u32 v = 0; v < WIDTH; ++v) {
        best[v] = placed(identity(a, (i64)span.position + v), 0);
        first[v] = begin;
        found[v] = WHOLE;
    }
    if (begin + round < end) {
        ROLLED
        for (Index base = begin; base < end; base += round) {
            Place places[UNROLL];
            Element elements[UNROLL][WIDTH];
            UNROLLED
            for (u32 u = 0; u < UNROLL; ++u) {
                places[u] = place;
                if (base + u * step < end) {
                    locate<OUTER, OUTER + INNER>(a, base + u * step, places[u]);
                    load_elements(a, places[u], span.live, elements[u]);
                }
            }
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                Accumulator joined = best[v];
                UNROLLED
                for (u32 u = 0; u < UNROLL; ++u) {
                    if (base + u * step < end && v < span.live) {
                        const i64 index = (i64)(base + u * step), outer = (i64)span.position + v;
                        joined = better(a, joined, map(a, beside(a, places[u], v), index, outer, elements[u][v]));
                    }
                }
                if (improves(a, best[v], joined)) {
                    best[v] = joined;
                    first[v] = base;
                    found[v] = true;
                }
            }
        }
    }
    UNROLLED
    for (u32 v = 0; v < WIDTH; ++v) {
        const i64 outer = (i64)span.position + v;
        value[v] = identity(a, outer);
        const Index last = found[v] ? first[v] + round : end;
        ROLLED
        for (Index base = first[v]; v < span.live && base < last && base < end; base += step) {
            Place line = beside(a, place, v);
            Element element;
            locate<OUTER, OUTER + INNER>(a, base, line);
            fetch(a, line, element);
            value[v] = combine(a, value[v], map(a, line, (i64)base, outer, element));
        }
    }
}
