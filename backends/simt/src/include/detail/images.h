// Textures and surfaces: how kernels sample, read and write images. The structures are those of `images.rs`.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef cudaTextureObject_t hipTextureObject_t;
typedef cudaSurfaceObject_t hipSurfaceObject_t;

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

namespace __cpx {

struct image {
    char* data;
    unsigned long long width, height, depth, pitch, slice;
    unsigned bits, channels, kind, unused;
};

struct texture {
    image view;
    unsigned address[3];
    unsigned filter, read, normalized, srgb, unused;
    float border[4];
};

enum address_mode : unsigned { WRAP = 0, CLAMP = 1, MIRROR = 2, BORDER = 3 };

// What a vector type is made of: the type of its channels, and how many.
template <class T>
struct channels {
    using type = T;
    static constexpr int count = 1;
};
#define CPX_CHANNELS(name, T)                       \
    template <>                                     \
    struct channels<name##1> {                      \
        using type = T;                             \
        static constexpr int count = 1;             \
    };                                              \
    template <>                                     \
    struct channels<name##2> {                      \
        using type = T;                             \
        static constexpr int count = 2;             \
    };                                              \
    template <>                                     \
    struct channels<name##4> {                      \
        using type = T;                             \
        static constexpr int count = 4;             \
    };
CPX_CHANNELS(char, signed char)
CPX_CHANNELS(uchar, unsigned char)
CPX_CHANNELS(short, short)
CPX_CHANNELS(ushort, unsigned short)
CPX_CHANNELS(int, int)
CPX_CHANNELS(uint, unsigned)
CPX_CHANNELS(float, float)
#undef CPX_CHANNELS

static inline float from_half(unsigned short bits) {
    const unsigned sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    const unsigned word = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    return from_bits<float>(word);
}

// A channel as a number; integers of up to 32 bits and floats are exact in a double.
static inline double channel(const image& view, const char* element, int number) {
    const char* at = element + number * (view.bits / 8);
    if (view.bits == 8) return view.kind ? (double)*(const unsigned char*)at : (double)*(const signed char*)at;
    if (view.bits == 16) {
        if (view.kind == 2) return from_half(*(const unsigned short*)at);
        return view.kind ? (double)*(const unsigned short*)at : (double)*(const short*)at;
    }
    if (view.kind == 2) return *(const float*)at;
    return view.kind ? (double)*(const unsigned*)at : (double)*(const int*)at;
}

// As a fraction of the range of integers, if the texture asks for it.
static inline double readout(const texture& t, const char* element, int number) {
    double value = channel(t.view, element, number);
    if (t.read == 0 || t.view.kind == 2) return value;
    const double most = (double)((1ull << (t.view.bits - (t.view.kind == 0))) - 1);
    value /= most;
    if (value < -1) value = -1;
    if (t.srgb && number < 3) value = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    return value;
}

// The place of an index along an axis; -1 if the border's color is there.
static inline long long addressed(long long index, long long length, unsigned mode) {
    if (index >= 0 && index < length) return index;
    if (mode == BORDER) return -1;
    if (mode == WRAP) return ((index % length) + length) % length;
    if (mode == MIRROR) {
        const long long period = ((index % (2 * length)) + 2 * length) % (2 * length);
        return period < length ? period : 2 * length - 1 - period;
    }
    return index < 0 ? 0 : length - 1;
}

template <int D>
static inline const char* element(const texture& t, const long long* at) {
    const image& view = t.view;
    const unsigned long long lengths[3] = {view.width, view.height ? view.height : 1, view.depth ? view.depth : 1};
    long long place[3] = {0, 0, 0};
    for (int axis = 0; axis < D; axis++) {
        // Only normalised coordinates can wrap around or be mirrored.
        unsigned mode = t.address[axis];
        if (!t.normalized && (mode == WRAP || mode == MIRROR)) mode = CLAMP;
        place[axis] = addressed(at[axis], (long long)lengths[axis], mode);
        if (place[axis] < 0) return nullptr;
    }
    return view.data + place[2] * view.slice + place[1] * view.pitch + place[0] * (view.bits / 8 * view.channels);
}

