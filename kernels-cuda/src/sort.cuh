// A stable radix sort of rows by digits of up to 8 bits, lowest first.
//
// Rows that fit into one tile are sorted by one block, several short ones at a time. Longer ones take one sweep over
// memory a digit (Adinets and Merrill 2022): the digits are counted once for all sweeps; then each tile ranks its keys,
// finds by looking back at the tiles before it where its keys of each digit go, and writes them there in runs.
//
// Keys keep their bits; only their digits are taken from a number that is ordered as NumPy orders the source. Of bools, whose
// byte is true unless it is 0, results have 0 and 1.
//
// The text before this file defines Key (an unsigned integer as wide as a number of the source), Position, KIND,
// INFINITE (the bits of infinity of a floating type), COMPONENTS (2 for complex numbers), THREADS, ITEMS,
// RESIDENT (blocks of a processor), and CARRIES: whether two elements move along with each key, of FIRST_UNITS numbers
// of the type First and SECOND_UNITS of the type Second.

enum { UNSIGNED = 0, SIGNED = 1, FLOATING = 2, TRUTH = 3 };
enum { DIGITS = 256, WARPS = THREADS / WARP, TILE = THREADS * ITEMS, PASSES = sizeof(Key), PARTS = 16 / (4 * PASSES < 16 ? 4 : PASSES) };

// Flags of a sweep: it reads keys as they were given, it writes them so.
enum { FIRST = 1, LAST = 2 };

struct Sort {
    const Key* source;       // complex keys: the numbers themselves
    const Position* from;    // positions of the keys, or 0 where each key is at its own
    Key* target;             // or 0
    Position* to;            // or 0
    i64* indices;            // the positions at the end, or 0
    Position* starts;        // [row][pass][digit]: counts, then where the digit starts in the row
    Position* states;        // [tile][digit] of this sweep, zero at first
    Position* next_states;   // of the next one
    u32* ticket;
    u64 rows, length, tiles; // tiles of a row
    u64 pass, digit_bits, flags, component, mode;
    const void* carried_from[2];
    void* carried_to[2];
};

DEVICE bool is_nan(Key bits) {
    if (KIND != FLOATING) return false;
    return (Key)(bits & (Key)~((Key)1 << (8 * sizeof(Key) - 1))) > (Key)INFINITE;
}

constexpr Key SIGN = (Key)((Key)1 << (8 * sizeof(Key) - 1)), LEAST = (Key)(SIGN - 1 - (Key)INFINITE);

// While they are sorted, keys are unsigned numbers: floating ones count from negative infinity, and NaN of either sign
// comes after the positive one.
DEVICE Key encoded(Key bits) {
    if (KIND == UNSIGNED) return bits;
    if (KIND == TRUTH) return bits != 0;
    if (KIND == SIGNED) return (Key)(bits ^ SIGN);
    return (Key)((Key)(bits & SIGN ? (Key)~bits : (Key)(bits | SIGN)) - LEAST);
}

DEVICE Key decoded(Key key) {
    if (KIND == UNSIGNED || KIND == TRUTH) return key;
    if (KIND == SIGNED) return (Key)(key ^ SIGN);
    const Key bits = (Key)(key + LEAST);
    return bits & SIGN ? (Key)(bits ^ SIGN) : (Key)~bits;
}

// What NumPy's order sees of a key: one zero and one NaN.
DEVICE Key ordered(Key key) {
    if (KIND != FLOATING) return key;
    const Key one_zero = (Key)(key - (key > (Key)INFINITE)), nan = (Key)(2 * (Key)INFINITE + 1);
    return one_zero < nan ? one_zero : nan;
}

DEVICE u32 digit_of(Key key, u32 shift, u32 bits) { return (u32)(ordered(key) >> shift) & ((1u << bits) - 1); }

// What a complex number is sorted by: a part, or last of all whether its parts are NaN. Small whole numbers are digits
// of their own.
enum { BY_PART = 0, BY_CLASS = 1 };

DEVICE Key key_at(const Key* source, u64 at, u64 component, u64 mode) {
    if (mode == BY_CLASS) {
        return (Key)(2 * is_nan(source[COMPONENTS * at]) + is_nan(source[COMPONENTS * at + COMPONENTS - 1]));
    }
    return source[COMPONENTS * at + component];
}

