//! The CUDA backend: NVIDIA's driver, run-time compiler and libraries behind the HAL.
//!
//! Nothing is linked and nothing is opened before it is needed: [`backend`] touches no library, the first question about
//! devices opens the driver, the first kernel the compiler, the first product cuBLAS, the first transform cuFFT. One
//! build serves CUDA 12 and 13.
//! Status codes stay integers throughout, since a newer driver may return codes that no header known here lists.
#![deny(missing_docs)]

mod api;
mod compiler;
mod facts;
mod handles;
mod libraries;
mod places;
mod report;
mod vendor;
mod version;

use std::sync::Arc;

pub use compiler::{Architecture, compiler_version};
pub use vendor::{compile_text, compile_user_text, text_hash};

/// The CUDA backend. Opens nothing yet.
pub fn backend() -> Arc<dyn cuproxide_hal::Backend> {
    Arc::new(cuproxide_gpu::GpuBackend::new(&vendor::VENDOR))
}

/// What this backend supplies to the code that all GPU backends share.
pub fn vendor() -> &'static cuproxide_gpu::Vendor {
    &vendor::VENDOR
}