template <class T>
static inline T converted(const double* values) {
    using C = typename channels<T>::type;
    C parts[channels<T>::count];
    for (int number = 0; number < channels<T>::count; number++) parts[number] = (C)values[number];
    T out;
    memcpy(&out, parts, sizeof out);
    return out;
}

static inline void color(const texture& t, const char* element, double weight, double* values) {
    for (unsigned number = 0; number < 4; number++) {
        double value = 0;
        if (!element) value = t.border[number];
        else if (number < t.view.channels) value = readout(t, element, (int)number);
        values[number] += weight * value;
    }
}

// An index within what a long long holds, NaN as the first element.
static inline long long floored(float value) {
    if (!(value > -9.0e18f)) return value < 0 ? -(1ll << 62) : 0;
    return value > 9.0e18f ? 1ll << 62 : (long long)floorf(value);
}

template <class T, int D>
static inline T sample(unsigned long long handle, const float* coordinates) {
    const texture& t = *(const texture*)handle;
    const unsigned long long lengths[3] = {t.view.width, t.view.height, t.view.depth};
    long long first[3];
    double fraction[3] = {0, 0, 0}, values[4] = {0, 0, 0, 0};
    for (int axis = 0; axis < D; axis++) {
        float x = coordinates[axis];
        if (t.normalized) x *= (float)lengths[axis];
        if (t.filter) x -= 0.5f;
        first[axis] = floored(x);
        // Hardware interpolates with eight bits of fraction.
        if (t.filter) fraction[axis] = rint((double)(x - floorf(x)) * 256) / 256;
        if (!(fraction[axis] >= 0 && fraction[axis] <= 1)) fraction[axis] = 0;
    }
    if (!t.filter) {
        color(t, element<D>(t, first), 1, values);
        return converted<T>(values);
    }
    for (int corner = 0; corner < 1 << D; corner++) {
        long long at[3];
        double weight = 1;
        for (int axis = 0; axis < D; axis++) {
            const int upper = corner >> axis & 1;
            at[axis] = first[axis] + upper;
            weight *= upper ? fraction[axis] : 1 - fraction[axis];
        }
        // A neighbour without weight counts nothing, be it infinite.
        if (weight != 0) color(t, element<D>(t, at), weight, values);
    }
    return converted<T>(values);
}

// The bytes that a surface access means, moved as its mode says; null if they are not to be touched.
template <int D>
static inline char* surface(unsigned long long handle, size_t bytes, int x, int y, int z, int mode) {
    const image& view = *(const image*)handle;
    const long long size = view.bits / 8 * view.channels;
    const long long lengths[3] = {(long long)view.width, (long long)view.height, (long long)view.depth};
    long long at[3] = {x / size, y, z};
    bool outside = x < 0 || x + (long long)bytes > lengths[0] * size;
    for (int axis = 1; axis < D; axis++) outside = outside || at[axis] < 0 || at[axis] >= lengths[axis];
    long long offset = x;
    if (outside) {
        if (mode == cudaBoundaryModeTrap) fail("a surface was accessed outside of its image");
        if (mode == cudaBoundaryModeZero) return nullptr;
        for (int axis = 0; axis < D; axis++)
            at[axis] = at[axis] < 0 ? 0 : at[axis] < lengths[axis] ? at[axis] : lengths[axis] - 1;
        offset = x < 0 ? 0 : x + (long long)bytes > lengths[0] * size ? lengths[0] * size - (long long)bytes : x;
    }
    return view.data + (D > 2 ? at[2] * view.slice : 0) + (D > 1 ? at[1] * view.pitch : 0) + offset;
}

template <class T, int D>
static inline T surface_read(unsigned long long handle, int x, int y, int z, int mode) {
    T value;
    memset(&value, 0, sizeof value);
    if (const char* at = surface<D>(handle, sizeof value, x, y, z, mode)) memcpy(&value, at, sizeof value);
    return value;
}

