// What the hand-written kernels say about the threads that run in lock step, and about words that blocks pass on.

typedef u32 LaneMask;

#define DEVICE_MEMBER __device__ __forceinline__

DEVICE LaneMask ballot(bool vote) { return __ballot_sync(0xffffffffu, vote); }
DEVICE u32 lanes_in(LaneMask mask) { return (u32)__popc(mask); }
DEVICE u32 first_lane(LaneMask mask) { return (u32)__ffs((int)mask) - 1; }
DEVICE u32 last_lane(LaneMask mask) { return WARP - 1 - (u32)__clz((int)mask); }
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
        const T before = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) value += before;
    }
    return value;
}

template <class T> DEVICE T warp_sum(T value) {
    UNROLLED
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
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

// The state of a tile, in one word that carries its own flag, in a decoupled look-back (Merrill and Garland 2016): its own sum, or that of all tiles so far.
template <class T> struct State {
    static constexpr T own = (T)1 << (8 * sizeof(T) - 2);
    static constexpr T all = (T)2 << (8 * sizeof(T) - 2);
    static constexpr T value = own - 1;
};

DEVICE u32 blocks() { return gridDim.x; }
