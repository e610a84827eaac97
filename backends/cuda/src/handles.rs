//! Handles of vendor libraries for programs that call these themselves. Our own work has its own.

use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::{Driver, Primary, handles};
use cuproxide_hal::{Error, Result, settings};

use crate::api::{cublas, cusolver};
use crate::places;

/// What a program calls it, the library, that of CUDA 12, and the function `int create(void **handle)`.
const LIBRARIES: [(&str, Wanted, Wanted, &str); 5] = [
    ("cublas", cublas::WANTED, cublas::WANTED_12, "cublasCreate_v2"),
    ("cusolver", cusolver::WANTED, cusolver::WANTED_12, "cusolverDnCreate"),
    ("cusolver_sp", cusolver::WANTED, cusolver::WANTED_12, "cusolverSpCreate"),
    ("cusparse", CUSPARSE, CUSPARSE, "cusparseCreate"),
    ("cutensor", CUTENSOR, CUTENSOR, "cutensorCreate"),
];

/// cuSPARSE.
pub(crate) const CUSPARSE: Wanted = Wanted {
    name: "cuSPARSE",
    sonames: &["libcusparse.so.12"],
    wheel: "cusparse",
    probe: "cusparseCreate",
    hint: "pip install nvidia-cusparse (CUDA 13) or nvidia-cusparse-cu12 (CUDA 12)",
};

/// cuTENSOR, whose wheel has a folder of its own.
pub(crate) const CUTENSOR: Wanted = Wanted {
    name: "cuTENSOR",
    sonames: &["libcutensor.so.2"],
    wheel: "cutensor",
    probe: "cutensorCreate",
    hint: "pip install cutensor-cu13 (CUDA 13) or cutensor-cu12 (CUDA 12); CUTENSOR_PATH names its folder",
};

/// The handle of a library for a device.
pub(crate) fn handle(driver: &'static Driver, primary: Primary, library: &str) -> Result<u64> {
    let Some((name, newest, old, create)) = LIBRARIES.into_iter().find(|(name, ..)| *name == library) else {
        return Err(Error::unsupported("cuda", format!("a handle of {library}")));
    };
    let open = || {
        let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
        let mut places = places::of_process();
        if name == "cutensor" {
            let roots = settings::CUTENSOR_PATH.path();
            let own: Vec<_> = places.packages.iter().map(|folder| folder.join("cutensor")).collect();
            for root in roots.into_iter().chain(own) {
                places.named.extend([root.join("lib"), root.join("lib64"), root]);
            }
        }
        Ok(places.open(if old_driver { &old } else { &newest })?)
    };
    handles::handle(driver, primary, name, open, create)
}
