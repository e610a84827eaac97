//! NVIDIA's libraries, one file each: the table of what a device gives out, and that of what the diagnosis reports.

mod blas;
mod direct;
mod dnn;
mod fft;
mod random;
mod solver;
pub(crate) mod sparse;
mod structured;
pub(crate) mod tensors;

use std::sync::Arc;

use cuproxide_gpu::loader::{self, Wanted};
use cuproxide_gpu::own_handle::Lazy;
use cuproxide_gpu::solver::GpuSolver;
use cuproxide_gpu::{Driver, GpuCollectives, Primary, Target, Vendor};
use cuproxide_hal::libraries::{Blas, Collectives, Libraries, Library};
use cuproxide_hal::{Error, Result};

use crate::api::{cublas, cudnn, cudss, cufft, curand, cusolver, nccl};
use crate::places;
use crate::version::Version;
pub(crate) use random::open as sequences;

/// The libraries of one device. Opens nothing yet.
pub(crate) fn of_device(
    vendor: &'static Vendor,
    driver: &'static Driver,
    primary: Primary,
    target: Target,
) -> Libraries {
    let blas = Arc::new(Lazy::new(driver, primary, blas::Cublas::new));
    let solver = GpuSolver::new(vendor, driver, primary, target, blas.clone(), solver::open);
    let nccl =
        move || -> Result<_> { Ok(GpuCollectives::new(places::of_process().open(&nccl::WANTED)?, driver, primary)) };
    Libraries {
        blas: Library::new(move || Ok(blas.get()?.clone() as Arc<dyn Blas>)),
        solver: Library::ready(Arc::new(solver)),
        sparse: Library::new(move || sparse::open(driver, primary)),
        sparse_solver: Library::ready(cuproxide_factors::solver()),
        direct_solver: Library::new(move || direct::open(driver, primary)),
        fft: Library::new(move || fft::open(driver, primary)),
        collectives: Library::new(move || Ok(Arc::new(nccl()?) as Arc<dyn Collectives>)),
        tensors: Library::new(move || tensors::open(driver, primary)),
        structured: Library::new(move || structured::open(driver, primary)),
        dnn: Library::new(move || dnn::open(driver, primary)),
        ..Libraries::none("cuda")
    }
}

/// A library beyond the driver and the compiler, for the diagnosis.
pub(crate) struct Reported {
    pub wanted: Wanted,
    /// The function that tells its version.
    pub version: Version,
    /// How it is opened, where it needs another library first.
    opened: Option<fn() -> Result<loader::Library>>,
}

impl Reported {
    const fn new(wanted: Wanted, version: Version) -> Reported {
        Reported { wanted, version, opened: None }
    }

    const fn opened(wanted: Wanted, version: Version, open: fn() -> Result<loader::Library>) -> Reported {
        Reported { wanted, version, opened: Some(open) }
    }

    /// Opens it.
    pub fn open(&self) -> Result<loader::Library> {
        match self.opened {
            Some(open) => open(),
            None => places::of_process().open(&self.wanted).map_err(Error::from),
        }
    }
}

/// All of them, in the order of the report.
pub(crate) const REPORTED: [Reported; 11] = {
    use Version::{Number, Property, Word};
    [
        Reported::new(cublas::WANTED, Property("cublasGetProperty")),
        Reported::new(tensors::NEEDED, Property("cublasLtGetProperty")),
        Reported::new(cufft::WANTED, Property("cufftGetProperty")),
        Reported::new(cusolver::WANTED, Property("cusolverGetProperty")),
        Reported::new(sparse::WANTED, Property("cusparseGetProperty")),
        Reported::opened(cudss::WANTED, Property("cudssGetProperty"), direct::library),
        Reported::new(curand::WANTED, Property("curandGetProperty")),
        Reported::new(nccl::WANTED, Number("ncclGetVersion")),
        Reported::opened(tensors::WANTED, Word("cutensorGetVersion"), tensors::library),
        Reported::new(structured::WANTED, Property("cusparseLtGetProperty")),
        Reported::new(cudnn::WANTED, Property("cudnnGetProperty")),
    ]
};
