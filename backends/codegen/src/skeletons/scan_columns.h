// A thread takes one segment of one column; neighbours take neighbouring columns.

struct Segment {
    Index column, begin, end, number;
    bool alive;
};

DEVICE Segment segment_of_thread(const Arguments& a) {
    const Index splits = (Index)a.plan[2], length = (Index)a.plan[3], inner = (Index)a.inner_size;
    const Index across = (Index)a.plan[5];
    Segment segment;
    segment.number = splits == 1 ? 0 : block() / across;
    segment.column = ((Index)block() - segment.number * across) * THREADS + thread();
    segment.alive = segment.column < (Index)a.outer_size;
    segment.begin = segment.number * length < inner ? segment.number * length : inner;
    segment.end = inner - segment.begin < length ? inner : segment.begin + length;
    return segment;
}

ENTRY(THREADS) void SCAN_PARTS(ARGUMENT Arguments a) {
    const Segment segment = segment_of_thread(a);
    if (!segment.alive) return;
    Place column = origin();
    locate<0, OUTER>(a, segment.column, column);
    Accumulator value = identity(a, (i64)segment.column);
    for (Index i = segment.begin; i < segment.end; ++i) {
        Place place = column;
        locate<OUTER, OUTER + INNER>(a, i, place);
        Element element;
        fetch(a, place, element);
        value = combine(a, value, map(a, place, (i64)i, (i64)segment.column, element));
    }
    ((Accumulator*)a.scratch)[segment.column * (Index)a.plan[2] + segment.number] = value;
}

ENTRY(THREADS) void SCAN(ARGUMENT Arguments a) {
    const Segment segment = segment_of_thread(a);
    if (!segment.alive) return;
    const Index splits = (Index)a.plan[2];
    Place column = origin();
    locate<0, OUTER>(a, segment.column, column);
    Accumulator value = identity(a, (i64)segment.column);
    if (splits > 1) value = ((const Accumulator*)a.scratch)[segment.column * splits + segment.number];
    for (Index i = segment.begin; i < segment.end; ++i) {
        Place place = column;
        locate<OUTER, OUTER + INNER>(a, i, place);
        Element element;
        fetch(a, place, element);
        value = combine(a, value, map(a, place, (i64)i, (i64)segment.column, element));
        finish(a, place, (i64)i, (i64)segment.column, value, element);
        commit(a, place, element);
    }
}