template <class T, int D>
static inline void surface_write(T value, unsigned long long handle, int x, int y, int z, int mode) {
    if (char* at = surface<D>(handle, sizeof value, x, y, z, mode)) memcpy(at, &value, sizeof value);
}

}  // namespace __cpx

template <class T>
static inline T tex1Dfetch(cudaTextureObject_t handle, int x) {
    const __cpx::texture& t = *(const __cpx::texture*)handle;
    double values[4] = {0, 0, 0, 0};
    if (x >= 0 && (unsigned long long)x < t.view.width)
        __cpx::color(t, t.view.data + (long long)x * (t.view.bits / 8 * t.view.channels), 1, values);
    return __cpx::converted<T>(values);
}
template <class T>
static inline T tex1D(cudaTextureObject_t handle, float x) {
    return __cpx::sample<T, 1>(handle, &x);
}
template <class T>
static inline T tex2D(cudaTextureObject_t handle, float x, float y) {
    const float at[2] = {x, y};
    return __cpx::sample<T, 2>(handle, at);
}
template <class T>
static inline T tex3D(cudaTextureObject_t handle, float x, float y, float z) {
    const float at[3] = {x, y, z};
    return __cpx::sample<T, 3>(handle, at);
}
template <class T>
static inline void tex1Dfetch(T* out, cudaTextureObject_t handle, int x) { *out = tex1Dfetch<T>(handle, x); }
template <class T>
static inline void tex1D(T* out, cudaTextureObject_t handle, float x) { *out = tex1D<T>(handle, x); }
template <class T>
static inline void tex2D(T* out, cudaTextureObject_t handle, float x, float y) { *out = tex2D<T>(handle, x, y); }
template <class T>
static inline void tex3D(T* out, cudaTextureObject_t handle, float x, float y, float z) {
    *out = tex3D<T>(handle, x, y, z);
}

template <class T>
static inline T surf1Dread(cudaSurfaceObject_t handle, int x, int mode = cudaBoundaryModeTrap) {
    return __cpx::surface_read<T, 1>(handle, x, 0, 0, mode);
}
template <class T>
static inline T surf2Dread(cudaSurfaceObject_t handle, int x, int y, int mode = cudaBoundaryModeTrap) {
    return __cpx::surface_read<T, 2>(handle, x, y, 0, mode);
}
template <class T>
static inline T surf3Dread(cudaSurfaceObject_t handle, int x, int y, int z, int mode = cudaBoundaryModeTrap) {
    return __cpx::surface_read<T, 3>(handle, x, y, z, mode);
}
template <class T>
static inline void surf1Dread(T* out, cudaSurfaceObject_t handle, int x, int mode = cudaBoundaryModeTrap) {
    *out = surf1Dread<T>(handle, x, mode);
}
template <class T>
static inline void surf2Dread(T* out, cudaSurfaceObject_t handle, int x, int y, int mode = cudaBoundaryModeTrap) {
    *out = surf2Dread<T>(handle, x, y, mode);
}
template <class T>
static inline void
surf3Dread(T* out, cudaSurfaceObject_t handle, int x, int y, int z, int mode = cudaBoundaryModeTrap) {
    *out = surf3Dread<T>(handle, x, y, z, mode);
}
template <class T>
static inline void surf1Dwrite(T value, cudaSurfaceObject_t handle, int x, int mode = cudaBoundaryModeTrap) {
    __cpx::surface_write<T, 1>(value, handle, x, 0, 0, mode);
}
template <class T>
static inline void surf2Dwrite(T value, cudaSurfaceObject_t handle, int x, int y, int mode = cudaBoundaryModeTrap) {
    __cpx::surface_write<T, 2>(value, handle, x, y, 0, mode);
}
template <class T>
static inline void
surf3Dwrite(T value, cudaSurfaceObject_t handle, int x, int y, int z, int mode = cudaBoundaryModeTrap) {
    __cpx::surface_write<T, 3>(value, handle, x, y, z, mode);
}
