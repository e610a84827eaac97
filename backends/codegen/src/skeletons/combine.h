// Puts the parts of split rows together, in their order: a team of threads a row.

ENTRY(THREADS) void COMBINE(ARGUMENT Arguments a) {
    const u32 team = (u32)a.plan[6], shift = (u32)a.plan[7];
    const u32 lane = thread() & (team - 1);
    const Index splits = (Index)a.plan[2];
    Index row = (Index)block() * (THREADS >> shift) + (thread() >> shift);
    const bool alive = row < (Index)a.outer_size;
    if (!alive) row = (Index)a.outer_size - 1;
    const Index part = (splits + team - 1) / team;
    const Index begin = lane * part < splits ? lane * part : splits;
    const Index end = splits - begin < part ? splits : begin + part;
    const Accumulator* parts = (const Accumulator*)a.scratch + row * splits;
    Accumulator value = identity(a, (i64)row);
    for (Index i = begin; i < end; ++i) value = combine(a, value, parts[i]);
    value = fold_lanes(a, value, team < WARP ? team : WARP);
    if (team > WARP) value = fold_warps(a, value);
    if (!alive || lane != 0) return;
    Place place = origin();
    locate_point(a, row, place);
    finish_point(a, place, (i64)row, value);
}
