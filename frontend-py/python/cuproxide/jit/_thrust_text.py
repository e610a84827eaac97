"""Algorithms over ranges in C++, for `thrust.py`. The thread that calls one runs it, from the first element on."""

ITERATORS = r"""
// A place in an array: neighbours may be any distance apart.
template <typename T> struct jit_iterator {
  typedef T value;
  char* at;
  long long step;
  JIT_MEMBER T& operator[](long long i) const { return *(T*)(at + i * step); }
  JIT_MEMBER T& operator*() const { return *(T*)at; }
  JIT_MEMBER jit_iterator operator+(long long n) const { return jit_iterator{at + n * step, step}; }
  JIT_MEMBER long long operator-(const jit_iterator& other) const { return step == 0 ? 0 : (at - other.at) / step; }
};
template <typename T, bool c, bool s> JIT_DEVICE jit_iterator<T> jit_begin(const CArray<T, 1, c, s>& a) {
  return jit_iterator<T>{(char*)a.data_, (long long)a.strides_[0]};
}
template <typename T, int n, bool s> JIT_DEVICE jit_iterator<T> jit_begin(const CArray<T, n, true, s>& a) {
  return jit_iterator<T>{(char*)a.data_, (long long)sizeof(T)};
}
template <typename T, bool s> JIT_DEVICE jit_iterator<T> jit_begin(const CArray<T, 1, true, s>& a) {
  return jit_iterator<T>{(char*)a.data_, (long long)sizeof(T)};
}
"""

