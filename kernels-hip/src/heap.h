// Read before texts of the user's that make objects on the device, which CUDA's compiler does without a header.

#ifdef __AMDGCN__
__device__ inline void* operator new(decltype(sizeof(0)) bytes) { return malloc(bytes); }
__device__ inline void* operator new[](decltype(sizeof(0)) bytes) { return malloc(bytes); }
__device__ inline void operator delete(void* object) { free(object); }
__device__ inline void operator delete[](void* object) { free(object); }
__device__ inline void operator delete(void* object, decltype(sizeof(0))) { free(object); }
__device__ inline void operator delete[](void* object, decltype(sizeof(0))) { free(object); }
#endif
