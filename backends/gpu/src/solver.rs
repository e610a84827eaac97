//! Dense solvers: small matrices and forms that no library has by own kernels, triangular systems by the vendor's products, the
//! rest by its solvers, which take one matrix of a batch after another but for eigenvalues of Hermitian ones.

use std::ffi::{c_int, c_schar, c_void};
use std::sync::Arc;

use cuproxide_hal::libraries::{SingularVectors, Solver, SolverOp, SolverSpec, Triangle};
use cuproxide_hal::{DType, Error, Result, Stream};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::api::solver::SolverTable;
use crate::context::Primary;
use crate::dense::{Dense, Step};
use crate::graph::Unrestricted;
use crate::routes;
use crate::scaling::{self, Range};
use crate::small_matrices::Tiny;
use crate::substitution::{Substitution, Systems, Triangular};
use crate::target::Target;
use crate::vendor::Vendor;

/// The solvers of a device. Each library is opened when first needed.
pub struct GpuSolver {
    driver: &'static Driver,
    primary: Primary,
    dense: Dense,
    tiny: Tiny,
    substitution: Substitution,
    open: fn(&Driver) -> Result<SolverTable>,
    library: OnceCell<LibrarySolver>,
}

impl GpuSolver {
    /// Opens nothing yet; `open` opens the library of solvers.
    pub fn new(
        vendor: &'static Vendor,
        driver: &'static Driver,
        primary: Primary,
        target: Target,
        triangular: Arc<dyn Triangular>,
        open: fn(&Driver) -> Result<SolverTable>,
    ) -> GpuSolver {
        let dense = Dense::new(vendor, driver, primary, target);
        let tiny = Tiny::new(vendor, driver, primary, target);
        let substitution = Substitution { driver, triangular };
        GpuSolver { driver, primary, dense, tiny, substitution, open, library: OnceCell::new() }
    }

    fn library(&self) -> Result<&LibrarySolver> {
        self.library.get_or_try_init(|| {
            let _capturing = Unrestricted::enter(self.driver);
            LibrarySolver::new((self.open)(self.driver)?, self.driver, self.primary)
        })
    }

    /// Whether own kernels take the operation, a block for each matrix: where they are faster, and for want of a library's
    /// function.
    fn by_kernel(&self, spec: &SolverSpec) -> bool {
        let lacks_general = || !self.library().is_ok_and(|library| library.table.general.is_some());
        self.dense.takes(spec) || (matches!(spec.op, SolverOp::Eigen(_)) && lacks_general())
    }

    /// Says that all went well.
    ///
    /// # Safety
    /// The address is device memory of an info for each matrix.
    unsafe fn clear(&self, stream: &dyn Stream, spec: &SolverSpec, info: u64) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: the caller's promise.
        unsafe { self.driver.fill(info, 0, spec.batch * size_of::<i32>(), stream.raw()) }
    }
}

/// The factorisation and the solution that [`SolverOp::Solve`] and [`SolverOp::Inverse`] are made of.
fn halves(spec: &SolverSpec) -> [SolverSpec; 2] {
    [SolverSpec { op: SolverOp::Lu, n: spec.m, ..*spec }, SolverSpec { op: SolverOp::LuSolve, ..*spec }]
}

/// Bytes of the info of a solution, at the beginning of the scratch: it says nothing.
fn ignored_bytes(spec: &SolverSpec) -> usize {
    (spec.batch * size_of::<i32>()).next_multiple_of(256)
}

impl Solver for GpuSolver {
    fn scratch_bytes(&self, spec: &SolverSpec) -> Result<usize> {
        if self.tiny.takes(spec) {
            return Ok(0);
        }
        if matches!(spec.op, SolverOp::Solve | SolverOp::Inverse) {
            let [factor, solve] = halves(spec);
            return Ok(ignored_bytes(spec) + self.scratch_bytes(&factor)?.max(self.scratch_bytes(&solve)?));
        }
        if self.by_kernel(spec) {
            return Ok(Dense::scratch_bytes(spec));
        }
        match spec.op {
            SolverOp::SolveTriangular(..) => Ok(0),
            SolverOp::LuSolve if Substitution::takes(spec) => Ok(Substitution::scratch_bytes(spec)),
            _ if scaling::squares(spec.op) => Ok(scaling::bytes(spec) + self.library()?.scratch_bytes(spec)?),
            _ => self.library()?.scratch_bytes(spec),
        }
    }

    unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()> {
        // SAFETY: the caller's promise is passed on.
        unsafe {
            if self.tiny.takes(spec) {
                return self.tiny.run(stream, spec, a, operands, info);
            }
            if matches!(spec.op, SolverOp::Solve | SolverOp::Inverse) {
                let [factor, solve] = halves(spec);
                let rest = scratch + ignored_bytes(spec) as u64;
                self.run(stream, &factor, a, &operands[..1], info, rest)?;
                if spec.op == SolverOp::Inverse {
                    if Substitution::takes(spec) && !self.by_kernel(&solve) {
                        let at = [a, operands[0], operands[1]];
                        return self.substitution.invert(stream, spec, &self.dense, at, rest);
                    }
                    self.dense.step(stream, spec, Step::Identity, operands[1], 0, 0)?;
                }
                return self.run(stream, &solve, a, operands, scratch, rest);
            }
            if self.by_kernel(spec) {
                return self.dense.run(stream, spec, a, operands, info, scratch);
            }
            match spec.op {
                SolverOp::SolveTriangular(triangle, unit) => {
                    self.clear(stream, spec, info)?;
                    let SolverSpec { m, n, batch, .. } = *spec;
                    let systems = Systems { a, b: operands[0], rows: m, columns: n, leading: m, batch };
                    self.substitution.triangular.solve_triangular(stream, spec.dtype, (triangle, unit), systems)
                }
                SolverOp::LuSolve if Substitution::takes(spec) => {
                    self.clear(stream, spec, info)?;
                    let at = [a, operands[0], operands[1]];
                    self.substitution.solve(stream, spec, &self.dense, at, scratch)
                }
                _ if scaling::squares(spec.op) => {
                    let range = Range { dense: &self.dense, library: self.library()? };
                    range.run(stream, spec, a, operands, info, scratch)
                }
                _ => self.library()?.run(stream, spec, a, operands, info, scratch),
            }
        }
    }

    fn is_capturable(&self, spec: &SolverSpec) -> bool {
        if self.tiny.takes(spec) {
            return true;
        }
        match spec.op {
            SolverOp::Solve | SolverOp::Inverse => halves(spec).iter().all(|half| self.is_capturable(half)),
            _ if self.dense.takes(spec) => true,
            SolverOp::SolveTriangular(..) => true,
            SolverOp::LuSolve if Substitution::takes(spec) => true,
            // The libraries iterate on the host, read back, or wait for the stream.
            SolverOp::Svd(..)
            | SolverOp::EigenHermitian(..)
            | SolverOp::EigenTridiagonal
            | SolverOp::Eigen(..)
            | SolverOp::Hessenberg
            | SolverOp::Schur => false,
            _ => self.library().map_or(true, |library| library.works_on_the_device(spec)),
        }
    }

    fn polar_from(&self) -> Option<usize> {
        Some(routes::POLAR.from)
    }

    fn double_from(&self) -> Option<usize> {
        Some(routes::DOUBLE.from)
    }

    fn lower_from(&self) -> Option<usize> {
        Some(routes::LOWER.from)
    }
}

/// A handle of the library for one device. The stream is a state of the handle, so calls take turns.
pub(crate) struct LibrarySolver {
    table: SolverTable,
    driver: &'static Driver,
    primary: Primary,
    raw: Mutex<Raw>,
}

#[derive(Clone, Copy)]
struct Raw {
    handle: *mut c_void,
    params: *mut c_void,
}

// SAFETY: the libraries allow a handle to be used from any thread, by one at a time.
unsafe impl Send for Raw {}

