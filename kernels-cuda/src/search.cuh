// Where values belong in a sorted array.
//
// Each block keeps a search tree of the array, or of every STEP-th element of it, in its own memory, level by level, so
// that neighbours of a level lie in different banks. A value goes down the tree and, where elements were left out, on
// through those between two that are in it.
//
// The text before this file defines Value (how a value is stored), Key (an unsigned integer) and key_of (a value as a
// Key of the same order, NaN last).

enum { THREADS = 256, ROUNDS = 4, NODES = 16384 / sizeof(Key) };

struct Search {
    const Value* sorted;
    u64 length;
    const Value* values;
    u64 count;
    i64* out;
    u64 levels, step;    // of the tree: 2^levels - 1 elements, which are that far apart
    u64 right;           // whether equal elements go before a value
};

struct alignas(2 * sizeof(Value)) Two {
    Value at[2];
};

struct alignas(16) Places {
    i64 at[2];
};

DEVICE bool goes_before(Key element, Key key, bool right) { return element < key || (right && element == key); }

template <u32 COUNT> DEVICE void descend(const Search& a, const Key* tree, const Key (&keys)[COUNT], u64 (&places)[COUNT]) {
    const bool right = a.right != 0;
    const u32 levels = (u32)a.levels;
    u32 nodes[COUNT];
    UNROLLED
    for (u32 i = 0; i < COUNT; ++i) nodes[i] = 1;
    ROLLED
    for (u32 level = 0; level < levels; ++level) {
        UNROLLED
        for (u32 i = 0; i < COUNT; ++i) nodes[i] = 2 * nodes[i] + goes_before(tree[nodes[i]], keys[i], right);
    }
    const u32 most = (u32)(a.length / a.step);
    u64 ends[COUNT];
    UNROLLED
    for (u32 i = 0; i < COUNT; ++i) {
        // What fills the tree up is no element.
        const u32 before = nodes[i] - (1u << levels);
        places[i] = (before < most ? before : most) * a.step;
        ends[i] = a.length - places[i] < a.step - 1 ? a.length : places[i] + a.step - 1;
    }
    ROLLED
    for (u64 left = a.step - 1; left > 0; left /= 2) {
        UNROLLED
        for (u32 i = 0; i < COUNT; ++i) {
            if (places[i] < ends[i]) {
                const u64 middle = (places[i] + ends[i]) / 2;
                if (goes_before(key_of(a.sorted[middle]), keys[i], right)) places[i] = middle + 1;
                else ends[i] = middle;
            }
        }
    }
}

ENTRY(THREADS) void search(ARGUMENT Search a) {
    SHARED Key tree[NODES];
    for (u32 rank = thread() + 1; rank < 1u << a.levels; rank += THREADS) {
        const u32 below = trailing_zeros(rank);
        const u32 node = (1u << ((u32)a.levels - 1 - below)) + (rank >> (below + 1));
        const u64 at = rank * a.step - 1;
        tree[node] = at < a.length ? key_of(a.sorted[at]) : ~(Key)0;
    }
    barrier();
    const u64 pairs = (u64)a.values % sizeof(Two) == 0 ? a.count / 2 : 0, stride = (u64)blocks() * (THREADS * ROUNDS);
    ROLLED
    for (u64 base = (u64)block() * (THREADS * ROUNDS) + thread(); base < pairs; base += stride) {
        Key keys[2 * ROUNDS];
        u64 places[2 * ROUNDS];
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) {
            const u64 at = base + r * THREADS;
            const Two two = ((const Two*)a.values)[at < pairs ? at : pairs - 1];
            keys[2 * r] = key_of(two.at[0]);
            keys[2 * r + 1] = key_of(two.at[1]);
        }
        descend(a, tree, keys, places);
        UNROLLED
        for (u32 r = 0; r < ROUNDS; ++r) {
            const Places both = {{(i64)places[2 * r], (i64)places[2 * r + 1]}};
            if (base + r * THREADS < pairs) ((Places*)a.out)[base + r * THREADS] = both;
        }
    }
    ROLLED
    for (u64 at = 2 * pairs + (u64)block() * THREADS + thread(); at < a.count; at += (u64)blocks() * THREADS) {
        const Key keys[1] = {key_of(a.values[at])};
        u64 places[1];
        descend(a, tree, keys, places);
        a.out[at] = (i64)places[0];
    }
}
