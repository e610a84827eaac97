//! The functions of `libhiptensor.so.0` and `libhipsparselt.so.0`: those of their models by other names, and with the
//! numbers that differ.

use std::ffi::{c_char, c_int, c_void};

use crate::calls::{Needs, enter};
use crate::status::Status;
use crate::structured::*;
use crate::tensors::*;

macro_rules! same {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $other:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> Status {
            // SAFETY: the same as the other function asks for.
            enter(stringify!($name), Needs::Nothing, || match unsafe { $other($($argument),*) } {
                0 => Ok(()),
                status => Err(status),
            })
        }
    )*};
}

same! {
    fn hiptensorCreate(handle: *mut u64) = cutensorCreate;
    fn hiptensorDestroy(handle: u64) = cutensorDestroy;
    fn hiptensorCreateTensorDescriptor(
        handle: u64, tensor: *mut u64, rank: u32, lengths: *const i64, strides: *const i64, dtype: c_int, alignment:
        u32,
    ) = cutensorCreateTensorDescriptor;
    fn hiptensorDestroyTensorDescriptor(tensor: u64) = cutensorDestroyTensorDescriptor;
    fn hiptensorCreateContraction(
        handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, b: u64, b_modes: *const i32, b_op:
        c_int, c: u64, c_modes: *const i32, c_op: c_int, d: u64, d_modes: *const i32, compute: usize,
    ) = cutensorCreateContraction;
    fn hiptensorCreateReduction(
        handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, c: u64, c_modes: *const i32, c_op:
        c_int, d: u64, d_modes: *const i32, combine: c_int, compute: usize,
    ) = cutensorCreateReduction;
    fn hiptensorCreatePermutation(
        handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, d: u64, d_modes: *const i32,
        compute: usize,
    ) = cutensorCreatePermutation;
    fn hiptensorCreateElementwiseBinary(
        handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, c: u64, c_modes: *const i32, c_op:
        c_int, d: u64, d_modes: *const i32, combine: c_int, compute: usize,
    ) = cutensorCreateElementwiseBinary;
    fn hiptensorCreateElementwiseTrinary(
        handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, b: u64, b_modes: *const i32, b_op:
        c_int, c: u64, c_modes: *const i32, c_op: c_int, d: u64, d_modes: *const i32, first: c_int, last: c_int,
        compute: usize,
    ) = cutensorCreateElementwiseTrinary;
    fn hiptensorOperationDescriptorGetAttribute(
        handle: u64, operation: u64, attribute: c_int, value: *mut c_void, bytes: usize,
    ) = cutensorOperationDescriptorGetAttribute;
    fn hiptensorDestroyOperationDescriptor(operation: u64) = cutensorDestroyOperationDescriptor;
    fn hiptensorCreatePlanPreference(
        handle: u64, preference: *mut u64, algorithm: c_int, compiling: c_int,
    ) = cutensorCreatePlanPreference;
    fn hiptensorDestroyPlanPreference(preference: u64) = cutensorDestroyPlanPreference;
    fn hiptensorEstimateWorkspaceSize(
        handle: u64, operation: u64, preference: u64, kind: c_int, bytes: *mut u64,
    ) = cutensorEstimateWorkspaceSize;
    fn hiptensorCreatePlan(
        handle: u64, plan: *mut u64, operation: u64, preference: u64, most: u64,
    ) = cutensorCreatePlan;
    fn hiptensorDestroyPlan(plan: u64) = cutensorDestroyPlan;
    fn hiptensorPlanGetAttribute(
        handle: u64, plan: u64, attribute: c_int, value: *mut c_void, bytes: usize,
    ) = cutensorPlanGetAttribute;
    fn hiptensorContract(
        handle: u64, plan: u64, alpha: *const c_void, a: u64, b: u64, beta: *const c_void, c: u64, d: u64, workspace:
        u64, bytes: u64, stream: u64,
    ) = cutensorContract;
    fn hiptensorReduce(
        handle: u64, plan: u64, alpha: *const c_void, a: u64, beta: *const c_void, c: u64, d: u64, workspace: u64,
        bytes: u64, stream: u64,
    ) = cutensorReduce;
    fn hiptensorPermute(handle: u64, plan: u64, alpha: *const c_void, a: u64, d: u64, stream: u64) = cutensorPermute;
    fn hiptensorElementwiseBinaryExecute(
        handle: u64, plan: u64, alpha: *const c_void, a: u64, gamma: *const c_void, c: u64, d: u64, stream: u64,
    ) = cutensorElementwiseBinaryExecute;
    fn hiptensorElementwiseTrinaryExecute(
        handle: u64, plan: u64, alpha: *const c_void, a: u64, beta: *const c_void, b: u64, gamma: *const c_void, c:
        u64, d: u64, stream: u64,
    ) = cutensorElementwiseTrinaryExecute;
    fn hipsparseLtGetProperty(property: c_int, value: *mut c_int) = cusparseLtGetProperty;
    fn hipsparseLtInit(at: u64) = cusparseLtInit;
    fn hipsparseLtDestroy(at: u64) = cusparseLtDestroy;
    fn hipsparseLtGetVersion(at: u64, version: *mut c_int) = cusparseLtGetVersion;
    fn hipsparseLtDenseDescriptorInit(
        at: u64, matrix: u64, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
    ) = cusparseLtDenseDescriptorInit;
    fn hipsparseLtStructuredDescriptorInit(
        at: u64, matrix: u64, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
        sparsity: c_int,
    ) = cusparseLtStructuredDescriptorInit;
    fn hipsparseLtMatDescriptorDestroy(matrix: u64) = cusparseLtMatDescriptorDestroy;
    fn hipsparseLtMatDescSetAttribute(
        at: u64, matrix: u64, attribute: c_int, data: *mut c_void, bytes: usize,
    ) = cusparseLtMatDescSetAttribute;
    fn hipsparseLtMatDescGetAttribute(
        at: u64, matrix: u64, attribute: c_int, data: *mut c_void, bytes: usize,
    ) = cusparseLtMatDescGetAttribute;
    fn hipsparseLtMatmulAlgSelectionInit(
        at: u64, selection: u64, of: u64, algorithm: c_int,
    ) = cusparseLtMatmulAlgSelectionInit;
    fn hipsparseLtMatmulAlgSetAttribute(
        at: u64, selection: u64, attribute: c_int, data: *mut c_void, bytes: usize,
    ) = cusparseLtMatmulAlgSetAttribute;
    fn hipsparseLtMatmulAlgGetAttribute(
        at: u64, selection: u64, attribute: c_int, data: *mut c_void, bytes: usize,
    ) = cusparseLtMatmulAlgGetAttribute;
    fn hipsparseLtMatmulPlanInit(at: u64, plan: u64, of: u64, selection: u64) = cusparseLtMatmulPlanInit;
    fn hipsparseLtMatmulPlanDestroy(plan: u64) = cusparseLtMatmulPlanDestroy;
    fn hipsparseLtMatmulGetWorkspace(at: u64, of: u64, bytes: *mut usize) = cusparseLtMatmulGetWorkspace;
    fn hipsparseLtMatmul(
        at: u64, plan: u64, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64, streams: *const
        u64, count: i32,
    ) = cusparseLtMatmul;
    fn hipsparseLtMatmulSearch(
        at: u64, plan: u64, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64, streams: *const
        u64, count: i32,
    ) = cusparseLtMatmulSearch;
    fn hipsparseLtSpMMAPrune(
        at: u64, of: u64, src: u64, dst: u64, algorithm: c_int, stream: u64,
    ) = cusparseLtSpMMAPrune;
    fn hipsparseLtSpMMAPruneCheck(at: u64, of: u64, src: u64, valid: u64, stream: u64) = cusparseLtSpMMAPruneCheck;
    fn hipsparseLtSpMMAPrune2(
        at: u64, of: u64, is_left: c_int, operation: c_int, src: u64, dst: u64, algorithm: c_int, stream: u64,
    ) = cusparseLtSpMMAPrune2;
    fn hipsparseLtSpMMAPruneCheck2(
        at: u64, of: u64, is_left: c_int, operation: c_int, src: u64, valid: u64, stream: u64,
    ) = cusparseLtSpMMAPruneCheck2;
    fn hipsparseLtSpMMACompressedSize(
        at: u64, of: u64, bytes: *mut usize, scratch: *mut usize,
    ) = cusparseLtSpMMACompressedSize;
    fn hipsparseLtSpMMACompressedSize2(
        at: u64, of: u64, bytes: *mut usize, scratch: *mut usize,
    ) = cusparseLtSpMMACompressedSize2;
    fn hipsparseLtSpMMACompress(
        at: u64, of: u64, dense: u64, compressed: u64, scratch: u64, stream: u64,
    ) = cusparseLtSpMMACompress;
    fn hipsparseLtSpMMACompress2(
        at: u64, of: u64, is_left: c_int, operation: c_int, dense: u64, compressed: u64, scratch: u64, stream: u64,
    ) = cusparseLtSpMMACompress2;
}