impl LibrarySolver {
    fn new(table: SolverTable, driver: &'static Driver, primary: Primary) -> Result<LibrarySolver> {
        primary.enter(driver)?;
        let mut raw = Raw { handle: std::ptr::null_mut(), params: std::ptr::null_mut() };
        // SAFETY: the context is current; the library writes two handles, which live as long as the process.
        unsafe {
            table.create(&mut raw.handle)?;
            table.create_params(&mut raw.params)?;
        }
        Ok(LibrarySolver { table, driver, primary, raw: Mutex::new(raw) })
    }
}

/// Bytes of scratch for one matrix, on the device and on the host.
#[derive(Clone, Copy, Default)]
struct Workspace {
    device: usize,
    host: usize,
}

/// `CUDA_R_32F` and so on.
pub const REAL_32: c_int = 0;
/// `CUDA_R_64F`.
pub const REAL_64: c_int = 1;
/// `CUDA_C_32F`.
pub const COMPLEX_32: c_int = 4;
/// `CUDA_C_64F`.
pub const COMPLEX_64: c_int = 5;

/// The library's numbers for an element type, its real and its complex companion.
struct Types {
    element: c_int,
    real: c_int,
    complex: c_int,
}

impl Types {
    fn of(backend: &str, dtype: DType) -> Result<Types> {
        let (element, real, complex) = match dtype {
            DType::F32 => (REAL_32, REAL_32, COMPLEX_32),
            DType::F64 => (REAL_64, REAL_64, COMPLEX_64),
            DType::C64 => (COMPLEX_32, REAL_32, COMPLEX_32),
            DType::C128 => (COMPLEX_64, REAL_64, COMPLEX_64),
            _ => return Err(Error::unsupported(backend, format!("dense solvers of {dtype}"))),
        };
        Ok(Types { element, real, complex })
    }
}

const NO_TRANSPOSE: c_int = 0;

fn triangle_code(triangle: Triangle) -> c_int {
    match triangle {
        Triangle::Lower => 0,
        Triangle::Upper => 1,
    }
}

fn job_code(vectors: SingularVectors) -> (c_schar, c_schar) {
    match vectors {
        SingularVectors::None => (b'N' as c_schar, b'N' as c_schar),
        SingularVectors::Thin => (b'S' as c_schar, b'S' as c_schar),
        SingularVectors::Full => (b'A' as c_schar, b'A' as c_schar),
    }
}

/// Bytes of one matrix and of one part of each operand.
fn steps(spec: &SolverSpec) -> Vec<usize> {
    let SolverSpec { m, n, dtype, .. } = *spec;
    let (item, real) = (dtype.size(), dtype.real().size());
    match spec.op {
        SolverOp::Cholesky(_) => vec![n * n * item],
        SolverOp::Lu => vec![m * n * item, m.min(n) * size_of::<i64>()],
        SolverOp::LuSolve => vec![m * m * item, m * size_of::<i64>(), m * n * item],
        SolverOp::Qr => vec![m * n * item, m.min(n) * item],
        SolverOp::QrVectors(count) => vec![m * n * item, count * item],
        SolverOp::Svd(SingularVectors::None) => vec![m * n * item, n * real],
        SolverOp::Svd(SingularVectors::Thin) => vec![m * n * item, n * real, m * n * item, n * n * item],
        SolverOp::Svd(SingularVectors::Full) => vec![m * n * item, n * real, m * m * item, n * n * item],
        SolverOp::EigenHermitian(..) => vec![n * n * item, n * real],
        SolverOp::Eigen(false) => vec![n * n * item, n * 2 * real],
        SolverOp::Eigen(true) => vec![n * n * item, n * 2 * real, n * n * item],
        SolverOp::Solve
        | SolverOp::Inverse
        | SolverOp::SolveTriangular(..)
        | SolverOp::EigenTridiagonal
        | SolverOp::Hessenberg
        | SolverOp::Schur => vec![],
    }
}

impl LibrarySolver {
    fn narrow(&self, length: usize) -> Result<c_int> {
        let large = |_| Error::unsupported(self.primary.backend, format!("a matrix side of {length}"));
        c_int::try_from(length).map_err(large)
    }

