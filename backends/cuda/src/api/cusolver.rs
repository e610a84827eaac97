//! cuSOLVER's dense part.

use cuproxide_gpu::loader::Wanted;

/// The library.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuSOLVER",
    sonames: &["libcusolver.so.12", "libcusolver.so.11"],
    wheel: "cusolver",
    probe: "cusolverDnCreate",
    hint: "pip install nvidia-cusolver (CUDA 13) or nvidia-cusolver-cu12 (CUDA 12)",
};

/// For drivers of CUDA 12.
pub(crate) const WANTED_12: Wanted =
    Wanted { sonames: &["libcusolver.so.11"], hint: "pip install nvidia-cusolver-cu12", ..WANTED };
