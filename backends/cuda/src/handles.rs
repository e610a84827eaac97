//! Handles of vendor libraries for programs that call these themselves. Our own work has its own.

use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::{Driver, Primary, handles};
use cuproxide_hal::{Error, Result};

use crate::api::{cublas, cusolver};
use crate::libraries::{sparse, tensors};
use crate::places;

/// What a program calls it, the library, that of CUDA 12, and the function `int create(void **handle)`.
const LIBRARIES: [(&str, Wanted, Wanted, &str); 5] = [
    ("cublas", cublas::WANTED, cublas::WANTED_12, "cublasCreate_v2"),
    ("cusolver", cusolver::WANTED, cusolver::WANTED_12, "cusolverDnCreate"),
    ("cusolver_sp", cusolver::WANTED, cusolver::WANTED_12, "cusolverSpCreate"),
    ("cusparse", sparse::WANTED, sparse::WANTED, "cusparseCreate"),
    ("cutensor", tensors::WANTED, tensors::WANTED, "cutensorCreate"),
];

/// The handle of a library for a device.
pub(crate) fn handle(driver: &'static Driver, primary: Primary, library: &str) -> Result<u64> {
    let Some((name, newest, old, create)) = LIBRARIES.into_iter().find(|(name, ..)| *name == library) else {
        return Err(Error::unsupported("cuda", format!("a handle of {library}")));
    };
    let open = || {
        if name == "cutensor" {
            return tensors::library();
        }
        let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
        Ok(places::of_process().open(if old_driver { &old } else { &newest })?)
    };
    handles::handle(driver, primary, name, open, create)
}
