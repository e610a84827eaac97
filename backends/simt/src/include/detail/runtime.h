// What a kernel sees of the engine: qualifiers, indices, and the call that suspends a thread.
#pragma once

// A text that is compiled as for a device brings the macros of that device.
#ifndef __CPX_DEVICE__
#define __CUPROXIDE_HOST__ 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#endif
#ifndef __CPX_WARP__
#define __CPX_WARP__ 32
#endif

// `__global__`, `__shared__` and `__noinline__` are rewritten after preprocessing.
#define __host__
#define __device__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __nv_pure__ __attribute__((pure))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

static thread_local uint3 threadIdx = {0, 0, 0};
static thread_local uint3 blockIdx = {0, 0, 0};
static thread_local dim3 blockDim;
static thread_local dim3 gridDim;
static constexpr int warpSize = __CPX_WARP__;

// Shared memory whose size the launch decides; there if the text declares any.
extern "C" {
extern __attribute__((visibility("hidden"))) __thread char __cpx_dynamic_shared[];
}

namespace __cpx {

// What a suspended thread waits for; the numbers are those of the engine.
enum operation : unsigned {
    BARRIER = 1,
    SYNCWARP,
    SHUFFLE,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_XOR,
    VOTE,
    MATCH,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MIN_SIGNED,
    REDUCE_MAX_SIGNED,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    ACTIVE,
    GRID_BARRIER,
    PAUSE,
};

// Shared with the engine, one for each thread of the system.
struct state {
    unsigned operation, warp;
    unsigned long long mask, value;
    unsigned argument, width;
    unsigned long long result, result2;
    void (*suspend)(state*);
    void* engine;
    unsigned shared_bytes, spins;
    unsigned cooperative, unused;
    char message[256];
    // Where the running thread of the kernel goes when it fails; nowhere while no kernel runs.
    jmp_buf* landing;
};

static thread_local state current = {};

// Ends the running thread of the kernel, from wherever it is.
static inline void land() {
    if (jmp_buf* landing = current.landing) longjmp(*landing, 1);
}

[[noreturn]] __attribute__((noinline, cold)) static inline void fail(const char* message) {
    snprintf(current.message, sizeof current.message, "%s", message);
    land();
    abort();
}

[[noreturn]] __attribute__((noinline, cold)) static inline void
failed_assertion(const char* text, const char* file, int line, const char* function) {
    snprintf(current.message, sizeof current.message, "%s:%d: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
             file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, text);
    land();
    abort();
}

// Whether a thread has reached an address that is no multiple of the element's size.
static thread_local bool misaligned = false;

// What a thread ends with: 1 for a fault.
static inline int outcome() {
    if (!misaligned) return 0;
    misaligned = false;
    snprintf(current.message, sizeof current.message, "misaligned address");
    return 1;
}

}  // namespace __cpx

#ifdef __CPX_DEVICE__
// Texts for a device in play are compiled such that this is called before an access that a GPU would refuse. It may not
// throw, so the kernel goes on.
extern "C" __attribute__((visibility("hidden"), weak)) void __ubsan_handle_type_mismatch_v1(void*, void*) {
    __cpx::misaligned = true;
}
#endif

extern "C" {
inline __attribute__((visibility("default"))) int __cpx_suspends = 1;
}

namespace __cpx {

static inline unsigned long long
wait(unsigned operation, unsigned long long mask, unsigned long long value = 0, unsigned argument = 0, unsigned width = warpSize) {
    asm volatile("" : : "r"(&__cpx_suspends));
    current.operation = operation;
    current.mask = mask;
    current.value = value;
    current.argument = argument;
    current.width = width;
    current.suspend(&current);
    return current.result;
}

// Lets the other threads go on now and then, for loops that wait for one of them.
static inline void pause() {
    if (++current.spins >= 64) {
        current.spins = 0;
        wait(PAUSE, 0);
    }
}

template <class T>
static inline unsigned long long bits(T value) {
    static_assert(sizeof(T) <= 8, "only values of up to 8 bytes can be exchanged");
    unsigned long long word = 0;
    memcpy(&word, &value, sizeof(T));
    return word;
}

template <class T>
static inline T from_bits(unsigned long long word) {
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
}

static inline unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static inline unsigned lane() { return thread_rank() & (warpSize - 1); }

}  // namespace __cpx

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __cpx::failed_assertion(#condition, __FILE__, __LINE__, __func__))
#endif

static inline void __trap() { __cpx::fail("__trap() was called"); }
static inline void __brkpt() {}
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __cpx::pause();
}
static inline void __threadfence_system() { __threadfence(); }
static inline void __nanosleep(unsigned) {
    __cpx::current.spins = 64;
    __cpx::pause();
}