// Counts the digits of all passes, of every row: a block takes one stretch of one row.
ENTRY(THREADS) void sort_count(ARGUMENT Sort a) {
    SHARED u32 counts[PASSES][DIGITS][PARTS];
    for (u32 i = thread(); i < PASSES * DIGITS * PARTS; i += THREADS) ((u32*)counts)[i] = 0;
    barrier();
    const u64 row = block() / a.tiles, stretch = block() - row * a.tiles;
    const u64 step = (a.length + a.tiles - 1) / a.tiles;
    const u64 begin = stretch * step < a.length ? stretch * step : a.length;
    const u64 end = a.length - begin < step ? a.length : begin + step;
    const Key* source = a.source + row * a.length;
    const u32 part = thread() % PARTS, bits = (u32)a.digit_bits, mask = (1u << bits) - 1;
    enum { AHEAD = 8 };
    u64 at = begin + thread();
    ROLLED
    for (; at + (AHEAD - 1) * THREADS < end; at += AHEAD * THREADS) {
        Key keys[AHEAD];
        UNROLLED
        for (u32 i = 0; i < AHEAD; ++i) keys[i] = ordered(encoded(source[at + i * THREADS]));
        UNROLLED
        for (u32 pass = 0; pass < PASSES; ++pass) {
            UNROLLED
            for (u32 i = 0; i < AHEAD; ++i) {
                atomicAdd(&counts[pass][(u32)(keys[i] >> (bits * pass)) & mask][part], 1u);
            }
        }
    }
    ROLLED
    for (; at < end; at += THREADS) {
        const Key key = ordered(encoded(source[at]));
        UNROLLED
        for (u32 pass = 0; pass < PASSES; ++pass) {
            atomicAdd(&counts[pass][(u32)(key >> (bits * pass)) & mask][part], 1u);
        }
    }
    barrier();
    Position* starts = a.starts + row * (PASSES * DIGITS);
    for (u32 i = thread(); i < PASSES * DIGITS; i += THREADS) {
        u32 sum = 0;
        UNROLLED
        for (u32 p = 0; p < PARTS; ++p) sum += ((u32*)counts)[i * PARTS + p];
        if (sum > 0) atomicAdd(&starts[i], (Position)sum);
    }
}

// Turns the counts of each row and pass into the sums of those before: a block each.
ENTRY(DIGITS) void sort_starts(ARGUMENT Sort a) {
    Position* starts = a.starts + (u64)block() * DIGITS;
    Position total;
    const Position before = block_scan<DIGITS>(starts[thread()], total);
    starts[thread()] = before;
}

struct Ranking {
    u32 counts[WARPS][DIGITS];
    LaneMask masks[WARPS][DIGITS];
};

// The digits of a thread's keys, four to a word.
struct Digits {
    u32 words[(ITEMS + 3) / 4];

    template <class Digit> DEVICE_MEMBER void set(Digit digit) {
        UNROLLED
        for (u32 i = 0; i < (ITEMS + 3) / 4; ++i) words[i] = 0;
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) words[i / 4] |= digit(i) << (i % 4 * 8);
    }
    DEVICE_MEMBER u32 operator[](u32 i) const { return words[i / 4] >> (i % 4 * 8) & 0xff; }
};

// Counts the digits of a tile. In the thread of each digit: how many there are and how many of smaller ones.
DEVICE void count_tile(const Digits& digits, Ranking& shared, u32& count, u32& before) {
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    UNROLLED
    for (u32 d = lane; d < DIGITS; d += WARP) {
        shared.counts[warp][d] = 0;
        shared.masks[warp][d] = 0;
    }
    warp_barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) atomicAdd(&shared.counts[warp][digits[i]], 1u);
    barrier();
    count = 0;
    if (thread() < DIGITS) {
        UNROLLED
        for (u32 w = 0; w < WARPS; ++w) count += shared.counts[w][thread()];
    }
    u32 total;
    before = block_scan<DIGITS>(count, total);
    if (thread() < DIGITS) {
        u32 running = before;
        UNROLLED
        for (u32 w = 0; w < WARPS; ++w) {
            const u32 here = shared.counts[w][thread()];
            shared.counts[w][thread()] = running;
            running += here;
        }
    }
    barrier();
}

