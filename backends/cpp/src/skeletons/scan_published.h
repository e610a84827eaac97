// Scans in one pass over memory: each block takes a tile, publishes the sum of it at once, and puts together what comes
// before it from the sums of the tiles of its group, of the groups of its section, and of all sections before. So the
// same sums are always added in the same order, whichever block comes first.

// Every word of a published sum carries its own flag in its upper half, so that no order among words is needed.
struct Published {
    u64 words[(sizeof(Accumulator) + 3) / 4];
};

// The scratch memory: a ticket, then the sums.
DEVICE Published* published(const Arguments& a) { return (Published*)(a.scratch + 16); }

DEVICE void publish(Published* at, const Accumulator& value) {
    Parts<Accumulator> parts;
    parts.words[sizeof(parts) / 4 - 1] = 0;
    parts.value = value;
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) write_word(&at->words[i], (u64)1 << 32 | parts.words[i]);
}

DEVICE Accumulator await(const Published* at) {
    Parts<Accumulator> parts;
    u64 words[sizeof(parts) / 4];
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) words[i] = read_word(&at->words[i]);
    UNROLLED
    for (u32 i = 0; i < sizeof(parts) / 4; ++i) {
        while (words[i] >> 32 == 0) words[i] = read_word(&at->words[i]);
        parts.words[i] = (u32)words[i];
    }
    return parts.value;
}

ENTRY(THREADS) void SCAN_CLEAR(ARGUMENT Arguments a) {
    const Index i = (Index)block() * THREADS + thread();
    if (i < (Index)a.plan[5]) ((u64*)a.scratch)[i] = 0;
}
