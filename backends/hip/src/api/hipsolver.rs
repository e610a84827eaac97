//! hipSOLVER as the solvers of the shared code, which count as cuSOLVER does: triangles, operations and jobs are other
//! numbers here, and values and vectors come from functions of one element type each.

use std::ffi::{c_int, c_schar, c_void};
use std::sync::OnceLock;

use cuproxide_gpu::Driver;
use cuproxide_gpu::api::solver::SolverTable;
use cuproxide_gpu::api::{Names, missing};
use cuproxide_gpu::solver::{COMPLEX_32, COMPLEX_64, REAL_32, REAL_64};
use cuproxide_hal::Result;
use cuproxide_hip_sys::hipsolver::{self, Hipsolver};

use super::{adapters, pointer};
use crate::api::library::HIPSOLVER;

type Handle = *mut c_void;

static SYMBOLS: OnceLock<Hipsolver> = OnceLock::new();

/// The functions; only adapters ask, which are in a table only once there are some.
fn symbols() -> &'static Hipsolver {
    SYMBOLS.get().expect("adapters are handed out after the library was opened")
}

const INVALID_VALUE: i32 = hipsolver::HIPSOLVER_STATUS_INVALID_VALUE as i32;

/// cuSOLVER counts the lower triangle first.
fn fill_mode(triangle: c_int) -> u32 {
    if triangle == 0 { hipsolver::HIPBLAS_FILL_MODE_LOWER } else { hipsolver::HIPBLAS_FILL_MODE_UPPER }
}

fn eigen_mode(vectors: c_int) -> u32 {
    if vectors == 0 { hipsolver::HIPSOLVER_EIG_MODE_NOVECTOR } else { hipsolver::HIPSOLVER_EIG_MODE_VECTOR }
}

adapters! {
    install: SolverTable, symbols: Hipsolver;
    fn create = hipsolverDnCreate(handle: *mut Handle) -> (handle);
    fn create_params = hipsolverDnCreateParams(params: *mut Handle) -> (params);
    fn set_stream = hipsolverDnSetStream(handle: Handle, stream: u64) -> (handle, pointer(stream));
    fn cholesky_size = hipsolverDnXpotrf_bufferSize(
        handle: Handle, params: Handle, triangle: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64, compute: c_int,
        device_bytes: *mut usize, host_bytes: *mut usize,
    ) -> (
        handle, params, fill_mode(triangle), n, a_type as u32, pointer(a), a_leading, compute as u32, device_bytes,
        host_bytes,
    );
    fn cholesky = hipsolverDnXpotrf(
        handle: Handle, params: Handle, triangle: c_int, n: i64, a_type: c_int, a: u64, a_leading: i64, compute: c_int,
        device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
    ) -> (
        handle, params, fill_mode(triangle), n, a_type as u32, pointer(a), a_leading, compute as u32, pointer(device),
        device_bytes, host, host_bytes, pointer(info),
    );
    fn lu_size = hipsolverDnXgetrf_bufferSize(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, compute: c_int,
        device_bytes: *mut usize, host_bytes: *mut usize,
    ) -> (
        handle, params, m, n, a_type as u32, pointer(a), a_leading, compute as u32, device_bytes, host_bytes,
    );
    fn lu = hipsolverDnXgetrf(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, pivots: u64,
        compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
    ) -> (
        handle, params, m, n, a_type as u32, pointer(a), a_leading, pointer(pivots), compute as u32, pointer(device),
        device_bytes, host, host_bytes, pointer(info),
    );
    fn lu_solve = hipsolverDnXgetrs(
        handle: Handle, params: Handle, _operation: c_int, n: i64, columns: i64, a_type: c_int, a: u64, a_leading: i64,
        pivots: u64, b_type: c_int, b: u64, b_leading: i64, info: u64,
    ) -> (
        handle, params, hipsolver::HIPBLAS_OP_N, n, columns, a_type as u32, pointer(a), a_leading, pointer(pivots),
        b_type as u32, pointer(b), b_leading, pointer(info),
    );
    fn qr_size = hipsolverDnXgeqrf_bufferSize(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, tau_type: c_int, tau: u64,
        compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
    ) -> (
        handle, params, m, n, a_type as u32, pointer(a), a_leading, tau_type as u32, pointer(tau), compute as u32,
        device_bytes, host_bytes,
    );
    fn qr = hipsolverDnXgeqrf(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: c_int, a: u64, a_leading: i64, tau_type: c_int, tau: u64,
        compute: c_int, device: u64, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: u64,
    ) -> (
        handle, params, m, n, a_type as u32, pointer(a), a_leading, tau_type as u32, pointer(tau), compute as u32,
        pointer(device), device_bytes, host, host_bytes, pointer(info),
    );
    fn vectors_size_f32 = hipsolverDnSorgqr_bufferSize(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: u64, a_leading: c_int, tau: u64, elements: *mut c_int,
    ) -> (handle, m, n, k, pointer(a), a_leading, pointer(tau), elements),
        vectors_size_f64 = hipsolverDnDorgqr_bufferSize,
        vectors_size_c64 = hipsolverDnCungqr_bufferSize,
        vectors_size_c128 = hipsolverDnZungqr_bufferSize;
    fn vectors_f32 = hipsolverDnSorgqr(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: u64, a_leading: c_int, tau: u64, work: u64, elements: c_int,
        info: u64,
    ) -> (handle, m, n, k, pointer(a), a_leading, pointer(tau), pointer(work), elements, pointer(info)),
        vectors_f64 = hipsolverDnDorgqr,
        vectors_c64 = hipsolverDnCungqr,
        vectors_c128 = hipsolverDnZungqr;
}

