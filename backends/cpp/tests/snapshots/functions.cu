// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 4
#define OUTER 1
#define INNER 0
#define WIDTH 2
#define VECTOR 0
#define UNROLL 1
#define AHEAD 1
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
    byte* operand[4];
    Divisor dim[1];
    i64 stride[1][4];
    u64 scalar[1][2];
};

// <common.h>

struct Results0 {
    f32 part0;
    bool part1;
};
FUNCTION Results0 function0_pick(const f32 v0, const i32 v1) {
    f32 l0 = 0;
    f32 x0[100];
    for (i32 i = 0; i < 100; ++i) x0[i] = v0;
    const f32 v2 = v0 * v0;
    x0[v1 < 0 ? 0 : v1 > 99 ? 99 : (i32)v1] = v2;
    const i32 v3 = (i32)3;
    const f32 v4 = x0[v3 < 0 ? 0 : v3 > 99 ? 99 : (i32)v3];
    l0 = v4;
    const f32 v5 = 1.0f;
    const bool v6 = v0 > v5;
    if (v6) {
        const i32 v7 = (i32)((u32)v1 + (u32)v1);
        const f32 v8 = x0[v7 < 0 ? 0 : v7 > 99 ? 99 : (i32)v7];
        l0 = v8;
    }
    const f32 v9 = l0;
    const f32 v10 = 0.0f;
    const bool v11 = v0 >= v10;
    const Results0 result = {v9, v11};
    return result;
}

struct Results1 {
    f32 part0;
    f32 part1;
};
FUNCTION Results1 function1_scaled(const f32 v12, const f32 v13, const f32 v14) {
    const f32 v15 = fabsf(v14);
    const f32 v16 = 9.223372e18f;
    const bool v17 = v15 < v16;
    const f32 v18 = -9.223372e18f;
    const f32 v19 = v17 ? v14 : v18;
    const i64 v20 = (i64)v19;
    const i32 v21 = (i32)v20;
    const Results0 all22 = function0_pick(v14, v21);
    const f32 v22 = all22.part0;
    const bool v23 = all22.part1;
    const f32 v24 = v23 ? v22 : v14;
    const f32 v25 = 0.0f;
    const f32 v26 = v12 * v24;
    const f32 v27 = v13 * v25;
    const f32 v28 = v26 - v27;
    const f32 v29 = v12 * v25;
    const f32 v30 = v13 * v24;
    const f32 v31 = v29 + v30;
    const Results1 result = {v28, v31};
    return result;
}

struct Element {
    f32 r0_0;
    f32 r1_0;
    f32 r1_1;
    f32 w2_0;
    f32 w2_1;
    f32 w3_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f32>(a.operand[0] + p.at[0]);
    e.r1_0 = load<f32>(a.operand[1] + p.at[1]);
    e.r1_1 = load<f32>(a.operand[1] + p.at[1] + 4);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<f32>(a.operand[2] + p.at[2], e.w2_0);
    store<f32>(a.operand[2] + p.at[2] + 4, e.w2_1);
    store<f32>(a.operand[3] + p.at[3], e.w3_0);
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
    {
        Pack<f32, 2 * WIDTH> pack;
        load_pack(a.operand[1] + p.at[1], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r1_0 = pack.at[2 * v + 0];
            e[v].r1_1 = pack.at[2 * v + 1];
        }
    }
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    {
        Pack<f32, 2 * WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            pack.at[2 * v + 0] = e[v].w2_0;
            pack.at[2 * v + 1] = e[v].w2_1;
        }
        store_pack(a.operand[2] + p.at[2], pack);
    }
    {
        Pack<f32, 1 * WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            pack.at[1 * v + 0] = e[v].w3_0;
        }
        store_pack(a.operand[3] + p.at[3], pack);
    }
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const f32 v32 = e.r0_0;
    const f32 v33 = e.r1_0;
    const f32 v34 = e.r1_1;
    const Results1 all35 = function1_scaled(v33, v34, v32);
    const f32 v35 = all35.part0;
    const f32 v36 = all35.part1;
    e.w2_0 = v35;
    e.w2_1 = v36;
    const i32 v37 = (i32)7;
    const Results0 all38 = function0_pick(v32, v37);
    const f32 v38 = all38.part0;
    const bool v39 = all38.part1;
    e.w3_0 = v38;
}

#define MAP cuproxide_called
// <map.h>

