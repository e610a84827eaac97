// Replaces the sums of the segments of each row by the sum of all segments before: a warp a row.

ENTRY(THREADS) void SCAN_OFFSETS(ARGUMENT Arguments a) {
    const Index row = (Index)block() * (THREADS / WARP) + thread() / WARP;
    if (row >= (Index)a.outer_size) return;
    const u32 lane = thread() % WARP;
    const Index splits = (Index)a.plan[2];
    Accumulator* parts = (Accumulator*)a.scratch + row * splits;
    Accumulator carry = identity(a, (i64)row);
    for (Index base = 0; base < splits; base += WARP) {
        const bool inside = base + lane < splits;
        Accumulator total = identity(a, (i64)row);
        if (inside) total = parts[base + lane];
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const Accumulator before = shuffled_up(total, distance);
            if (lane >= distance) total = combine(a, before, total);
        }
        const Accumulator before = shuffled_up(total, 1);
        if (inside) parts[base + lane] = lane == 0 ? carry : combine(a, carry, before);
        carry = combine(a, carry, shuffled_from(total, WARP - 1));
    }
}
