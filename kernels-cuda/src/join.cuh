// Writes contiguous matrices side by side, in one launch.

enum { THREADS = 256, ROUNDS = 4, CHUNK = THREADS * ROUNDS, PIECES = 168 };

struct Piece {
    const byte* from;
    u64 start;           // in bytes of a row of the result, where the piece before it ends
    u32 first;           // block
    u32 unit;            // bytes that one access takes, as a power of two
};

// Where they go, in bytes of a row of the result.
struct Joined {
    byte* out;
    u64 rows, pitch;
    u32 count;
    u32 alike;           // all pieces take as many blocks
};

// Behind the last piece is where it ends.
struct Join : Joined {
    Piece pieces[PIECES + 1];
};

struct JoinTable : Joined {
    const Piece* pieces;
};

struct alignas(16) Wide {
    u64 parts[2];
};

template <class Unit>
DEVICE void copy_chunk(const byte* source, byte* target, u64 rows, u64 row_bytes, u64 pitch_bytes, u64 chunk) {
    const u64 width = row_bytes / sizeof(Unit), pitch = pitch_bytes / sizeof(Unit), all = width * rows;
    const Unit* from = (const Unit*)source;
    Unit* out = (Unit*)target;
    const u64 begin = chunk * CHUNK + thread();
    Unit units[ROUNDS];
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        if (begin + r * THREADS < all) units[r] = from[begin + r * THREADS];
    }
    UNROLLED
    for (u32 r = 0; r < ROUNDS; ++r) {
        const u64 at = begin + r * THREADS;
        if (at < all) {
            const u64 row = rows == 1 || width == pitch ? 0 : all <= 0xffffffffull ? (u32)at / (u32)width : at / width;
            out[row * pitch + (at - row * width)] = units[r];
        }
    }
}

template <class Argument> DEVICE void join_pieces(const Argument& a) {
    u32 low = 0;
    u64 chunk;
    if (a.alike) {
        // Blocks that run together read the same part of all pieces: a piece that repeats is read once.
        low = block() % a.count;
        chunk = block() / a.count;
    } else {
        // The last piece that begins at or before this block.
        u32 high = a.count;
        while (high - low > 1) {
            const u32 middle = (low + high) / 2;
            if (a.pieces[middle].first <= block()) low = middle;
            else high = middle;
        }
        chunk = block() - a.pieces[low].first;
    }
    const byte* from = a.pieces[low].from;
    const u64 start = a.pieces[low].start, bytes = a.pieces[low + 1].start - start;
    byte* out = a.out + start;
    switch (a.pieces[low].unit) {
        case 0: return copy_chunk<u8>(from, out, a.rows, bytes, a.pitch, chunk);
        case 1: return copy_chunk<u16>(from, out, a.rows, bytes, a.pitch, chunk);
        case 2: return copy_chunk<u32>(from, out, a.rows, bytes, a.pitch, chunk);
        case 3: return copy_chunk<u64>(from, out, a.rows, bytes, a.pitch, chunk);
        default: return copy_chunk<Wide>(from, out, a.rows, bytes, a.pitch, chunk);
    }
}

ENTRY(THREADS) void join(ARGUMENT Join a) { join_pieces(a); }

ENTRY(THREADS) void join_table(ARGUMENT JoinTable a) { join_pieces(a); }