/// Arithmetics: float16 and int32 have each other's number.
#[unsafe(no_mangle)]
unsafe extern "C" fn hipsparseLtMatmulDescriptorInit(
    at: u64,
    product: u64,
    a_operation: c_int,
    b_operation: c_int,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    compute: c_int,
) -> Status {
    let compute = match compute {
        0 => 1,
        1 => 0,
        other => other,
    };
    // SAFETY: the same as the other function asks for.
    unsafe { cusparseLtMatmulDescriptorInit(at, product, a_operation, b_operation, a, b, c, d, compute) }
}

/// The attribute that is the address of the sparse matrix; what has its number elsewhere is not played.
fn attribute(number: c_int) -> c_int {
    match number {
        17 => 9,
        9 => -1,
        other => other,
    }
}

/// Sets an attribute of a product.
#[unsafe(no_mangle)]
unsafe extern "C" fn hipsparseLtMatmulDescSetAttribute(
    at: u64,
    product: u64,
    number: c_int,
    data: *mut c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as above.
    unsafe { cusparseLtMatmulDescSetAttribute(at, product, attribute(number), data, bytes) }
}

/// Reads an attribute of a product.
#[unsafe(no_mangle)]
unsafe extern "C" fn hipsparseLtMatmulDescGetAttribute(
    at: u64,
    product: u64,
    number: c_int,
    data: *mut c_void,
    bytes: usize,
) -> Status {
    // SAFETY: as above.
    unsafe { cusparseLtMatmulDescGetAttribute(at, product, attribute(number), data, bytes) }
}

/// The version, as major * 10000 + minor * 100 + patch level.
#[unsafe(no_mangle)]
extern "C" fn hiptensorGetVersion() -> usize {
    20200
}

/// The version of the run-time library, which it may not know.
#[unsafe(no_mangle)]
extern "C" fn hiptensorGetHiprtVersion() -> c_int {
    -1
}

/// Words for a status.
#[unsafe(no_mangle)]
extern "C" fn hiptensorGetErrorString(status: c_int) -> *const c_char {
    match status {
        7 => c"HIPTENSOR_STATUS_INVALID_VALUE",
        15 => c"HIPTENSOR_STATUS_NOT_SUPPORTED",
        _ => c"HIPTENSOR_STATUS_UNKNOWN",
    }
    .as_ptr()
}
