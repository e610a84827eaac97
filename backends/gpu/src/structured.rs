//! Products with structured sparsity by cuSPARSELt from 0.6 on, or by hipSPARSELt, which has the same functions by other
//! names and with some other numbers.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use cuproxide_hal::libraries::{
    Multiplication, OPAQUE_BYTES, SharedPart, SparseSide, Structured, StructuredCompute, StructuredHandle,
    StructuredKind, StructuredMatrix, StructuredPart, StructuredProduct,
};
use cuproxide_hal::{Error, Result, Stream};
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::Unrestricted;
use crate::table;

/// A structure of the library: the caller's memory, by its address.
type Raw = *mut c_void;

table! {
    /// The functions of both, by the names that cuSPARSELt gives them.
    StructuredTable {
        fn init = cusparseLtInit(handle: Raw);
        fn destroy = cusparseLtDestroy(handle: Raw);
        fn version = cusparseLtGetVersion(handle: Raw, version: *mut c_int);
        fn property = cusparseLtGetProperty(property: c_int, value: *mut c_int);
        fn dense = cusparseLtDenseDescriptorInit(
            handle: Raw, matrix: Raw, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
        );
        fn sparse = cusparseLtStructuredDescriptorInit(
            handle: Raw, matrix: Raw, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
            sparsity: c_int,
        );
        fn destroy_matrix = cusparseLtMatDescriptorDestroy(matrix: Raw);
        fn set_matrix = cusparseLtMatDescSetAttribute(
            handle: Raw, matrix: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_matrix = cusparseLtMatDescGetAttribute(
            handle: Raw, matrix: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn product = cusparseLtMatmulDescriptorInit(
            handle: Raw, product: Raw, a_operation: c_int, b_operation: c_int, a: Raw, b: Raw, c: Raw,
            d: Raw, compute: c_int,
        );
        fn set_product = cusparseLtMatmulDescSetAttribute(
            handle: Raw, product: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_product = cusparseLtMatmulDescGetAttribute(
            handle: Raw, product: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn selection = cusparseLtMatmulAlgSelectionInit(
            handle: Raw, selection: Raw, product: Raw, algorithm: c_int,
        );
        fn destroy_selection = cusparseLtMatmulAlgSelectionDestroy(selection: Raw);
        fn set_selection = cusparseLtMatmulAlgSetAttribute(
            handle: Raw, selection: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn get_selection = cusparseLtMatmulAlgGetAttribute(
            handle: Raw, selection: Raw, attribute: c_int, data: u64, bytes: usize,
        );
        fn plan = cusparseLtMatmulPlanInit(handle: Raw, plan: Raw, product: Raw, selection: Raw);
        fn destroy_plan = cusparseLtMatmulPlanDestroy(plan: Raw);
        fn workspace = cusparseLtMatmulGetWorkspace(handle: Raw, plan: Raw, bytes: *mut usize);
        fn multiply = cusparseLtMatmul(
            handle: Raw, plan: Raw, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64,
            streams: *mut u64, count: i32,
        );
        fn search = cusparseLtMatmulSearch(
            handle: Raw, plan: Raw, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64,
            streams: *mut u64, count: i32,
        );
        fn prune = cusparseLtSpMMAPrune(
            handle: Raw, product: Raw, src: u64, dst: u64, algorithm: c_int, stream: u64,
        );
        fn prune_matrix = cusparseLtSpMMAPrune2(
            handle: Raw, matrix: Raw, is_left: c_int, operation: c_int, src: u64, dst: u64, algorithm: c_int,
            stream: u64,
        );
        fn check = cusparseLtSpMMAPruneCheck(handle: Raw, product: Raw, src: u64, valid: u64, stream: u64);
        fn check_matrix = cusparseLtSpMMAPruneCheck2(
            handle: Raw, matrix: Raw, is_left: c_int, operation: c_int, src: u64, valid: u64, stream: u64,
        );
        fn compressed = cusparseLtSpMMACompressedSize(
            handle: Raw, plan: Raw, bytes: *mut usize, scratch_bytes: *mut usize,
        );
        fn compressed_matrix = cusparseLtSpMMACompressedSize2(
            handle: Raw, matrix: Raw, bytes: *mut usize, scratch_bytes: *mut usize,
        );
        fn compress = cusparseLtSpMMACompress(
            handle: Raw, plan: Raw, dense: u64, compressed: u64, scratch: u64, stream: u64,
        );
        fn compress_matrix = cusparseLtSpMMACompress2(
            handle: Raw, matrix: Raw, is_left: c_int, operation: c_int, dense: u64, compressed: u64, scratch: u64,
            stream: u64,
        );
    }
}

impl StructuredTable {
    /// The library's name and words for a status, from the versions on that tell them.
    pub fn words(&self, code: i32) -> (String, String) {
        let ask = |name: &str, symbol: &'static str| {
            let address = self.library.symbol(self.called(name, symbol))?;
            // SAFETY: the function takes a status and returns a static string.
            let text = unsafe {
                let text = std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int) -> *const c_char>(address);
                text(code)
            };
            // SAFETY: as above; it may have none.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let (name, text) = match code {
            0 => ("SUCCESS", "no error"),
            1 => ("NOT_INITIALIZED", "the handle was not initialised"),
            2 => ("ALLOC_FAILED", "memory inside the library ran out"),
            3 => ("INVALID_VALUE", "an argument has a value that the library does not take"),
            4 => ("ARCH_MISMATCH", "the device lacks an ability that the library needs"),
            5 => ("MAPPING_ERROR", "memory could not be accessed"),
            6 => ("EXECUTION_FAILED", "a kernel of the library failed"),
            7 => ("INTERNAL_ERROR", "an operation inside the library failed"),
            8 => ("MATRIX_TYPE_NOT_SUPPORTED", "the library does not take such a matrix"),
            10 => ("NOT_SUPPORTED", "the library does not support this combination"),
            11 => ("INSUFFICIENT_RESOURCES", "memory or other resources do not suffice"),
            _ => ("unknown", "the library gives no explanation"),
        };
        (
            ask("error_name", "cusparseLtGetErrorName").unwrap_or_else(|| name.to_owned()),
            ask("error_string", "cusparseLtGetErrorString").unwrap_or_else(|| text.to_owned()),
        )
    }

    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = self.words(code);
        Error::Call { call, code: code.into(), name, message }
    }
}

/// Orders of a matrix in memory, by the numbers of both vendors.
const BY_COLUMNS: i32 = 1;
const BY_ROWS: i32 = 2;

/// What the vendors number differently.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// Arithmetics: int32, float16, float32.
    pub computes: [i32; 3],
    /// The attribute of a product that is the address of the sparse matrix, by NVIDIA's number and the vendor's.
    pub sparse_pointer: (i32, i32),
}

/// The library, for one device.
pub struct GpuStructured(Arc<Shared>);

struct Shared {
    table: StructuredTable,
    driver: &'static Driver,
    primary: Primary,
    numbers: Numbers,
}

impl GpuStructured {
    /// A library, opened.
    pub fn new(table: StructuredTable, driver: &'static Driver, primary: Primary, numbers: Numbers) -> GpuStructured {
        GpuStructured(Arc::new(Shared { table, driver, primary, numbers }))
    }
}

/// Memory that the library fills. Its versions want alignments of 8 or 16.
#[repr(C, align(64))]
struct Opaque(UnsafeCell<[u8; OPAQUE_BYTES]>);

// SAFETY: only the library touches the memory; calls that change it take turns.
unsafe impl Sync for Opaque {}

impl Opaque {
    fn new() -> Box<Opaque> {
        Box::new(Opaque(UnsafeCell::new([0; OPAQUE_BYTES])))
    }

    fn at(&self) -> *mut c_void {
        self.0.get().cast()
    }
}

/// A handle; its calls that change parts take turns.
struct Handle {
    shared: Arc<Shared>,
    memory: Box<Opaque>,
    turn: Mutex<()>,
}

/// A part, and the parts that it refers to.
struct Part {
    handle: Arc<Handle>,
    kind: StructuredKind,
    memory: Box<Opaque>,
    _made_of: Vec<SharedPart>,
}

impl StructuredPart for Part {
    fn kind(&self) -> StructuredKind {
        self.kind
    }

    fn address(&self) -> u64 {
        self.memory.at() as u64
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let shared = &self.handle.shared;
        if shared.primary.enter(shared.driver).is_err() {
            return;
        }
        let (table, address) = (&shared.table, self.address() as *mut c_void);
        let _turn = self.handle.turn.lock();
        // SAFETY: nobody else has the part. Older versions keep nothing in selections and lack the function for them.
        let _ = unsafe {
            match self.kind {
                StructuredKind::Matrix => table.destroy_matrix(address),
                StructuredKind::Selection if table.destroy_selection.is_some() => table.destroy_selection(address),
                StructuredKind::Plan => table.destroy_plan(address),
                StructuredKind::Product | StructuredKind::Selection => Ok(()),
            }
        };
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.shared.primary.enter(self.shared.driver).is_ok() {
            // SAFETY: nobody else has the handle, and its parts, which would, are gone.
            let _ = unsafe { self.shared.table.destroy(self.raw()) };
        }
    }
}

impl Structured for GpuStructured {
    fn handle(&self) -> Result<Arc<dyn StructuredHandle>> {
        let shared = self.0.clone();
        shared.primary.enter(shared.driver)?;
        let _capturing = Unrestricted::enter(shared.driver);
        let memory = Opaque::new();
        // SAFETY: the context is current; the library fills memory that is larger than any of its versions wants.
        unsafe { shared.table.init(memory.at()) }?;
        Ok(Arc::new(Shareable(Arc::new(Handle { shared, memory, turn: Mutex::new(()) }))))
    }

    fn status_text(&self, status: i32) -> (String, String) {
        self.0.table.words(status)
    }
}

impl Handle {
    fn raw(&self) -> *mut c_void {
        self.memory.at()
    }
}

/// A handle that hands itself on to the parts it makes.
struct Shareable(Arc<Handle>);

impl Shareable {
    fn table(&self) -> &StructuredTable {
        &self.0.shared.table
    }

    fn enter(&self) -> Result<()> {
        self.0.shared.primary.enter(self.0.shared.driver)
    }

    /// A part whose memory `fill` has the library fill.
    fn make(
        &self,
        kind: StructuredKind,
        made_of: Vec<SharedPart>,
        fill: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> Result<SharedPart> {
        self.enter()?;
        let _capturing = Unrestricted::enter(self.0.shared.driver);
        let memory = Opaque::new();
        {
            let _turn = self.0.turn.lock();
            fill(memory.at())?;
        }
        Ok(Arc::new(Part { handle: self.0.clone(), kind, memory, _made_of: made_of }))
    }

    /// The address of a part, which must be of a kind.
    fn at(&self, part: &SharedPart, kind: StructuredKind) -> Result<*mut c_void> {
        if part.kind() == kind {
            return Ok(part.address() as *mut c_void);
        }
        let what = format!("a part that is {:?} where one that is {kind:?} is wanted", part.kind());
        Err(Error::unsupported(self.0.shared.primary.backend, what))
    }
}

impl StructuredHandle for Shareable {
    fn address(&self) -> u64 {
        self.0.raw() as u64
    }

    fn version(&self) -> Result<i32> {
        let mut version = 0;
        // SAFETY: the handle lives; the library writes one number.
        unsafe { self.table().version(self.0.raw(), &mut version) }?;
        Ok(version)
    }

    fn matrix(&self, matrix: &StructuredMatrix) -> Result<SharedPart> {
        let StructuredMatrix { rows, columns, leading, alignment, dtype, row_major, sparsity } = *matrix;
        let order = if row_major { BY_ROWS } else { BY_COLUMNS };
        let (table, handle) = (self.table(), self.0.raw());
        // SAFETY: the library fills the memory of the part.
        self.make(StructuredKind::Matrix, vec![], |part| unsafe {
            match sparsity {
                None => table.dense(handle, part, rows, columns, leading, alignment, dtype, order),
                Some(kind) => table.sparse(handle, part, rows, columns, leading, alignment, dtype, order, kind),
            }
        })
    }

    fn product(&self, product: &StructuredProduct) -> Result<SharedPart> {
        let mut at = [std::ptr::null_mut(); 4];
        for (place, matrix) in at.iter_mut().zip(&product.matrices) {
            *place = self.at(matrix, StructuredKind::Matrix)?;
        }
        let [a, b, c, d] = at;
        let [left, right] = product.operations;
        let compute = self.0.shared.numbers.computes[match product.compute {
            StructuredCompute::I32 => 0,
            StructuredCompute::F16 => 1,
            StructuredCompute::F32 => 2,
        }];
        // SAFETY: the matrices live as long as the part, which keeps them.
        self.make(StructuredKind::Product, product.matrices.to_vec(), |part| unsafe {
            self.table().product(self.0.raw(), part, left, right, a, b, c, d, compute)
        })
    }

    fn selection(&self, product: &SharedPart, algorithm: i32) -> Result<SharedPart> {
        let described = self.at(product, StructuredKind::Product)?;
        // SAFETY: the product lives as long as the part, which keeps it.
        self.make(StructuredKind::Selection, vec![product.clone()], |part| unsafe {
            self.table().selection(self.0.raw(), part, described, algorithm)
        })
    }

    fn plan(&self, product: &SharedPart, selection: &SharedPart) -> Result<SharedPart> {
        let described = self.at(product, StructuredKind::Product)?;
        let selected = self.at(selection, StructuredKind::Selection)?;
        // SAFETY: as above.
        self.make(StructuredKind::Plan, vec![product.clone(), selection.clone()], |part| unsafe {
            self.table().plan(self.0.raw(), part, described, selected)
        })
    }

    unsafe fn set_attribute(&self, part: &SharedPart, attribute: i32, data: u64, bytes: usize) -> Result<()> {
        self.enter()?;
        let (table, handle, at) = (self.table(), self.0.raw(), part.address() as *mut c_void);
        let _turn = self.0.turn.lock();
        // SAFETY: the part lives; `data` is the caller's promise.
        unsafe {
            match part.kind() {
                StructuredKind::Matrix => table.set_matrix(handle, at, attribute, data, bytes),
                StructuredKind::Product => table.set_product(handle, at, self.attribute_number(attribute), data, bytes),
                StructuredKind::Selection => table.set_selection(handle, at, attribute, data, bytes),
                StructuredKind::Plan => Err(self.without_attributes()),
            }
        }
    }

    unsafe fn attribute(&self, part: &SharedPart, attribute: i32, data: u64, bytes: usize) -> Result<()> {
        self.enter()?;
        let (table, handle, at) = (self.table(), self.0.raw(), part.address() as *mut c_void);
        // SAFETY: as above.
        unsafe {
            match part.kind() {
                StructuredKind::Matrix => table.get_matrix(handle, at, attribute, data, bytes),
                StructuredKind::Product => table.get_product(handle, at, self.attribute_number(attribute), data, bytes),
                StructuredKind::Selection => table.get_selection(handle, at, attribute, data, bytes),
                StructuredKind::Plan => Err(self.without_attributes()),
            }
        }
    }

    fn workspace_bytes(&self, plan: &SharedPart) -> Result<usize> {
        self.enter()?;
        let mut bytes = 0;
        // SAFETY: the plan lives; the library writes one number.
        unsafe { self.table().workspace(self.0.raw(), self.at(plan, StructuredKind::Plan)?, &mut bytes) }?;
        Ok(bytes)
    }

    unsafe fn multiply(
        &self,
        stream: &dyn Stream,
        plan: &SharedPart,
        addresses: &Multiplication,
        search: bool,
    ) -> Result<()> {
        let Multiplication { alpha, a, b, beta, c, d, workspace } = *addresses;
        let (handle, plan) = (self.0.raw(), self.at(plan, StructuredKind::Plan)?);
        self.enter()?;
        let mut stream = stream.raw();
        // SAFETY: the plan lives; the addresses are the caller's promise.
        unsafe {
            if search {
                let _turn = self.0.turn.lock();
                self.table().search(handle, plan, alpha, a, b, beta, c, d, workspace, &mut stream, 1)
            } else {
                self.table().multiply(handle, plan, alpha, a, b, beta, c, d, workspace, &mut stream, 1)
            }
        }
    }

    unsafe fn prune(&self, stream: &dyn Stream, side: &SparseSide, src: u64, dst: u64, algorithm: i32) -> Result<()> {
        self.enter()?;
        let (table, handle, stream) = (self.table(), self.0.raw(), stream.raw());
        // SAFETY: the part lives; the addresses are the caller's promise.
        unsafe {
            match side {
                SparseSide::Of(product) => {
                    table.prune(handle, self.at(product, StructuredKind::Product)?, src, dst, algorithm, stream)
                }
                SparseSide::Matrix { matrix, is_left, operation } => {
                    let matrix = self.at(matrix, StructuredKind::Matrix)?;
                    table.prune_matrix(handle, matrix, (*is_left).into(), *operation, src, dst, algorithm, stream)
                }
            }
        }
    }

    unsafe fn check(&self, stream: &dyn Stream, side: &SparseSide, src: u64, valid: u64) -> Result<()> {
        self.enter()?;
        let (table, handle, stream) = (self.table(), self.0.raw(), stream.raw());
        // SAFETY: as above.
        unsafe {
            // cuSPARSELt 0.8.0 writes only where the structure is wrong.
            self.0.shared.driver.fill(valid, 0, size_of::<i32>(), stream)?;
            match side {
                SparseSide::Of(product) => {
                    table.check(handle, self.at(product, StructuredKind::Product)?, src, valid, stream)
                }
                SparseSide::Matrix { matrix, is_left, operation } => {
                    let matrix = self.at(matrix, StructuredKind::Matrix)?;
                    table.check_matrix(handle, matrix, (*is_left).into(), *operation, src, valid, stream)
                }
            }
        }
    }

    fn compressed_bytes(&self, side: &SparseSide) -> Result<(usize, usize)> {
        self.enter()?;
        let (mut bytes, mut scratch) = (0, 0);
        // SAFETY: the part lives; the library writes two numbers.
        unsafe {
            match side {
                SparseSide::Of(plan) => {
                    let plan = self.at(plan, StructuredKind::Plan)?;
                    self.table().compressed(self.0.raw(), plan, &mut bytes, &mut scratch)?;
                }
                SparseSide::Matrix { matrix, .. } => {
                    let matrix = self.at(matrix, StructuredKind::Matrix)?;
                    self.table().compressed_matrix(self.0.raw(), matrix, &mut bytes, &mut scratch)?;
                }
            }
        }
        Ok((bytes, scratch))
    }

    unsafe fn compress(
        &self,
        stream: &dyn Stream,
        side: &SparseSide,
        dense: u64,
        compressed: u64,
        scratch: u64,
    ) -> Result<()> {
        self.enter()?;
        let (table, handle, stream) = (self.table(), self.0.raw(), stream.raw());
        // SAFETY: the part lives; the addresses are the caller's promise.
        unsafe {
            match side {
                SparseSide::Of(plan) => {
                    let plan = self.at(plan, StructuredKind::Plan)?;
                    table.compress(handle, plan, dense, compressed, scratch, stream)
                }
                SparseSide::Matrix { matrix, is_left, operation } => {
                    let matrix = self.at(matrix, StructuredKind::Matrix)?;
                    let is_left = (*is_left).into();
                    table.compress_matrix(handle, matrix, is_left, *operation, dense, compressed, scratch, stream)
                }
            }
        }
    }
}

impl Shareable {
    /// The vendor's number of an attribute of a product.
    fn attribute_number(&self, attribute: i32) -> i32 {
        let (usual, own) = self.0.shared.numbers.sparse_pointer;
        if attribute == usual { own } else { attribute }
    }

    fn without_attributes(&self) -> Error {
        Error::unsupported(self.0.shared.primary.backend, "attributes of plans")
    }
}
