// HIP dialect: the names that kernels are written in and that each vendor spells its own way. Nothing is included: the
// run-time compiler has no headers but those inside. The text before this file defines WARP; `common.cuh` follows.

#define DEVICE static __device__ __forceinline__
#define FUNCTION static __device__ __noinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define ENTRY(threads) extern "C" __global__ __launch_bounds__(threads)
// The number of blocks that are to run on a processor at a time is left to the compiler, which counts in other units.
#define ENTRY_RESIDENT(threads, blocks) extern "C" __global__ __launch_bounds__(threads)
#define ARGUMENT const
#define SHARED __shared__
#define CONSTANT __constant__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

// A bit for each thread of those that run in lock step.
template <int LANES> struct Lanes;
template <> struct Lanes<32> { typedef unsigned int Mask; };
template <> struct Lanes<64> { typedef unsigned long long Mask; };
typedef Lanes<WARP>::Mask LaneMask;

DEVICE float widen_half(unsigned short bits) { return (float)__builtin_bit_cast(_Float16, bits); }
// A product and its conversion would become a multiplication with 0 added, which loses the sign of -0 (seen with LLVM 21 and 22).
DEVICE unsigned short narrow_to_half(float value) {
    return __builtin_bit_cast(unsigned short, (_Float16)__builtin_canonicalizef(value));
}

// The square root as IEEE 754 rounds it.
DEVICE float exact_root(float x) { return sqrtf(x); }
DEVICE float normal_root(float x) { return sqrtf(x); }

// The smaller and the larger of two numbers: a NaN wins, and -0 is smaller than 0, so that the extremum of many numbers
// does not depend on their order.
#define EXTREMA_HAVE_ONE_NAN 0
DEVICE float minimum(float a, float b) {
    const float chosen = a < b || a != a ? a : b;
    return a == b ? __builtin_bit_cast(float, __builtin_bit_cast(int, a) | __builtin_bit_cast(int, b)) : chosen;
}
DEVICE float maximum(float a, float b) {
    const float chosen = a > b || a != a ? a : b;
    return a == b ? __builtin_bit_cast(float, __builtin_bit_cast(int, a) & __builtin_bit_cast(int, b)) : chosen;
}

// What every lane of a warp calls together: the values of other lanes, and which lanes vote for something.
template <class T> DEVICE T shuffle_down(T value, unsigned lanes) { return __shfl_down(value, lanes); }
template <class T> DEVICE T shuffle_up(T value, unsigned lanes) { return __shfl_up(value, lanes); }
template <class T> DEVICE T shuffle_xor(T value, unsigned lanes) { return __shfl_xor(value, (int)lanes); }
template <class T> DEVICE T shuffle_from(T value, unsigned lane) { return __shfl(value, (int)lane); }
DEVICE LaneMask ballot(bool vote) { return (LaneMask)__ballot(vote); }
DEVICE void warp_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// How blocks pass words on to later blocks of the same launch.
template <class T> DEVICE T read_word(const T* at) {
    return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> DEVICE void write_word(T* at, T value) {
    __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Puts `next` where `old` is found; returns what was found.
template <class T> DEVICE T swap_if_equal(T* at, T old, T next) {
    __hip_atomic_compare_exchange_strong(at, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return old;
}

// Accesses of 16 bytes to memory that is not needed again soon; a dialect without them leaves STREAMED undefined.
#define STREAMED
template <class T> DEVICE T load_streamed(const T* from) {
    typedef unsigned Four __attribute__((vector_size(16)));
    return __builtin_bit_cast(T, __builtin_nontemporal_load((const Four*)from));
}
template <class T> DEVICE void store_streamed(T* to, const T& value) {
    typedef unsigned Four __attribute__((vector_size(16)));
    __builtin_nontemporal_store(__builtin_bit_cast(Four, value), (Four*)to);
}