    /// The error for an operation that is not the library's.
    fn no_function(&self, op: SolverOp) -> Error {
        Error::unsupported(self.primary.backend, format!("{op:?} by {}", self.table.library.name))
    }

    /// Asks for the scratch of one matrix.
    fn workspace(&self, raw: Raw, spec: &SolverSpec) -> Result<Workspace> {
        let (library, Raw { handle, params }) = (&self.table, raw);
        let Types { element, real, complex } = Types::of(self.primary.backend, spec.dtype)?;
        let (m, n) = (spec.m as i64, spec.n as i64);
        let mut needed = Workspace::default();
        let (device, host) = (&raw mut needed.device, &raw mut needed.host);
        // SAFETY: a query reads no matrix, only sizes, and writes two numbers.
        unsafe {
            match spec.op {
                SolverOp::Cholesky(triangle) => library.cholesky_size(
                    handle,
                    params,
                    triangle_code(triangle),
                    n,
                    element,
                    0,
                    n,
                    element,
                    device,
                    host,
                )?,
                SolverOp::Lu => library.lu_size(handle, params, m, n, element, 0, m, element, device, host)?,
                SolverOp::LuSolve => {}
                SolverOp::Qr => {
                    library.qr_size(handle, params, m, n, element, 0, m, element, 0, element, device, host)?;
                }
                SolverOp::QrVectors(count) => {
                    let (m, n, k) = (self.narrow(spec.m)?, self.narrow(spec.n)?, self.narrow(count)?);
                    let mut elements = 0;
                    let out = &raw mut elements;
                    match spec.dtype {
                        DType::F32 => library.vectors_size_f32(handle, m, n, k, 0, m, 0, out)?,
                        DType::F64 => library.vectors_size_f64(handle, m, n, k, 0, m, 0, out)?,
                        DType::C64 => library.vectors_size_c64(handle, m, n, k, 0, m, 0, out)?,
                        _ => library.vectors_size_c128(handle, m, n, k, 0, m, 0, out)?,
                    }
                    needed.device = elements.max(0) as usize * spec.dtype.size();
                }
                SolverOp::Svd(vectors) => {
                    let (left, right) = job_code(vectors);
                    library.svd_size(
                        handle, params, left, right, m, n, element, 0, m, real, 0, element, 0, m, element, 0, n,
                        element, device, host,
                    )?;
                }
                SolverOp::EigenHermitian(vectors, triangle) => library.hermitian_size(
                    handle,
                    params,
                    vectors.into(),
                    triangle_code(triangle),
                    n,
                    element,
                    0,
                    n,
                    real,
                    0,
                    element,
                    device,
                    host,
                )?,
                SolverOp::Eigen(vectors) => library.general_size(
                    handle,
                    params,
                    0,
                    vectors.into(),
                    n,
                    element,
                    0,
                    n,
                    complex,
                    0,
                    element,
                    0,
                    n,
                    element,
                    0,
                    n,
                    element,
                    device,
                    host,
                )?,
                SolverOp::Solve
                | SolverOp::Inverse
                | SolverOp::SolveTriangular(..)
                | SolverOp::EigenTridiagonal
                | SolverOp::Hessenberg
                | SolverOp::Schur => {
                    return Err(self.no_function(spec.op));
                }
            }
        }
        Ok(needed)
    }

