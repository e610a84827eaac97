// Read before texts of the user's that call `assert`, which CUDA's compiler knows without a header.

#ifdef __AMDGCN__
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
#endif
