// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 1
#define WIDTH 8
#define VECTOR 0
#define UNROLL 4
#define AHEAD 4
#define LANES 1
#define PURE 0
#define BLIND 0
#define COMMUTATIVE 1

struct Divisor {
    u64 length, packs, magic, shift;
};

struct Arguments {
    u64 outer_size, inner_size;
    u32* fault;
    byte* scratch;
    u64 plan[8];
    byte* operand[2];
    Divisor dim[2];
    i64 stride[2][2];
    u64 scalar[1][2];
};

// <common.h>

// <shuffle.h>

struct Accumulator {
    f32 part0;
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
    u16 r0_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<u16>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<u16, 1 * WIDTH> pack;
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
    const f32 v0 = bitcast<f32>(0xff800000u);
    const i64 v1 = 9223372036854775807ll;
    Accumulator result;
    result.part0 = v0;
    result.part1 = v1;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, const Element& e) {
    const u16 v2 = e.r0_0;
    const f32 v3 = widen_half(v2);
    const i64 v4 = index;
    Accumulator result;
    result.part0 = v3;
    result.part1 = v4;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f32 v5 = earlier.part0;
    const i64 v6 = earlier.part1;
    const f32 v7 = later.part0;
    const i64 v8 = later.part1;
    const bool v9 = v7 > v5;
    const bool v10 = v7 == v5;
    const bool v11 = v8 < v6;
    const bool v12 = (bool)(v10 & v11);
    const bool v13 = (bool)(v9 | v12);
    const f32 v14 = v13 ? v7 : v5;
    const i64 v15 = v13 ? v8 : v6;
    Accumulator result;
    result.part0 = v14;
    result.part1 = v15;
    return result;
}

DEVICE void finish_point(const Arguments& a, const Place& p, i64 outer, const Accumulator& value) {
    const i64 index = 0;
    const f32 v16 = value.part0;
    const i64 v17 = value.part1;
    store<i64>(a.operand[1] + p.at[1], v17);
}

#define REDUCE cuproxide_first_argmax_float16
#define COMBINE cuproxide_first_argmax_float16_combine
#define RESIDENT 3
// <teams.h>

// <fold.h>

#define POSITION part1
#define WHOLE 1
// <places.h>

// <place_columns.h>

// <reduce_columns.h>

// <combine.h>

