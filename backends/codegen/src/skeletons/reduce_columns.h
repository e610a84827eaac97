// Threads lie side by side along the kept dimension; groups of threads share the folded one. A thread folds its
// part in order, so only the parts of groups and blocks have to be put together.

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
    Accumulator partial[WIDTH];
    fold_columns(a, place, span, begin, end, step, partial);

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
            for (u32 v = first; v < WIDTH && v < first + HELD; ++v) shared[thread()][v - first] = partial[v];
            barrier();
            if (takes) {
                UNROLLED
                for (u32 v = first; v < WIDTH && v < first + HELD; ++v) {
                    partial[v] = combine(a, partial[v], shared[thread() + distance * columns][v - first]);
                }
            }
        }
    }
    if (group != 0) return;
    UNROLLED
    for (u32 v = 0; v < WIDTH; ++v) {
        if (v < span.live) {
            const Index point = span.position + v;
            if (splits == 1) finish_point(a, beside(a, place, v), (i64)point, partial[v]);
            else ((Accumulator*)a.scratch)[point * splits + split] = partial[v];
        }
    }
}
