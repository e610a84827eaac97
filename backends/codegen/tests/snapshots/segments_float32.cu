// <prelude>

typedef u32 Index;
typedef i32 Offset;
#define THREADS 256
#define OPERANDS 5
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
    byte* operand[5];
    Divisor dim[2];
    i64 stride[2][5];
    u64 scalar[1][2];
};

// <common.h>

// <shuffle.h>

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

struct Range {
    i64 begin, end;
};

DEVICE Range find_range(const Arguments& a, const Place& p, i64 outer) {
    const i64 index = 0, length = (i64)a.inner_size;
    const i32 v0 = load<i32>(a.operand[0] + p.at[0]);
    const i64 v1 = (i64)v0;
    const i32 v2 = load<i32>(a.operand[1] + p.at[1]);
    const i64 v3 = (i64)v2;
    const i64 begin = v1 < 0 ? 0 : v1 > length ? length : v1;
    const i64 end = v3 < begin ? begin : v3 > length ? length : v3;
    const Range range = {begin, end};
    return range;
}

DEVICE Accumulator identity(const Arguments& a, i64 outer) {
    const i64 index = 0;
    const Place p = origin();
    const f32 v4 = 0.0f;
    Accumulator result;
    result.part0 = v4;
    return result;
}

DEVICE Accumulator map(const Arguments& a, const Place& p, i64 index, i64 outer, const Range& range) {
    const i64 v1 = range.begin;
    const i64 v3 = range.end;
    const f32 v5 = load<f32>(a.operand[2] + p.at[2]);
    Accumulator result;
    result.part0 = v5;
    return result;
}

DEVICE Accumulator combine(const Arguments& a, const Accumulator& earlier, const Accumulator& later) {
    const i64 index = 0, outer = 0;
    const Place p = origin();
    const f32 v6 = earlier.part0;
    const f32 v7 = later.part0;
    const f32 v8 = v6 + v7;
    Accumulator result;
    result.part0 = v8;
    return result;
}

DEVICE void finish_point(const Arguments& a, const Place& p, i64 outer, const Accumulator& value) {
    const i64 index = 0;
    const Range range = find_range(a, p, outer);
    const i64 v1 = range.begin;
    const i64 v3 = range.end;
    const f32 v9 = value.part0;
    store<f32>(a.operand[3] + p.at[3], v9);
    const i64 v10 = (i64)((u64)v3 - (u64)v1);
    store<i64>(a.operand[4] + p.at[4], v10);
}

#define SEGMENTS cuproxide_segments_float32
#define COMBINE cuproxide_segments_float32_combine
#define RESIDENT 4
// <teams.h>

// <segments.h>

// <combine.h>

