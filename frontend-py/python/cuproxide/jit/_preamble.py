"""C++ that kernels written in Python rest on."""

# What Python and NumPy mean by their operators, where C++ means something else.
PREAMBLE = r"""#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#define JIT_DEVICE static __device__ inline
#define JIT_MEMBER __device__ inline
#define JIT_INFINITY __int_as_float(0x7f800000)
#define JIT_NAN __int_as_float(0x7fc00000)

template <typename... T> struct jit_tuple;
template <> struct jit_tuple<> {};
template <typename H, typename... R> struct jit_tuple<H, R...> { H head; jit_tuple<R...> tail; };
template <int k> struct jit_item {
  template <typename H, typename... R>
  JIT_DEVICE auto of(const jit_tuple<H, R...>& t) -> decltype(jit_item<k - 1>::of(t.tail)) {
    return jit_item<k - 1>::of(t.tail);
  }
};
template <> struct jit_item<0> {
  template <typename H, typename... R> JIT_DEVICE H of(const jit_tuple<H, R...>& t) { return t.head; }
};
template <int k, typename T> JIT_DEVICE auto jit_get(const T& t) -> decltype(jit_item<k>::of(t)) {
  return jit_item<k>::of(t);
}

template <typename T> JIT_DEVICE bool jit_truth(T x) { return (bool)x; }
template <typename T> JIT_DEVICE bool jit_truth(const complex<T>& x) { return x != complex<T>(T(0)); }

template <typename T, int n, bool c, bool s, typename... I>
JIT_DEVICE T& jit_at(const CArray<T, n, c, s>& a, I... index) {
  static_assert(n == sizeof...(I), "one index for each axis");
  const ptrdiff_t at[] = {(ptrdiff_t)index...};
  if (c && n == 1) return a.data_[at[0]];
  char* place = (char*)a.data_;
  for (int k = 0; k < n; k++) place += at[k] * a.strides_[k];
  return *(T*)place;
}
template <typename T, bool c, bool s> JIT_DEVICE T& jit_at(const CArray<T, 0, c, s>& a) { return *a.data_; }
template <int m, typename T, int n, bool c, bool s, typename... I>
JIT_DEVICE CArray<T, m, c, s> jit_part(const CArray<T, n, c, s>& a, I... index) {
  const ptrdiff_t at[] = {(ptrdiff_t)index...};
  char* place = (char*)a.data_;
  for (int k = 0; k < n - m; k++) place += at[k] * a.strides_[k];
  CArray<T, m, c, s> part;
  part.data_ = (T*)place;
  part.size_ = 1;
  for (int k = 0; k < m; k++) {
    part.shape_[k] = a.shape_[n - m + k];
    part.strides_[k] = a.strides_[n - m + k];
    part.size_ *= part.shape_[k];
  }
  return part;
}
template <typename T, int n, bool c, bool s>
JIT_DEVICE CArray<T, n, false, s> jit_strided(const CArray<T, n, c, s>& a) {
  CArray<T, n, false, s> result;
  result.data_ = a.data_;
  result.size_ = a.size_;
  for (int k = 0; k < n; k++) {
    result.shape_[k] = a.shape_[k];
    result.strides_[k] = a.strides_[k];
  }
  return result;
}

template <typename T> JIT_DEVICE T jit_int_floor_divide(T a, T b) {
  if (b == 0) return 0;
  if (b == (T)-1 && (T)-1 < (T)1) return (T)(0 - a);
  const T q = (T)(a / b);
  return (a % b != 0 && (a < (T)0) != (b < (T)0)) ? (T)(q - 1) : q;
}
template <typename T> JIT_DEVICE T jit_int_fmod(T a, T b) {
  return b == 0 || (b == (T)-1 && (T)-1 < (T)1) ? (T)0 : (T)(a % b);
}
template <typename T> JIT_DEVICE T jit_int_remainder(T a, T b) {
  const T r = jit_int_fmod(a, b);
  return r != 0 && (r < (T)0) != (b < (T)0) ? (T)(r + b) : r;
}
template <typename T> JIT_DEVICE T jit_remainder(T a, T b) {
  T r = fmod(a, b);
  if (b == (T)0) return r;
  if (r == (T)0) return copysign((T)0, b);
  return (r < (T)0) != (b < (T)0) ? r + b : r;
}
template <typename T> JIT_DEVICE T jit_floor_divide(T a, T b) {
  if (b == (T)0) return a / b;
  const T r = fmod(a, b);
  T q = (a - r) / b;
  if (r != (T)0 && (r < (T)0) != (b < (T)0)) q -= (T)1;
  if (q == (T)0) return copysign((T)0, a / b);
  const T whole = floor(q);
  return q - whole > (T)0.5 ? whole + (T)1 : whole;
}
template <typename T> JIT_DEVICE T jit_int_power(T a, T b) {
  if (b < (T)0) return a == (T)1 ? (T)1 : a == (T)-1 ? (b % 2 ? (T)-1 : (T)1) : (T)0;
  T result = 1;
  for (; b; b >>= 1, a = (T)(a * a))
    if (b & 1) result = (T)(result * a);
  return result;
}
template <typename T, typename N> JIT_DEVICE T jit_left_shift(T a, N n) {
  return (unsigned long long)n < sizeof(T) * 8 ? (T)((unsigned long long)a << n) : (T)0;
}
template <typename T, typename N> JIT_DEVICE T jit_right_shift(T a, N n) {
  return (unsigned long long)n < sizeof(T) * 8 ? (T)(a >> n) : a < (T)0 ? (T)-1 : (T)0;
}
template <typename T> JIT_DEVICE T jit_abs(T a) { return a < (T)0 ? (T)(0 - a) : a; }
template <typename T> JIT_DEVICE int jit_bitwise_count(T a) {
  return __popcll((unsigned long long)jit_abs(a) & ~0ull >> (64 - 8 * sizeof(T)));
}
template <typename T> JIT_DEVICE T jit_sign(T a) { return a > (T)0 ? (T)1 : a < (T)0 ? (T)-1 : a == (T)0 ? (T)0 : a; }
template <typename T> JIT_DEVICE T jit_maximum(T a, T b) { return a >= b || a != a ? a : b; }
template <typename T> JIT_DEVICE T jit_minimum(T a, T b) { return a <= b || a != a ? a : b; }
// Complex numbers are ordered by their real parts, then by the imaginary ones; NaN wins.
template <typename T> JIT_DEVICE bool jit_complex_less(const complex<T>& a, const complex<T>& b) {
  if (a.real() == b.real()) return a.imag() < b.imag();
  return a.real() < b.real() && a.imag() == a.imag() && b.imag() == b.imag();
}
template <typename T> JIT_DEVICE complex<T> jit_complex_maximum(const complex<T>& a, const complex<T>& b) {
  return a != a || (b == b && !jit_complex_less(a, b)) ? a : b;
}
template <typename T> JIT_DEVICE complex<T> jit_complex_minimum(const complex<T>& a, const complex<T>& b) {
  return a != a || (b == b && !jit_complex_less(b, a)) ? a : b;
}
template <typename T> JIT_DEVICE T jit_gcd(T a, T b) {
  while (b != 0) {
    const T r = jit_int_fmod(a, b);
    a = b;
    b = r;
  }
  return jit_abs(a);
}
template <typename T> JIT_DEVICE T jit_lcm(T a, T b) {
  return a == 0 || b == 0 ? (T)0 : (T)(jit_abs(a) / jit_gcd(a, b) * jit_abs(b));
}
template <typename T> JIT_DEVICE T jit_logaddexp(T a, T b) {
  if (a == b) return a + (T)0.69314718055994530942;
  const T d = a - b;
  return d > (T)0 ? a + log1p(exp(-d)) : d <= (T)0 ? b + log1p(exp(d)) : d;
}
template <typename T> JIT_DEVICE T jit_logaddexp2(T a, T b) {
  if (a == b) return a + (T)1;
  const T d = a - b, e = (T)1.44269504088896340736;
  return d > (T)0 ? a + e * log1p(exp2(-d)) : d <= (T)0 ? b + e * log1p(exp2(d)) : d;
}
template <typename T> JIT_DEVICE T jit_heaviside(T a, T b) {
  return a != a ? a : a == (T)0 ? b : a < (T)0 ? (T)0 : (T)1;
}
// -1, 0 or 1, exact where no type holds both numbers.
JIT_DEVICE int jit_compare(long long a, unsigned long long b) {
  return a < 0 || (unsigned long long)a < b ? -1 : (unsigned long long)a > b;
}
"""

