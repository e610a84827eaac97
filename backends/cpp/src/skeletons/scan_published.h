// Scans in one pass over memory: each block takes a tile, publishes the sum of it at once, and puts together what comes
// before it from the sums of the tiles of its group, of the groups of its section, and of all sections before. So the
// same sums are always added in the same order, whichever block comes first.

// How the scratch memory is used: a ticket, the flags of all sums, then the sums.
struct Published {
    u32* flags;
    Accumulator* sums;
};

DEVICE Published published(const Arguments& a) {
    const Index count = (Index)a.plan[5];
    Published all = {(u32*)a.scratch + 4, (Accumulator*)(a.scratch + (16 + 4 * (u64)count + 15) / 16 * 16)};
    return all;
}

DEVICE void publish(const Published& all, Index at, const Accumulator& value) {
    write_through(&all.sums[at], value);
    memory_fence();
    write_word(&all.flags[at], 1u);
}

DEVICE Accumulator await(const Published& all, Index at) {
    while (read_word(&all.flags[at]) == 0) {}
    memory_fence();
    return read_through(&all.sums[at]);
}

ENTRY(THREADS) void SCAN_CLEAR(ARGUMENT Arguments a) {
    const Index i = (Index)block() * THREADS + thread();
    if (i < (Index)a.plan[5] + 4) ((u32*)a.scratch)[i] = 0;
}
