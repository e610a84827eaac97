//! The embedded backend: the host's processor as a device.
//!
//! Memory is host memory and work is done when a call returns. A kernel becomes machine code in two steps: the HAL
//! legalises its IR, and [`lower`] writes functions that run a rectangle of the iteration space: for Cranelift, with
//! 128-bit vectors, or machine code for wider ones. [`run`] cuts a launch into such rectangles and spreads them over the backend's own threads
//! ([`pool`]). Folds do not depend on the number of threads: their cuts follow from the shape alone. Matrix products
//! come from `faer` and `gemm`, Fourier transforms from `rustfft` and `realfft`; sorting is in [`sort`], products of sparse matrices in [`sparse`]. Kernels
//! that the user wrote in C++ go to the host's compiler ([`text`]).

mod atomics;
mod binning;
mod blas;
mod bytes;
mod compaction;
mod control_groups;
mod counting;
mod device;
mod eigen;
mod elements;
mod fault;
mod fft;
mod graph;
mod hessenberg;
mod images;
mod jacobi;
mod joining;
mod libm;
mod lower;
mod lu;
mod math;
mod matrices;
mod memory;
mod multishift;
mod packing;
mod pairs;
mod pool;
mod qr;
mod quicksort;
mod random;
mod registers;
mod run;
mod schur;
mod searching;
mod sequences;
mod solver;
mod sort;
mod sparse;
mod stream;
mod system;
mod text;
mod tridiagonal;
mod truth;
mod vectors;

use std::sync::{Arc, OnceLock};

use cuproxide_hal::Backend;

/// The backend `cpu` with its device `cpu:0`.
pub fn backend() -> Arc<dyn Backend> {
    static BACKEND: OnceLock<Arc<device::CpuBackend>> = OnceLock::new();
    BACKEND.get_or_init(|| Arc::new(device::CpuBackend::new())).clone()
}
