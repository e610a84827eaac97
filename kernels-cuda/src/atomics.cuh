// Indivisible updates of every storage type, on top of what the hardware has.

// Replaces the bits at `at` by `next` of them until nobody came in between.
template <class Bits, class Next> DEVICE void atomic_replace(byte* at, Next next) {
    Bits* word = (Bits*)at;
    Bits seen = read_word(word);
    for (;;) {
        const Bits wanted = next(seen);
        if (wanted == seen) return;
        const Bits found = swap_if_equal(word, seen, wanted);
        if (found == seen) return;
        seen = found;
    }
}

// The same for one byte of an aligned 32-bit word.
template <class Next> DEVICE void atomic_replace_byte(byte* at, Next next) {
    const u32 shift = (u32)((u64)at & 3) * 8;
    atomic_replace<u32>((byte*)((u64)at & ~3ull), [=](u32 word) {
        const u8 old = (u8)(word >> shift);
        return (word & ~(0xffu << shift)) | ((u32)next(old) << shift);
    });
}

DEVICE void atomic_add(byte* at, i32 value) { atomicAdd((i32*)at, value); }
DEVICE void atomic_add(byte* at, u32 value) { atomicAdd((u32*)at, value); }
DEVICE void atomic_add(byte* at, i64 value) { atomicAdd((u64*)at, (u64)value); }
DEVICE void atomic_add(byte* at, u64 value) { atomicAdd((u64*)at, value); }
DEVICE void atomic_add(byte* at, f32 value) { atomicAdd((f32*)at, value); }
DEVICE void atomic_add(byte* at, f64 value) { atomicAdd((f64*)at, value); }
DEVICE void atomic_add(byte* at, i16 value) {
    atomic_replace<u16>(at, [=](u16 old) { return (u16)(old + (u16)value); });
}
DEVICE void atomic_add(byte* at, u16 value) {
    atomic_replace<u16>(at, [=](u16 old) { return (u16)(old + value); });
}
DEVICE void atomic_add(byte* at, i8 value) {
    atomic_replace_byte(at, [=](u8 old) { return (u8)(old + (u8)value); });
}
DEVICE void atomic_add(byte* at, u8 value) {
    atomic_replace_byte(at, [=](u8 old) { return (u8)(old + value); });
}

DEVICE void atomic_min(byte* at, i32 value) { atomicMin((i32*)at, value); }
DEVICE void atomic_min(byte* at, u32 value) { atomicMin((u32*)at, value); }
DEVICE void atomic_min(byte* at, i64 value) { atomicMin((i64*)at, value); }
DEVICE void atomic_min(byte* at, u64 value) { atomicMin((u64*)at, value); }
DEVICE void atomic_max(byte* at, i32 value) { atomicMax((i32*)at, value); }
DEVICE void atomic_max(byte* at, u32 value) { atomicMax((u32*)at, value); }
DEVICE void atomic_max(byte* at, i64 value) { atomicMax((i64*)at, value); }
DEVICE void atomic_max(byte* at, u64 value) { atomicMax((u64*)at, value); }

#define ATOMIC_EXTREMA(replace, T, Bits, pick_min, pick_max) \
    DEVICE void atomic_min(byte* at, T value) { \
        replace(at, [=](Bits old) { const T a = bitcast<T>(old); return bitcast<Bits>((T)(pick_min)); }); \
    } \
    DEVICE void atomic_max(byte* at, T value) { \
        replace(at, [=](Bits old) { const T a = bitcast<T>(old); return bitcast<Bits>((T)(pick_max)); }); \
    }
ATOMIC_EXTREMA(atomic_replace_byte, i8, u8, a < value ? a : value, a > value ? a : value)
ATOMIC_EXTREMA(atomic_replace_byte, u8, u8, a < value ? a : value, a > value ? a : value)
ATOMIC_EXTREMA(atomic_replace<u16>, i16, u16, a < value ? a : value, a > value ? a : value)
ATOMIC_EXTREMA(atomic_replace<u16>, u16, u16, a < value ? a : value, a > value ? a : value)
ATOMIC_EXTREMA(atomic_replace<u32>, f32, u32, minimum(a, value), maximum(a, value))
ATOMIC_EXTREMA(atomic_replace<u64>, f64, u64, minimum(a, value), maximum(a, value))
#undef ATOMIC_EXTREMA

// Truth values: any byte but 0 is true in memory, `value` is 0 or 1.
DEVICE void atomic_or_bool(byte* at, u8 value) {
    atomic_replace_byte(at, [=](u8 old) { return (u8)((old != 0) | value); });
}
DEVICE void atomic_and_bool(byte* at, u8 value) {
    atomic_replace_byte(at, [=](u8 old) { return (u8)((old != 0) & value); });
}

DEVICE u16 float_to_bfloat(f32 value) {
    const u32 bits = bitcast<u32>(value);
    if (value != value) return (u16)((bits >> 16) | 0x40);
    return (u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
DEVICE f32 bfloat_to_float(u16 bits) { return bitcast<f32>((u32)bits << 16); }

#define ATOMIC_NARROW(name, to_float, from_float) \
    DEVICE void atomic_add_##name(byte* at, f32 value) { \
        atomic_replace<u16>(at, [=](u16 old) { return from_float(to_float(old) + value); }); \
    } \
    DEVICE void atomic_min_##name(byte* at, f32 value) { \
        atomic_replace<u16>(at, [=](u16 old) { return from_float(minimum(to_float(old), value)); }); \
    } \
    DEVICE void atomic_max_##name(byte* at, f32 value) { \
        atomic_replace<u16>(at, [=](u16 old) { return from_float(maximum(to_float(old), value)); }); \
    }
ATOMIC_NARROW(half, half_to_float, float_to_half)
ATOMIC_NARROW(bfloat, bfloat_to_float, float_to_bfloat)
#undef ATOMIC_NARROW
