// Read before every text of the user's: what the language of the GPU has and C++ has not.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <limits>
#include <type_traits>

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
