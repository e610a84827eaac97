//! NVRTC, the run-time compiler.

use cuproxide_gpu::loader::Wanted;

const HINT: &str = "pip install nvidia-cuda-nvrtc (CUDA 13) or nvidia-cuda-nvrtc-cu12 (CUDA 12)";

/// For drivers of CUDA 13 and later, which load what either compiler makes.
pub(crate) const WANTED: Wanted = Wanted {
    name: "NVRTC",
    sonames: &["libnvrtc.so.13", "libnvrtc.so.12"],
    wheel: "cuda_nvrtc",
    probe: "nvrtcVersion",
    hint: HINT,
};

/// For drivers of CUDA 12, which do not load what the compiler of CUDA 13 makes.
pub(crate) const WANTED_12: Wanted =
    Wanted { sonames: &["libnvrtc.so.12"], hint: "pip install nvidia-cuda-nvrtc-cu12", ..WANTED };
