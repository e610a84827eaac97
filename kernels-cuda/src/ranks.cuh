// The element of a rank in each rectangle of a plane of bytes.
//
// A block goes down a strip of the plane and keeps a histogram of each column of the windows' height (Perreault and Hebert
// 2007), whose counts are bytes. In each row a warp slides a histogram of the window, which its lanes share out in registers,
// over as many places as it has lanes.

enum { THREADS = 128, WARPS = THREADS / WARP, WORDS = 64 / WARP };

struct Ranks {
    const u8* plane;      // planes of (height + rows - 1) x (width + columns - 1) bytes
    u8* out;              // planes of height x width bytes
    u64 height, width;
    u64 rows, columns;    // of a window: at most 255 rows, 65535 bytes in all
    u64 rank;
    u64 flip;             // what makes the order of the bytes that of numbers without a sign
    u64 strips, runs, run;   // blocks beside each other and below each other, and the rows that one goes down
};

// The counts of a column that one lane looks after.
struct alignas(4 * WORDS) Share {
    u32 words[WORDS];
};

// The same of a window, as words of two counts: those of even and of odd bins.
struct Window {
    u32 even[WORDS], odd[WORDS];
};

DEVICE void add_column(Window& window, const Share& column) {
    UNROLLED
    for (u32 w = 0; w < WORDS; ++w) {
        window.even[w] += column.words[w] & 0x00ff00ffu;
        window.odd[w] += column.words[w] >> 8 & 0x00ff00ffu;
    }
}

DEVICE void subtract_column(Window& window, const Share& column) {
    UNROLLED
    for (u32 w = 0; w < WORDS; ++w) {
        window.even[w] -= column.words[w] & 0x00ff00ffu;
        window.odd[w] -= column.words[w] >> 8 & 0x00ff00ffu;
    }
}

// The bin of the element of a rank.
DEVICE u32 bin_of_rank(const Window& window, u32 rank, u32 lane) {
    u32 pairs = 0;
    UNROLLED
    for (u32 w = 0; w < WORDS; ++w) pairs += window.even[w] + window.odd[w];
    const u32 mine = (pairs & 0xffff) + (pairs >> 16), upto = warp_scan(mine, lane);
    u32 below = upto - mine, bin = lane * 4 * WORDS;
    UNROLLED
    for (u32 w = 0; w < WORDS; ++w) {
        below += window.even[w] & 0xffff;
        bin += below <= rank;
        below += window.odd[w] & 0xffff;
        bin += below <= rank;
        below += window.even[w] >> 16;
        bin += below <= rank;
        below += window.odd[w] >> 16;
        bin += below <= rank;
    }
    return shuffle_from(bin, first_lane(ballot(upto > rank)));
}

ENTRY(THREADS) void ranks(ARGUMENT Ranks a) {
    extern SHARED Share counts[];   // of each column, 256 bytes
    u8* bytes = (u8*)counts;
    const u32 lane = thread() % WARP, first = thread() / WARP * WARP;
    const u64 strip = block() % a.strips, rest = block() / a.strips, plane = rest / a.runs;
    const u64 left = strip * THREADS, top = rest % a.runs * a.run;
    const u64 pitch = a.width + a.columns - 1;
    const u32 rows = (u32)a.rows, columns = (u32)a.columns, rank = (u32)a.rank, flip = (u32)a.flip;
    const u32 results = (u32)(a.width - left < THREADS ? a.width - left : THREADS), used = results + columns - 1;
    const u64 end = top + a.run < a.height ? top + a.run : a.height;
    const u8* source = a.plane + (plane * (a.height + a.rows - 1) + top) * pitch + left;
    u8* target = a.out + (plane * a.height + top) * a.width + left;
    for (u32 i = thread(); i < used * WARP; i += THREADS) counts[i] = Share{};
    barrier();
    for (u32 c = thread(); c < used; c += THREADS) {
        const u8* at = source + c;
        for (u32 r = 0; r < rows; ++r, at += pitch) ++bytes[c * 256 + (*at ^ flip)];
    }
    barrier();
    for (u64 y = top;;) {
        if (first < results) {
            const Share* column = counts + first * WARP + lane;
            Window window = {};
            for (u32 c = 0; c < columns; ++c) add_column(window, column[c * WARP]);
            const u32 count = results - first < WARP ? results - first : WARP;
            u32 mine = 0;
            for (u32 i = 0;;) {
                const u32 bin = bin_of_rank(window, rank, lane);
                if (lane == i) mine = bin;
                if (++i == count) break;
                add_column(window, column[columns * WARP]);
                subtract_column(window, *column);
                column += WARP;
            }
            if (lane < count) target[first + lane] = (u8)(mine ^ flip);
        }
        if (++y == end) break;
        barrier();
        for (u32 c = thread(); c < used; c += THREADS) {
            const u32 old = source[c] ^ flip, next = source[c + rows * pitch] ^ flip;
            --bytes[c * 256 + old];
            ++bytes[c * 256 + next];
        }
        source += pitch;
        target += a.width;
        barrier();
    }
}
