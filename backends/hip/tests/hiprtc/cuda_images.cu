// What programs write for CUDA: textures sampled and surfaces read and written, in each number of dimensions.
extern "C" __global__ void sample(cudaTextureObject_t t, const float* x, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = tex2D<float4>(t, x[2 * i], x[2 * i + 1]);
    v.x += tex1D<float>(t, x[i]) + tex3D<float>(t, x[i], x[i], x[i]);
    v.y += tex1Dfetch<float>(t, i);
    out[i] = v;
}

extern "C" __global__ void move(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float value = surf2Dread<float>(from, x * 4, y), other;
    surf2Dread(&other, from, x * 4, y, cudaBoundaryModeZero);
    surf2Dwrite(value + other, to, x * 4, y, cudaBoundaryModeTrap);
    surf1Dwrite(surf1Dread<int>(from, x * 4), to, x * 4);
    surf3Dwrite(surf3Dread<uchar4>(from, x * 4, y, 0), to, x * 4, y, 0);
}
