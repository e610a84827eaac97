//! Direct solvers of sparse systems by cuDSS. Factors stay in device memory: its hybrid modes are off by default.

use std::ffi::{CString, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_gpu::graph::{self, Unrestricted};
use cuproxide_gpu::loader::Library;
use cuproxide_gpu::{Driver, Primary, routes};
use cuproxide_hal::libraries::{DirectFactor, DirectSolver, Pivots, SparseForm, SparseMatrix, SparseMethod};
use cuproxide_hal::{DType, Error, Result, Stream};
use parking_lot::{Mutex, MutexGuard};

use crate::api::cudss::{CudssTable, Raw, WANTED};
use crate::api::driver::driver;
use crate::api::{cublas, nvrtc};
use crate::places;

const ANALYSIS: c_int = 3;
const FACTORIZATION: c_int = 4;
const REFACTORIZATION: c_int = 8;
/// Permutations, substitutions and the diagonal; what refines is left out.
const SOLUTION: c_int = 0x1f0;

const SOLVE_MODE: c_int = 4;

const INFO: c_int = 0;
const STORED: c_int = 1;
const REPLACED_PIVOTS: c_int = 2;
const DIAGONAL: c_int = 8;

const GENERAL: c_int = 0;
const POSITIVE_SYMMETRIC: c_int = 3;
const POSITIVE_HERMITIAN: c_int = 4;

/// Opens the library, after those that it needs: they may lie in other folders than its own.
pub(crate) fn library() -> Result<Library> {
    let old_driver = driver().and_then(Driver::version).is_ok_and(|(major, _)| major < 13);
    let places = places::of_process();
    let needed = if old_driver { [cublas::WANTED_12, nvrtc::WANTED_12] } else { [cublas::WANTED, nvrtc::WANTED] };
    for wanted in &needed {
        if let Ok(library) = places.open(wanted) {
            // Never closed: the library is about to use it.
            std::mem::forget(library);
        }
    }
    Ok(places.open(&WANTED)?)
}

/// Opens the library for a device.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn DirectSolver>> {
    let table = CudssTable::new(library()?);
    let mut version = [0; 2];
    for (property, part) in version.iter_mut().enumerate() {
        // SAFETY: the library writes one number.
        unsafe { table.property(property as c_int, part) }?;
    }
    let [major, minor] = version;
    if major != 1 {
        return Err(Error::unsupported("cuda", format!("cuDSS {major}.{minor}; version 1 is needed")));
    }
    primary.enter(driver)?;
    let _capturing = Unrestricted::enter(driver);
    let mut handle = null_mut();
    // SAFETY: the context is current; the library writes one handle, which lives as long as the process.
    unsafe { table.create(&mut handle) }?;
    let has_threads = share_ordering(&table, handle);
    let handle = Mutex::new(Handle(handle));
    let shared = Shared { table, driver, primary, has_threads, handle, retired: Mutex::new(vec![]) };
    Ok(Arc::new(Cudss(Arc::new(shared))))
}

/// Lets several threads order the matrix, where the library's part for that lies beside it and can be opened.
fn share_ordering(table: &CudssTable, handle: Raw) -> bool {
    let path = Path::new(&table.library.path).with_file_name("libcudss_mtlayer_gomp.so.1");
    let Ok(name) = CString::new(path.as_os_str().as_encoded_bytes()) else { return false };
    // SAFETY: the library reads a text that ends with a zero byte.
    path.is_file() && unsafe { table.set_threads(handle, name.as_ptr()) }.is_ok()
}

struct Cudss(Arc<Shared>);

/// The library for one device. The stream is a state of the handle, so calls take turns.
struct Shared {
    table: CudssTable,
    driver: &'static Driver,
    primary: Primary,
    /// Whether several threads order a matrix.
    has_threads: bool,
    handle: Mutex<Handle>,
    /// Factors that nobody needs any more, but that could not be destroyed while a graph was captured.
    retired: Mutex<Vec<Handle>>,
}

struct Handle(Raw);

// SAFETY: the library allows its objects to be used from any thread, by one at a time.
unsafe impl Send for Handle {}

