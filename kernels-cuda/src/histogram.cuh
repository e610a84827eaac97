// How many values fall into each bin: whole numbers that name their bin, or numbers between edges.
//
// Each block counts in its own memory, in as many copies as fit so that neighbours rarely meet, and adds its counts to
// the result at the end. Numbers of more bins than fit are counted in ranges of bins; where that does not pay, in the
// result itself.
//
// The text before this file defines Value (how a value is stored), Edge (the type in which values and edges are compared),
// AS_EDGE (a value as one) and WHOLE (the values name their bin; then an Edge is an i64).

enum { THREADS = 512, WIDE = 1024, SLOTS = 8192, MOST_EDGES = 2040 };

struct Histogram {
    const Value* values;
    u64 count, bins;
    const Edge* edges;   // bins + 1 of them, ascending; the last bin contains its upper edge
    u64 uniform;         // whether they are equally far apart, nearly
    u64* counts;         // added to
    u64 copies;          // of the counts in a block's memory; 0 if they do not fit. Or the number of ranges
};

DEVICE u64 bin_between(const Edge* edges, u64 bins, Edge value, bool uniform, Edge low, Edge high, Edge scale) {
    if (!(value >= low && value <= high)) return bins;
    if (uniform) {
        // A guess, then steps to where the edges say.
        const Edge guess = (value - low) * scale;
        u64 bin = guess < (Edge)bins ? (u64)guess : bins - 1;
        while (bin > 0 && value < edges[bin]) --bin;
        while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
        return bin;
    }
    // The last of the inner edges that is not greater than the value.
    u64 begin = 0, end = bins;
    while (end - begin > 1) {
        const u64 middle = (begin + end) / 2;
        if (edges[middle] <= value) begin = middle;
        else end = middle;
    }
    return begin;
}

template <class T, u32 N> struct alignas(sizeof(T) * N) Several {
    T at[N];
};

ENTRY(THREADS) void histogram(ARGUMENT Histogram a) {
    SHARED u32 counts[SLOTS];
    SHARED Edge own_edges[WHOLE ? 1 : MOST_EDGES + 1];
    const u32 bins = (u32)a.bins, copies = (u32)a.copies;
    const u32 slots = bins * copies;
    for (u32 i = thread(); i < slots; i += THREADS) counts[i] = 0;
    const Edge* edges = a.edges;
    Edge low = 0, high = 0, scale = 0;
    if (!WHOLE) {
        low = edges[0];
        high = edges[a.bins];
        if (a.uniform) scale = (Edge)a.bins / (high - low);
        if (a.bins <= MOST_EDGES) {
            for (u32 i = thread(); i <= bins; i += THREADS) own_edges[i] = a.edges[i];
            edges = own_edges;
        }
    }
    barrier();
    u32* mine = counts + (copies > 0 ? thread() % copies : 0);
    const bool uniform = a.uniform != 0;
    auto add = [&](Value value) {
        u64 bin;
        if (WHOLE) {
            bin = (u64)AS_EDGE(value);
            if (bin >= a.bins) return;
        } else {
            bin = bin_between(edges, a.bins, AS_EDGE(value), uniform, low, high, scale);
            if (bin >= a.bins) return;
        }
        if (copies > 0) atomicAdd(&mine[(u32)bin * copies], 1u);
        else atomicAdd(&a.counts[bin], 1ull);
    };
    enum { WIDTH = 16 / sizeof(Value), AHEAD = 2 };
    typedef Several<Value, WIDTH> Pack;
    const u64 stride = (u64)blocks() * THREADS, me = (u64)block() * THREADS + thread();
    const bool aligned = (u64)a.values % 16 == 0;
    const u64 packs = aligned ? a.count / WIDTH : 0;
    u64 at = me;
    ROLLED
    for (; at + stride * (AHEAD - 1) < packs; at += stride * AHEAD) {
        Pack loaded[AHEAD];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) loaded[i] = ((const Pack*)a.values)[at + i * stride];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) {
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) add(loaded[i].at[v]);
        }
    }
    ROLLED
    for (; at < packs; at += stride) {
        const Pack loaded = ((const Pack*)a.values)[at];
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) add(loaded.at[v]);
    }
    ROLLED
    for (u64 i = packs * WIDTH + me; i < a.count; i += stride) add(a.values[i]);
    if (copies == 0) return;
    barrier();
    for (u32 bin = thread(); bin < bins; bin += THREADS) {
        u32 sum = 0;
        for (u32 c = 0; c < copies; ++c) sum += counts[bin * copies + c];
        if (sum > 0) atomicAdd(&a.counts[bin], (u64)sum);
    }
}

// Numbers of more bins than a block holds at first: each block counts those of one range of bins, in as much memory as the
// device lets it have, so every value is read once for each range, by neighbouring blocks at about the same time.
ENTRY(WIDE) void histogram_ranges(ARGUMENT Histogram a) {
    extern SHARED u32 slots[];
    const u64 ranges = a.copies, range = block() % ranges;
    const u64 size = (a.bins + ranges - 1) / ranges, first = range * size < a.bins ? range * size : a.bins;
    const u32 bins = (u32)(a.bins - first < size ? a.bins - first : size);
    for (u32 i = thread(); i < bins; i += WIDE) slots[i] = 0;
    barrier();
    auto add = [&](Value value) {
        const u64 bin = (u64)AS_EDGE(value) - first;
        if (bin < bins) atomicAdd(&slots[(u32)bin], 1u);
    };
    enum { WIDTH = 16 / sizeof(Value), AHEAD = 4 };
    typedef Several<Value, WIDTH> Pack;
    const u64 stride = blocks() / ranges * WIDE, me = block() / ranges * WIDE + thread();
    const u64 packs = (u64)a.values % 16 == 0 ? a.count / WIDTH : 0;
    u64 at = me;
    ROLLED
    for (; at + stride * (AHEAD - 1) < packs; at += stride * AHEAD) {
        Pack loaded[AHEAD];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) loaded[i] = ((const Pack*)a.values)[at + i * stride];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) {
            UNROLLED
            for (u32 v = 0; v < WIDTH; ++v) add(loaded[i].at[v]);
        }
    }
    ROLLED
    for (; at < packs; at += stride) {
        const Pack loaded = ((const Pack*)a.values)[at];
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) add(loaded.at[v]);
    }
    ROLLED
    for (u64 i = packs * WIDTH + me; i < a.count; i += stride) add(a.values[i]);
    barrier();
    for (u32 i = thread(); i < bins; i += WIDE) {
        if (slots[i] > 0) atomicAdd(&a.counts[first + i], (u64)slots[i]);
    }
}