/// Calls the function of an element type.
macro_rules! typed {
    ($kind:expr; $single:ident, $double:ident, $complex:ident, $wide:ident; $arguments:tt) => {
        match $kind {
            REAL_32 => typed!(@ $single $arguments),
            REAL_64 => typed!(@ $double $arguments),
            COMPLEX_32 => typed!(@ $complex $arguments),
            COMPLEX_64 => typed!(@ $wide $arguments),
            _ => INVALID_VALUE,
        }
    };
    (@ $function:ident ($($argument:expr),*)) => {
        match &symbols().$function {
            // SAFETY: the caller keeps what the table's function demands, and this one demands the same.
            Ok(function) => unsafe { function($($argument),*) as i32 },
            Err(_) => super::MISSING,
        }
    };
}

/// Bytes of an element and of its real part.
fn bytes(kind: c_int) -> (usize, usize) {
    match kind {
        REAL_32 => (4, 4),
        REAL_64 => (8, 8),
        COMPLEX_32 => (8, 4),
        _ => (16, 8),
    }
}

/// Sides as the library takes them.
fn sides(m: i64, n: i64) -> Option<(c_int, c_int)> {
    Some((m.try_into().ok()?, n.try_into().ok()?))
}

/// Bytes that hold the real numbers which the library keeps beside its scratch memory.
fn superdiagonal(m: i64, n: i64, kind: c_int) -> usize {
    m.min(n).max(1) as usize * bytes(kind).1
}

unsafe extern "C" fn svd_size(
    handle: Handle,
    _: Handle,
    _: c_schar,
    _: c_schar,
    m: i64,
    n: i64,
    a_type: c_int,
    _: u64,
    _: i64,
    _: c_int,
    _: u64,
    _: c_int,
    _: u64,
    _: i64,
    _: c_int,
    _: u64,
    _: i64,
    _: c_int,
    device_bytes: *mut usize,
    host_bytes: *mut usize,
) -> i32 {
    let Some((rows, columns)) = sides(m, n) else { return INVALID_VALUE };
    let mut elements = 0;
    let status = typed!(
        a_type;
        hipsolverDnSgesvd_bufferSize, hipsolverDnDgesvd_bufferSize, hipsolverDnCgesvd_bufferSize,
        hipsolverDnZgesvd_bufferSize;
        (handle, rows, columns, &mut elements)
    );
    // SAFETY: the caller gives places for both.
    unsafe {
        *device_bytes = elements.max(0) as usize * bytes(a_type).0 + superdiagonal(m, n, a_type);
        *host_bytes = 0;
    }
    status
}

unsafe extern "C" fn svd(
    handle: Handle,
    _: Handle,
    left: c_schar,
    right: c_schar,
    m: i64,
    n: i64,
    a_type: c_int,
    a: u64,
    a_leading: i64,
    _: c_int,
    s: u64,
    _: c_int,
    u: u64,
    u_leading: i64,
    _: c_int,
    v: u64,
    v_leading: i64,
    _: c_int,
    device: u64,
    device_bytes: usize,
    _: *mut c_void,
    _: usize,
    info: u64,
) -> i32 {
    let (Some((rows, columns)), Some((a_leading, u_leading))) = (sides(m, n), sides(a_leading, u_leading)) else {
        return INVALID_VALUE;
    };
    let work_bytes = device_bytes - superdiagonal(m, n, a_type);
    let elements = (work_bytes / bytes(a_type).0) as c_int;
    let real = device + work_bytes as u64;
    typed!(
        a_type;
        hipsolverDnSgesvd, hipsolverDnDgesvd, hipsolverDnCgesvd, hipsolverDnZgesvd;
        (
            handle, left, right, rows, columns, pointer(a), a_leading, pointer(s), pointer(u), u_leading, pointer(v),
            v_leading as c_int, pointer(device), elements, pointer(real), pointer(info)
        )
    )
}

