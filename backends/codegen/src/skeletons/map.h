// Every thread takes UNROLL packs, a block apart, and loads all of them before it computes.

enum { TILE = 32 };

// A thread's point of a tile in the first round, and the steps to its points in later rounds.
//
// Where an operand is contiguous along another dimension than the last (a transposed one), a block takes a tile of both
// dimensions and 32 neighbouring threads 4 x 8 points of it, so that reads and writes both use whole sectors. plan[1] is
// then 1 more than that dimension.
struct Tile {
    Place place, step;
    Index position, position_step, left;  // left: points from this one to the end of the dimension
};

// Points along the crossed dimension from one round to the next: a block has 8 groups of 4 x 8 points (`plan.rs` counts with it).
enum { BETWEEN_ROUNDS = 8 };

DEVICE Tile locate_tile(const Arguments& a) {
    const int crossed = (int)a.plan[1] - 1;
    const u32 lane = thread() % 32, group = thread() / 32;
    Tile tile = {origin(), origin(), 0, 0, 0};
    bool inside = true;
    Index rest = block(), scale = 1;
    UNROLLED
    for (int dim = OUTER - 1; dim >= 0; --dim) {
        const Divisor& by = a.dim[dim];
        const Index length = (Index)by.length;
        Index along = rest;
        if (dim > 0) {
            rest = quotient(rest, by);
            along -= rest * (Index)by.packs;
        }
        if (dim == OUTER - 1) along = along * TILE + lane % 8 + group % 4 * 8;
        else if (dim == crossed) along = along * (BETWEEN_ROUNDS * UNROLL) + lane / 8 + group / 4 * 4;
        if (along >= length) {
            inside = false;
            along = length - 1;
        }
        if (dim == crossed) {
            tile.left = length - along;
            tile.position_step = BETWEEN_ROUNDS * scale;
            move_along(a, tile.step, dim, BETWEEN_ROUNDS);
        }
        tile.position += along * scale;
        scale *= length;
        move_along(a, tile.place, dim, along);
    }
    if (!inside) tile.left = 0;
    return tile;
}

// The pack that a thread takes in round `u`.
DEVICE Span locate_round(const Arguments& a, const Tile& tile, u32 u, Place& place) {
    if (WIDTH > 1 || OUTER < 2 || a.plan[1] == 0) {
        const Index n = (Index)block() * (block_size() * UNROLL) + u * block_size() + thread();
        const Index packs = (Index)a.plan[0];
        Span span = {0, 0};
        if (BLIND || n < packs) span = locate<0, OUTER>(a, n < packs ? n : packs - 1, place);
        if (n >= packs) span.live = 0;
        return span;
    }
    const bool inside = BETWEEN_ROUNDS * u < tile.left;
    // A BLIND map computes a point that exists instead.
    const u32 steps = BLIND && !inside ? 0 : u;
    place = tile.place;
    UNROLLED
    for (int k = 0; k < OPERANDS; ++k) place.at[k] += (Offset)steps * tile.step.at[k];
    const Span span = {tile.position + steps * tile.position_step, inside};
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
    Tile tile = {};
    if (WIDTH == 1 && OUTER > 1 && a.plan[1] > 0) tile = locate_tile(a);
    UNROLLED
    for (u32 u = 0; u < UNROLL; ++u) {
        places[u] = origin();
        spans[u] = locate_round(a, tile, u, places[u]);
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
            const Span span = locate_round(a, tile, u, line);
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
