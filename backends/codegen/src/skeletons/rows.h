// A team of neighbouring threads, up to a whole block, takes a row: it folds it, maybe several times, and maps it. What
// is kept of points in between lies in shared memory; only the thread that put it there reads it.

struct Team {
    const Arguments& a;
    Place row;
    i64 outer;
    Index packs;
    u32 lane, lanes;
    bool alive;
    byte* slots;
};

// Folds an array of accumulators into its first entry.
template <class P, int COUNT> DEVICE void fold_entries(const Arguments& a, typename P::Accumulator* entries) {
    if constexpr (COUNT > 1) {
        UNROLLED
        for (int i = 0; i < COUNT / 2; ++i) entries[i] = P::combine(a, entries[i], entries[i + COUNT / 2]);
        fold_entries<P, COUNT / 2>(a, entries);
    }
}

// The number of packs of a row that are complete: all but perhaps the last.
DEVICE Index complete_packs(const Arguments& a, Index end) {
    if (VECTOR < 0) return end;
    const Index complete = (Index)a.dim[VECTOR >= 0 ? VECTOR : 0].length / WIDTH;
    return complete < end ? complete : end;
}

// One fold, whose terms are grouped as a reduction groups them. Every thread of the team learns the result.
template <class P> DEVICE void fold_pass(const Team& t, Row& row) {
    const Arguments& a = t.a;
    typedef typename P::Accumulator Accumulator;
    const Index complete = complete_packs(a, t.packs);
    Accumulator partial[P::PARTIALS];
    UNROLLED
    for (u32 i = 0; i < P::PARTIALS; ++i) partial[i] = P::identity(a, t.outer);
    ROLLED
    for (Index base = 0; base < complete; base += t.lanes * UNROLL) {
        Place places[UNROLL];
        Span spans[UNROLL];
        Element elements[UNROLL][WIDTH];
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            const Index pack = base + u * t.lanes + t.lane;
            places[u] = t.row;
            spans[u].live = 0;
            if (pack < complete) {
                spans[u] = locate<OUTER, OUTER + INNER>(a, pack, places[u]);
                P::fetch_pack(a, places[u], elements[u]);
                P::recall(a, t.slots + pack * SLOT, elements[u]);
            }
        }
        UNROLLED
        for (u32 u = 0; u < UNROLL; ++u) {
            if (spans[u].live > 0) {
                UNROLLED
                for (u32 v = 0; v < WIDTH; ++v) {
                    const Place place = beside(a, places[u], v);
                    const Accumulator next = P::map(a, place, (i64)spans[u].position + v, t.outer, elements[u][v], row);
                    Accumulator& into = partial[(u * WIDTH + v) % P::PARTIALS];
                    into = P::combine(a, into, next);
                }
                P::keep(a, t.slots + (base + u * t.lanes + t.lane) * SLOT, elements[u]);
            }
        }
    }
    fold_entries<P, P::PARTIALS>(a, partial);
    Accumulator value = partial[0];
    for (u32 distance = 1; distance < t.lanes && distance < WARP; distance *= 2) {
        value = P::combine(a, value, P::shuffled_down(value, distance));
    }
    if (WIDTH > 1 && complete < t.packs && t.lane == 0) {
        // The short pack at the end of the row.
        Place line = t.row;
        const Span span = locate<OUTER, OUTER + INNER>(a, complete, line);
        Element elements[WIDTH];
        P::recall(a, t.slots + complete * SLOT, elements);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            if (v < span.live) {
                const Place place = beside(a, line, v);
                fetch(a, place, elements[v]);
                value = P::combine(a, value, P::map(a, place, (i64)span.position + v, t.outer, elements[v], row));
            }
        }
        P::keep(a, t.slots + complete * SLOT, elements);
    }
    if (t.lanes > WARP) {
        SHARED Accumulator parts[THREADS / WARP];
        barrier();
        if (thread() % WARP == 0) parts[thread() / WARP] = value;
        barrier();
        value = parts[0];
        ROLLED
        for (u32 i = 1; i < THREADS / WARP; ++i) value = P::combine(a, value, parts[i]);
    } else value = P::shuffled_from(value, thread() % WARP - t.lane);
    P::finish(a, t.row, t.outer, value, row, t.alive && t.lane == 0);
}

template <class L> DEVICE void map_row(const Team& t, const Row& row) {
    const Arguments& a = t.a;
    const Index complete = complete_packs(a, t.packs);
    if (!t.alive) return;
    ROLLED
    for (Index base = t.lane; base < complete; base += t.lanes * AT_ONCE) {
        Place places[AT_ONCE];
        Span spans[AT_ONCE];
        Element elements[AT_ONCE][WIDTH];
        UNROLLED
        for (u32 u = 0; u < AT_ONCE; ++u) {
            const Index pack = base + u * t.lanes;
            places[u] = t.row;
            spans[u].live = 0;
            if (pack < complete) {
                spans[u] = locate<OUTER, OUTER + INNER>(a, pack, places[u]);
                L::fetch_pack(a, places[u], elements[u]);
                L::recall(a, t.slots + pack * SLOT, elements[u]);
            }
        }
        UNROLLED
        for (u32 u = 0; u < AT_ONCE; ++u) {
            if (spans[u].live > 0) {
                UNROLLED
                for (u32 v = 0; v < WIDTH; ++v) {
                    L::map(a, beside(a, places[u], v), (i64)spans[u].position + v, t.outer, elements[u][v], row);
                }
                L::commit_pack(a, places[u], elements[u]);
            }
        }
    }
    if (WIDTH > 1 && complete < t.packs && t.lane == 0) {
        Place line = t.row;
        const Span span = locate<OUTER, OUTER + INNER>(a, complete, line);
        Element elements[WIDTH];
        L::recall(a, t.slots + complete * SLOT, elements);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            if (v < span.live) {
                const Place place = beside(a, line, v);
                fetch(a, place, elements[v]);
                L::map(a, place, (i64)span.position + v, t.outer, elements[v], row);
                commit(a, place, elements[v]);
            }
        }
    }
}

ENTRY_RESIDENT(THREADS, RESIDENT) void ROWS(ARGUMENT Arguments a) {
    extern SHARED Quad held[];
    const u32 team = (u32)a.plan[0], shift = (u32)a.plan[1], number = thread() >> shift;
    Index place = (Index)block() * (block_size() >> shift) + number;
    const bool alive = place < (Index)a.outer_size;
    if (!alive) place = (Index)a.outer_size - 1;
    const Index packs = (Index)a.plan[4];
    Team t = {a, origin(), (i64)place, packs, thread() & (team - 1), team, alive, (byte*)held + number * a.plan[2]};
    locate<0, OUTER>(a, place, t.row);
    Row row;
    PASSES
}
