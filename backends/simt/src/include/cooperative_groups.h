// Cooperative groups: named sets of threads that can wait for each other.
#pragma once

namespace cooperative_groups {

class thread_block {
public:
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return __cpx::thread_rank(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};

class grid_group {
public:
    bool is_valid() const { return __cpx::current.cooperative != 0; }
    void sync() const {
        if (!is_valid()) __cpx::fail("grid.sync() in a kernel that was not launched as a cooperative one");
        __cpx::wait(__cpx::GRID_BARRIER, 0);
    }
    unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    unsigned long long block_rank() const {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    unsigned long long thread_rank() const { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
    unsigned long long num_threads() const { return num_blocks() * thread_block::size(); }
    unsigned long long size() const { return num_threads(); }
    dim3 group_dim() const { return gridDim; }
    dim3 dim_blocks() const { return gridDim; }
    dim3 block_index() const { return blockIdx; }
};

static inline thread_block this_thread_block() { return thread_block(); }
static inline grid_group this_grid() { return grid_group(); }

// Threads of one warp, by their mask.
class lanes {
protected:
    unsigned mask_;
    explicit lanes(unsigned mask) : mask_(mask) {}
    unsigned nth(unsigned rank) const {
        unsigned rest = mask_;
        for (; rank > 0; rank--) rest &= rest - 1;
        return (unsigned)__ffs((int)rest) - 1;
    }
    unsigned compact(unsigned votes) const {
        unsigned result = 0, place = 0;
        for (unsigned rest = mask_; rest != 0; rest &= rest - 1, place++)
            if (votes & rest & (0u - rest)) result |= 1u << place;
        return result;
    }

public:
    void sync() const { __syncwarp(mask_); }
    unsigned size() const { return (unsigned)__popc(mask_); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return (unsigned)__popc(mask_ & ((1u << __cpx::lane()) - 1)); }
    int any(int predicate) const { return __any_sync(mask_, predicate); }
    int all(int predicate) const { return __all_sync(mask_, predicate); }
    unsigned ballot(int predicate) const { return compact(__ballot_sync(mask_, predicate)); }
    template <class T>
    unsigned match_any(T value) const {
        return compact(__match_any_sync(mask_, value));
    }
    template <class T>
    unsigned match_all(T value, int& same) const {
        return compact(__match_all_sync(mask_, value, &same));
    }
    template <class T>
    T shfl(T value, unsigned rank) const {
        return __shfl_sync(mask_, value, (int)nth(rank % size()));
    }
    template <class T>
    T shfl_up(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return __shfl_sync(mask_, value, (int)nth(rank >= delta ? rank - delta : rank));
    }
    template <class T>
    T shfl_down(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return __shfl_sync(mask_, value, (int)nth(rank + delta < size() ? rank + delta : rank));
    }
};

class coalesced_group : public lanes {
public:
    explicit coalesced_group(unsigned mask) : lanes(mask) {}
    unsigned meta_group_rank() const { return 0; }
    unsigned meta_group_size() const { return 1; }
};

static inline __attribute__((always_inline)) coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

template <unsigned Size, class Parent = void>
class thread_block_tile : public lanes {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads");
    static unsigned own_mask() {
        const unsigned all = Size == 32 ? 0xffffffffu : (1u << (Size & 31)) - 1;
        const unsigned threads = thread_block::size(), first = thread_block::thread_rank() & ~31u;
        const unsigned present = threads - first >= 32 ? 0xffffffffu : (1u << (threads - first)) - 1;
        return all << (__cpx::lane() & ~(Size - 1)) & present;
    }

public:
    thread_block_tile() : lanes(own_mask()) {}
    unsigned thread_rank() const { return __cpx::lane() & (Size - 1); }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    unsigned meta_group_rank() const { return thread_block::thread_rank() / Size; }
    unsigned meta_group_size() const { return (thread_block::size() + Size - 1) / Size; }
    template <class T>
    T shfl(T value, int rank) const {
        return __shfl_sync(mask_, value, rank, Size);
    }
    template <class T>
    T shfl_up(T value, unsigned delta) const {
        return __shfl_up_sync(mask_, value, delta, Size);
    }
    template <class T>
    T shfl_down(T value, unsigned delta) const {
        return __shfl_down_sync(mask_, value, delta, Size);
    }
    template <class T>
    T shfl_xor(T value, unsigned lanes) const {
        return __shfl_xor_sync(mask_, value, (int)lanes, Size);
    }
};

template <unsigned Size, class Parent>
static inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
    return thread_block_tile<Size, Parent>();
}

template <class Group>
static inline void sync(const Group& group) {
    group.sync();
}

template <class T = int>
struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T = int>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = int>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = int>
struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T = int>
struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T = int>
struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

// Every thread gets the combination of the values of all, in the order of their ranks.
template <class Group, class T, class Operator>
static inline T reduce(const Group& group, T value, Operator combine) {
    T total = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); rank++) total = combine(total, group.shfl(value, rank));
    return total;
}

// The copies are done when the call returns.
template <class Group, class T>
static inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    // Whole elements, as the vendor's header copies.
    for (size_t at = group.thread_rank(); at < bytes / sizeof(T); at += group.size()) to[at] = from[at];
}
template <class Group>
static inline void wait(const Group& group) {
    group.sync();
}
template <unsigned Stages, class Group>
static inline void wait_prior(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
