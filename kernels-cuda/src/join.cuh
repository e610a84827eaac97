// Writes contiguous matrices side by side, as many of them in one launch as its argument can name.

enum { THREADS = 256, ROUNDS = 8, CHUNK = THREADS * ROUNDS, PIECES = 168 };

struct Piece {
    const byte* from;
    u64 start;           // in bytes of a row of the result, where the piece before it ends
    u32 first;           // block
    u32 unit;            // bytes that one access takes, as a power of two
};

struct Join {
    byte* out;
    u64 rows, pitch;     // bytes of a row of the result
    u64 count;
    Piece pieces[PIECES + 1];  // and where the last one ends
};

struct alignas(16) Wide {
    u64 parts[2];
};

template <class Unit> DEVICE void copy_chunk(const Join& a, const Piece& piece, u64 bytes) {
    const u64 width = bytes / sizeof(Unit), pitch = a.pitch / sizeof(Unit), all = width * a.rows;
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
    const u64 bytes = a.pieces[low + 1].start - piece.start;
    switch (piece.unit) {
        case 0: return copy_chunk<u8>(a, piece, bytes);
        case 1: return copy_chunk<u16>(a, piece, bytes);
        case 2: return copy_chunk<u32>(a, piece, bytes);
        case 3: return copy_chunk<u64>(a, piece, bytes);
        default: return copy_chunk<Wide>(a, piece, bytes);
    }
}
