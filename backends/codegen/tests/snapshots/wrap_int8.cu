// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 2
#define OUTER 1
#define INNER 0
#define WIDTH 16
#define VECTOR 0
#define UNROLL 2
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
    i8 r0_0;
    i8 w1_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<i8>(a.operand[0] + p.at[0]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<i8>(a.operand[1] + p.at[1], e.w1_0);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<i8, 1 * WIDTH> pack;
        load_pack(a.operand[0] + p.at[0], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r0_0 = pack.at[1 * v + 0];
        }
    }
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
    {
        Pack<i8, 1 * WIDTH> pack;
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            pack.at[1 * v + 0] = e[v].w1_0;
        }
        store_pack(a.operand[1] + p.at[1], pack);
    }
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const i8 v0 = e.r0_0;
    const i8 v1 = (i8)a.scalar[0][0];
    const i8 v2 = (i8)((u32)v0 * (u32)v1);
    const i8 v3 = (i8)((u32)v2 - (u32)v0);
    const i8 v4 = (i8)2;
    const i8 v5 = (i8)(v3 >> v4);
    e.w1_0 = v5;
}

#define MAP cuproxide_wrap
// <map.h>