// The place of each key in the sorted tile: behind those of smaller digits, and of equal ones in warps, rounds and lanes
// before.
DEVICE void rank_tile(const Digits& digits, Ranking& shared, u32 (&ranks)[ITEMS]) {
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    u32* counts = shared.counts[warp];
    LaneMask* masks = shared.masks[warp];
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) {
        const u32 own = digits[i];
        // The lanes of each digit find each other by a word of memory in one round and by votes in the next, which keeps
        // both the memory and the arithmetic busy. The last one counts for all.
        const bool by_memory = i % 2 == 0;
        LaneMask same;
        if (by_memory) {
            atomicOr(&masks[own], (LaneMask)1 << lane);
            warp_barrier();
            same = masks[own];
        } else same = peers<8>(own);
        const u32 upto = lanes_in(same & lanes_upto(lane)), last = last_lane(same);
        u32 start = 0;
        if (lane == last) {
            start = atomicAdd(&counts[own], upto);
            if (by_memory) masks[own] = 0;
        }
        warp_barrier();
        ranks[i] = shuffle_from(start, last) + upto - 1;
    }
}

// What moves with the keys in a sweep.
enum { NOTHING, POSITIONS, ELEMENTS };

// Memory of a block, used for one thing after the other.
template <int WITH> union Staging {
    Ranking ranking;
    Key keys[TILE];
    Position positions[WITH == POSITIONS ? TILE : 1];
    First first[WITH == ELEMENTS ? TILE : 1];
    Second second[WITH == ELEMENTS ? TILE : 1];
};

// One number of each of a thread's elements.
template <class Unit> DEVICE void load_units(Unit (&units)[ITEMS], const Unit* from, u32 stride, u32 own, u32 live) {
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) units[i] = own + i * WARP < live ? from[(own + i * WARP) * stride] : (Unit)0;
}

// Moves them to their ranks in the tile, and from there to memory in runs.
template <class Unit> DEVICE void move_units(
    Unit* staged, const Unit (&units)[ITEMS], const u32 (&ranks)[ITEMS], const Position* targets, Unit* to, u64 stride, u32 live
) {
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) staged[ranks[i]] = units[i];
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) {
        const u32 slot = i * THREADS + thread();
        if (slot < live) to[targets[i] * stride] = staged[slot];
    }
}

