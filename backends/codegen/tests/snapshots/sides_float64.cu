// <prelude>

// Calls the mathematical library.
// <logarithm>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 0
#define WIDTH 1
#define VECTOR -1
#define UNROLL 1
#define AHEAD 1
#define LANES 1
#define PURE 1
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

struct Element {
    f64 r0_0;
    f64 w1_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f64>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<f64>(a.operand[1] + p.at[1], e.w1_0);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    e[0].r0_0 = load<f64>(a.operand[0] + p.at[0]);
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    store<f64>(a.operand[1] + p.at[1], e[0].w1_0);
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    f64 l0 = 0;
    f64 l1 = 0;
    const f64 v0 = e.r0_0;
    const f64 v1 = 0.0;
    const f64 v2 = 1.0;
    const f64 v3 = exp(v0);
    const f64 v12 = v0 * v0;
    const bool v13 = v0 > v1;
    if (v13) {
        const bool v7 = v0 > v2;
        if (v7) {
            const f64 v4 = log(v3);
            const f64 v5 = sin(v0);
            const f64 v6 = v4 * v5;
            l1 = v6;
        } else {
            const f64 v8 = logarithm_1p(v3);
            l1 = v8;
        }
        const f64 v9 = l1;
        l0 = v9;
    } else {
        const f64 v10 = v3 <= v2 ? v2 : v3;
        const f64 v11 = v10 + v0;
        l0 = v11;
    }
    const f64 v14 = l0;
    const bool v15 = v0 < v2;
    const f64 v16 = v15 ? v2 : v12;
    const f64 v17 = v14 + v16;
    e.w1_0 = v17;
}

#define MAP cuproxide_sides
// <map.h>

