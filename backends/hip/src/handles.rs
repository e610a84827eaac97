//! Handles of AMD's libraries for programs that call these themselves, by the names that programs give NVIDIA's.

use cuproxide_gpu::{Driver, Primary, handles};
use cuproxide_hal::{Error, Result};

use crate::api::library::{HIPBLAS, HIPSOLVER, HIPSPARSE, Kind};

/// What a program calls it, the library that takes its place, and the function `int create(void **handle)`.
const LIBRARIES: [(&str, Kind, &str); 4] = [
    ("cublas", HIPBLAS, "hipblasCreate"),
    ("cusolver", HIPSOLVER, "hipsolverDnCreate"),
    ("cusolver_sp", HIPSOLVER, "hipsolverSpCreate"),
    ("cusparse", HIPSPARSE, "hipsparseCreate"),
];

/// The handle of a library for a device.
pub(crate) fn handle(driver: &'static Driver, primary: Primary, library: &str) -> Result<u64> {
    let Some((name, kind, create)) = LIBRARIES.into_iter().find(|(name, ..)| *name == library) else {
        return Err(Error::unsupported("hip", format!("a handle of {library}, which has no counterpart there")));
    };
    handles::handle(driver, primary, name, || kind.open(), create)
}
