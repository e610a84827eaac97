//! Operations on tensors by cuTENSOR 2, or by hipTensor 2, which has its numbers and signatures by other names.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::libraries::{TensorCompute, TensorOperation, TensorPlan, TensorSpec, TensorWorkspace, Tensors};
use cuproxide_hal::{DType, Error, Result, Scalar, Stream};

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::Unrestricted;
use crate::table;

/// A handle, descriptor or plan of the library.
type Raw = *mut c_void;

table! {
    /// The functions of both, by the names that cuTENSOR gives them.
    TensorTable {
        fn create = cutensorCreate(handle: *mut Raw);
        fn destroy = cutensorDestroy(handle: Raw);
        fn create_tensor = cutensorCreateTensorDescriptor(
            handle: Raw, tensor: *mut Raw, modes: u32, lengths: *const i64, strides: *const i64, dtype: c_int,
            alignment: u32,
        );
        fn destroy_tensor = cutensorDestroyTensorDescriptor(tensor: Raw);
        fn create_contraction = cutensorCreateContraction(
            handle: Raw, operation: *mut Raw, a: Raw, a_modes: *const i32, a_op: c_int, b: Raw,
            b_modes: *const i32, b_op: c_int, c: Raw, c_modes: *const i32, c_op: c_int, d: Raw,
            d_modes: *const i32, compute: usize,
        );
        fn create_reduction = cutensorCreateReduction(
            handle: Raw, operation: *mut Raw, a: Raw, a_modes: *const i32, a_op: c_int, c: Raw,
            c_modes: *const i32, c_op: c_int, d: Raw, d_modes: *const i32, combine: c_int, compute: usize,
        );
        fn create_permutation = cutensorCreatePermutation(
            handle: Raw, operation: *mut Raw, a: Raw, a_modes: *const i32, a_op: c_int, d: Raw,
            d_modes: *const i32, compute: usize,
        );
        fn create_binary = cutensorCreateElementwiseBinary(
            handle: Raw, operation: *mut Raw, a: Raw, a_modes: *const i32, a_op: c_int, c: Raw,
            c_modes: *const i32, c_op: c_int, d: Raw, d_modes: *const i32, combine: c_int, compute: usize,
        );
        fn create_trinary = cutensorCreateElementwiseTrinary(
            handle: Raw, operation: *mut Raw, a: Raw, a_modes: *const i32, a_op: c_int, b: Raw,
            b_modes: *const i32, b_op: c_int, c: Raw, c_modes: *const i32, c_op: c_int, d: Raw,
            d_modes: *const i32, first: c_int, last: c_int, compute: usize,
        );
        fn operation_attribute = cutensorOperationDescriptorGetAttribute(
            handle: Raw, operation: Raw, attribute: c_int, value: *mut c_void, bytes: usize,
        );
        fn destroy_operation = cutensorDestroyOperationDescriptor(operation: Raw);
        fn create_preference = cutensorCreatePlanPreference(
            handle: Raw, preference: *mut Raw, algorithm: c_int, compiling: c_int,
        );
        fn destroy_preference = cutensorDestroyPlanPreference(preference: Raw);
        fn estimate_workspace = cutensorEstimateWorkspaceSize(
            handle: Raw, operation: Raw, preference: Raw, workspace: c_int, bytes: *mut u64,
        );
        fn create_plan = cutensorCreatePlan(
            handle: Raw, plan: *mut Raw, operation: Raw, preference: Raw, most_bytes: u64,
        );
        fn destroy_plan = cutensorDestroyPlan(plan: Raw);
        fn plan_attribute = cutensorPlanGetAttribute(
            handle: Raw, plan: Raw, attribute: c_int, value: *mut c_void, bytes: usize,
        );
        fn contract = cutensorContract(
            handle: Raw, plan: Raw, alpha: *const c_void, a: u64, b: u64, beta: *const c_void, c: u64, d: u64,
            workspace: u64, workspace_bytes: u64, stream: u64,
        );
        fn reduce = cutensorReduce(
            handle: Raw, plan: Raw, alpha: *const c_void, a: u64, beta: *const c_void, c: u64, d: u64, workspace: u64,
            workspace_bytes: u64, stream: u64,
        );
        fn permute = cutensorPermute(handle: Raw, plan: Raw, alpha: *const c_void, a: u64, d: u64, stream: u64);
        fn binary = cutensorElementwiseBinaryExecute(
            handle: Raw, plan: Raw, alpha: *const c_void, a: u64, gamma: *const c_void, c: u64, d: u64, stream: u64,
        );
        fn trinary = cutensorElementwiseTrinaryExecute(
            handle: Raw, plan: Raw, alpha: *const c_void, a: u64, beta: *const c_void, b: u64, gamma: *const c_void,
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

/// The attribute of an operation that tells the type of its factors, and that of a plan that tells its scratch bytes.
const SCALAR_TYPE: i32 = 1;
const REQUIRED_WORKSPACE: i32 = 0;

/// What a vendor's library calls an arithmetic, for elements of a type: an address or a number.
pub type Compute = fn(&TensorTable, TensorCompute, DType) -> Result<usize>;

/// The library, for one device.
pub struct GpuTensors(Arc<Shared>);

struct Shared {
    table: TensorTable,
    driver: &'static Driver,
    primary: Primary,
    compute: Compute,
    handle: *mut c_void,
}

// SAFETY: the libraries document their handles as safe to use from several threads at once.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl GpuTensors {
    /// A handle of an opened library.
    ///
    /// # Errors
    /// Its refusal.
    pub fn new(table: TensorTable, driver: &'static Driver, primary: Primary, compute: Compute) -> Result<GpuTensors> {
        primary.enter(driver)?;
        let _capturing = Unrestricted::enter(driver);
        let mut handle = null_mut();
        // SAFETY: the context is current; the library writes one handle.
        unsafe { table.create(&mut handle) }?;
        Ok(GpuTensors(Arc::new(Shared { table, driver, primary, compute, handle })))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_ok() {
            // SAFETY: nobody else has the handle any more.
            let _ = unsafe { self.table.destroy(self.handle) };
        }
    }
}

/// The number that both vendors give an element type.
fn number(backend: &str, dtype: DType) -> Result<i32> {
    Ok(match dtype {
        DType::F32 => 0,
        DType::F64 => 1,
        DType::F16 => 2,
        DType::C64 => 4,
        DType::C128 => 5,
        DType::BF16 => 14,
        other => return Err(Error::unsupported(backend, format!("operations on tensors of {other}"))),
    })
}

/// The element type of a number, of those that factors have.
fn dtype(number: i32) -> Option<DType> {
    [DType::F32, DType::F64, DType::F16, DType::C64, DType::C128, DType::BF16]
        .into_iter()
        .find(|&dtype| self::number("", dtype).is_ok_and(|known| known == number))
}

/// What was made for a plan, destroyed with it in the reverse order.
struct Plan {
    shared: Arc<Shared>,
    operation: TensorOperation,
    /// Type of the factors.
    factors: DType,
    scratch: usize,
    tensors: Vec<*mut c_void>,
    described: *mut c_void,
    preference: *mut c_void,
    plan: *mut c_void,
}

// SAFETY: a plan is not changed once it is made, and the libraries run it from several threads at once.
unsafe impl Send for Plan {}
// SAFETY: as above.
unsafe impl Sync for Plan {}

impl Tensors for GpuTensors {
    fn version(&self) -> Result<usize> {
        Ok(self.0.table.number("version", "cutensorGetVersion").unwrap_or(0))
    }

    fn runtime_version(&self) -> Result<usize> {
        // One vendor tells it as an int, and -1 where it does not know.
        let told = self.0.table.number("runtime_version", "cutensorGetCudartVersion").unwrap_or(0);
        Ok((told as i32).max(0) as usize)
    }

    fn plan(&self, spec: &TensorSpec) -> Result<Arc<dyn TensorPlan>> {
        let shared = &self.0;
        shared.primary.enter(shared.driver)?;
        let _capturing = Unrestricted::enter(shared.driver);
        let mut made = Plan {
            shared: shared.clone(),
            operation: spec.operation,
            factors: DType::F32,
            scratch: 0,
            tensors: vec![],
            described: null_mut(),
            preference: null_mut(),
            plan: null_mut(),
        };
        made.describe(spec)?;
        made.prepare(spec)?;
        Ok(Arc::new(made))
    }
}

impl Plan {
    /// Makes the descriptors of the tensors and of the operation.
    fn describe(&mut self, spec: &TensorSpec) -> Result<()> {
        let (table, backend) = (&self.shared.table, self.shared.primary.backend);
        let handle = self.shared.handle;
        let inputs = spec.operation.inputs();
        if spec.tensors.len() != inputs + 1 {
            return Err(Error::unsupported(backend, format!("an operation of {} tensors", spec.tensors.len())));
        }
        for tensor in &spec.tensors {
            let rank = tensor.labels.len();
            if tensor.lengths.len() != rank || tensor.strides.len() != rank {
                return Err(Error::unsupported(backend, "a tensor with other lengths than labels"));
            }
            let mut described = null_mut();
            // SAFETY: both arrays hold as many numbers as there are axes; the library writes one handle.
            unsafe {
                table.create_tensor(
                    handle,
                    &mut described,
                    rank as u32,
                    tensor.lengths.as_ptr(),
                    tensor.strides.as_ptr(),
                    number(backend, tensor.dtype)?,
                    tensor.alignment,
                )
            }?;
            self.tensors.push(described);
        }
        let element = spec.tensors[inputs].dtype;
        let compute = (self.shared.compute)(table, spec.compute, element)?;
        let tensor =
            |index: usize| (self.tensors[index], spec.tensors[index].labels.as_ptr(), spec.tensors[index].operator);
        let described = &mut self.described;
        let ((a, a_modes, a_op), (d, d_modes, _)) = (tensor(0), tensor(inputs));
        // SAFETY: the descriptors were just made, each label list has the length of its tensor; the library writes one handle.
        unsafe {
            match spec.operation {
                TensorOperation::Contraction => {
                    let ((b, b_modes, b_op), (c, c_modes, c_op)) = (tensor(1), tensor(2));
                    table.create_contraction(
                        handle, described, a, a_modes, a_op, b, b_modes, b_op, c, c_modes, c_op, d, d_modes, compute,
                    )?;
                }
                TensorOperation::Reduction { combine } => {
                    let (c, c_modes, c_op) = tensor(1);
                    table.create_reduction(
                        handle, described, a, a_modes, a_op, c, c_modes, c_op, d, d_modes, combine, compute,
                    )?;
                }
                TensorOperation::Permutation => {
                    table.create_permutation(handle, described, a, a_modes, a_op, d, d_modes, compute)?;
                }
                TensorOperation::Binary { combine } => {
                    let (c, c_modes, c_op) = tensor(1);
                    table.create_binary(
                        handle, described, a, a_modes, a_op, c, c_modes, c_op, d, d_modes, combine, compute,
                    )?;
                }
                TensorOperation::Trinary { first, last } => {
                    let ((b, b_modes, b_op), (c, c_modes, c_op)) = (tensor(1), tensor(2));
                    table.create_trinary(
                        handle, described, a, a_modes, a_op, b, b_modes, b_op, c, c_modes, c_op, d, d_modes, first,
                        last, compute,
                    )?;
                }
            }
        }
        let mut factors = -1_i32;
        // SAFETY: the attribute is a number of four bytes.
        let told = unsafe {
            table.operation_attribute(handle, self.described, SCALAR_TYPE, (&raw mut factors).cast(), size_of::<i32>())
        };
        self.factors = match (told, dtype(factors)) {
            (Ok(()), Some(told)) => told,
            // Without the library's word: as the arithmetic, complex where the elements are.
            _ => match (spec.compute, element.is_complex()) {
                (TensorCompute::F64, false) => DType::F64,
                (TensorCompute::F64, true) => DType::C128,
                (_, true) => DType::C64,
                (_, false) => DType::F32,
            },
        };
        Ok(())
    }

    /// Makes the plan.
    fn prepare(&mut self, spec: &TensorSpec) -> Result<()> {
        let (table, handle) = (&self.shared.table, self.shared.handle);
        // SAFETY: the operation was just made; the library writes one handle or number at a time.
        unsafe {
            table.create_preference(handle, &mut self.preference, spec.algorithm, spec.compiling)?;
            let mut most = 0;
            match spec.workspace {
                TensorWorkspace::Limit(bytes) => most = bytes,
                TensorWorkspace::Preference(kind) => {
                    table.estimate_workspace(handle, self.described, self.preference, kind, &mut most)?;
                }
            }
            table.create_plan(handle, &mut self.plan, self.described, self.preference, most)?;
            let mut required = 0_u64;
            table.plan_attribute(
                handle,
                self.plan,
                REQUIRED_WORKSPACE,
                (&raw mut required).cast(),
                size_of::<u64>(),
            )?;
            self.scratch = required as usize;
        }
        Ok(())
    }
}

impl TensorPlan for Plan {
    fn scratch_bytes(&self) -> usize {
        self.scratch
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        factors: &[(f64, f64)],
        addresses: &[u64],
        scratch: u64,
    ) -> Result<()> {
        let Shared { table, driver, primary, handle, .. } = &*self.shared;
        if factors.len() != self.operation.factors() || addresses.len() != self.operation.inputs() + 1 {
            let what = format!("{} factors and {} addresses for {:?}", factors.len(), addresses.len(), self.operation);
            return Err(Error::unsupported(primary.backend, what));
        }
        primary.enter(driver)?;
        // The library may load a kernel at its first launch.
        let _capturing = Unrestricted::enter(driver);
        let factors: Vec<Scalar> = factors
            .iter()
            .map(|&(re, im)| {
                if self.factors.is_complex() {
                    Scalar::complex(self.factors, re, im)
                } else {
                    Scalar::real(self.factors, re)
                }
            })
            .collect();
        let factor = |index: usize| factors[index].bytes.as_ptr().cast::<c_void>();
        let (plan, bytes, stream) = (self.plan, self.scratch as u64, stream.raw());
        // SAFETY: the plan lives, factors are of its type; the addresses are the caller's promise.
        unsafe {
            match (self.operation, addresses) {
                (TensorOperation::Contraction, &[a, b, c, d]) => {
                    table.contract(*handle, plan, factor(0), a, b, factor(1), c, d, scratch, bytes, stream)
                }
                (TensorOperation::Reduction { .. }, &[a, c, d]) => {
                    table.reduce(*handle, plan, factor(0), a, factor(1), c, d, scratch, bytes, stream)
                }
                (TensorOperation::Binary { .. }, &[a, c, d]) => {
                    table.binary(*handle, plan, factor(0), a, factor(1), c, d, stream)
                }
                (TensorOperation::Trinary { .. }, &[a, b, c, d]) => {
                    table.trinary(*handle, plan, factor(0), a, factor(1), b, factor(2), c, d, stream)
                }
                (TensorOperation::Permutation, &[a, d]) => table.permute(*handle, plan, factor(0), a, d, stream),
                _ => Ok(()),
            }
        }
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let Shared { table, driver, primary, .. } = &*self.shared;
        if primary.enter(driver).is_err() {
            return;
        }
        // SAFETY: nobody else has what was made for the plan.
        unsafe {
            if !self.plan.is_null() {
                let _ = table.destroy_plan(self.plan);
            }
            if !self.preference.is_null() {
                let _ = table.destroy_preference(self.preference);
            }
            if !self.described.is_null() {
                let _ = table.destroy_operation(self.described);
            }
            for &tensor in self.tensors.iter().rev() {
                let _ = table.destroy_tensor(tensor);
            }
        }
    }
}