# The result is the first thread's. Neighbours are combined first, which keeps the order of the operands.
REDUCTIONS = r"""
template <typename T, typename F, typename W>
JIT_DEVICE T jit_reduce(T* values, T value, int rank, int count, F combine, W wait) {
  if (rank < count) values[rank] = value;
  wait();
  for (int step = 1; step < count; step *= 2) {
    if (rank % (2 * step) == 0 && rank + step < count) values[rank] = combine(values[rank], values[rank + step]);
    wait();
  }
  return rank == 0 && count > 0 ? values[0] : value;
}
JIT_DEVICE int jit_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
JIT_DEVICE int jit_least(long long a, int b) { return a < b ? (int)a : b; }
template <int threads, typename T, typename F>
JIT_DEVICE T jit_BlockReduce(T* values, T value, long long valid, F combine) {
  const int count = jit_least(jit_least(valid, threads), blockDim.x * blockDim.y * blockDim.z);
  return jit_reduce(values, value, jit_rank(), count, combine, [] { __syncthreads(); });
}
template <int threads, typename T, typename F>
JIT_DEVICE T jit_WarpReduce(T* values, T value, long long valid, F combine) {
  const int rank = jit_rank(), lane = rank % threads;
  const int present = jit_least((int)(blockDim.x * blockDim.y * blockDim.z) - (rank - lane), threads);
  const unsigned mask = (~0u >> (32 - present)) << (rank % 32 - lane);
  return jit_reduce(values, value, lane, jit_least(valid, present), combine, [mask] { __syncwarp(mask); });
}
"""

