//! NCCL.

use cuproxide_gpu::loader::Wanted;

/// The library.
pub(crate) const WANTED: Wanted = Wanted {
    name: "NCCL",
    sonames: &["libnccl.so.2"],
    wheel: "nccl",
    probe: "ncclGetVersion",
    hint: "pip install nvidia-nccl-cu13 (CUDA 13) or nvidia-nccl-cu12 (CUDA 12)",
};