unsafe extern "C" fn hermitian_size(
    handle: Handle,
    _: Handle,
    mode: c_int,
    triangle: c_int,
    n: i64,
    a_type: c_int,
    a: u64,
    _: i64,
    _: c_int,
    w: u64,
    _: c_int,
    device_bytes: *mut usize,
    host_bytes: *mut usize,
) -> i32 {
    let Some((side, _)) = sides(n, n) else { return INVALID_VALUE };
    let mut elements = 0;
    let status = typed!(
        a_type;
        hipsolverDnSsyevd_bufferSize, hipsolverDnDsyevd_bufferSize, hipsolverDnCheevd_bufferSize,
        hipsolverDnZheevd_bufferSize;
        (handle, eigen_mode(mode), fill_mode(triangle), side, pointer(a), side, pointer(w), &mut elements)
    );
    // SAFETY: the caller gives places for both.
    unsafe {
        *device_bytes = elements.max(0) as usize * bytes(a_type).0;
        *host_bytes = 0;
    }
    status
}

unsafe extern "C" fn hermitian(
    handle: Handle,
    _: Handle,
    mode: c_int,
    triangle: c_int,
    n: i64,
    a_type: c_int,
    a: u64,
    _: i64,
    _: c_int,
    w: u64,
    _: c_int,
    device: u64,
    device_bytes: usize,
    _: *mut c_void,
    _: usize,
    info: u64,
) -> i32 {
    let Some((side, _)) = sides(n, n) else { return INVALID_VALUE };
    let elements = (device_bytes / bytes(a_type).0) as c_int;
    typed!(
        a_type;
        hipsolverDnSsyevd, hipsolverDnDsyevd, hipsolverDnCheevd, hipsolverDnZheevd;
        (
            handle, eigen_mode(mode), fill_mode(triangle), side, pointer(a), side, pointer(w), pointer(device), elements,
            pointer(info)
        )
    )
}

/// What the adapters above stand for: a function for each element type, written as AMD's documentation writes them.
const SPECIAL: [(&str, &str); 4] = [
    ("svd_size", "hipsolverDn<type>gesvd_bufferSize"),
    ("svd", "hipsolverDn<type>gesvd"),
    ("hermitian_size", "hipsolverDn<type>syevd_bufferSize"),
    ("hermitian", "hipsolverDn<type>syevd"),
];
const NAMES: [(&str, &str); CALLED.len() + SPECIAL.len()] = {
    let mut all = [("", ""); CALLED.len() + SPECIAL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < CALLED.len() { CALLED[at] } else { SPECIAL[at - CALLED.len()] };
        at += 1;
    }
    all
};

fn status(code: i32) -> (&'static str, &'static str) {
    match code {
        1 => ("HIPSOLVER_STATUS_NOT_INITIALIZED", "the library was not initialised"),
        2 => ("HIPSOLVER_STATUS_ALLOC_FAILED", "memory inside the library ran out"),
        3 => ("HIPSOLVER_STATUS_INVALID_VALUE", "an argument has a value that the library does not take"),
        4 => ("HIPSOLVER_STATUS_MAPPING_ERROR", "memory could not be accessed"),
        5 => ("HIPSOLVER_STATUS_EXECUTION_FAILED", "a kernel of the library failed"),
        6 => ("HIPSOLVER_STATUS_INTERNAL_ERROR", "an operation inside the library failed"),
        7 => ("HIPSOLVER_STATUS_NOT_SUPPORTED", "the library does not support this combination"),
        8 => ("HIPSOLVER_STATUS_ARCH_MISMATCH", "the device lacks an ability that the library needs"),
        9 => ("HIPSOLVER_STATUS_HANDLE_IS_NULLPTR", "there is no handle"),
        10 => ("HIPSOLVER_STATUS_INVALID_ENUM", "an argument is not a value of its type"),
        _ => ("unknown", "see the documentation of hipsolverStatus_t"),
    }
}

/// Opens the library.
pub(crate) fn open(_: &Driver) -> Result<SolverTable> {
    let library = HIPSOLVER.open()?;
    let lacks = || missing(&library, "hipsolverDnCreate");
    let handle = library.share().ok_or_else(lacks)?;
    // SAFETY: the functions have the signatures of the headers; those of 64-bit sizes came with ROCm 6.
    let symbols = unsafe { Hipsolver::from_library(handle) }.map_err(|_| lacks())?;
    let symbols = SYMBOLS.get_or_init(|| symbols);
    let mut table = SolverTable::empty(library, Names { functions: &NAMES, status: Some(status) });
    install(&mut table, symbols);
    let gesvd = symbols.hipsolverDnSgesvd.is_ok();
    table.svd_size = gesvd.then_some(svd_size as _);
    table.svd = gesvd.then_some(svd as _);
    let syevd = symbols.hipsolverDnSsyevd.is_ok();
    table.hermitian_size = syevd.then_some(hermitian_size as _);
    table.hermitian = syevd.then_some(hermitian as _);
    Ok(table)
}