static inline void __syncthreads() { __cpx::wait(__cpx::BARRIER, 0); }
static inline int __syncthreads_count(int predicate) { return (int)__cpx::wait(__cpx::BARRIER, 0, predicate != 0); }
static inline int __syncthreads_and(int predicate) {
    __cpx::wait(__cpx::BARRIER, 0, predicate != 0);
    return __cpx::current.result2 == __cpx::current.result;
}
static inline int __syncthreads_or(int predicate) { return __cpx::wait(__cpx::BARRIER, 0, predicate != 0) != 0; }
static inline void __barrier_sync(unsigned) { __syncthreads(); }

#if defined(__x86_64__)
static inline long long int clock64() { return (long long)__builtin_ia32_rdtsc(); }
#else
static inline long long int clock64() {
    unsigned long long ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return (long long)ticks;
}
#endif
static inline int __cpx_clock() { return (int)clock64(); }
#define clock() __cpx_clock()

template <class T>
static inline T __ldg(const T* address) { return *address; }
template <class T>
static inline T __ldcg(const T* address) { return *(const volatile T*)address; }
template <class T>
static inline T __ldca(const T* address) { return *address; }
template <class T>
static inline T __ldcs(const T* address) { return *address; }
template <class T>
static inline T __ldlu(const T* address) { return *address; }
template <class T>
static inline T __ldcv(const T* address) { return *(const volatile T*)address; }
template <class T>
static inline void __stwb(T* address, T value) { *address = value; }
template <class T>
static inline void __stcg(T* address, T value) { *address = value; }
template <class T>
static inline void __stcs(T* address, T value) { *address = value; }
template <class T>
static inline void __stwt(T* address, T value) { *address = value; }

// ------------------------------------------------------------------------------------- how the engine calls a kernel

namespace __cpx {

struct kernel {
    const char* name;
    const void* address;
    int (*thread)(void**);
    int (*block)(void**);
    unsigned long long count;
    const unsigned long long* sizes;
};

template <unsigned... I>
struct numbers {};
template <unsigned N, unsigned... I>
struct count_up : count_up<N - 1, N - 1, I...> {};
template <unsigned... I>
struct count_up<0, I...> {
    using type = numbers<I...>;
};

// Runs a kernel such that failures come back here, with 1. A function of its own: one that may return twice is compiled
// with care that the loops of a kernel are not to pay for.
__attribute__((noinline)) static int guarded(void (*run)(void**), void** parameters) {
    jmp_buf here;
    if (_setjmp(here) != 0) {
        current.landing = nullptr;
        // It may have been left in the middle of a function that rounds in another way.
        fesetround(FE_TONEAREST);
        return 1;
    }
    current.landing = &here;
    run(parameters);
    current.landing = nullptr;
    return outcome();
}

template <class F, F f>
struct entry;

template <class... A, void (*f)(A...)>
struct entry<void (*)(A...), f> {
    template <unsigned... I>
    static inline void call(void** parameters, numbers<I...>) {
        (void)parameters;
        f(*static_cast<typename std::remove_cv<typename std::remove_reference<A>::type>::type*>(parameters[I])...);
    }

    static __attribute__((noinline)) void one(void** parameters) {
        call(parameters, typename count_up<sizeof...(A)>::type{});
    }

    static __attribute__((noinline)) void all(void** parameters) {
        const unsigned width = blockDim.x, height = blockDim.y, depth = blockDim.z;
        for (unsigned z = 0; z < depth; z++)
            for (unsigned y = 0; y < height; y++)
                for (unsigned x = 0; x < width; x++) {
                    threadIdx = uint3{x, y, z};
                    call(parameters, typename count_up<sizeof...(A)>::type{});
                }
    }

    static int thread(void** parameters) { return guarded(&one, parameters); }
    static int block(void** parameters) { return guarded(&all, parameters); }

    static kernel describe(const char* name) {
        static const unsigned long long sizes[sizeof...(A) + 1] = {sizeof(A)..., 0};
        return kernel{name, (const void*)f, &thread, &block, sizeof...(A), sizes};
    }
};

// A name may also stand for a variable, which is then known by its address and size.
template <class T, T* variable>
struct entry<T*, variable> {
    static kernel describe(const char* name) {
        static const unsigned long long sizes[1] = {sizeof(T)};
        return kernel{name, (const void*)variable, nullptr, nullptr, 1, sizes};
    }
};

}  // namespace __cpx
