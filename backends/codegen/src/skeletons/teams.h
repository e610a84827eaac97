// What the threads of a team fold together.

// Folds the accumulators of `lanes` neighbouring lanes, in their order, into the first of them.
DEVICE Accumulator fold_lanes(const Arguments& a, Accumulator value, u32 lanes) {
    for (u32 distance = 1; distance < lanes; distance *= 2) {
        value = combine(a, value, shuffled_down(value, distance));
    }
    return value;
}

// Folds an array of accumulators into its first entry.
template <int COUNT> DEVICE void fold_entries(const Arguments& a, Accumulator* entries) {
    if constexpr (COUNT > 1) {
        UNROLLED
        for (int i = 0; i < COUNT / 2; ++i) entries[i] = combine(a, entries[i], entries[i + COUNT / 2]);
        fold_entries<COUNT / 2>(a, entries);
    }
}

// Folds the first lanes of the warps of a block, in their order, into thread 0. Every thread takes part.
DEVICE Accumulator fold_warps(const Arguments& a, Accumulator value) {
    SHARED Accumulator parts[THREADS / WARP];
    if (thread() % WARP == 0) parts[thread() / WARP] = value;
    barrier();
    if (thread() == 0) {
        ROLLED
        for (u32 i = 1; i < THREADS / WARP; ++i) value = combine(a, value, parts[i]);
    }
    return value;
}
