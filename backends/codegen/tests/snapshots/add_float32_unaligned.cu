// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 3
#define OUTER 1
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
    Divisor dim[1];
    i64 stride[1][3];
    u64 scalar[1][2];
};

#define UNALIGNED
// <common.h>

struct Element {
    f32 r0_0;
    f32 r1_0;
    f32 w2_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f32>(a.operand[0] + p.at[0]);
    e.r1_0 = load<f32>(a.operand[1] + p.at[1]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<f32>(a.operand[2] + p.at[2], e.w2_0);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    e[0].r0_0 = load<f32>(a.operand[0] + p.at[0]);
    e[0].r1_0 = load<f32>(a.operand[1] + p.at[1]);
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    store<f32>(a.operand[2] + p.at[2], e[0].w2_0);
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const f32 v0 = e.r0_0;
    const f32 v1 = e.r1_0;
    const f32 v2 = v0 + v1;
    e.w2_0 = v2;
}

#define MAP cuproxide_add_float32
// <map.h>

