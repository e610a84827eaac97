// Writes contiguous matrices side by side, as many of them in one launch as its argument can name.

enum { THREADS = 256, ROUNDS = 8, CHUNK = THREADS * ROUNDS, PIECES = 64 };

struct Piece {
    const byte* from;
    u64 start, width;    // in bytes of a row of the result
    u64 unit;            // bytes that one access takes, as a power of two
    u64 first;           // block
};

struct Join {
    byte* out;
    u64 rows, pitch;     // bytes of a row of the result
    u64 count;
    Piece pieces[PIECES];
};

struct alignas(16) Wide {
    u64 parts[2];
};

template <class Unit> DEVICE void copy_chunk(const Join& a, const Piece& piece) {
    const u64 width = piece.width / sizeof(Unit), pitch = a.pitch / sizeof(Unit), all = width * a.rows;
    const Unit* from = (const Unit*)piece.from;
    Unit* out = (Unit*)(a.out + piece.start);
    const u64 begin = (block() - piece.first) * CHUNK + thread();
    Unit units[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (begin + r * THREADS < all) units[r] = from[begin + r * THREADS];
    }
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const u64 at = begin + r * THREADS;
        if (at < all) {
            const u64 row = width == pitch ? 0 : all <= 0xffffffffull ? (u32)at / (u32)width : at / width;
            out[row * pitch + (at - row * width)] = units[r];
        }
    }
}

ENTRY(THREADS) void join(ARGUMENT Join a) {
    // The last piece that begins at or before this block.
    u32 low = 0, high = (u32)a.count;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (a.pieces[middle].first <= block()) low = middle;
        else high = middle;
    }
    const Piece& piece = a.pieces[low];
    switch (piece.unit) {
        case 0: return copy_chunk<u8>(a, piece);
        case 1: return copy_chunk<u16>(a, piece);
        case 2: return copy_chunk<u32>(a, piece);
        case 3: return copy_chunk<u64>(a, piece);
        default: return copy_chunk<Wide>(a, piece);
    }
}
