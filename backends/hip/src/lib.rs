//! The HIP backend: AMD's runtime, run-time compiler and libraries behind the HAL.
//!
//! What it shares with other GPUs lies in `cuproxide-gpu`; here is what only AMD has: where its libraries are, adapters
//! that fill the shared tables (`api`), the names of architectures, hipBLAS, hipSOLVER, hipSPARSE and hipFFT, and what the machine
//! says when there is no device. Nothing is linked and nothing is opened before it is needed. One build serves ROCm 6 and
//! 7, and ROCm 5.7 as far as it goes.
#![deny(missing_docs)]

mod api;
mod compiler;
mod facts;
mod handles;
mod libraries;
mod machine;
mod options;
mod places;
mod report;
mod vendor;

use std::sync::Arc;

pub use compiler::compiler_version;
pub use vendor::{compile_text, compile_user_text, text_hash};

/// The HIP backend. Opens nothing yet.
pub fn backend() -> Arc<dyn cuproxide_hal::Backend> {
    Arc::new(cuproxide_gpu::GpuBackend::new(&vendor::VENDOR))
}

/// What this backend supplies to the code that all GPU backends share.
pub fn vendor() -> &'static cuproxide_gpu::Vendor {
    &vendor::VENDOR
}
