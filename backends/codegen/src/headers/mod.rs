//! The headers that user texts may include on every device.

/// A header: its name as `#include` has it, and its text.
pub type Header = (&'static str, &'static str);

/// Headers under names of their own.
pub const OWN: [Header; 7] = [
    ("cupy/complex.cuh", include_str!("cupy/complex.cuh")),
    ("cupy/carray.cuh", include_str!("cupy/carray.cuh")),
    ("cupy/atomics.cuh", include_str!("cupy/atomics.cuh")),
    ("cupy/float16.cuh", include_str!("cupy/float16.cuh")),
    ("cupy/narrow.cuh", include_str!("cupy/narrow.cuh")),
    ("cupy/cuda_workaround.h", include_str!("cupy/cuda_workaround.h")),
    ("cupy/math_constants.h", include_str!("cupy/math_constants.h")),
];

/// Headers that stand for those of a vendor's toolkit where it is not installed.
pub const SUBSTITUTES: [Header; 4] = [
    ("cuda_fp16.h", include_str!("cuda_fp16.h")),
    ("cuda_bf16.h", include_str!("cuda_bf16.h")),
    ("cuComplex.h", include_str!("cuComplex.h")),
    ("math_constants.h", include_str!("math_constants.h")),
];