impl Shared {
    /// The handle, for calls that go to a stream.
    fn on(&self, stream: &dyn Stream, what: &str) -> Result<MutexGuard<'_, Handle>> {
        if stream.capture()?.is_some() {
            return Err(Error::capture(self.primary.backend, format!("{what} waits for the device")));
        }
        self.primary.enter(self.driver)?;
        let handle = self.handle.lock();
        // SAFETY: the handle lives; the stream is one of this device.
        unsafe { self.table.set_stream(handle.0, stream.raw())? };
        Ok(handle)
    }

    fn own(self: &Arc<Self>, make: impl FnOnce(&mut Raw) -> Result<()>) -> Result<Matrix> {
        self.primary.enter(self.driver)?;
        let mut raw = null_mut();
        make(&mut raw)?;
        Ok(Matrix { shared: self.clone(), raw })
    }

    /// Vectors that lie one after another.
    fn vectors(self: &Arc<Self>, order: usize, columns: usize, values: u64, dtype: DType) -> Result<Matrix> {
        let (rows, columns, dtype) = (order as i64, columns as i64, number(dtype)?);
        // SAFETY: the library writes one address and keeps that of the elements.
        self.own(|made| unsafe { self.table.dense(made, rows, columns, rows, values, dtype, 0) })
    }

    /// Destroys factors. Queued work may use them still.
    fn destroy(&self, factors: Raw) {
        self.retired.lock().push(Handle(factors));
        if graph::any_open() || self.primary.enter(self.driver).is_err() {
            return;
        }
        // SAFETY: the context is current.
        if unsafe { self.driver.context_synchronize() }.is_err() {
            return;
        }
        let handle = self.handle.lock();
        for factors in self.retired.lock().drain(..) {
            // SAFETY: nobody else has them, and no work uses them.
            let _ = unsafe { self.table.factors_destroy(handle.0, factors.0) };
        }
    }
}

/// The library's number of an element type.
fn number(dtype: DType) -> Result<c_int> {
    Ok(match dtype {
        DType::F32 => 0,
        DType::F64 => 1,
        DType::C64 => 4,
        DType::C128 => 5,
        DType::I32 => 10,
        DType::I64 => 24,
        other => return Err(Error::unsupported("cuda", format!("direct solvers of {other}"))),
    })
}

/// The library's description of a matrix.
struct Matrix {
    shared: Arc<Shared>,
    raw: Raw,
}

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: nobody else has the description.
        let _ = unsafe { self.shared.table.matrix_destroy(self.raw) };
    }
}

impl DirectSolver for Cudss {
    fn is_faster(&self, order: usize, again: bool) -> bool {
        if again { routes::REFACTORED.takes(order) } else { routes::FACTORED.takes(order) && self.0.has_threads }
    }

    unsafe fn analyse(
        &self,
        stream: &dyn Stream,
        a: &SparseMatrix,
        method: SparseMethod,
    ) -> Result<Box<dyn DirectFactor>> {
        let shared = &self.0;
        let table = &shared.table;
        if a.rows != a.columns {
            return Err(Error::unsupported("cuda", "direct solvers of matrices that are not square"));
        }
        let kind = match method {
            SparseMethod::Lu => GENERAL,
            SparseMethod::Cholesky if a.dtype.is_complex() => POSITIVE_HERMITIAN,
            SparseMethod::Cholesky => POSITIVE_SYMMETRIC,
        };
        let (index, dtype) = (number(a.index_dtype)?, number(a.dtype)?);
        let (order, stored) = (a.rows as i64, a.stored as i64);
        let matrix = shared.own(|made| {
            // SAFETY: the library writes one address, and keeps those of the arrays.
            unsafe {
                table.rows(
                    made, order, order, stored, a.offsets, 0, a.indices, a.values, index, index, dtype, kind, 0, 0,
                )
            }
        })?;
        let nothing = shared.vectors(a.rows, 1, 0, a.dtype)?;
        let handle = shared.on(stream, "the analysis of a sparse matrix")?;
        let _capturing = Unrestricted::enter(shared.driver);
        let mut made = Factors {
            matrix,
            nothing,
            settings: null_mut(),
            factors: null_mut(),
            state: Mutex::new(State { is_factored: false, mode: 0 }),
            order: a.rows,
            dtype: a.dtype,
            count_bytes: a.index_dtype.size(),
        };
        // SAFETY: the library writes an address each; then the caller's promise.
        let done = unsafe {
            table
                .settings_create(&mut made.settings)
                .and_then(|()| table.factors_create(handle.0, &mut made.factors))
                .and_then(|()| made.execute(&handle, ANALYSIS, None))
        };
        // What is dropped takes the handle.
        drop(handle);
        done?;
        Ok(Box::new(made))
    }
}

struct Factors {
    matrix: Matrix,
    /// Right-hand sides and solutions of phases that have none.
    nothing: Matrix,
    settings: Raw,
    factors: Raw,
    state: Mutex<State>,
    order: usize,
    dtype: DType,
    /// Bytes of numbers that the library counts in the type of the indices.
    count_bytes: usize,
}

struct State {
    is_factored: bool,
    mode: c_int,
}

// SAFETY: the library's objects are used under the lock of the handle.
unsafe impl Send for Factors {}
// SAFETY: as above.
unsafe impl Sync for Factors {}

impl Drop for Factors {
    fn drop(&mut self) {
        if !self.factors.is_null() {
            self.matrix.shared.destroy(self.factors);
        }
        if !self.settings.is_null() {
            // SAFETY: nobody else has them.
            let _ = unsafe { self.matrix.shared.table.settings_destroy(self.settings) };
        }
    }
}

