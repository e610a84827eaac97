// Arrays with shape and strides as kernels get them.
#pragma once

#include <cupy/atomics.cuh>
#include <cupy/float16.cuh>
#include <math_constants.h>

// Choices between types that programs know by CuPy's names.
namespace cupy {
namespace type_traits {
template <bool, class T, class U> struct conditional { typedef T type; };
template <class T, class U> struct conditional<false, T, U> { typedef U type; };
template <class T, class U> struct is_same { static const bool value = false; };
template <class T> struct is_same<T, T> { static const bool value = true; };
}  // namespace type_traits
}  // namespace cupy

#define CPX_DEVICE __host__ __device__ inline

#ifdef __HIP__
// The compiler of ROCm 5 does not define it.
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#endif

// Runs its body for every number below n, spread over all threads of the grid.
#define CUPY_FOR(i, n)                                                                              \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x, cpx_step_ = (ptrdiff_t)blockDim.x * gridDim.x; \
         i < (ptrdiff_t)(n); i += cpx_step_)

// A bool in memory: every byte but 0 is true, while C++ expects 0 or 1.
CPX_DEVICE bool cpx_truth(const bool& place) { return *reinterpret_cast<const unsigned char*>(&place) != 0; }

// What reading an element of an input gives: the element, or the truth of a bool.
template <typename T> struct cpx_element {
    typedef const T& type;
    static CPX_DEVICE type of(const T& place) { return place; }
};
template <> struct cpx_element<bool> {
    typedef bool type;
    static CPX_DEVICE type of(const bool& place) { return cpx_truth(place); }
};

// An array of `ndim` axes; strides are in bytes. With `c_contiguous` a flat index needs no division.
template <typename T, int ndim_, bool c_contiguous = false, bool use_32bit = false>
class CArray {
public:
    static const int ndim = ndim_;
    typedef T value_type;
    typedef typename cpx_element<T>::type read_type;
    T* data_;
    ptrdiff_t size_;
    ptrdiff_t shape_[ndim_];
    ptrdiff_t strides_[ndim_];

    CPX_DEVICE ptrdiff_t size() const { return size_; }
    CPX_DEVICE const ptrdiff_t* shape() const { return shape_; }
    CPX_DEVICE const ptrdiff_t* strides() const { return strides_; }
    CPX_DEVICE T* begin_ptr() { return data_; }
    CPX_DEVICE const T* begin_ptr() const { return data_; }

    // The element at a position.
    template <typename Int>
    CPX_DEVICE T& operator[](const Int (&index)[ndim_]) {
        return *at(index);
    }
    template <typename Int>
    CPX_DEVICE read_type operator[](const Int (&index)[ndim_]) const {
        return cpx_element<T>::of(*at(index));
    }
    CPX_DEVICE T& _indexing(const ptrdiff_t* index) { return *at(index); }
    CPX_DEVICE read_type _indexing(const ptrdiff_t* index) const { return cpx_element<T>::of(*at(index)); }

    // The element with a number in C order.
    CPX_DEVICE T& operator[](ptrdiff_t i) { return *at_flat(i); }
    CPX_DEVICE read_type operator[](ptrdiff_t i) const { return cpx_element<T>::of(*at_flat(i)); }

private:
    template <typename Index>
    CPX_DEVICE T* at(const Index& index) const {
        char* address = (char*)data_;
        for (int axis = 0; axis < ndim_; axis++) address += (ptrdiff_t)index[axis] * strides_[axis];
        return reinterpret_cast<T*>(address);
    }
    CPX_DEVICE T* at_flat(ptrdiff_t i) const {
        if (c_contiguous) return data_ + i;
        char* address = (char*)data_;
        for (int axis = ndim_ - 1; axis > 0; axis--) {
            address += strides_[axis] * (i % shape_[axis]);
            i /= shape_[axis];
        }
        return reinterpret_cast<T*>(address + strides_[0] * i);
    }
};

template <typename T, bool c_contiguous, bool use_32bit>
class CArray<T, 0, c_contiguous, use_32bit> {
public:
    static const int ndim = 0;
    typedef T value_type;
    typedef typename cpx_element<T>::type read_type;
    T* data_;
    ptrdiff_t size_;

    CPX_DEVICE ptrdiff_t size() const { return size_; }
    CPX_DEVICE const ptrdiff_t* shape() const { return nullptr; }
    CPX_DEVICE const ptrdiff_t* strides() const { return nullptr; }
    CPX_DEVICE T* begin_ptr() { return data_; }
    CPX_DEVICE const T* begin_ptr() const { return data_; }
    CPX_DEVICE T& _indexing(const ptrdiff_t*) { return *data_; }
    CPX_DEVICE read_type _indexing(const ptrdiff_t*) const { return cpx_element<T>::of(*data_); }
    CPX_DEVICE T& operator[](ptrdiff_t) { return *data_; }
    CPX_DEVICE read_type operator[](ptrdiff_t) const { return cpx_element<T>::of(*data_); }
};

// Positions of an iteration space: `set(i)` makes `get()` the position with number i in C order.
template <int ndim_>
class CIndexer {
public:
    static const int ndim = ndim_;
    ptrdiff_t size_;
    ptrdiff_t shape_[ndim_];
    ptrdiff_t index_[ndim_];

    CPX_DEVICE ptrdiff_t size() const { return size_; }
    CPX_DEVICE void set(ptrdiff_t i) {
        for (int axis = ndim_ - 1; axis > 0; axis--) {
            index_[axis] = i % shape_[axis];
            i /= shape_[axis];
        }
        index_[0] = i;
    }
    CPX_DEVICE const ptrdiff_t* get() const { return index_; }
};

template <>
class CIndexer<0> {
public:
    static const int ndim = 0;
    ptrdiff_t size_;

    CPX_DEVICE ptrdiff_t size() const { return size_; }
    CPX_DEVICE void set(ptrdiff_t) {}
    CPX_DEVICE const ptrdiff_t* get() const { return nullptr; }
};

#undef CPX_DEVICE
