// Shuffles, votes and other exchanges among the 32 threads of a warp.
#pragma once

static inline void __syncwarp(unsigned mask = 0xffffffffu) { __cpx::wait(__cpx::SYNCWARP, mask); }

// Not inlined: the address that it returns to tells apart the places of the program from which it is called. The number
// keeps compilers from making one call of those in both branches of a condition.
__attribute__((noinline)) static unsigned __cpx_active(unsigned number) {
    const auto address = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    return (unsigned)__cpx::wait(__cpx::ACTIVE, 0, 0, (unsigned)address + number * 2654435761u);
}
#define __activemask() __cpx_active(__COUNTER__)

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE, mask, __cpx::bits(value), (unsigned)lane, (unsigned)width));
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE_UP, mask, __cpx::bits(value), delta, (unsigned)width));
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return __cpx::from_bits<T>(__cpx::wait(__cpx::SHUFFLE_DOWN, mask, __cpx::bits(value), delta, (unsigned)width));
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
    return __cpx::from_bits<T>(
        __cpx::wait(__cpx::SHUFFLE_XOR, mask, __cpx::bits(value), (unsigned)lanes, (unsigned)width));
}

static inline unsigned __ballot_sync(unsigned mask, int predicate) {
    return (unsigned)__cpx::wait(__cpx::VOTE, mask, predicate != 0);
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == (unsigned)__cpx::current.result2;
}
static inline int __uni_sync(unsigned mask, int predicate) {
    const unsigned votes = __ballot_sync(mask, predicate);
    return votes == 0 || votes == (unsigned)__cpx::current.result2;
}
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value) {
    return (unsigned)__cpx::wait(__cpx::MATCH, mask, __cpx::bits(value));
}
template <class T>
static inline unsigned __match_all_sync(unsigned mask, T value, int* same) {
    const unsigned matching = (unsigned)__cpx::wait(__cpx::MATCH, mask, __cpx::bits(value));
    *same = matching == (unsigned)__cpx::current.result2;
    return *same ? matching : 0;
}

static inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_ADD, mask, value);
}
static inline int __reduce_add_sync(unsigned mask, int value) {
    return (int)__cpx::wait(__cpx::REDUCE_ADD, mask, (unsigned)value);
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_MIN, mask, value);
}
static inline int __reduce_min_sync(unsigned mask, int value) {
    return (int)__cpx::wait(__cpx::REDUCE_MIN_SIGNED, mask, (unsigned)value);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_MAX, mask, value);
}
static inline int __reduce_max_sync(unsigned mask, int value) {
    return (int)__cpx::wait(__cpx::REDUCE_MAX_SIGNED, mask, (unsigned)value);
}
static inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_AND, mask, value);
}
static inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_OR, mask, value);
}
static inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
    return (unsigned)__cpx::wait(__cpx::REDUCE_XOR, mask, value);
}
