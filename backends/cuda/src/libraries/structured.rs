//! Opens cuSPARSELt.

use std::sync::Arc;

use cuproxide_gpu::loader::Wanted;
use cuproxide_gpu::structured::{GpuStructured, Numbers, StructuredTable};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::Structured;
use cuproxide_hal::{Error, Result};

use crate::places;

/// cuSPARSELt.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuSPARSELt",
    sonames: &["libcusparseLt.so.0"],
    wheel: "cusparselt",
    probe: "cusparseLtInit",
    hint: "pip install nvidia-cusparselt-cu13 (CUDA 13) or nvidia-cusparselt-cu12 (CUDA 12)",
};

/// The first version with these numbers: before it, arithmetics were counted in another order.
const OLDEST: i32 = 600;

/// Opens the library for a device.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Structured>> {
    let table = StructuredTable::new(places::of_process().open(&WANTED)?);
    let mut parts = [0; 3];
    for (property, part) in parts.iter_mut().enumerate() {
        // SAFETY: the library writes one number.
        unsafe { table.property(property as i32, part) }?;
    }
    let [major, minor, patch] = parts;
    if major * 1000 + minor * 100 + patch < OLDEST {
        return Err(Error::unsupported("cuda", format!("cuSPARSELt {major}.{minor}.{patch}; 0.6 or later is needed")));
    }
    // int32 is 0, float16 1, float32 2.
    let numbers = Numbers { computes: [0, 1, 2], sparse_pointer: (9, 9) };
    Ok(Arc::new(GpuStructured::new(table, driver, primary, numbers)))
}
