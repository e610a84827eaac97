// <prelude>

// Calls the mathematical library.
typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 1
#define WIDTH 1
#define VECTOR -1
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

struct Element {
    u16 r0_0;
    u16 w1_0;
    f32 h2;
    f32 h13;
};

struct Row {
    f32 v6;
    f32 v34;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<u16>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<u16>(a.operand[1] + p.at[1], e.w1_0);
}

// <shuffle.h>

struct Pass0 {
enum { PARTIALS = 4 };
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
        for (u32 v = 0; v < WIDTH; ++v) pack.at[v] = e[v].h2;
        store_pack(slot + 0 * WIDTH, pack);
    }
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    e[0].r0_0 = load<u16>(a.operand[0] + p.at[0]);
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
    const u16 v1 = e.r0_0;
    const f32 v2 = half_to_float(v1);
    e.h2 = v2;
    Accumulator result;
    result.part0 = v2;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f32 v3 = earlier.part0;
    const f32 v4 = later.part0;
    const f32 v5 = maximum(v3, v4);
    Accumulator result;
    result.part0 = v5;
    return result;
}

DEVICE void finish(const Arguments& a, const Place& p, i64 outer, const Accumulator& value, Row& row, bool first) {
    const i64 index = 0;
    const f32 v6 = value.part0;
    row.v6 = v6;
}

};

struct Pass1 {
enum { PARTIALS = 4 };
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
        for (u32 v = 0; v < WIDTH; ++v) e[v].h2 = pack.at[v];
    }
}

DEVICE void keep(const Arguments& a, byte* slot, const Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) pack.at[v] = e[v].h13;
        store_pack(slot + 0 * WIDTH, pack);
    }
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
}

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const f64 v7 = 0.0;
    Accumulator result;
    result.part0 = v7;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e, const Row& row) {
    const f32 v6 = row.v6;
    const f32 v2 = e.h2;
    const f32 v8 = v2 - v6;
    const u16 v9 = float_to_half(v8);
    const f32 v10 = half_to_float(v9);
    const f32 v11 = expf(v10);
    const u16 v12 = float_to_half(v11);
    const f32 v13 = half_to_float(v12);
    const f64 v14 = (f64)v13;
    e.h13 = v13;
    Accumulator result;
    result.part0 = v14;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f64 v15 = earlier.part0;
    const f64 v16 = later.part0;
    const f64 v17 = v15 + v16;
    Accumulator result;
    result.part0 = v17;
    return result;
}

DEVICE void finish(const Arguments& a, const Place& p, i64 outer, const Accumulator& value, Row& row, bool first) {
    const i64 index = 0;
    const f64 v18 = value.part0;
    const f32 v6 = row.v6;
    const f32 v19 = (f32)v18;
    const f64 v20 = (f64)v19;
    const bool v21 = v20 < v18;
    const bool v22 = v20 > v18;
    const bool v23 = (bool)(v21 | v22);
    const f64 v24 = fabs(v20);
    const f64 v25 = fabs(v18);
    const bool v26 = v24 > v25;
    const u32 v27 = bitcast<u32>(v19);
    const u32 v28 = (u32)v26;
    const u32 v29 = (u32)((u32)v27 - (u32)v28);
    const u32 v30 = (u32)v23;
    const u32 v31 = (u32)(v29 | v30);
    const f32 v32 = bitcast<f32>(v31);
    const u16 v33 = float_to_half(v32);
    const f32 v34 = half_to_float(v33);
    row.v34 = v34;
}

};

struct Last {
DEVICE void recall(const Arguments& a, byte* slot, Element (&e)[WIDTH]) {
    {
        Pack<f32, WIDTH> pack;
        load_pack(slot + 0 * WIDTH, pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) e[v].h13 = pack.at[v];
    }
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    store<u16>(a.operand[1] + p.at[1], e[0].w1_0);
}

DEVICE void map(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e, const Row& row) {
    const f32 v6 = row.v6;
    const f32 v34 = row.v34;
    const f32 v13 = e.h13;
    const f32 v35 = v13 / v34;
    const u16 v36 = float_to_half(v35);
    e.w1_0 = v36;
}

};

#define AT_ONCE 4
#define RESIDENT 2
#define SLOT 4
#define ROWS cuproxide_normalised_float16
#define PASSES fold_pass<Pass0>(t, row); fold_pass<Pass1>(t, row); map_row<Last>(t, row);
// <rows.h>

