// Every thread takes UNROLL packs, a block apart, and loads all of them before it computes.

enum { TILE = 32 };

// The pack that a thread takes in round `u`.
//
// Where an operand is contiguous along another dimension than the last (a transposed one), a block takes a tile of both
// dimensions and 32 neighbouring threads 4 x 8 points of it, so that reads and writes both use whole sectors. plan[1] is
// then 1 more than that dimension.
DEVICE Span locate_round(const Arguments& a, u32 u, Place& place) {
    const u32 crossed = (u32)a.plan[1];
    if (WIDTH > 1 || OUTER < 2 || crossed == 0) {
        const Index n = (Index)block() * (block_size() * UNROLL) + u * block_size() + thread();
        const Index packs = (Index)a.plan[0];
        Span span = {0, 0};
        if (BLIND || n < packs) span = locate<0, OUTER>(a, n < packs ? n : packs - 1, place);
        if (n >= packs) span.live = 0;
        return span;
    }
    const u32 lane = thread() % 32, group = thread() / 32;
    Span span = {0, 1};
    Index rest = block(), scale = 1;
    UNROLLED
    for (int dim = OUTER - 1; dim >= 0; --dim) {
        const Divisor& by = a.dim[dim];
        Index along = rest;
        if (dim > 0) {
            rest = quotient(rest, by);
            along -= rest * (Index)by.packs;
        }
        if (dim == OUTER - 1) along = along * TILE + lane % 8 + group % 4 * 8;
        else if (dim + 1 == crossed) along = along * (8 * UNROLL) + lane / 8 + group / 4 * 4 + u * 8;
        if (along >= (Index)by.length) {
            span.live = 0;
            along = (Index)by.length - 1;
        }
        span.position += along * scale;
        scale *= (Index)by.length;
        move_along(a, place, dim, along);
    }
    return span;
}

#if defined(RESIDENT)
ENTRY_RESIDENT(THREADS, RESIDENT)
#else
ENTRY(THREADS)
#endif
void MAP(ARGUMENT Arguments a) {
    Place places[UNROLL];
    Span spans[UNROLL];
    Element elements[UNROLL][WIDTH];
    bool ragged = false;
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        places[u] = origin();
        spans[u] = locate_round(a, u, places[u]);
        if (BLIND || spans[u].live == WIDTH) fetch_pack(a, places[u], elements[u]);
        if (spans[u].live > 0 && spans[u].live < WIDTH) ragged = true;
    }
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        // A map that is BLIND computes the last point for those beyond it: packs without branches between them run side by side.
        if (BLIND || spans[u].live == WIDTH) {
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) {
                const i64 position = (i64)spans[u].position + v;
                point(a, beside(a, places[u], v), position, position, elements[u][v]);
            }
            if (!BLIND) commit_pack(a, places[u], elements[u]);
        }
    }
    UNROLLED
    for (u32 u = 0; BLIND && u < UNROLL; ++u) {
        if (spans[u].live == WIDTH) commit_pack(a, places[u], elements[u]);
    }
    if (WIDTH > 1 && ragged) {
        // The last pack of a line is short: point by point.
        ROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            Place line = origin();
            const Span span = locate_round(a, u, line);
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
