// Every thread takes UNROLL packs, a block apart, and loads all of them before it computes.

ENTRY(THREADS) void MAP(ARGUMENT Arguments a) {
    Place places[UNROLL];
    Span spans[UNROLL];
    Element elements[UNROLL][WIDTH];
    const Index first = (Index)block() * (block_size() * UNROLL) + thread();
    bool ragged = false;
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        const Index n = first + u * block_size();
        places[u] = origin();
        spans[u].live = 0;
        if (n < (Index)a.plan[0]) spans[u] = locate<0, OUTER>(a, n, places[u]);
        if (spans[u].live == WIDTH) fetch_pack(a, places[u], elements[u]);
        else if (spans[u].live > 0) ragged = true;
    }
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        if (spans[u].live == WIDTH) {
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                const i64 position = (i64)spans[u].position + v;
                point(a, beside(a, places[u], v), position, position, elements[u][v]);
            }
            commit_pack(a, places[u], elements[u]);
        }
    }
    if (WIDTH > 1 && ragged) {
        // The last pack of a line is short: point by point.
        ROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            const Index n = first + u * block_size();
            if (n >= (Index)a.plan[0]) break;
            Place line = origin();
            const Span span = locate<0, OUTER>(a, n, line);
            if (span.live == WIDTH) continue;
            ROLLED
            for (u32 v = 0; v < span.live; ++v) {
                const Place place = beside(a, line, v);
                const i64 position = (i64)span.position + v;
                Element element;
                fetch(a, place, element);
                point(a, place, position, position, element);
                commit(a, place, element);
            }
        }
    }
}
