// Compaction: the elements, or the positions, where a flag is set, in their order.
//
// The first kernel counts the flags of each tile and sums the counts up in one pass over them, by looking back; the host
// reads the total, makes room, and the second kernel writes.

enum { THREADS = 256, WARPS = THREADS / WARP, LOADS = 4, TILE = THREADS * 16 * LOADS, OF_WARP = TILE / WARPS };

struct Select {
    const byte* flags;   // of which any but 0 is set, aligned to 16
    u64 count;
    u64* states;         // of each tile, zero at first; then with all flags up to its end
    u64* total;
    u32* ticket;
    const byte* values;
    byte* out;
};

struct alignas(16) Flags {
    u32 words[4];
};

DEVICE bool is_set(byte flag) { return flag != 0; }

// How many of four flags are set: the upper bit of each byte stays or becomes 1 unless the byte is 0.
DEVICE u32 count_set(u32 flags) { return popcount((flags | ((flags & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u); }

// The flags of a warp's part of a tile, counted over the warp.
DEVICE u32 count_of_warp(const Select& a, u64 begin, u32 lane) {
    u32 sum = 0;
    UNROLLED
    for (u32 i = 0; i < OF_WARP / (16 * WARP); ++i) {
        const u64 at = begin + (i * WARP + lane) * 16;
        if (at + 16 <= a.count) {
            const Flags flags = *(const Flags*)(a.flags + at);
            UNROLLED
            for (u32 w = 0; w < 4; ++w) sum += count_set(flags.words[w]);
        } else {
            for (u64 j = at; j < a.count; ++j) sum += is_set(a.flags[j]);
        }
    }
    return warp_sum(sum);
}

ENTRY(THREADS) void select_count(ARGUMENT Select a) {
    SHARED u32 sums[WARPS];
    SHARED u32 ticket;
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    if (thread() == 0) ticket = take_ticket(a.ticket);
    barrier();
    const u64 tile = ticket;
    const u32 own = count_of_warp(a, tile * TILE + warp * OF_WARP, lane);
    if (lane == 0) sums[warp] = own;
    barrier();
    if (warp > 0) return;
    u64 count = 0;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) count += sums[w];
    const u64 earlier = look_back(a.states, tile, count, lane);
    if (lane == 0 && (tile + 1) * TILE >= a.count) *a.total = earlier + count;
}

// ITEM is what is written for each flag; with SELECT_POSITIONS, its position.
template <class Item, bool POSITIONS> DEVICE void select_write(const Select& a) {
    SHARED u32 sums[WARPS];
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    const u64 tile = block(), begin = tile * TILE + warp * OF_WARP;
    const u32 own = count_of_warp(a, begin, lane);
    if (lane == 0) sums[warp] = own;
    barrier();
    if (own == 0) return;
    // What is written is bounded by what was counted, even if another stream has changed the flags meanwhile.
    const u64 end = a.states[tile] & State<u64>::value;
    u64 to = tile == 0 ? 0 : a.states[tile - 1] & State<u64>::value;
    UNROLLED
    for (u32 w = 0; w < WARPS; ++w) {
        if (w < warp) to += sums[w];
    }
    const Item* values = (const Item*)a.values;
    Item* out = (Item*)a.out;
    enum { AHEAD = 8 };
    ROLLED
    for (u32 round = 0; round < OF_WARP / WARP; round += AHEAD) {
        bool flags[AHEAD];
        Item items[AHEAD];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) {
            const u64 at = begin + (round + i) * WARP + lane;
            flags[i] = at < a.count && is_set(a.flags[at]);
        }
        if constexpr (!POSITIONS) {
            UNROLLED
            for (u32 i = 0; i < AHEAD; ++i) {
                if (flags[i]) items[i] = values[begin + (round + i) * WARP + lane];
            }
        }
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) {
            const LaneMask set = ballot(flags[i]);
            const u64 place = to + lanes_in(set & lanes_before(lane));
            if (flags[i] && place < end) {
                if constexpr (POSITIONS) out[place] = (Item)(begin + (round + i) * WARP + lane);
                else out[place] = items[i];
            }
            to += lanes_in(set);
        }
    }
}

struct alignas(16) Wide {
    u64 parts[2];
};

ENTRY(THREADS) void select_positions(ARGUMENT Select a) { select_write<i64, true>(a); }
ENTRY(THREADS) void select_1(ARGUMENT Select a) { select_write<u8, false>(a); }
ENTRY(THREADS) void select_2(ARGUMENT Select a) { select_write<u16, false>(a); }
ENTRY(THREADS) void select_4(ARGUMENT Select a) { select_write<u32, false>(a); }
ENTRY(THREADS) void select_8(ARGUMENT Select a) { select_write<u64, false>(a); }
ENTRY(THREADS) void select_16(ARGUMENT Select a) { select_write<Wide, false>(a); }
