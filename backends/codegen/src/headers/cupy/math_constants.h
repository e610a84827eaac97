// CUDA's constants by the name that programs for CuPy include them by.
#pragma once

#include <math_constants.h>
