//! Opens cuSOLVER.

use cuproxide_gpu::Driver;
use cuproxide_gpu::api::solver::SolverTable;
use cuproxide_hal::Result;

use crate::api::cusolver::{WANTED, WANTED_12};
use crate::places;

/// Opens the library.
pub(crate) fn open(driver: &Driver) -> Result<SolverTable> {
    let old_driver = driver.version().is_ok_and(|(major, _)| major < 13);
    Ok(SolverTable::new(places::of_process().open(if old_driver { &WANTED_12 } else { &WANTED })?))
}