# What kernels in Python need of the vendor's headers where they are not installed, or where there is but the first. The
# barrier of the grid is a counter whose highest bit turns over when the last block has come; one launch at a time uses
# it.
GROUPS = r"""
#if __has_include(<cooperative_groups/memcpy_async.h>)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace jit_groups = cooperative_groups;
#else
static __device__ unsigned int jit_arrived = 0;
namespace jit_groups {
struct thread_block {
  JIT_MEMBER unsigned int thread_rank() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  JIT_MEMBER unsigned int num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
  JIT_MEMBER unsigned int size() const { return num_threads(); }
  JIT_MEMBER dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  JIT_MEMBER dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  JIT_MEMBER dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  JIT_MEMBER dim3 dim_threads() const { return group_dim(); }
  JIT_MEMBER void sync() const { __syncthreads(); }
};
struct grid_group {
  JIT_MEMBER bool is_valid() const { return true; }
  JIT_MEMBER unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  JIT_MEMBER unsigned long long block_rank() const {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  JIT_MEMBER unsigned long long num_threads() const { return num_blocks() * thread_block().num_threads(); }
  JIT_MEMBER unsigned long long size() const { return num_threads(); }
  JIT_MEMBER unsigned long long thread_rank() const {
    return block_rank() * thread_block().num_threads() + thread_block().thread_rank();
  }
  JIT_MEMBER dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  JIT_MEMBER dim3 dim_blocks() const { return group_dim(); }
  JIT_MEMBER dim3 block_index() const { return thread_block().group_index(); }
  JIT_MEMBER void sync() const {
    __syncthreads();
    if (thread_block().thread_rank() == 0) {
      const unsigned int turned = 0x80000000u, blocks = (unsigned int)num_blocks();
      __threadfence();
      const unsigned int before = atomicAdd(&jit_arrived, block_rank() == 0 ? turned - (blocks - 1) : 1u);
      while (((atomicAdd(&jit_arrived, 0u) ^ before) & turned) == 0) {}
      __threadfence();
    }
    __syncthreads();
  }
};
JIT_DEVICE thread_block this_thread_block() { return thread_block(); }
JIT_DEVICE grid_group this_grid() { return grid_group(); }
template <typename G> JIT_DEVICE void sync(const G& group) { group.sync(); }
template <typename G> JIT_DEVICE void wait(const G& group) { group.sync(); }
template <int steps, typename G> JIT_DEVICE void wait_prior(const G& group) { group.sync(); }
template <typename G, typename T> JIT_DEVICE void memcpy_async(const G& group, T* to, const T* from, size_t bytes) {
  const size_t whole = bytes / sizeof(T), step = group.size();
  for (size_t at = group.thread_rank(); at < whole; at += step) to[at] = from[at];
}
}  // namespace jit_groups
#endif
"""
