// A team of neighbouring threads, up to a whole block, folds one part of the range of one outer point.

ENTRY_RESIDENT(THREADS, RESIDENT) void SEGMENTS(ARGUMENT Arguments a) {
    const u32 team = (u32)a.plan[0], shift = (u32)a.plan[1];
    const Index splits = (Index)a.plan[2];
    const Index unit = (Index)block() * (THREADS >> shift) + (thread() >> shift);
    Index row = splits == 1 ? unit : unit / splits;
    const Index split = splits == 1 ? 0 : unit - row * splits;
    const bool alive = row < (Index)a.outer_size;
    if (!alive) row = (Index)a.outer_size - 1;
    Place place = origin();
    locate<0, OUTER>(a, row, place);
    const Range range = find_range(a, place, (i64)row);
    Index begin = (Index)range.begin, end = (Index)range.end;
    if (splits > 1) {
        const Index part = (end - begin + splits - 1) / splits;
        begin = split * part < end - begin ? begin + split * part : end;
        if (end - begin > part) end = begin + part;
    }
    const Index lane = thread() & (team - 1);
    Index first = begin + lane, step = team;
    if (!COMMUTATIVE) {
        // Each thread takes a run of neighbours.
        const Index part = (end - begin + team - 1) / team;
        first = lane * part < end - begin ? begin + lane * part : end;
        if (end - first > part) end = first + part;
        step = 1;
    }
    Accumulator value = identity(a, (i64)row);
    for (Index at = first; at < end; at += step) {
        Place here = place;
        move_along(a, here, OUTER, at);
        value = combine(a, value, map(a, here, (i64)at, (i64)row, range));
    }
    value = fold_lanes(a, value, team < WARP ? team : WARP);
    if (team > WARP) value = fold_warps(a, value);
    if (!alive || lane != 0) return;
    if (splits == 1) finish_point(a, place, (i64)row, value);
    else ((Accumulator*)a.scratch)[row * splits + split] = value;
}
