// Read before every text of the user's: what the language of the GPU has and C++ has not.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <limits>
#include <type_traits>

// What is a macro there is a variable here, so that a text may have one of its own.
#undef M_E
#undef M_LOG2E
#undef M_LOG10E
#undef M_LN2
#undef M_LN10
#undef M_PI
#undef M_PI_2
#undef M_PI_4
#undef M_1_PI
#undef M_2_PI
#undef M_2_SQRTPI
#undef M_SQRT2
#undef M_SQRT1_2
static constexpr double M_E = 2.71828182845904523536, M_LOG2E = 1.44269504088896340736, M_LOG10E = 0.43429448190325182765,
                        M_LN2 = 0.69314718055994530942, M_LN10 = 2.30258509299404568402, M_PI = 3.14159265358979323846,
                        M_PI_2 = 1.57079632679489661923, M_PI_4 = 0.78539816339744830962,
                        M_1_PI = 0.31830988618379067154, M_2_PI = 0.63661977236758134308,
                        M_2_SQRTPI = 1.12837916709551257390, M_SQRT2 = 1.41421356237309504880,
                        M_SQRT1_2 = 0.70710678118654752440;

#include "detail/runtime.h"
#include "detail/vectors.h"
#include "detail/warp.h"
#include "detail/atomics.h"
#include "detail/math.h"
#include "detail/images.h"
#include "detail/ptx.h"
#ifdef __HIP_PLATFORM_AMD__
#include "detail/hip.h"
#endif
