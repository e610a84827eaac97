// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 3
#define OUTER 2
#define INNER 0
#define WIDTH 1
#define VECTOR -1
#define UNROLL 4
#define AHEAD 4
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
    byte* operand[3];
    Divisor dim[2];
    i64 stride[2][3];
    u64 scalar[1][2];
};

// <common.h>

struct Element {
    u16 r0_0;
    u16 r1_0;
    u16 w2_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<u16>(a.operand[0] + p.at[0]);
    e.r1_0 = load<u16>(a.operand[1] + p.at[1]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<u16>(a.operand[2] + p.at[2], e.w2_0);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    e[0].r0_0 = load<u16>(a.operand[0] + p.at[0]);
    e[0].r1_0 = load<u16>(a.operand[1] + p.at[1]);
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    store<u16>(a.operand[2] + p.at[2], e[0].w2_0);
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const u16 v0 = e.r0_0;
    const f32 v1 = half_to_float(v0);
    const u16 v2 = e.r1_0;
    const f32 v3 = half_to_float(v2);
    const f32 v4 = v1 + v3;
    const u16 v5 = float_to_half(v4);
    e.w2_0 = v5;
}

#define MAP cuproxide_add_float16
// <map.h>

