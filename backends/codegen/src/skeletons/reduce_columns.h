// Threads lie side by side along the kept dimension; groups of threads share the folded one. A thread folds its
// part in order, so only the parts of groups and blocks have to be put together.

// The elements of a pack; those outside are zero.
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

ENTRY_RESIDENT(THREADS, RESIDENT) void REDUCE(ARGUMENT Arguments a) {
    const u32 shift = (u32)a.plan[1];
    const u32 columns = 1u << shift, groups = THREADS >> shift;
    const Index splits = (Index)a.plan[2], segment = (Index)a.plan[3], packs = (Index)a.plan[4], across = (Index)a.plan[5];
    const u32 group = thread() >> shift;
    const Index split = splits == 1 ? 0 : block() / across;
    const Index column = ((Index)block() - split * across) * columns + (thread() & (columns - 1));
    const Index inner = (Index)a.inner_size;
    Index begin = split * segment < inner ? split * segment : inner;
    Index end = inner - begin < segment ? inner : begin + segment;
    Index step = groups;
    if (COMMUTATIVE) begin += group;
    else {
        const Index part = (end - begin + groups - 1) / groups;
        begin += group * part;
        if (begin > end) begin = end;
        if (end - begin > part) end = begin + part;
        step = 1;
    }

    Place place = origin();
    Span span = {0, 0};
    if (column < packs) span = locate<0, OUTER>(a, column, place);
    else begin = end;
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

    // Several reductions side by side have wide accumulators: as many columns of a pack at a time as 32 KiB hold.
    constexpr u32 FIT = 32768 / (u32)(THREADS * sizeof(Accumulator));
    constexpr u32 HELD = FIT == 0 ? 1 : FIT < WIDTH ? FIT : WIDTH;
    SHARED Accumulator shared[THREADS][HELD];
    static_assert(sizeof(shared) <= 49152, "a block has 48 KiB of shared memory");
    ROLLED
    for (u32 distance = 1; distance < groups; distance *= 2) {
        const bool takes = group % (2 * distance) == 0 && group + distance < groups;
        UNROLLED
        for (u32 first = 0; first < WIDTH; first += HELD) {
            barrier();
            UNROLLED
            for (u32 v = first; v < WIDTH && v < first + HELD; ++v) shared[thread()][v - first] = partial[0][v];
            barrier();
            if (takes) {
                UNROLLED
                for (u32 v = first; v < WIDTH && v < first + HELD; ++v) {
                    partial[0][v] = combine(a, partial[0][v], shared[thread() + distance * columns][v - first]);
                }
            }
        }
    }
    if (group != 0) return;
    UNROLLED
    for (u32 v = 0; v < WIDTH; ++v) {
        if (v < span.live) {
            const Index point = span.position + v;
            if (splits == 1) finish_point(a, beside(a, place, v), (i64)point, partial[0][v]);
            else ((Accumulator*)a.scratch)[point * splits + split] = partial[0][v];
        }
    }
}
