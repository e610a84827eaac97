// Read before texts of the user's that name CUDA's handles of textures and surfaces. Outside of an image reads give zero and
// writes do nothing; the mode that repeats the edge has no name here, as it would be another.

#define cudaTextureObject_t hipTextureObject_t
#define cudaSurfaceObject_t hipSurfaceObject_t

// The compiler's own functions of surfaces return nothing and take no mode.
#ifdef __AMDGCN__
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeTrap = 2 };

template <class T> __device__ inline T surf1Dread(hipSurfaceObject_t from, int x, int = 0) {
    T value;
    surf1Dread(&value, from, x);
    return value;
}
template <class T> __device__ inline T surf2Dread(hipSurfaceObject_t from, int x, int y, int = 0) {
    T value;
    surf2Dread(&value, from, x, y);
    return value;
}
template <class T> __device__ inline T surf3Dread(hipSurfaceObject_t from, int x, int y, int z, int = 0) {
    T value;
    surf3Dread(&value, from, x, y, z);
    return value;
}
template <class T> __device__ inline void surf1Dread(T* to, hipSurfaceObject_t from, int x, int) { surf1Dread(to, from, x); }
template <class T> __device__ inline void surf2Dread(T* to, hipSurfaceObject_t from, int x, int y, int) {
    surf2Dread(to, from, x, y);
}
template <class T> __device__ inline void surf3Dread(T* to, hipSurfaceObject_t from, int x, int y, int z, int) {
    surf3Dread(to, from, x, y, z);
}
template <class T> __device__ inline void surf1Dwrite(T value, hipSurfaceObject_t to, int x, int) { surf1Dwrite(value, to, x); }
template <class T> __device__ inline void surf2Dwrite(T value, hipSurfaceObject_t to, int x, int y, int) {
    surf2Dwrite(value, to, x, y);
}
template <class T> __device__ inline void surf3Dwrite(T value, hipSurfaceObject_t to, int x, int y, int z, int) {
    surf3Dwrite(value, to, x, y, z);
}
#endif
