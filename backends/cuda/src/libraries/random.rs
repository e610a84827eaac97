//! Opens cuRAND.

use cuproxide_gpu::api::random::RandomTable;
use cuproxide_gpu::{Driver, Sequences};
use cuproxide_hal::Result;

use crate::api::curand::WANTED;
use crate::places;

/// Opens the library.
pub(crate) fn open(_driver: &Driver) -> Result<Sequences> {
    Ok(Sequences { table: RandomTable::new(places::of_process().open(&WANTED)?), kinds: [101, 121, 202, 204] })
}
