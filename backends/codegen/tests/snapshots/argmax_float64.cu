// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 0
#define INNER 1
#define WIDTH 2
#define VECTOR 0
#define UNROLL 4
#define AHEAD 4
#define LANES 1
#define PURE 0
#define BLIND 0
#define COMMUTATIVE 0

struct Divisor {
    u64 length, packs, magic, shift;
};

struct Arguments {
    u64 outer_size, inner_size;
    u32* fault;
    byte* scratch;
    u64 plan[8];
    byte* operand[2];
    Divisor dim[1];
    i64 stride[1][2];
    u64 scalar[1][2];
};

// <common.h>

// <shuffle.h>

struct Accumulator {
    f64 part0;
    i64 part1;
};

DEVICE Accumulator shuffled_down(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_down_any(value.part0, by);
    moved.part1 = shuffle_down_any(value.part1, by);
    return moved;
}
DEVICE Accumulator shuffled_up(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_up_any(value.part0, by);
    moved.part1 = shuffle_up_any(value.part1, by);
    return moved;
}
DEVICE Accumulator shuffled_from(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_from_any(value.part0, by);
    moved.part1 = shuffle_from_any(value.part1, by);
    return moved;
}

struct Element {
    f64 r0_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f64>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<f64, 1 * WIDTH> pack;
        load_pack(a.operand[0] + p.at[0], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r0_0 = pack.at[1 * v + 0];
        }
    }
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
}

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const f64 v0 = bitcast<f64>(0xfff0000000000000ull);
    const i64 v1 = 0ll;
    Accumulator result;
    result.part0 = v0;
    result.part1 = v1;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, const Element& e) {
    const f64 v2 = e.r0_0;
    const i64 v3 = index;
    Accumulator result;
    result.part0 = v2;
    result.part1 = v3;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f64 v4 = earlier.part0;
    const i64 v5 = earlier.part1;
    const f64 v6 = later.part0;
    const i64 v7 = later.part1;
    const bool v8 = v6 > v4;
    const f64 v9 = v8 ? v6 : v4;
    const i64 v10 = v8 ? v7 : v5;
    Accumulator result;
    result.part0 = v9;
    result.part1 = v10;
    return result;
}

DEVICE void finish_point(const Arguments& a, const Place& p, i64 outer, const Accumulator& value) {
    const i64 index = 0;
    const f64 v11 = value.part0;
    const i64 v12 = value.part1;
    store<i64>(a.operand[1] + p.at[1], v12);
}

#define REDUCE cuproxide_argmax_float64
#define COMBINE cuproxide_argmax_float64_combine
#define RESIDENT 4
// <teams.h>

// <fold.h>

// <fold_row.h>

// <reduce_rows.h>

// <combine.h>

