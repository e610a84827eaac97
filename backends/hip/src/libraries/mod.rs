//! AMD's libraries, one file each: the table of what a device gives out, and that of what the diagnosis reports.

mod blas;
mod dnn;
mod fft;
mod random;
mod sparse;
mod structured;
mod tensors;

use std::sync::Arc;

use cuproxide_gpu::own_handle::Lazy;
use cuproxide_gpu::solver::GpuSolver;
use cuproxide_gpu::{Driver, GpuCollectives, Primary, Target, Vendor};
use cuproxide_hal::Result;
use cuproxide_hal::libraries::{Blas, Collectives, Libraries, Library};

use crate::api::hipsolver;
use crate::api::library::{HIPBLAS, HIPSOLVER, HIPSPARSE, Kind, RCCL};
pub(crate) use random::open as sequences;

/// The libraries of one device. Opens nothing yet.
pub(crate) fn of_device(
    vendor: &'static Vendor,
    driver: &'static Driver,
    primary: Primary,
    target: Target,
) -> Libraries {
    let blas = Arc::new(Lazy::new(driver, primary, blas::Hipblas::new));
    let solver = GpuSolver::new(vendor, driver, primary, target, blas.clone(), hipsolver::open);
    let rccl = move || -> Result<_> { Ok(GpuCollectives::new(RCCL.open()?, driver, primary)) };
    Libraries {
        blas: Library::new(move || Ok(blas.get()?.clone() as Arc<dyn Blas>)),
        solver: Library::ready(Arc::new(solver)),
        sparse: Library::new(move || sparse::open(driver, primary)),
        sparse_solver: Library::ready(cuproxide_factors::solver()),
        fft: Library::new(move || fft::open(driver, primary)),
        collectives: Library::new(move || Ok(Arc::new(rccl()?) as Arc<dyn Collectives>)),
        tensors: Library::new(move || tensors::open(driver, primary)),
        structured: Library::new(move || structured::open(driver, primary)),
        dnn: Library::new(move || dnn::open(driver, primary)),
        ..Libraries::none("hip")
    }
}

/// Libraries beyond the runtime and the compiler in the order of the report, with the function that tells their version
/// without a device, if any.
pub(crate) const REPORTED: [(Kind, Option<&str>); 9] = [
    (HIPBLAS, None),
    (HIPSOLVER, None),
    (fft::KIND, None),
    (HIPSPARSE, None),
    (random::KIND, None),
    (RCCL, Some("ncclGetVersion")),
    (tensors::KIND, None),
    (structured::KIND, None),
    (dnn::KIND, None),
];
