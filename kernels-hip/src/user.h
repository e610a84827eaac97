// Read before texts of the user's that are written for CUDA's warps: 32 threads that name each other by masks. Where 64
// threads run in step, each half of them is a warp of its own. Masks only say what is so: lanes that are elsewhere do not
// take part.

namespace cpx_warp {

// The first lane of this warp among those that run in step.
__device__ inline unsigned first() { return __lane_id() & 32u; }
// A bit for each lane of this warp that votes.
__device__ inline unsigned votes(bool vote) { return (unsigned)(__ballot(vote) >> first()); }

__device__ inline unsigned ballot(unsigned mask, bool vote) { return votes(vote) & mask; }
__device__ inline int any(unsigned mask, bool vote) { return ballot(mask, vote) != 0; }
__device__ inline int all(unsigned mask, bool vote) { return ballot(mask, !vote) == 0; }

template <class T> __device__ inline T from(T value, int lane, int width = 32) { return __shfl(value, lane, width); }
template <class T> __device__ inline T up(T value, unsigned by, int width = 32) { return __shfl_up(value, by, width); }
template <class T> __device__ inline T down(T value, unsigned by, int width = 32) { return __shfl_down(value, by, width); }
template <class T> __device__ inline T across(T value, int by, int width = 32) { return __shfl_xor(value, by, width); }

__device__ inline void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// Whether two values are of the same bits, as NaN is and the zeros are not.
template <class T> __device__ inline bool same_bits(T a, T b) {
    union Bits {
        unsigned words[(sizeof(T) + 3) / 4];
        T value;
    } left = {}, right = {};
    left.value = a;
    right.value = b;
    bool same = true;
    for (unsigned at = 0; at < (sizeof(T) + 3) / 4; ++at) same = same && left.words[at] == right.words[at];
    return same;
}

// The lanes whose value is that of this one.
template <class T> __device__ inline unsigned same(T value) {
    const unsigned present = votes(true);
    unsigned found = 0;
    for (int lane = 0; lane < 32; ++lane) {
        const T other = __shfl(value, lane, 32);
        if (same_bits(other, value)) found |= 1u << lane;
    }
    return found & present;
}
template <class T> __device__ inline unsigned match(unsigned mask, T value) { return same(value) & mask; }
template <class T> __device__ inline unsigned all_same(T value, int* agreed) {
    const unsigned present = votes(true);
    *agreed = votes(same(value) == present) == present;
    return *agreed ? present : 0;
}

template <class T, class Combine> __device__ inline T reduced(T value, Combine combine) {
    const unsigned present = votes(true);
    T result = value;
    bool any = false;
    for (int lane = 0; lane < 32; ++lane) {
        const T other = __shfl(value, lane, 32);
        if (!(present >> lane & 1u)) continue;
        result = any ? combine(result, other) : other;
        any = true;
    }
    return result;
}
template <class T> __device__ inline T sum(T value) { return reduced(value, [](T a, T b) { return a + b; }); }
template <class T> __device__ inline T least(T value) { return reduced(value, [](T a, T b) { return b < a ? b : a; }); }
template <class T> __device__ inline T most(T value) { return reduced(value, [](T a, T b) { return a < b ? b : a; }); }
template <class T> __device__ inline T both(T value) { return reduced(value, [](T a, T b) { return a & b; }); }
template <class T> __device__ inline T either(T value) { return reduced(value, [](T a, T b) { return a | b; }); }
template <class T> __device__ inline T odd(T value) { return reduced(value, [](T a, T b) { return a ^ b; }); }

}  // namespace cpx_warp

#define warpSize 32
#define __shfl_sync(mask, ...) cpx_warp::from(__VA_ARGS__)
#define __shfl_up_sync(mask, ...) cpx_warp::up(__VA_ARGS__)
#define __shfl_down_sync(mask, ...) cpx_warp::down(__VA_ARGS__)
#define __shfl_xor_sync(mask, ...) cpx_warp::across(__VA_ARGS__)
#define __ballot_sync(mask, vote) cpx_warp::ballot(mask, vote)
#define __any_sync(mask, vote) cpx_warp::any(mask, vote)
#define __all_sync(mask, vote) cpx_warp::all(mask, vote)
#define __activemask() cpx_warp::votes(true)
#define __syncwarp(...) cpx_warp::barrier()
#define __match_any_sync(mask, value) cpx_warp::match(mask, value)
#define __match_all_sync(mask, value, agreed) cpx_warp::all_same(value, agreed)
#define __reduce_add_sync(mask, value) cpx_warp::sum(value)
#define __reduce_min_sync(mask, value) cpx_warp::least(value)
#define __reduce_max_sync(mask, value) cpx_warp::most(value)
#define __reduce_and_sync(mask, value) cpx_warp::both(value)
#define __reduce_or_sync(mask, value) cpx_warp::either(value)
#define __reduce_xor_sync(mask, value) cpx_warp::odd(value)
