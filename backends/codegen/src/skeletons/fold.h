// What the folds of a part of a row share.

// The number of packs of a row that are complete: all but perhaps the last.
DEVICE Index complete_packs(const Arguments& a, Index end) {
    if (VECTOR < 0) return end;
    const Index complete = (Index)a.dim[VECTOR >= 0 ? VECTOR : 0].length / WIDTH;
    return complete < end ? complete : end;
}

// Continues a fold with the short pack at the end of a row, point by point.
DEVICE Accumulator fold_short_pack(const Arguments& a, const Place& row, i64 outer, Index pack, Accumulator value) {
    Place line = row;
    const Span span = locate<OUTER, OUTER + INNER>(a, pack, line);
    ROLLED
    for (u32 v = 0; v < span.live; ++v) {
        const Place place = beside(a, line, v);
        Element element;
        fetch(a, place, element);
        value = combine(a, value, map(a, place, (i64)span.position + v, outer, element));
    }
    return value;
}

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
