// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 3
#define OUTER 2
#define INNER 0
#define WIDTH 2
#define VECTOR 1
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
    f32 r0_0;
    f32 r0_1;
    f32 r1_0;
    f32 r1_1;
    f32 w2_0;
    f32 w2_1;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<f32>(a.operand[0] + p.at[0]);
    e.r0_1 = load<f32>(a.operand[0] + p.at[0] + 4);
    e.r1_0 = load<f32>(a.operand[1] + p.at[1]);
    e.r1_1 = load<f32>(a.operand[1] + p.at[1] + 4);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
    store<f32>(a.operand[2] + p.at[2], e.w2_0);
    store<f32>(a.operand[2] + p.at[2] + 4, e.w2_1);
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<f32, 2 * WIDTH> pack;
        load_pack(a.operand[0] + p.at[0], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r0_0 = pack.at[2 * v + 0];
            e[v].r0_1 = pack.at[2 * v + 1];
        }
    }
    {
        Pack<f32, 2> pack;
        pack.at[0] = ((f32 const*)(a.operand[1] + p.at[1]))[0];
        pack.at[1] = ((f32 const*)(a.operand[1] + p.at[1]))[1];
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r1_0 = pack.at[0];
            e[v].r1_1 = pack.at[1];
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
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const f32 v0 = e.r0_0;
    const f32 v1 = e.r0_1;
    const f32 v2 = e.r1_0;
    const f32 v3 = e.r1_1;
    const f32 v4 = v0 + v2;
    const f32 v5 = v1 + v3;
    e.w2_0 = v4;
    e.w2_1 = v5;
}

#define MAP cuproxide_add_complex64
// <map.h>

