//! Operations on tensors: cuTENSOR 2, and hipTensor 2, which has its numbers and signatures by other names.

use std::ffi::{CStr, c_char, c_int, c_void};

use cuproxide_hal::Error;

use crate::table;

type Handle = *mut c_void;
type Descriptor = *mut c_void;
type Operation = *mut c_void;
type Preference = *mut c_void;
type Plan = *mut c_void;

table! {
    /// The functions of both, by the names that cuTENSOR gives them.
    TensorTable {
        fn create = cutensorCreate(handle: *mut Handle);
        fn destroy = cutensorDestroy(handle: Handle);
        fn create_tensor = cutensorCreateTensorDescriptor(
            handle: Handle, tensor: *mut Descriptor, modes: u32, lengths: *const i64, strides: *const i64, dtype: c_int,
            alignment: u32,
        );
        fn destroy_tensor = cutensorDestroyTensorDescriptor(tensor: Descriptor);
        fn create_contraction = cutensorCreateContraction(
            handle: Handle, operation: *mut Operation, a: Descriptor, a_modes: *const i32, a_op: c_int, b: Descriptor,
            b_modes: *const i32, b_op: c_int, c: Descriptor, c_modes: *const i32, c_op: c_int, d: Descriptor,
            d_modes: *const i32, compute: usize,
        );
        fn create_reduction = cutensorCreateReduction(
            handle: Handle, operation: *mut Operation, a: Descriptor, a_modes: *const i32, a_op: c_int, c: Descriptor,
            c_modes: *const i32, c_op: c_int, d: Descriptor, d_modes: *const i32, combine: c_int, compute: usize,
        );
        fn create_permutation = cutensorCreatePermutation(
            handle: Handle, operation: *mut Operation, a: Descriptor, a_modes: *const i32, a_op: c_int, d: Descriptor,
            d_modes: *const i32, compute: usize,
        );
        fn create_binary = cutensorCreateElementwiseBinary(
            handle: Handle, operation: *mut Operation, a: Descriptor, a_modes: *const i32, a_op: c_int, c: Descriptor,
            c_modes: *const i32, c_op: c_int, d: Descriptor, d_modes: *const i32, combine: c_int, compute: usize,
        );
        fn create_trinary = cutensorCreateElementwiseTrinary(
            handle: Handle, operation: *mut Operation, a: Descriptor, a_modes: *const i32, a_op: c_int, b: Descriptor,
            b_modes: *const i32, b_op: c_int, c: Descriptor, c_modes: *const i32, c_op: c_int, d: Descriptor,
            d_modes: *const i32, first: c_int, last: c_int, compute: usize,
        );
        fn operation_attribute = cutensorOperationDescriptorGetAttribute(
            handle: Handle, operation: Operation, attribute: c_int, value: *mut c_void, bytes: usize,
        );
        fn destroy_operation = cutensorDestroyOperationDescriptor(operation: Operation);
        fn create_preference = cutensorCreatePlanPreference(
            handle: Handle, preference: *mut Preference, algorithm: c_int, compiling: c_int,
        );
        fn destroy_preference = cutensorDestroyPlanPreference(preference: Preference);
        fn estimate_workspace = cutensorEstimateWorkspaceSize(
            handle: Handle, operation: Operation, preference: Preference, workspace: c_int, bytes: *mut u64,
        );
        fn create_plan = cutensorCreatePlan(
            handle: Handle, plan: *mut Plan, operation: Operation, preference: Preference, most_bytes: u64,
        );
        fn destroy_plan = cutensorDestroyPlan(plan: Plan);
        fn plan_attribute = cutensorPlanGetAttribute(
            handle: Handle, plan: Plan, attribute: c_int, value: *mut c_void, bytes: usize,
        );
        fn contract = cutensorContract(
            handle: Handle, plan: Plan, alpha: *const c_void, a: u64, b: u64, beta: *const c_void, c: u64, d: u64,
            workspace: u64, workspace_bytes: u64, stream: u64,
        );
        fn reduce = cutensorReduce(
            handle: Handle, plan: Plan, alpha: *const c_void, a: u64, beta: *const c_void, c: u64, d: u64, workspace: u64,
            workspace_bytes: u64, stream: u64,
        );
        fn permute = cutensorPermute(handle: Handle, plan: Plan, alpha: *const c_void, a: u64, d: u64, stream: u64);
        fn binary = cutensorElementwiseBinaryExecute(
            handle: Handle, plan: Plan, alpha: *const c_void, a: u64, gamma: *const c_void, c: u64, d: u64, stream: u64,
        );
        fn trinary = cutensorElementwiseTrinaryExecute(
            handle: Handle, plan: Plan, alpha: *const c_void, a: u64, beta: *const c_void, b: u64, gamma: *const c_void,
            c: u64, d: u64, stream: u64,
        );
    }
}

impl TensorTable {
    /// The library's words for a status; `function` is what it calls the one that knows them.
    pub fn words(&self, code: i32) -> String {
        let function = self.called("error_string", "cutensorGetErrorString");
        match self.library.symbol(function) {
            // SAFETY: the function takes a status and returns a static string.
            Some(address) => unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                CStr::from_ptr(text(code)).to_string_lossy().into_owned()
            },
            None => "the library gives no explanation".to_owned(),
        }
    }

    /// What a function without arguments tells: versions.
    pub fn number(&self, name: &str, symbol: &'static str) -> Option<usize> {
        let address = self.library.symbol(self.called(name, symbol))?;
        // SAFETY: the functions that are asked for take nothing and return a word.
        Some(unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> usize>(address)() })
    }

    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let name = match code {
            1 => "NOT_INITIALIZED",
            3 => "ALLOC_FAILED",
            7 => "INVALID_VALUE",
            8 => "ARCH_MISMATCH",
            11 => "MAPPING_ERROR",
            13 => "EXECUTION_FAILED",
            14 => "INTERNAL_ERROR",
            15 => "NOT_SUPPORTED",
            16 => "LICENSE_ERROR",
            17 => "CUBLAS_ERROR",
            18 => "CUDA_ERROR",
            19 => "INSUFFICIENT_WORKSPACE",
            20 => "INSUFFICIENT_DRIVER",
            21 => "IO_ERROR",
            _ => "unknown",
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: self.words(code) }
    }
}
