// <prelude>

// <atomics>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 3
#define OUTER 1
#define INNER 0
#define WIDTH 4
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
    byte* operand[3];
    Divisor dim[1];
    i64 stride[1][3];
    u64 scalar[1][2];
};

// <common.h>

struct Element {
    i64 r0_0;
    f32 r1_0;
};

DEVICE void fetch(const Arguments& a, const Place& p, Element& e) {
    e.r0_0 = load<i64>(a.operand[0] + p.at[0]);
    e.r1_0 = load<f32>(a.operand[1] + p.at[1]);
}

DEVICE void commit(const Arguments& a, const Place& p, const Element& e) {
}

DEVICE void fetch_pack(const Arguments& a, const Place& p, Element (&e)[WIDTH]) {
    {
        Pack<i64, 1 * WIDTH> pack;
        load_pack(a.operand[0] + p.at[0], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r0_0 = pack.at[1 * v + 0];
        }
    }
    {
        Pack<f32, 1 * WIDTH> pack;
        load_pack(a.operand[1] + p.at[1], pack);
        UNROLLED
        for (u32 v = 0; v < WIDTH; ++v) {
            e[v].r1_0 = pack.at[1 * v + 0];
        }
    }
}

DEVICE void commit_pack(const Arguments& a, const Place& p, const Element (&e)[WIDTH]) {
}

DEVICE void point(const Arguments& a, const Place& p, i64 index, i64 outer, Element& e) {
    const i64 v0 = e.r0_0;
    const f32 v1 = e.r1_0;
    const i64 v2 = (i64)a.scalar[0][0];
    const i64 v3 = 0ll;
    const bool v4 = v0 >= v3;
    const bool v5 = v0 < v2;
    const bool v6 = (bool)(v4 & v5);
    if (!v6) record_fault(a.fault, 1u);
    const i64 v7 = v6 ? v0 : v3;
    const i64 v8 = 4ll;
    const i64 v9 = (i64)((u64)v7 * (u64)v8);
    atomic_add(a.operand[2] + p.at[2] + v9, v1);
}

#define MAP cuproxide_scatter_add
// <map.h>

