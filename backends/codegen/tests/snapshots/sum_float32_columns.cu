// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 1
#define WIDTH 4
#define VECTOR 0
#define UNROLL 4
#define AHEAD 4
#define LANES 4
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
};

DEVICE Accumulator shuffled_down(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_down_any(value.part0, by);
    return moved;
}
DEVICE Accumulator shuffled_up(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_up_any(value.part0, by);
    return moved;
}
DEVICE Accumulator shuffled_from(const Accumulator& value, u32 by) {
    Accumulator moved;
    moved.part0 = shuffle_from_any(value.part0, by);
    return moved;
}

struct Element {
    f32 r0_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f32>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<f32, 1 * WIDTH> pack;
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
    const f32 v0 = 0.0f;
    Accumulator result;
    result.part0 = v0;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, const Element& e) {
    const f32 v1 = e.r0_0;
    Accumulator result;
    result.part0 = v1;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f32 v2 = earlier.part0;
    const f32 v3 = later.part0;
    const f32 v4 = v2 + v3;
    Accumulator result;
    result.part0 = v4;
    return result;
}

DEVICE void finish_point(const Arguments& a, const Place& p, i64 outer, const Accumulator& value) {
    const i64 index = 0;
    const f32 v5 = value.part0;
    store<f32>(a.operand[1] + p.at[1], v5);
}

#define REDUCE cuproxide_sum_float32
#define COMBINE cuproxide_sum_float32_combine
#define RESIDENT 4
// <teams.h>

// <fold.h>

// <fold_columns.h>

// <reduce_columns.h>

// <combine.h>