template <int WITH> DEVICE void sweep(const Sort& a) {
    constexpr bool PAIRS = WITH == POSITIONS;
    SHARED Staging<WITH> staging;
    SHARED Position places[DIGITS];
    SHARED u32 ticket;
    const u32 lane = thread() % WARP, warp = thread() / WARP, pass = (u32)a.pass;
    const u32 bits = (u32)a.digit_bits, shift = pass * bits;
    // Blocks take their tiles in the order in which they start, so the tiles before are under way.
    if (thread() == 0) ticket = take_ticket(a.ticket);
    barrier();
    const u64 row = ticket / a.tiles, tile = ticket - row * a.tiles;
    const u64 left = a.length - tile * TILE;
    const u32 live = left < TILE ? (u32)left : TILE;
    const u32 own = warp * (WARP * ITEMS) + lane;
    const u64 base = row * a.length + tile * TILE;

    Key keys[ITEMS];
    u32 ranks[ITEMS];
    const Key* source = a.source + base + own;
    if (live == TILE) {
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) keys[i] = source[i * WARP];
    } else {
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) keys[i] = own + i * WARP < live ? source[i * WARP] : (Key)0;
    }
    // Short elements are under way while the keys are ranked, as far as there are registers.
    constexpr bool FIRST_EARLY = WITH == ELEMENTS && FIRST_UNITS * sizeof(First) <= 4;
    constexpr bool SECOND_EARLY = FIRST_EARLY && SECOND_UNITS == 1 && sizeof(Key) <= 4;
    const First* first_from = (const First*)a.carried_from[0] + base * FIRST_UNITS;
    const Second* second_from = (const Second*)a.carried_from[1] + base * SECOND_UNITS;
    First first[WITH == ELEMENTS ? ITEMS : 1];
    Second second[WITH == ELEMENTS ? ITEMS : 1];
    if constexpr (FIRST_EARLY) load_units(first, first_from, 1, own, live);
    if constexpr (SECOND_EARLY) load_units(second, second_from, 1, own, live);
    if (a.flags & FIRST) {
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) keys[i] = encoded(keys[i]);
    }
    Digits digits;
    digits.set([&](u32 i) { return digit_of(keys[i], shift, bits); });
    if (live < TILE) {
        // What lies past the end goes last.
        const Digits inside = digits;
        digits.set([&](u32 i) { return own + i * WARP < live ? inside[i] : DIGITS - 1; });
    }
    u32 count, before;
    count_tile(digits, staging.ranking, count, before);
    if (thread() == DIGITS - 1) count -= TILE - live;
    Position* state = a.states + (u64)ticket * DIGITS + thread();
    if (thread() < DIGITS) {
        write_word(state, (Position)((tile == 0 ? State<Position>::all : State<Position>::own) | count));
        if (a.next_states) a.next_states[(u64)ticket * DIGITS + thread()] = 0;
    }
    rank_tile(digits, staging.ranking, ranks);
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) staging.keys[ranks[i]] = keys[i];
    if (thread() < DIGITS) {
        Position earlier = 0;
        if (tile > 0) {
            enum { AT_ONCE = 4 };
            u64 left = tile;
            const Position* look = state - DIGITS;
            for (bool found = false; !found; look -= AT_ONCE * DIGITS, left -= AT_ONCE) {
                Position words[AT_ONCE];
                UNROLLED
                for (u32 i = 0; i < AT_ONCE; ++i) words[i] = i < left ? read_word(look - i * DIGITS) : 0;
                UNROLLED
                for (u32 i = 0; i < AT_ONCE; ++i) {
                    if (!found) {
                        while (words[i] == 0) words[i] = read_word(look - i * DIGITS);
                        earlier += words[i] & State<Position>::value;
                        found = (words[i] & State<Position>::all) != 0;
                    }
                }
            }
            write_word(state, (Position)(State<Position>::all | (earlier + count)));
        }
        places[thread()] = a.starts[(row * PASSES + pass) * DIGITS + thread()] + earlier - before;
    }
    barrier();

    Key* target = a.target + row * a.length;
    Position targets[WITH == NOTHING ? 1 : ITEMS];
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) {
        const u32 slot = i * THREADS + thread();
        if (slot < live) {
            const Key key = staging.keys[slot];
            const Position to = places[digit_of(key, shift, bits)] + slot;
            if (WITH == NOTHING || a.target) target[to] = a.flags & LAST ? decoded(key) : key;
            if (WITH != NOTHING) targets[i] = to;
        }
    }
    if (PAIRS) {
        barrier();
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) {
            const u32 at = own + i * WARP;
            Position position = (Position)(tile * TILE + at);
            if (a.from && at < live) position = a.from[base + at];
            staging.positions[ranks[i]] = position;
        }
        barrier();
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) {
            const u32 slot = i * THREADS + thread();
            if (slot < live) {
                const u64 to = row * a.length + targets[i];
                if (a.indices) a.indices[to] = (i64)staging.positions[slot];
                else a.to[to] = staging.positions[slot];
            }
        }
    }
    if constexpr (WITH == ELEMENTS) {
        First* first_to = (First*)a.carried_to[0] + row * a.length * FIRST_UNITS;
        Second* second_to = (Second*)a.carried_to[1] + row * a.length * SECOND_UNITS;
        UNROLLED
        for (u32 unit = 0; unit < FIRST_UNITS; ++unit) {
            if (!FIRST_EARLY) load_units(first, first_from + unit, FIRST_UNITS, own, live);
            move_units(staging.first, first, ranks, targets, first_to + unit, FIRST_UNITS, live);
        }
        UNROLLED
        for (u32 unit = 0; unit < SECOND_UNITS; ++unit) {
            if (!SECOND_EARLY) load_units(second, second_from + unit, SECOND_UNITS, own, live);
            move_units(staging.second, second, ranks, targets, second_to + unit, SECOND_UNITS, live);
        }
    }
}

ENTRY_RESIDENT(THREADS, RESIDENT) void sort_sweep(ARGUMENT Sort a) { sweep<CARRIES ? ELEMENTS : NOTHING>(a); }

#if !CARRIES
ENTRY_RESIDENT(THREADS, RESIDENT) void sort_sweep_pairs(ARGUMENT Sort a) { sweep<POSITIONS>(a); }

// Fetches what complex numbers are sorted by next, through the positions so far.
ENTRY(THREADS) void sort_fetch(ARGUMENT Sort a) {
    const u64 i = (u64)block() * THREADS + thread();
    if (i >= a.rows * a.length) return;
    const u64 at = a.from ? i / a.length * a.length + a.from[i] : i;
    a.target[i] = key_at(a.source, at, a.component, a.mode);
}

