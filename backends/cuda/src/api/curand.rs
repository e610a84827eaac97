//! cuRAND.

use cuproxide_gpu::loader::Wanted;

/// The library, whose file has one name in CUDA 12 and 13.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuRAND",
    sonames: &["libcurand.so.10"],
    wheel: "curand",
    probe: "curandGetVersion",
    hint: "pip install nvidia-curand (CUDA 13) or nvidia-curand-cu12 (CUDA 12)",
};
