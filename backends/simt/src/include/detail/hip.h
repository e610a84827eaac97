// What AMD's dialect has beyond that of CUDA, for texts that are compiled as for a device of AMD's.
#pragma once

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

// Loops that wait for a word are given time.
template <class T>
static inline T __hip_atomic_load(const T* at, int, int) {
    __cpx::pause();
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
template <class T, class Value>
static inline void __hip_atomic_store(T* at, Value value, int, int) {
    __atomic_store_n(at, (T)value, __ATOMIC_SEQ_CST);
}
template <class T>
static inline bool __hip_atomic_compare_exchange_strong(T* at, T* old, T next, int, int, int) {
    return __atomic_compare_exchange_n(at, old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#define __builtin_amdgcn_fence(order, scope) __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __builtin_amdgcn_wave_barrier() ((void)__cpx::wait(__cpx::SYNCWARP, 0))

#define __builtin_canonicalizef(value) (value)

// Without a mask: the lanes that come to the same function while no other of the warp can run.
static inline unsigned __lane_id() { return __cpx::lane(); }
template <class T>
static inline T __shfl(T value, int lane, int width = warpSize) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE, 0, __cpx::bits(value), (unsigned)lane, (unsigned)width));
}
template <class T>
static inline T __shfl_up(T value, unsigned delta, int width = warpSize) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE_UP, 0, __cpx::bits(value), delta, (unsigned)width));
}
template <class T>
static inline T __shfl_down(T value, unsigned delta, int width = warpSize) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE_DOWN, 0, __cpx::bits(value), delta, (unsigned)width));
}
template <class T>
static inline T __shfl_xor(T value, int lanes, int width = warpSize) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE_XOR, 0, __cpx::bits(value), (unsigned)lanes, (unsigned)width));
}
static inline unsigned long long __ballot(int predicate) { return __cpx::wait(__cpx::VOTE, 0, predicate != 0); }
static inline int __any(int predicate) { return __ballot(predicate) != 0; }
static inline int __all(int predicate) { return __ballot(predicate) == __cpx::current.result2; }

namespace __cpx {
// The compiler of the host need not have this type.
struct half {
    unsigned short word;
    half() = default;
    half(float value) : word(ptx::narrow(value)) {}
    operator float() const { return ptx::widen(word); }
};
}  // namespace __cpx
#define _Float16 __cpx::half// What caches keep is no business of the host's.
template <class T>
static inline T __builtin_nontemporal_load(const T* at) {
    return *at;
}
template <class T>
static inline void __builtin_nontemporal_store(T value, T* at) {
    *at = value;
}


