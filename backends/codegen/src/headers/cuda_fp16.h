// float16 as CUDA's programs know it, for where the vendor's header is missing.
#pragma once

#include <cupy/float16.cuh>

#define CPX_T __half
#define CPX_PAIR __half2
#define CPX_RAW __half_raw
#define CPX_NAME half
#define CPX_WIDEN widen
#define CPX_NARROW narrow
#define CPX_INFINITY 0x7c00u
#include <cupy/narrow.cuh>

typedef __half half;
typedef __half2 half2;
