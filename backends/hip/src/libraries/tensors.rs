//! Opens hipTensor 2, whose functions are cuTENSOR's by other names. ROCm 7 has it; Debian has no package of it.

use std::sync::Arc;

use cuproxide_gpu::api::Names;
use cuproxide_gpu::tensors::{GpuTensors, TensorTable};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::{TensorCompute, Tensors};
use cuproxide_hal::{DType, Error, Result};

use crate::api::library::{Kind, kind};

/// hipTensor.
pub(crate) const KIND: Kind = kind!("hipTensor", "hiptensor", 0, 0, 0, "hiptensorCreate", "hiptensor");

/// What the functions of the table are called here.
const CALLED: &[(&str, &str)] = &[
    ("create", "hiptensorCreate"),
    ("destroy", "hiptensorDestroy"),
    ("create_tensor", "hiptensorCreateTensorDescriptor"),
    ("destroy_tensor", "hiptensorDestroyTensorDescriptor"),
    ("create_contraction", "hiptensorCreateContraction"),
    ("create_reduction", "hiptensorCreateReduction"),
    ("create_permutation", "hiptensorCreatePermutation"),
    ("create_binary", "hiptensorCreateElementwiseBinary"),
    ("create_trinary", "hiptensorCreateElementwiseTrinary"),
    ("operation_attribute", "hiptensorOperationDescriptorGetAttribute"),
    ("destroy_operation", "hiptensorDestroyOperationDescriptor"),
    ("create_preference", "hiptensorCreatePlanPreference"),
    ("destroy_preference", "hiptensorDestroyPlanPreference"),
    ("estimate_workspace", "hiptensorEstimateWorkspaceSize"),
    ("create_plan", "hiptensorCreatePlan"),
    ("destroy_plan", "hiptensorDestroyPlan"),
    ("plan_attribute", "hiptensorPlanGetAttribute"),
    ("contract", "hiptensorContract"),
    ("reduce", "hiptensorReduce"),
    ("permute", "hiptensorPermute"),
    ("binary", "hiptensorElementwiseBinaryExecute"),
    ("trinary", "hiptensorElementwiseTrinaryExecute"),
    ("version", "hiptensorGetVersion"),
    ("runtime_version", "hiptensorGetHiprtVersion"),
    ("error_string", "hiptensorGetErrorString"),
];

/// Opens the library for a device.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Tensors>> {
    let names = Names { functions: CALLED, status: None };
    let table = TensorTable::named(KIND.open()?, names);
    if table.create_tensor.is_none() {
        return Err(Error::unsupported("hip", "hipTensor before version 2, which has other functions"));
    }
    Ok(Arc::new(GpuTensors::new(table, driver, primary, compute)?))
}

/// hipTensor's numbers of arithmetics; those of complex elements are others.
fn compute(_table: &TensorTable, compute: TensorCompute, dtype: DType) -> Result<usize> {
    Ok(match (compute, dtype.is_complex()) {
        (TensorCompute::F32, true) => 1 << 11,
        (TensorCompute::F64, true) => 1 << 12,
        (TensorCompute::F16, false) => 1,
        (TensorCompute::Bf16, false) => 1 << 10,
        (TensorCompute::F32, false) => 1 << 2,
        (TensorCompute::F64, false) => 1 << 4,
        (other, _) => {
            return Err(Error::unsupported("hip", format!("the arithmetic {other:?} for tensors of {dtype}")));
        }
    })
}
