// Read before texts of the user's with names that CUDA's compiler knows without a header and AMD's does not.

#ifdef __AMDGCN__
#define __grid_constant__
#define __trap() __builtin_trap()
#define __prof_trigger(counter) ((void)0)
// What a module holds lies in the device's memory here.
#define __managed__ __device__
#define __nanosleep(nanoseconds) ((void)(nanoseconds), __builtin_amdgcn_s_sleep(1))

__device__ inline int __dp4a(int a, int b, int sum) {
    for (int at = 0; at < 32; at += 8) sum += (int)(signed char)(a >> at) * (int)(signed char)(b >> at);
    return sum;
}
__device__ inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int at = 0; at < 32; at += 8) sum += (a >> at & 255u) * (b >> at & 255u);
    return sum;
}

// Of 16 bits, which ROCm 7 has and prefers.
template <class T, class = T[sizeof(T) == 2 ? 1 : -1]> __device__ inline T atomicCAS(T* at, T old, T next) {
    __hip_atomic_compare_exchange_strong(at, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    return old;
}

// Hints for caches, which need not be taken.
template <class T> __device__ inline T __ldca(const T* from) { return *from; }
template <class T> __device__ inline T __ldcg(const T* from) { return *from; }
template <class T> __device__ inline T __ldcs(const T* from) { return *from; }
template <class T> __device__ inline T __ldlu(const T* from) { return *from; }
template <class T> __device__ inline void __stcg(T* to, T value) { *to = value; }
template <class T> __device__ inline void __stcs(T* to, T value) { *to = value; }
template <class T> __device__ inline void __stwb(T* to, T value) { *to = value; }

// What is indivisible for the device is so for a block.
#define atomicAdd_block atomicAdd
#define atomicSub_block atomicSub
#define atomicExch_block atomicExch
#define atomicMin_block atomicMin
#define atomicMax_block atomicMax
#define atomicAnd_block atomicAnd
#define atomicOr_block atomicOr
#define atomicXor_block atomicXor
#define atomicCAS_block atomicCAS
#endif
