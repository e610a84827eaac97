// Every thread takes UNROLL packs, a block apart, and loads all of them before it computes.

DEVICE void load_elements(const Arguments& a, const Place& place, u32 live, Element (&elements)[WIDTH]) {
    if (live == WIDTH) fetch_pack(a, place, elements);
    else {
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            elements[v] = Element();
            if (v < live) fetch(a, beside(a, place, v), elements[v]);
        }
    }
}

ENTRY(THREADS) void MAP(ARGUMENT Arguments a) {
    Place places[UNROLL];
    Span spans[UNROLL];
    Element elements[UNROLL][WIDTH];
    const Index first = (Index)block() * (block_size() * UNROLL) + thread();
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        const Index n = first + u * block_size();
        places[u] = origin();
        spans[u].live = 0;
        if (n < (Index)a.plan[0]) spans[u] = locate<0, OUTER>(a, n, places[u]);
        load_elements(a, places[u], spans[u].live, elements[u]);
    }
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            const i64 position = (i64)spans[u].position + v;
            if (PURE || v < spans[u].live) point(a, beside(a, places[u], v), position, position, elements[u][v]);
        }
        if (spans[u].live == WIDTH) commit_pack(a, places[u], elements[u]);
        else {
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                if (v < spans[u].live) commit(a, beside(a, places[u], v), elements[u][v]);
            }
        }
    }
}
