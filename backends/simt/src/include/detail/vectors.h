// The vector types and their constructors.
#pragma once

#define CPX_VECTOR(name, T, align2, align4)                                                   \
    struct name##1 {                                                                          \
        T x;                                                                                  \
    };                                                                                        \
    struct __attribute__((aligned(align2))) name##2 {                                         \
        T x, y;                                                                               \
    };                                                                                        \
    struct name##3 {                                                                          \
        T x, y, z;                                                                            \
    };                                                                                        \
    struct __attribute__((aligned(align4))) name##4 {                                         \
        T x, y, z, w;                                                                         \
    };                                                                                        \
    CPX_MAKE(name, T)

#define CPX_MAKE(name, T)                                                                     \
    static inline name##1 make_##name##1(T x) { return name##1{x}; }                          \
    static inline name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                  \
    static inline name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }          \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

CPX_VECTOR(char, signed char, 2, 4)
CPX_VECTOR(uchar, unsigned char, 2, 4)
CPX_VECTOR(short, short, 4, 8)
CPX_VECTOR(ushort, unsigned short, 4, 8)
CPX_VECTOR(int, int, 8, 16)
CPX_VECTOR(long, long, 16, 16)
CPX_VECTOR(ulong, unsigned long, 16, 16)
CPX_VECTOR(longlong, long long, 16, 16)
CPX_VECTOR(ulonglong, unsigned long long, 16, 16)
CPX_VECTOR(float, float, 8, 16)
CPX_VECTOR(double, double, 16, 16)

// `uint3` exists already: it is the type of the indices.
struct uint1 {
    unsigned x;
};
struct __attribute__((aligned(8))) uint2 {
    unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
    unsigned x, y, z, w;
};
CPX_MAKE(uint, unsigned)

#undef CPX_VECTOR
#undef CPX_MAKE
