//! Opens hipSPARSE, whose functions are cuSPARSE's by other names.

use std::sync::Arc;

use cuproxide_gpu::api::Names;
use cuproxide_gpu::api::sparse::SparseTable;
use cuproxide_gpu::{Driver, GpuSparse, Primary};
use cuproxide_hal::Result;
use cuproxide_hal::libraries::{Sparse, SparseWork};

use crate::api::library::HIPSPARSE;

/// What the functions of the table are called here.
const CALLED: &[(&str, &str)] = &[
    ("create", "hipsparseCreate"),
    ("set_stream", "hipsparseSetStream"),
    ("create_csr", "hipsparseCreateCsr"),
    ("destroy_matrix", "hipsparseDestroySpMat"),
    ("matrix_size", "hipsparseSpMatGetSize"),
    ("set_pointers", "hipsparseCsrSetPointers"),
    ("set_attribute", "hipsparseSpMatSetAttribute"),
    ("create_vector", "hipsparseCreateDnVec"),
    ("destroy_vector", "hipsparseDestroyDnVec"),
    ("create_dense", "hipsparseCreateDnMat"),
    ("destroy_dense", "hipsparseDestroyDnMat"),
    ("vector_size", "hipsparseSpMV_bufferSize"),
    ("times_vector", "hipsparseSpMV"),
    ("dense_size", "hipsparseSpMM_bufferSize"),
    ("times_dense", "hipsparseSpMM"),
    ("create_product", "hipsparseSpGEMM_createDescr"),
    ("destroy_product", "hipsparseSpGEMM_destroyDescr"),
    ("estimate_product", "hipsparseSpGEMM_workEstimation"),
    ("compute_product", "hipsparseSpGEMM_compute"),
    ("copy_product", "hipsparseSpGEMM_copy"),
    ("create_substitution", "hipsparseSpSV_createDescr"),
    ("destroy_substitution", "hipsparseSpSV_destroyDescr"),
    ("substitution_size", "hipsparseSpSV_bufferSize"),
    ("analyse_substitution", "hipsparseSpSV_analysis"),
    ("substitute", "hipsparseSpSV_solve"),
    ("transposition_size", "hipsparseCsr2cscEx2_bufferSize"),
    ("transpose", "hipsparseCsr2cscEx2"),
];

/// Nothing was measured yet but that a chain of launches, one a level, costs more than one analysis.
const FASTER: &[SparseWork] = &[SparseWork::Triangle];

/// Opens the library.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Sparse>> {
    let names = Names { functions: CALLED, status: None };
    let table = SparseTable::named(HIPSPARSE.open()?, names);
    Ok(Arc::new(GpuSparse::new(table, driver, primary, FASTER)?))
}
