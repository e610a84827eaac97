//! Opens cuTENSOR.

use std::sync::Arc;

use cuproxide_gpu::loader::{Library, Wanted};
use cuproxide_gpu::tensors::{GpuTensors, TensorTable};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::{TensorCompute, Tensors};
use cuproxide_hal::{DType, Error, Result, settings};

use crate::places;

/// cuTENSOR, whose wheel has a folder of its own.
pub(crate) const WANTED: Wanted = Wanted {
    name: "cuTENSOR",
    sonames: &["libcutensor.so.2"],
    wheel: "cutensor",
    probe: "cutensorCreate",
    hint: "pip install cutensor-cu13 (CUDA 13) or cutensor-cu12 (CUDA 12); CUTENSOR_PATH names its folder",
};

/// cuBLASLt, which cuTENSOR of CUDA 13 needs and may not find in pip's folders.
pub(crate) const NEEDED: Wanted = Wanted {
    name: "cuBLASLt",
    sonames: &["libcublasLt.so.13", "libcublasLt.so.12"],
    wheel: "cublas",
    probe: "cublasLtGetVersion",
    hint: "pip install nvidia-cublas (CUDA 13) or nvidia-cublas-cu12 (CUDA 12)",
};

/// Opens the library.
pub(crate) fn library() -> Result<Library> {
    let mut places = places::of_process();
    let own: Vec<_> = places.packages.iter().map(|folder| folder.join("cutensor")).collect();
    for root in settings::CUTENSOR_PATH.path().into_iter().chain(own) {
        places.named.extend([root.join("lib"), root.join("lib64"), root]);
    }
    if let Ok(needed) = places::of_process().open(&NEEDED) {
        // Never closed: the library is about to use it.
        std::mem::forget(needed);
    }
    Ok(places.open(&WANTED)?)
}

/// Opens the library for a device.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Tensors>> {
    Ok(Arc::new(GpuTensors::new(TensorTable::new(library()?), driver, primary, compute)?))
}

/// cuTENSOR names arithmetics by variables that hold an address.
fn compute(table: &TensorTable, compute: TensorCompute, _dtype: DType) -> Result<usize> {
    let symbol = match compute {
        TensorCompute::F16 => "CUTENSOR_COMPUTE_DESC_16F",
        TensorCompute::Bf16 => "CUTENSOR_COMPUTE_DESC_16BF",
        TensorCompute::Tf32 => "CUTENSOR_COMPUTE_DESC_TF32",
        TensorCompute::ThreeTf32 => "CUTENSOR_COMPUTE_DESC_3XTF32",
        TensorCompute::F32 => "CUTENSOR_COMPUTE_DESC_32F",
        TensorCompute::F64 => "CUTENSOR_COMPUTE_DESC_64F",
    };
    let missing = || Error::MissingSymbol {
        library: table.library.name.to_owned(),
        path: table.library.path.clone(),
        symbol: symbol.to_owned(),
    };
    let address = table.library.symbol(symbol).ok_or_else(missing)?;
    // SAFETY: the variable holds one address and never changes.
    Ok(unsafe { address.cast::<usize>().read() })
}
