// What the hand-written kernels say about the threads that run in lock step, and about words that blocks pass on.

DEVICE u32 lanes_in(LaneMask mask) { return (u32)popcount(mask); }
DEVICE u32 first_lane(LaneMask mask) { return trailing_zeros(mask); }
DEVICE u32 last_lane(LaneMask mask) { return WARP - 1 - leading_zeros(mask); }
DEVICE LaneMask lanes_before(u32 lane) { return ((LaneMask)1 << lane) - 1; }
DEVICE LaneMask lanes_upto(u32 lane) { return ((LaneMask)2 << lane) - 1; }

// The lanes whose `digit` of BITS bits is the same.
template <u32 BITS> DEVICE LaneMask peers(u32 digit) {
    LaneMask same = ~(LaneMask)0;
    UNROLLED
    for (u32 bit = 0; bit < BITS; ++bit) {
        const bool set = digit >> bit & 1;
        const LaneMask vote = ballot(set);
        same &= set ? vote : ~vote;
    }
    return same;
}

// Sums over the lanes up to and including this one.
template <class T> DEVICE T warp_scan(T value, u32 lane) {
    UNROLLED
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const T before = shuffle_up(value, distance);
        if (lane >= distance) value += before;
    }
    return value;
}

template <class T> DEVICE T warp_sum(T value) {
    UNROLLED
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) value += shuffle_xor(value, distance);
    return value;
}

// The sum of `value` over the threads before this one, and over all COUNT of them; every thread of the block calls it.
template <u32 COUNT, class T> DEVICE T block_scan(T value, T& total) {
    SHARED T sums[COUNT / WARP];
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    const T running = warp_scan(value, lane);
    if (lane == WARP - 1 && warp < COUNT / WARP) sums[warp] = running;
    barrier();
    T before = 0;
    total = 0;
    UNROLLED
    for (u32 w = 0; w < COUNT / WARP; ++w) {
        if (w < warp) before += sums[w];
        total += sums[w];
    }
    return before + running - value;
}

// The state of a tile, in one word that carries its own flag, in a decoupled look-back (Merrill and Garland 2016): its own
// sum, or that of all tiles so far.
template <class T> struct State {
    static constexpr T own = (T)1 << (8 * sizeof(T) - 2);
    static constexpr T all = (T)2 << (8 * sizeof(T) - 2);
    static constexpr T value = own - 1;
};

// The sum over the tiles before `tile`, whose own sum is `count`, by one warp: publishes it, then looks at as many tiles
// before at once as it has lanes, until one knows the sum of all before it.
DEVICE u64 look_back(u64* states, u64 tile, u64 count, u32 lane) {
    if (lane == 0) write_word(&states[tile], (tile == 0 ? State<u64>::all : State<u64>::own) | count);
    u64 earlier = 0, end = tile;
    bool found = tile == 0;
    while (!found) {
        const bool inside = lane < end;
        u64 word = inside ? read_word(&states[end - 1 - lane]) : State<u64>::all;
        while (ballot(word == 0)) {
            if (word == 0) word = read_word(&states[end - 1 - lane]);
        }
        const LaneMask complete = ballot((word & State<u64>::all) != 0);
        const u32 last = complete ? first_lane(complete) : WARP - 1;
        earlier += warp_sum(lane <= last ? word & State<u64>::value : 0);
        found = complete != 0;
        end -= WARP;
    }
    if (lane == 0 && tile > 0) write_word(&states[tile], State<u64>::all | (earlier + count));
    return earlier;
}
