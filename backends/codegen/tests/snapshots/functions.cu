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
    const f32 v10 = v9 + v0;
    const f32 v11 = v10 + v0;
    const f32 v12 = v11 + v0;
    const f32 v13 = v12 + v0;
    const f32 v14 = v13 + v0;
    const f32 v15 = v14 + v0;
    const f32 v16 = v15 + v0;
    const f32 v17 = v16 + v0;
    const f32 v18 = v17 + v0;
    const f32 v19 = v18 + v0;
    const f32 v20 = v19 + v0;
    const f32 v21 = v20 + v0;
    const f32 v22 = v21 + v0;
    const f32 v23 = v22 + v0;
    const f32 v24 = v23 + v0;
    const f32 v25 = v24 + v0;
    const f32 v26 = v25 + v0;
    const f32 v27 = v26 + v0;
    const f32 v28 = v27 + v0;
    const f32 v29 = v28 + v0;
    const f32 v30 = v29 + v0;
    const f32 v31 = v30 + v0;
    const f32 v32 = v31 + v0;
    const f32 v33 = v32 + v0;
    const f32 v34 = 0.0f;
    const bool v35 = v0 >= v34;
    const Results0 result = {v33, v35};
    return result;
}

struct Results1 {
    f32 part0;
    f32 part1;
};
FUNCTION Results1 function1_scaled(const f32 v36, const f32 v37, const f32 v38) {
    const f32 v39 = fabsf(v38);
    const f32 v40 = 9.223372e18f;
    const bool v41 = v39 < v40;
    const f32 v42 = -9.223372e18f;
    const f32 v43 = v41 ? v38 : v42;
    const i64 v44 = (i64)v43;
    const i32 v45 = (i32)v44;
    const Results0 all46 = function0_pick(v38, v45);
    const f32 v46 = all46.part0;
    const bool v47 = all46.part1;
    const f32 v48 = v47 ? v46 : v38;
    const f32 v49 = v48 * v38;
    const f32 v50 = v49 * v38;
    const f32 v51 = v50 * v38;
    const f32 v52 = v51 * v38;
    const f32 v53 = v52 * v38;
    const f32 v54 = v53 * v38;
    const f32 v55 = v54 * v38;
    const f32 v56 = v55 * v38;
    const f32 v57 = v56 * v38;
    const f32 v58 = v57 * v38;
    const f32 v59 = v58 * v38;
    const f32 v60 = v59 * v38;
    const f32 v61 = v60 * v38;
    const f32 v62 = v61 * v38;
    const f32 v63 = v62 * v38;
    const f32 v64 = v63 * v38;
    const f32 v65 = v64 * v38;
    const f32 v66 = v65 * v38;
    const f32 v67 = v66 * v38;
    const f32 v68 = v67 * v38;
    const f32 v69 = v68 * v38;
    const f32 v70 = v69 * v38;
    const f32 v71 = v70 * v38;
    const f32 v72 = v71 * v38;
    const f32 v73 = 0.0f;
    const f32 v74 = v36 * v72;
    const f32 v75 = v37 * v73;
    const f32 v76 = v74 - v75;
    const f32 v77 = v36 * v73;
    const f32 v78 = v37 * v72;
    const f32 v79 = v77 + v78;
    const Results1 result = {v76, v79};
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
    const f32 v80 = e.r0_0;
    const f32 v81 = e.r1_0;
    const f32 v82 = e.r1_1;
    const Results1 all83 = function1_scaled(v81, v82, v80);
    const f32 v83 = all83.part0;
    const f32 v84 = all83.part1;
    e.w2_0 = v83;
    e.w2_1 = v84;
    const i32 v85 = (i32)7;
    const Results0 all86 = function0_pick(v80, v85);
    const f32 v86 = all86.part0;
    const bool v87 = all86.part1;
    e.w3_0 = v86;
}

#define MAP cuproxide_called
// <map.h>