// Writes complex numbers in the order of their positions.
ENTRY(THREADS) void sort_gather(ARGUMENT Sort a) {
    const u64 i = (u64)block() * THREADS + thread();
    if (i >= a.rows * a.length) return;
    const u64 position = a.from[i], at = i / a.length * a.length + position;
    if (a.indices) a.indices[i] = (i64)position;
    if (a.target) {
        UNROLLED
        for (u32 c = 0; c < COMPONENTS; ++c) a.target[COMPONENTS * i + c] = a.source[COMPONENTS * at + c];
    }
}

#endif

union Exchange {
    Ranking ranking;
    Key keys[TILE];
    u16 positions[TILE];
};

// Moves keys and positions to their ranks in the tile.
DEVICE void exchange(Exchange& staging, const u32 (&ranks)[ITEMS], Key (&keys)[ITEMS], u16 (&positions)[ITEMS], u32 own) {
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) staging.keys[ranks[i]] = keys[i];
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) keys[i] = staging.keys[own + i * WARP];
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) staging.positions[ranks[i]] = positions[i];
    barrier();
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) positions[i] = staging.positions[own + i * WARP];
}

// Sorts `tiles` neighbouring rows a block, all of which fit into its tile.
ENTRY_RESIDENT(THREADS, RESIDENT) void sort_rows(ARGUMENT Sort a) {
    SHARED Exchange staging;
    const u32 lane = thread() % WARP, warp = thread() / WARP;
    const u32 own = warp * (WARP * ITEMS) + lane, length = (u32)a.length;
    const u64 first = (u64)block() * a.tiles;
    const u32 rows = a.rows - first < a.tiles ? (u32)(a.rows - first) : (u32)a.tiles;
    const u32 live = rows * length;
    const Key* source = a.source + first * a.length * COMPONENTS;
    Key keys[ITEMS];
    u16 positions[ITEMS];
    u32 ranks[ITEMS], count, before;
    Digits digits;
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) positions[i] = (u16)(own + i * WARP);
    ROLLED
    for (u32 turn = 0; turn < (COMPONENTS > 1 ? 3 : 1); ++turn) {
        const u32 passes = turn < COMPONENTS ? PASSES : 1;
        UNROLLED
        for (u32 i = 0; i < ITEMS; ++i) {
            keys[i] = 0;
            if (positions[i] < live) {
                keys[i] = encoded(key_at(source, positions[i], COMPONENTS - 1 - turn, turn < COMPONENTS ? BY_PART : BY_CLASS));
            }
        }
        ROLLED
        for (u32 pass = 0; pass < passes; ++pass) {
            digits.set([&](u32 i) { return positions[i] < live ? digit_of(keys[i], 8 * pass, 8) : DIGITS - 1; });
            barrier();
        count_tile(digits, staging.ranking, count, before);
        rank_tile(digits, staging.ranking, ranks);
            exchange(staging, ranks, keys, positions, own);
        }
    }
    ROLLED
    for (u32 shift = 0; (rows - 1) >> shift > 0; shift += 8) {
        digits.set([&](u32 i) {
            return positions[i] < live ? (positions[i] / length >> shift) & (DIGITS - 1) : DIGITS - 1;
        });
        barrier();
        count_tile(digits, staging.ranking, count, before);
        rank_tile(digits, staging.ranking, ranks);
        exchange(staging, ranks, keys, positions, own);
    }
    UNROLLED
    for (u32 i = 0; i < ITEMS; ++i) {
        const u32 at = own + i * WARP;
        if (at < live) {
            const u64 to = first * a.length + at;
            if (a.indices) a.indices[to] = (i64)(positions[i] % length);
            if (CARRIES) {
                const u64 from = first * a.length + positions[i];
                UNROLLED
                for (u32 unit = 0; unit < FIRST_UNITS; ++unit) {
                    ((First*)a.carried_to[0])[to * FIRST_UNITS + unit] =
                        ((const First*)a.carried_from[0])[from * FIRST_UNITS + unit];
                }
                UNROLLED
                for (u32 unit = 0; unit < SECOND_UNITS; ++unit) {
                    ((Second*)a.carried_to[1])[to * SECOND_UNITS + unit] =
                        ((const Second*)a.carried_from[1])[from * SECOND_UNITS + unit];
                }
            }
            if (a.target) {
                if (COMPONENTS == 1) a.target[to] = decoded(keys[i]);
                else {
                    UNROLLED
                    for (u32 c = 0; c < COMPONENTS; ++c) a.target[COMPONENTS * to + c] = source[COMPONENTS * positions[i] + c];
                }
            }
        }
    }
}
