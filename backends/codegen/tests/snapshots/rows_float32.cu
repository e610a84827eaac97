// <prelude>

// Calls the mathematical library.
typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 1
#define WIDTH 4
#define VECTOR 1
#define UNROLL 4
#define AHEAD 4
#define LANES 16
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

struct Element {
    f32 r0_0;
    f32 w1_0;
    f32 h1;
    f32 h8;
};

struct Row {
    f32 v5;
    f32 v14;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f32>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<f32>(a.operand[1] + p.at[1], e.w1_0);
}

// <shuffle.h>

struct Pass0 {
enum { PARTIALS = 16 };
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

DEVICE void recall(const Arguments& a, byte* slot, Element (&e)[WIDTH]) {
}

DEVICE void keep(const Arguments& a, byte* slot, const Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) pack.at[v] = e[v].h1;
        store_pack(slot + 0 * WIDTH, pack);
    }
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

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const f32 v0 = bitcast<f32>(0xff800000u);
    Accumulator result;
    result.part0 = v0;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e, const Row& row) {
    const f32 v1 = e.r0_0;
    e.h1 = v1;
    Accumulator result;
    result.part0 = v1;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f32 v2 = earlier.part0;
    const f32 v3 = later.part0;
    const f32 v4 = maximum(v2, v3);
    Accumulator result;
    result.part0 = v4;
    return result;
}

DEVICE void finish(const Arguments& a, const Place& p, i64 outer, const Accumulator& value, Row& row, bool first) {
    const i64 index = 0;
    const f32 v5 = value.part0;
    row.v5 = v5;
}

};

struct Pass1 {
enum { PARTIALS = 8 };
struct Accumulator {
    f64 part0;
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

DEVICE void recall(const Arguments& a, byte* slot, Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        load_pack(slot + 0 * WIDTH, pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) e[v].h1 = pack.at[v];
    }
}

DEVICE void keep(const Arguments& a, byte* slot, const Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) pack.at[v] = e[v].h8;
        store_pack(slot + 0 * WIDTH, pack);
    }
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
}

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const f64 v6 = 0.0;
    Accumulator result;
    result.part0 = v6;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e, const Row& row) {
    const f32 v5 = row.v5;
    const f32 v1 = e.h1;
    const f32 v7 = v1 - v5;
    const f32 v8 = expf(v7);
    const f64 v9 = (f64)v8;
    e.h8 = v8;
    Accumulator result;
    result.part0 = v9;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f64 v10 = earlier.part0;
    const f64 v11 = later.part0;
    const f64 v12 = v10 + v11;
    Accumulator result;
    result.part0 = v12;
    return result;
}

DEVICE void finish(const Arguments& a, const Place& p, i64 outer, const Accumulator& value, Row& row, bool first) {
    const i64 index = 0;
    const f64 v13 = value.part0;
    const f32 v5 = row.v5;
    const f32 v14 = (f32)v13;
    row.v14 = v14;
}

};

struct Last {
DEVICE void recall(const Arguments& a, byte* slot, Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        load_pack(slot + 0 * WIDTH, pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) e[v].h8 = pack.at[v];
    }
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    {
        Pack<f32, 1 * WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            pack.at[1 * v + 0] = e[v].w1_0;
        }
        store_pack(a.operand[1] + p.at[1], pack);
    }
}

DEVICE void map(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e, const Row& row) {
    const f32 v5 = row.v5;
    const f32 v14 = row.v14;
    const f32 v8 = e.h8;
    const f32 v15 = v8 / v14;
    e.w1_0 = v15;
}

};

#define AT_ONCE 4
#define RESIDENT 4
#define SLOT 16
#define ROWS cuproxide_normalised_float32
#define PASSES fold_pass<Pass0>(t, row); fold_pass<Pass1>(t, row); map_row<Last>(t, row);
// <rows.h>