    /// Queues the operation on one matrix; `at` holds its address and those of its operands.
    unsafe fn one(
        &self,
        raw: Raw,
        spec: &SolverSpec,
        at: &[u64],
        info: u64,
        (scratch, needed, host): (u64, Workspace, *mut c_void),
    ) -> Result<()> {
        let (library, Raw { handle, params }) = (&self.table, raw);
        let Types { element, real, complex } = Types::of(self.primary.backend, spec.dtype)?;
        let (m, n) = (spec.m as i64, spec.n as i64);
        let (device_bytes, host_bytes) = (needed.device, needed.host);
        let operand = |which: usize| at.get(which).copied().unwrap_or(0);
        let a = operand(0);
        // SAFETY: the caller promises device memory of the sizes that the operation implies and scratch as asked for.
        unsafe {
            match spec.op {
                SolverOp::Cholesky(triangle) => library.cholesky(
                    handle,
                    params,
                    triangle_code(triangle),
                    n,
                    element,
                    a,
                    n,
                    element,
                    scratch,
                    device_bytes,
                    host,
                    host_bytes,
                    info,
                ),
                SolverOp::Lu => library.lu(
                    handle,
                    params,
                    m,
                    n,
                    element,
                    a,
                    m,
                    operand(1),
                    element,
                    scratch,
                    device_bytes,
                    host,
                    host_bytes,
                    info,
                ),
                SolverOp::LuSolve => library.lu_solve(
                    handle,
                    params,
                    NO_TRANSPOSE,
                    m,
                    n,
                    element,
                    a,
                    m,
                    operand(1),
                    element,
                    operand(2),
                    m,
                    info,
                ),
                SolverOp::Qr => library.qr(
                    handle,
                    params,
                    m,
                    n,
                    element,
                    a,
                    m,
                    element,
                    operand(1),
                    element,
                    scratch,
                    device_bytes,
                    host,
                    host_bytes,
                    info,
                ),
                SolverOp::QrVectors(count) => {
                    let (m, n, k, tau) = (self.narrow(spec.m)?, self.narrow(spec.n)?, self.narrow(count)?, operand(1));
                    let elements = self.narrow(device_bytes / spec.dtype.size())?;
                    match spec.dtype {
                        DType::F32 => library.vectors_f32(handle, m, n, k, a, m, tau, scratch, elements, info),
                        DType::F64 => library.vectors_f64(handle, m, n, k, a, m, tau, scratch, elements, info),
                        DType::C64 => library.vectors_c64(handle, m, n, k, a, m, tau, scratch, elements, info),
                        _ => library.vectors_c128(handle, m, n, k, a, m, tau, scratch, elements, info),
                    }
                }
                SolverOp::Svd(vectors) => {
                    let (left, right) = job_code(vectors);
                    library.svd(
                        handle,
                        params,
                        left,
                        right,
                        m,
                        n,
                        element,
                        a,
                        m,
                        real,
                        operand(1),
                        element,
                        operand(2),
                        m,
                        element,
                        operand(3),
                        n,
                        element,
                        scratch,
                        device_bytes,
                        host,
                        host_bytes,
                        info,
                    )
                }
                SolverOp::EigenHermitian(vectors, triangle) => library.hermitian(
                    handle,
                    params,
                    vectors.into(),
                    triangle_code(triangle),
                    n,
                    element,
                    a,
                    n,
                    real,
                    operand(1),
                    element,
                    scratch,
                    device_bytes,
                    host,
                    host_bytes,
                    info,
                ),
                SolverOp::Eigen(vectors) => library.general(
                    handle,
                    params,
                    0,
                    vectors.into(),
                    n,
                    element,
                    a,
                    n,
                    complex,
                    operand(1),
                    element,
                    0,
                    n,
                    element,
                    operand(2),
                    n,
                    element,
                    scratch,
                    device_bytes,
                    host,
                    host_bytes,
                    info,
                ),
                SolverOp::Solve
                | SolverOp::Inverse
                | SolverOp::SolveTriangular(..)
                | SolverOp::EigenTridiagonal
                | SolverOp::Hessenberg
                | SolverOp::Schur => Err(self.no_function(spec.op)),
            }
        }
    }

    /// Whether the library takes the whole batch at once.
    fn at_once(&self, spec: &SolverSpec) -> bool {
        matches!(spec.op, SolverOp::EigenHermitian(..))
            && spec.batch > 1
            && !routes::ONE_BY_ONE.takes(spec.n)
            && self.table.hermitian_batch.is_some()
    }