ALGORITHMS = r"""
struct jit_less {
  template <typename T> JIT_MEMBER bool operator()(const T& a, const T& b) const { return a < b; }
  template <typename T> JIT_MEMBER bool operator()(const complex<T>& a, const complex<T>& b) const {
    return jit_complex_less(a, b);
  }
};
struct jit_equal { template <typename T> JIT_MEMBER bool operator()(const T& a, const T& b) const { return a == b; } };
struct jit_plus { template <typename T> JIT_MEMBER T operator()(const T& a, const T& b) const { return (T)(a + b); } };
struct jit_minus { template <typename T> JIT_MEMBER T operator()(const T& a, const T& b) const { return (T)(a - b); } };
template <typename T> JIT_DEVICE void jit_swap(T& a, T& b) { const T c = a; a = b; b = c; }

template <typename A, typename B, typename F> JIT_DEVICE B jit_adjacent_difference(A f, A l, B o, F op) {
  const long long n = l - f;
  typename A::value before{};
  for (long long i = 0; i < n; i++) {
    const typename A::value x = f[i];
    o[i] = i == 0 ? x : (typename A::value)op(x, before);
    before = x;
  }
  return o + n;
}
template <typename A, typename T, typename F> JIT_DEVICE A jit_lower_bound(A f, A l, T x, F less) {
  long long n = l - f;
  while (n > 0) {
    const long long half = n / 2;
    if (less(f[half], x)) { f = f + (half + 1); n -= half + 1; } else n = half;
  }
  return f;
}
template <typename A, typename T, typename F> JIT_DEVICE A jit_upper_bound(A f, A l, T x, F less) {
  long long n = l - f;
  while (n > 0) {
    const long long half = n / 2;
    if (!less(x, f[half])) { f = f + (half + 1); n -= half + 1; } else n = half;
  }
  return f;
}
template <typename A, typename T, typename F> JIT_DEVICE bool jit_binary_search(A f, A l, T x, F less) {
  const A place = jit_lower_bound(f, l, x, less);
  return l - place > 0 && !less(x, *place);
}
template <typename A, typename T, typename F> JIT_DEVICE jit_tuple<A, A> jit_equal_range(A f, A l, T x, F less) {
  return jit_tuple<A, A>{jit_lower_bound(f, l, x, less), jit_tuple<A>{jit_upper_bound(f, l, x, less), jit_tuple<>{}}};
}
template <typename A, typename V, typename B, typename F>
JIT_DEVICE B jit_lower_bounds(A f, A l, V g, V m, B o, F less) {
  const long long n = m - g;
  for (long long i = 0; i < n; i++) o[i] = (typename B::value)(jit_lower_bound(f, l, g[i], less) - f);
  return o + n;
}
template <typename A, typename V, typename B, typename F>
JIT_DEVICE B jit_upper_bounds(A f, A l, V g, V m, B o, F less) {
  const long long n = m - g;
  for (long long i = 0; i < n; i++) o[i] = (typename B::value)(jit_upper_bound(f, l, g[i], less) - f);
  return o + n;
}
template <typename A, typename V, typename B, typename F>
JIT_DEVICE B jit_binary_searches(A f, A l, V g, V m, B o, F less) {
  const long long n = m - g;
  for (long long i = 0; i < n; i++) o[i] = (typename B::value)jit_binary_search(f, l, g[i], less);
  return o + n;
}
template <typename A, typename B> JIT_DEVICE B jit_copy(A f, A l, B o) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) o[i] = f[i];
  return o + n;
}
template <typename A, typename T> JIT_DEVICE long long jit_count(A f, A l, T x) {
  long long found = 0;
  for (long long i = 0, n = l - f; i < n; i++) found += f[i] == x;
  return found;
}
template <typename A, typename B, typename F> JIT_DEVICE long long jit_agreeing(A f, A l, B o, F equal) {
  const long long n = l - f;
  long long i = 0;
  while (i < n && equal(f[i], o[i])) i++;
  return i;
}
template <typename A, typename B, typename F> JIT_DEVICE bool jit_all_equal(A f, A l, B o, F equal) {
  return jit_agreeing(f, l, o, equal) == l - f;
}
template <typename A, typename B, typename F> JIT_DEVICE jit_tuple<A, B> jit_mismatch(A f, A l, B o, F equal) {
  const long long i = jit_agreeing(f, l, o, equal);
  return jit_tuple<A, B>{f + i, jit_tuple<B>{o + i, jit_tuple<>{}}};
}
template <typename A, typename B, typename T, typename F> JIT_DEVICE B jit_exclusive_scan(A f, A l, B o, T sum, F op) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) {
    const typename A::value x = f[i];
    o[i] = sum;
    sum = op(sum, (T)x);
  }
  return o + n;
}
template <typename A, typename B, typename F> JIT_DEVICE B jit_inclusive_scan(A f, A l, B o, F op) {
  const long long n = l - f;
  typename A::value sum{};
  for (long long i = 0; i < n; i++) o[i] = sum = i == 0 ? f[i] : op(sum, f[i]);
  return o + n;
}
template <typename K, typename A, typename B, typename T, typename E, typename F>
JIT_DEVICE B jit_exclusive_scan_by_key(K f, K l, A values, B o, T start, E equal, F op) {
  const long long n = l - f;
  typename K::value last{};
  T sum = start;
  for (long long i = 0; i < n; i++) {
    const typename K::value key = f[i];
    const typename A::value x = values[i];
    if (i > 0 && !equal(last, key)) sum = start;
    last = key;
    o[i] = sum;
    sum = op(sum, (T)x);
  }
  return o + n;
}
template <typename K, typename A, typename B, typename E, typename F>
JIT_DEVICE B jit_inclusive_scan_by_key(K f, K l, A values, B o, E equal, F op) {
  const long long n = l - f;
  typename K::value last{};
  typename A::value sum{};
  for (long long i = 0; i < n; i++) {
    const typename K::value key = f[i];
    const typename A::value x = values[i];
    sum = i > 0 && equal(last, key) ? (typename A::value)op(sum, x) : x;
    last = key;
    o[i] = sum;
  }
  return o + n;
}
template <typename K, typename A, typename L, typename B, typename E, typename F>
JIT_DEVICE jit_tuple<L, B> jit_reduced_by_key(K f, K l, A values, L keys, B o, E equal, F op) {
  const long long n = l - f;
  typename K::value last{};
  typename A::value sum{};
  long long k = 0;
  for (long long i = 0; i < n; i++) {
    const typename K::value key = f[i];
    const typename A::value x = values[i];
    if (i == 0 || !equal(last, key)) {
      if (i > 0) o[k++] = sum;
      keys[k] = key;
      sum = x;
    } else {
      sum = (typename A::value)op(sum, x);
    }
    last = key;
  }
  if (n > 0) o[k++] = sum;
  return jit_tuple<L, B>{keys + k, jit_tuple<B>{o + k, jit_tuple<>{}}};
}
template <typename A, typename T> JIT_DEVICE void jit_fill(A f, A l, T x) {
  for (long long i = 0, n = l - f; i < n; i++) f[i] = x;
}
template <typename A, typename T> JIT_DEVICE A jit_find(A f, A l, T x) {
  const long long n = l - f;
  long long i = 0;
  while (i < n && !(f[i] == x)) i++;
  return f + i;
}
template <typename M, typename A, typename B> JIT_DEVICE B jit_gather(M f, M l, A from, B o) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) o[i] = from[f[i]];
  return o + n;
}
template <typename A, typename M, typename B> JIT_DEVICE void jit_scatter(A f, A l, M places, B o) {
  for (long long i = 0, n = l - f; i < n; i++) o[places[i]] = f[i];
}
template <typename A, typename B, typename T> JIT_DEVICE T jit_inner_product(A f, A l, B o, T sum) {
  for (long long i = 0, n = l - f; i < n; i++) sum = sum + (T)f[i] * (T)o[i];
  return sum;
}
template <typename A, typename F> JIT_DEVICE A jit_is_sorted_until(A f, A l, F less) {
  const long long n = l - f;
  long long i = 1;
  while (i < n && !less(f[i], f[i - 1])) i++;
  return n == 0 ? l : f + i;
}
template <typename A, typename F> JIT_DEVICE bool jit_is_sorted(A f, A l, F less) {
  return l - jit_is_sorted_until(f, l, less) == 0;
}
template <typename A, typename F> JIT_DEVICE A jit_max_element(A f, A l, F less) {
  long long best = 0;
  for (long long i = 1, n = l - f; i < n; i++) if (less(f[best], f[i])) best = i;
  return f + best;
}
template <typename A, typename F> JIT_DEVICE A jit_min_element(A f, A l, F less) {
  long long best = 0;
  for (long long i = 1, n = l - f; i < n; i++) if (less(f[i], f[best])) best = i;
  return f + best;
}
template <typename A, typename F> JIT_DEVICE jit_tuple<A, A> jit_minmax_element(A f, A l, F less) {
  return jit_tuple<A, A>{jit_min_element(f, l, less), jit_tuple<A>{jit_max_element(f, l, less), jit_tuple<>{}}};
}
// What is in the first range only, in the second only, and in both goes to the result as the three flags say.
template <bool first, bool second, bool both, bool twice, typename A, typename B, typename C, typename F>
JIT_DEVICE C jit_combined(A f, A l, B g, B m, C o, F less) {
  long long i = 0, j = 0, k = 0;
  const long long n = l - f, p = m - g;
  while (i < n && j < p) {
    if (less(f[i], g[j])) { if (first) o[k++] = f[i]; i++; }
    else if (less(g[j], f[i])) { if (second) o[k++] = g[j]; j++; }
    else if (twice) o[k++] = f[i++];
    else { if (both) o[k++] = f[i]; i++; j++; }
  }
  for (; i < n; i++) if (first) o[k++] = f[i];
  for (; j < p; j++) if (second) o[k++] = g[j];
  return o + k;
}
template <bool first, bool second, bool both, bool twice, typename A, typename B, typename V, typename W, typename C,
          typename D, typename F>
JIT_DEVICE jit_tuple<C, D> jit_combined_by_key(A f, A l, B g, B m, V v, W w, C o, D p, F less) {
  long long i = 0, j = 0, k = 0;
  const long long n = l - f, q = m - g;
  while (i < n && j < q) {
    const bool before = less(f[i], g[j]), after = !before && less(g[j], f[i]), same = !before && !after;
    if (before ? first : same && (both || twice)) { o[k] = f[i]; p[k++] = v[i]; }
    if (after && second) { o[k] = g[j]; p[k++] = w[j]; }
    if (!after) i++;
    if (after || (same && !twice)) j++;
  }
  for (; i < n; i++) if (first) { o[k] = f[i]; p[k++] = v[i]; }
  for (; j < q; j++) if (second) { o[k] = g[j]; p[k++] = w[j]; }
  return jit_tuple<C, D>{o + k, jit_tuple<D>{p + k, jit_tuple<>{}}};
}
template <typename A, typename B, typename V, typename C, typename D, typename F>
JIT_DEVICE jit_tuple<C, D> jit_common_by_key(A f, A l, B g, B m, V v, C o, D p, F less) {
  return jit_combined_by_key<false, false, true, false>(f, l, g, m, v, v, o, p, less);
}
template <typename A, typename T, typename F> JIT_DEVICE T jit_reduced(A f, A l, T sum, F op) {
  for (long long i = 0, n = l - f; i < n; i++) sum = op(sum, (T)f[i]);
  return sum;
}
template <typename A, typename T> JIT_DEVICE A jit_remove(A f, A l, T x) {
  long long k = 0;
  for (long long i = 0, n = l - f; i < n; i++) if (!(f[i] == x)) f[k++] = f[i];
  return f + k;
}
template <typename A, typename T> JIT_DEVICE void jit_replace(A f, A l, T x, T y) {
  for (long long i = 0, n = l - f; i < n; i++) if (f[i] == x) f[i] = y;
}
template <typename A, typename B, typename T> JIT_DEVICE B jit_remove_copy(A f, A l, B o, T x) {
  long long k = 0;
  for (long long i = 0, n = l - f; i < n; i++) if (!(f[i] == x)) o[k++] = f[i];
  return o + k;
}
template <typename A, typename B, typename T> JIT_DEVICE B jit_replace_copy(A f, A l, B o, T x, T y) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) o[i] = f[i] == x ? y : f[i];
  return o + n;
}
template <typename A> JIT_DEVICE void jit_reverse(A f, A l) {
  for (long long i = 0, j = (l - f) - 1; i < j; i++, j--) jit_swap(f[i], f[j]);
}
template <typename A, typename B> JIT_DEVICE B jit_reverse_copy(A f, A l, B o) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) o[i] = f[n - 1 - i];
  return o + n;
}
template <typename A, typename T> JIT_DEVICE void jit_sequence(A f, A l, T start, T step) {
  for (long long i = 0, n = l - f; i < n; i++) { f[i] = start; start = start + step; }
}
template <typename A, typename B> JIT_DEVICE B jit_swap_ranges(A f, A l, B o) {
  const long long n = l - f;
  for (long long i = 0; i < n; i++) jit_swap(f[i], o[i]);
  return o + n;
}
// Sorts keys with what goes along with them, as a heap: no memory is needed.
struct jit_alone { JIT_MEMBER void swap(long long, long long) const {} };
template <typename B> struct jit_along {
  B values;
  JIT_MEMBER void swap(long long i, long long j) const { jit_swap(values[i], values[j]); }
};
template <typename A, typename W, typename F>
JIT_DEVICE void jit_sift(A f, long long root, long long n, W with, F less) {
  for (long long child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && less(f[child], f[child + 1])) child++;
    if (!less(f[root], f[child])) return;
    jit_swap(f[root], f[child]);
    with.swap(root, child);
  }
}
template <typename A, typename W, typename F> JIT_DEVICE void jit_sorted(A f, A l, W with, F less) {
  const long long n = l - f;
  for (long long i = n / 2; i-- > 0;) jit_sift(f, i, n, with, less);
  for (long long i = n; i-- > 1;) {
    jit_swap(f[0], f[i]);
    with.swap(0, i);
    jit_sift(f, 0, i, with, less);
  }
}
template <typename A, typename F> JIT_DEVICE void jit_sort(A f, A l, F less) { jit_sorted(f, l, jit_alone{}, less); }
template <typename A, typename B, typename F> JIT_DEVICE void jit_sort_by_key(A f, A l, B values, F less) {
  jit_sorted(f, l, jit_along<B>{values}, less);
}
template <typename A, typename B, typename F> JIT_DEVICE B jit_unique_copy(A f, A l, B o, F equal) {
  long long k = 0;
  typename A::value last{};
  for (long long i = 0, n = l - f; i < n; i++) {
    const typename A::value x = f[i];
    if (i == 0 || !equal(last, x)) o[k++] = last = x;
  }
  return o + k;
}
template <typename A, typename F> JIT_DEVICE A jit_unique(A f, A l, F equal) { return jit_unique_copy(f, l, f, equal); }
template <typename A, typename B, typename F>
JIT_DEVICE jit_tuple<A, B> jit_unique_by_key(A f, A l, B values, F equal) {
  long long k = 0;
  for (long long i = 0, n = l - f; i < n; i++) {
    if (i > 0 && equal(f[k - 1], f[i])) continue;
    f[k] = f[i];
    values[k++] = values[i];
  }
  return jit_tuple<A, B>{f + k, jit_tuple<B>{values + k, jit_tuple<>{}}};
}
template <typename A, typename B, typename C, typename D, typename F>
JIT_DEVICE jit_tuple<C, D> jit_unique_by_key_copy(A f, A l, B values, C o, D p, F equal) {
  long long k = 0;
  typename A::value last{};
  for (long long i = 0, n = l - f; i < n; i++) {
    const typename A::value x = f[i];
    if (i > 0 && equal(last, x)) continue;
    last = x;
    o[k] = x;
    p[k++] = values[i];
  }
  return jit_tuple<C, D>{o + k, jit_tuple<D>{p + k, jit_tuple<>{}}};
}
"""
