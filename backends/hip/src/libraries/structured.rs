//! Opens hipSPARSELt, whose functions are cuSPARSELt's by other names.

use std::sync::Arc;

use cuproxide_gpu::api::Names;
use cuproxide_gpu::structured::{GpuStructured, Numbers, StructuredTable};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::Result;
use cuproxide_hal::libraries::Structured;

use crate::api::library::{Kind, kind};

/// hipSPARSELt.
pub(crate) const KIND: Kind = kind!("hipSPARSELt", "hipsparselt", 0, 0, 0, "hipsparseLtInit", "hipsparselt");

/// What the functions of the table are called here. There are none for names and words of statuses.
const CALLED: &[(&str, &str)] = &[
    ("init", "hipsparseLtInit"),
    ("destroy", "hipsparseLtDestroy"),
    ("version", "hipsparseLtGetVersion"),
    ("property", "hipsparseLtGetProperty"),
    ("dense", "hipsparseLtDenseDescriptorInit"),
    ("sparse", "hipsparseLtStructuredDescriptorInit"),
    ("destroy_matrix", "hipsparseLtMatDescriptorDestroy"),
    ("set_matrix", "hipsparseLtMatDescSetAttribute"),
    ("get_matrix", "hipsparseLtMatDescGetAttribute"),
    ("product", "hipsparseLtMatmulDescriptorInit"),
    ("set_product", "hipsparseLtMatmulDescSetAttribute"),
    ("get_product", "hipsparseLtMatmulDescGetAttribute"),
    ("selection", "hipsparseLtMatmulAlgSelectionInit"),
    ("set_selection", "hipsparseLtMatmulAlgSetAttribute"),
    ("get_selection", "hipsparseLtMatmulAlgGetAttribute"),
    ("plan", "hipsparseLtMatmulPlanInit"),
    ("destroy_plan", "hipsparseLtMatmulPlanDestroy"),
    ("workspace", "hipsparseLtMatmulGetWorkspace"),
    ("multiply", "hipsparseLtMatmul"),
    ("search", "hipsparseLtMatmulSearch"),
    ("prune", "hipsparseLtSpMMAPrune"),
    ("prune_matrix", "hipsparseLtSpMMAPrune2"),
    ("check", "hipsparseLtSpMMAPruneCheck"),
    ("check_matrix", "hipsparseLtSpMMAPruneCheck2"),
    ("compressed", "hipsparseLtSpMMACompressedSize"),
    ("compressed_matrix", "hipsparseLtSpMMACompressedSize2"),
    ("compress", "hipsparseLtSpMMACompress"),
    ("compress_matrix", "hipsparseLtSpMMACompress2"),
];

/// Opens the library for a device.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Structured>> {
    let names = Names { functions: CALLED, status: None };
    // float16 is 0, int32 1, float32 2.
    let numbers = Numbers { computes: [1, 0, 2], sparse_pointer: (9, 17) };
    let table = StructuredTable::named(KIND.open()?, names);
    Ok(Arc::new(GpuStructured::new(table, driver, primary, numbers)))
}
