// Traits of types as <type_traits> has them, for run-time compilers that come without the standard library.
#pragma once

// Before HIP 7 what AMD's compiler puts before each text has the commonest of them.
#if defined(__HIPCC_RTC__) && HIP_VERSION_MAJOR < 7
#define CUPY_COMMON_TRAITS 0
#elif !__has_include(<type_traits>)
#define CUPY_COMMON_TRAITS 1
#endif

#ifndef CUPY_COMMON_TRAITS
#include <type_traits>
#else

namespace std {

#if CUPY_COMMON_TRAITS
template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <bool, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };

template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
#endif

template <bool, class T, class U> struct conditional { typedef T type; };
template <class T, class U> struct conditional<false, T, U> { typedef U type; };

template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };

template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> struct is_void : is_same<typename remove_cv<T>::type, void> {};

// The integers, each with its counterparts.
template <class T> struct __cupy_integer : false_type {};
template <> struct __cupy_integer<bool> : true_type {};
template <class S, class U> struct __cupy_pair : true_type {
  typedef S with_sign;
  typedef U without_sign;
};
template <> struct __cupy_integer<char> : __cupy_pair<signed char, unsigned char> {};
template <> struct __cupy_integer<signed char> : __cupy_pair<signed char, unsigned char> {};
template <> struct __cupy_integer<unsigned char> : __cupy_pair<signed char, unsigned char> {};
template <> struct __cupy_integer<short> : __cupy_pair<short, unsigned short> {};
template <> struct __cupy_integer<unsigned short> : __cupy_pair<short, unsigned short> {};
template <> struct __cupy_integer<int> : __cupy_pair<int, unsigned int> {};
template <> struct __cupy_integer<unsigned int> : __cupy_pair<int, unsigned int> {};
template <> struct __cupy_integer<long> : __cupy_pair<long, unsigned long> {};
template <> struct __cupy_integer<unsigned long> : __cupy_pair<long, unsigned long> {};
template <> struct __cupy_integer<long long> : __cupy_pair<long long, unsigned long long> {};
template <> struct __cupy_integer<unsigned long long> : __cupy_pair<long long, unsigned long long> {};

#if CUPY_COMMON_TRAITS
template <class T> struct is_integral : integral_constant<bool, __cupy_integer<typename remove_cv<T>::type>::value> {};
template <class T> struct is_floating_point : false_type {};
template <> struct is_floating_point<float> : true_type {};
template <> struct is_floating_point<double> : true_type {};
template <class T> struct is_floating_point<const T> : is_floating_point<T> {};
template <class T> struct is_floating_point<volatile T> : is_floating_point<T> {};
template <class T>
struct is_arithmetic : integral_constant<bool, is_integral<T>::value || is_floating_point<T>::value> {};

template <class T, bool = is_arithmetic<T>::value> struct __cupy_sign : false_type {};
template <class T> struct __cupy_sign<T, true> : integral_constant<bool, (T(-1) < T(0))> {};
template <class T> struct is_signed : __cupy_sign<T> {};
#endif

template <class T> struct is_unsigned : integral_constant<bool, is_arithmetic<T>::value && !is_signed<T>::value> {};
template <class T> struct make_signed { typedef typename __cupy_integer<T>::with_sign type; };
template <class T> struct make_unsigned { typedef typename __cupy_integer<T>::without_sign type; };

template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class U> using conditional_t = typename conditional<B, T, U>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;

#if __cplusplus >= 201703L
template <class T, class U> constexpr bool is_same_v = is_same<T, U>::value;
template <class T> constexpr bool is_integral_v = is_integral<T>::value;
template <class T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> constexpr bool is_signed_v = is_signed<T>::value;
template <class T> constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> constexpr bool is_pointer_v = is_pointer<T>::value;
#endif

}  // namespace std

#endif
#undef CUPY_COMMON_TRAITS