impl Factors {
    /// # Safety
    /// The addresses of the matrix, the right-hand sides and the solutions are good.
    unsafe fn execute(&self, handle: &Handle, phase: c_int, sides: Option<[&Matrix; 2]>) -> Result<()> {
        let [b, x] = sides.unwrap_or([&self.nothing; 2]);
        let table = &self.matrix.shared.table;
        // SAFETY: the caller's promise.
        unsafe { table.execute(handle.0, phase, self.settings, self.factors, self.matrix.raw, x.raw, b.raw) }
    }

    /// Reads a number of so many bytes that the library keeps with the factors; it waits for the stream.
    fn read(&self, handle: &Handle, fact: c_int, bytes: usize) -> Result<u64> {
        let (mut value, mut written) = (0u64, 0);
        let place = (&raw mut value).cast::<c_void>();
        // SAFETY: the library writes one number.
        unsafe { self.matrix.shared.table.read(handle.0, self.factors, fact, place, bytes, &mut written)? };
        Ok(value)
    }

    /// The least and the greatest pivot by absolute value.
    fn range(&self, handle: &Handle) -> Option<(f64, f64)> {
        let bytes = self.order * self.dtype.size();
        let (mut diagonal, mut written) = (vec![0u64; bytes.div_ceil(8)], 0);
        let place = diagonal.as_mut_ptr().cast::<c_void>();
        let table = &self.matrix.shared.table;
        // SAFETY: the library writes so many bytes to the host.
        unsafe { table.read(handle.0, self.factors, DIAGONAL, place, bytes, &mut written) }.ok()?;
        let sizes = |sizes: &mut dyn Iterator<Item = f64>| {
            sizes.fold((f64::INFINITY, 0.0_f64), |(least, greatest), size| {
                // What is not a number stays.
                (if size >= least || least.is_nan() { least } else { size }, greatest.max(size))
            })
        };
        let single = |half: u64| f64::from(f32::from_bits(half as u32));
        let numbers = diagonal.iter().copied();
        Some(match self.dtype {
            DType::F32 => {
                sizes(&mut numbers.flat_map(|two| [two, two >> 32]).take(self.order).map(|x| single(x).abs()))
            }
            DType::C64 => sizes(&mut numbers.map(|two| single(two).hypot(single(two >> 32)))),
            DType::F64 => sizes(&mut numbers.map(|x| f64::from_bits(x).abs())),
            _ => sizes(&mut diagonal.chunks_exact(2).map(|x| f64::from_bits(x[0]).hypot(f64::from_bits(x[1])))),
        })
    }
}

impl DirectFactor for Factors {
    unsafe fn factor(&self, stream: &dyn Stream, values: u64) -> Result<Pivots> {
        let shared = &self.matrix.shared;
        let handle = shared.on(stream, "the factorisation of a sparse matrix")?;
        let _capturing = Unrestricted::enter(shared.driver);
        let mut state = self.state.lock();
        let phase = if state.is_factored { REFACTORIZATION } else { FACTORIZATION };
        // SAFETY: the caller's promise.
        unsafe {
            shared.table.set_values(self.matrix.raw, values)?;
            self.execute(&handle, phase, None)?;
        }
        // A factorisation that came to an end early says where.
        let info = self.read(&handle, INFO, size_of::<c_int>())?;
        let replaced = self.read(&handle, REPLACED_PIVOTS, self.count_bytes)?;
        state.is_factored = true;
        Ok(Pivots { replaced: replaced.max(u64::from(info != 0)), range: self.range(&handle) })
    }

    fn stored(&self) -> Result<usize> {
        let shared = &self.matrix.shared;
        shared.primary.enter(shared.driver)?;
        Ok(self.read(&shared.handle.lock(), STORED, size_of::<i64>())? as usize)
    }

    unsafe fn solve(&self, stream: &dyn Stream, form: SparseForm, columns: usize, b: u64, x: u64) -> Result<()> {
        let shared = &self.matrix.shared;
        let sides =
            [shared.vectors(self.order, columns, b, self.dtype)?, shared.vectors(self.order, columns, x, self.dtype)?];
        let handle = shared.on(stream, "the solution of a sparse system")?;
        let _capturing = Unrestricted::enter(shared.driver);
        let mut state = self.state.lock();
        // Conjugate transposes of real matrices are refused.
        let mode = match form {
            SparseForm::Plain => 0,
            SparseForm::Adjoint if self.dtype.is_complex() => 2,
            SparseForm::Transposed | SparseForm::Adjoint => 1,
        };
        if state.mode != mode {
            let value = (&raw const mode).cast::<c_void>();
            // SAFETY: the library reads one number.
            unsafe { shared.table.set(self.settings, SOLVE_MODE, value, size_of::<c_int>())? };
            state.mode = mode;
        }
        let [b, x] = &sides;
        // SAFETY: the caller's promise.
        unsafe { self.execute(&handle, SOLUTION, Some([b, x])) }
    }
}
