// A team of neighbouring threads, up to a whole block, folds one part of one row.

ENTRY_RESIDENT(THREADS, RESIDENT) void REDUCE(ARGUMENT Arguments a) {
    const u32 team = (u32)a.plan[0], shift = (u32)a.plan[1];
    const Index splits = (Index)a.plan[2], segment = (Index)a.plan[3], packs = (Index)a.plan[4];
    const Index unit = (Index)block() * (THREADS >> shift) + (thread() >> shift);
    Index row = splits == 1 ? unit : unit / splits;
    const Index split = splits == 1 ? 0 : unit - row * splits;
    const bool alive = row < (Index)a.outer_size;
    if (!alive) row = (Index)a.outer_size - 1;
    const Index begin = split * segment < packs ? split * segment : packs;
    const Index end = packs - begin < segment ? packs : begin + segment;

    Place place = origin();
    locate<0, OUTER>(a, row, place);
    Accumulator value = fold_row(a, place, (i64)row, begin, end, thread() & (team - 1), team);
    if (team > WARP) value = fold_warps(a, value);
    if (!alive || (thread() & (team - 1)) != 0) return;
    if (splits == 1) finish_point(a, place, (i64)row, value);
    else ((Accumulator*)a.scratch)[row * splits + split] = value;
}
