// Moving through the iteration space.

struct Place {
    Offset at[OPERANDS > 0 ? OPERANDS : 1];
};

struct Span {
    Index position;  // of the first element, in C order
    u32 live;        // elements of the pack that lie inside
};

// Elements at any address move byte by byte.
#if defined(UNALIGNED)
template <int BYTES> DEVICE void move_bytes(byte* to, const byte* from) {
    UNROLLED
    for (int i = 0; i < BYTES; ++i) to[i] = from[i];
}
template <class T> DEVICE T load(const byte* from) {
    T value;
    move_bytes<sizeof(T)>((byte*)&value, from);
    return value;
}
template <class T> DEVICE void store(byte* to, T value) { move_bytes<sizeof(T)>(to, (const byte*)&value); }
#else
template <class T> DEVICE T load(const byte* from) { return *(const T*)from; }
template <class T> DEVICE void store(byte* to, T value) { *(T*)to = value; }
#endif

struct alignas(16) Quad {
    u32 words[4];
};

template <class T, int N> union Pack {
    T at[N];
    Quad quads[(N * sizeof(T) + 15) / 16];
    u64 pair;
    u32 word;
    u16 half;
    byte single;
};

// A kernel that says ONCE passes over memory that need not stay in a cache.
#if defined(ONCE) && defined(STREAMED)
DEVICE Quad load_quad(const Quad* from) { return load_streamed(from); }
DEVICE void store_quad(Quad* to, const Quad& quad) { store_streamed(to, quad); }
#else
DEVICE Quad load_quad(const Quad* from) { return *from; }
DEVICE void store_quad(Quad* to, const Quad& quad) { *to = quad; }
#endif

// Loads and stores of N neighbours by the widest accesses that their size allows; the address is aligned to their
// size or to 16 bytes.
template <class T, int N> DEVICE void load_pack(const byte* from, Pack<T, N>& pack) {
    constexpr int bytes = N * sizeof(T);
    if constexpr (bytes % 16 == 0) {
        UNROLLED
        for (int i = 0; i < bytes / 16; ++i) pack.quads[i] = load_quad((const Quad*)from + i);
    } else if constexpr (bytes == 8) pack.pair = *(const u64*)from;
    else if constexpr (bytes == 4) pack.word = *(const u32*)from;
    else if constexpr (bytes == 2) pack.half = *(const u16*)from;
    else pack.single = *from;
}

template <class T, int N> DEVICE void store_pack(byte* to, const Pack<T, N>& pack) {
    constexpr int bytes = N * sizeof(T);
    if constexpr (bytes % 16 == 0) {
        UNROLLED
        for (int i = 0; i < bytes / 16; ++i) store_quad((Quad*)to + i, pack.quads[i]);
    } else if constexpr (bytes == 8) *(u64*)to = pack.pair;
    else if constexpr (bytes == 4) *(u32*)to = pack.word;
    else if constexpr (bytes == 2) *(u16*)to = pack.half;
    else *to = pack.single;
}

DEVICE Place origin() {
    Place place;
    UNROLLED
    for (int k = 0; k < (OPERANDS > 0 ? OPERANDS : 1); ++k) place.at[k] = 0;
    return place;
}

DEVICE void move_along(const Arguments& a, Place& place, int dim, Index distance) {
    UNROLLED
    for (int k = 0; k < OPERANDS; ++k) place.at[k] += (Offset)distance * (Offset)a.stride[dim][k];
}

// Exact for n below half the range of Index: the host chose magic and shift.
DEVICE Index quotient(Index n, const Divisor& by) {
    return (multiply_high(n, (Index)by.magic) + n) >> (u32)by.shift;
}

// Moves `place` to point `n` of the dimensions FIRST..LAST, where `n` counts packs of WIDTH points along VECTOR.
template <int FIRST, int LAST> DEVICE Span locate(const Arguments& a, Index n, Place& place) {
    Span span = {n, 1};
    Index rest = n;
    UNROLLED
    for (int dim = LAST - 1; dim >= FIRST; --dim) {
        const Divisor& by = a.dim[dim];
        Index along = rest;
        if (dim > FIRST) {
            rest = quotient(rest, by);
            along -= rest * (Index)by.packs;
        } else rest = 0;
        if (dim == VECTOR) {
            along *= WIDTH;
            const Index left = (Index)by.length - along;
            span.position = rest * (Index)by.length + along;
            span.live = left < WIDTH ? (u32)left : WIDTH;
        }
        move_along(a, place, dim, along);
    }
    return span;
}

// Moves `place` to the single outer point `n`.
DEVICE void locate_point(const Arguments& a, Index n, Place& place) {
    UNROLLED
    for (int dim = OUTER - 1; dim >= 0; --dim) {
        const Index length = (Index)a.dim[dim].length;
        const Index rest = dim > 0 ? n / length : 0;
        move_along(a, place, dim, n - rest * length);
        n = rest;
    }
}

// The place of element `v` of a pack.
DEVICE Place beside(const Arguments& a, const Place& place, u32 v) {
    Place moved = place;
    if (VECTOR >= 0) move_along(a, moved, VECTOR >= 0 ? VECTOR : 0, v);
    return moved;
}