    /// The scratch of a batch of Hermitian matrices that the library takes at once.
    fn hermitian_workspace(&self, raw: Raw, spec: &SolverSpec, vectors: bool, triangle: Triangle) -> Result<Workspace> {
        let Types { element, real, .. } = Types::of(self.primary.backend, spec.dtype)?;
        let mut needed = Workspace::default();
        // SAFETY: a query reads no matrix, only sizes, and writes two numbers.
        unsafe {
            self.table.hermitian_batch_size(
                raw.handle,
                raw.params,
                vectors.into(),
                triangle_code(triangle),
                spec.n as i64,
                element,
                0,
                spec.n as i64,
                real,
                0,
                element,
                &raw mut needed.device,
                &raw mut needed.host,
                spec.batch.min(MOST_AT_ONCE) as i64,
            )?;
        }
        Ok(needed)
    }
}

/// Most matrices of a batch that the library is given at once: it fails with far more.
const MOST_AT_ONCE: usize = 16384;

impl LibrarySolver {
    /// Whether an operation needs no memory of the host, which is to be waited for.
    fn works_on_the_device(&self, spec: &SolverSpec) -> bool {
        self.primary.enter(self.driver).is_ok()
            && self.workspace(*self.raw.lock(), spec).is_ok_and(|needed| needed.host == 0)
    }
}

impl Solver for LibrarySolver {
    fn scratch_bytes(&self, spec: &SolverSpec) -> Result<usize> {
        self.primary.enter(self.driver)?;
        let raw = self.raw.lock();
        if let (SolverOp::EigenHermitian(vectors, triangle), true) = (spec.op, self.at_once(spec)) {
            return Ok(self.hermitian_workspace(*raw, spec, vectors, triangle)?.device);
        }
        Ok(self.workspace(*raw, spec)?.device)
    }

    unsafe fn run(
        &self,
        stream: &dyn Stream,
        spec: &SolverSpec,
        a: u64,
        operands: &[u64],
        info: u64,
        scratch: u64,
    ) -> Result<()> {
        self.primary.enter(self.driver)?;
        let raw = self.raw.lock();
        if let (SolverOp::EigenHermitian(vectors, triangle), true) = (spec.op, self.at_once(spec)) {
            let needed = self.hermitian_workspace(*raw, spec, vectors, triangle)?;
            let mut host = vec![0u8; needed.host];
            let Types { element, real, .. } = Types::of(self.primary.backend, spec.dtype)?;
            let steps = steps(spec);
            // SAFETY: the caller promises memory of the sizes that `spec` implies, for the whole batch.
            unsafe {
                self.table.set_stream(raw.handle, stream.raw())?;
                for start in (0..spec.batch).step_by(MOST_AT_ONCE) {
                    self.table.hermitian_batch(
                        raw.handle,
                        raw.params,
                        vectors.into(),
                        triangle_code(triangle),
                        spec.n as i64,
                        element,
                        a + (start * steps[0]) as u64,
                        spec.n as i64,
                        real,
                        operands[0] + (start * steps[1]) as u64,
                        element,
                        scratch,
                        needed.device,
                        host.as_mut_ptr().cast(),
                        needed.host,
                        info + (start * size_of::<i32>()) as u64,
                        (spec.batch - start).min(MOST_AT_ONCE) as i64,
                    )?;
                }
            }
            return if needed.host > 0 { stream.synchronize() } else { Ok(()) };
        }
        let steps = steps(spec);
        let needed = self.workspace(*raw, spec)?;
        let mut host = vec![0u8; needed.host];
        // SAFETY: the caller promises memory of the sizes that `spec` implies, for each matrix of the batch.
        unsafe {
            self.table.set_stream(raw.handle, stream.raw())?;
            for index in 0..spec.batch {
                let start = std::iter::once(&a).chain(operands);
                let at: Vec<u64> = start.zip(&steps).map(|(start, step)| start + (index * step) as u64).collect();
                let info = info + (index * size_of::<i32>()) as u64;
                self.one(*raw, spec, &at, info, (scratch, needed, host.as_mut_ptr().cast()))?;
            }
        }
        if needed.host > 0 {
            // The library may still use its scratch on the host.
            stream.synchronize()?;
        }
        Ok(())
    }
}
