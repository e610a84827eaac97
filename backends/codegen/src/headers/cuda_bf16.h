// bfloat16 as CUDA's programs know it, for where the vendor's header is missing.
#pragma once

#include <cupy/float16.cuh>

#define CPX_T __nv_bfloat16
#define CPX_PAIR __nv_bfloat162
#define CPX_RAW __nv_bfloat16_raw
#define CPX_NAME bfloat16
#define CPX_WIDEN widen_brain
#define CPX_NARROW narrow_brain
#define CPX_INFINITY 0x7f80u
#include <cupy/narrow.cuh>

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
