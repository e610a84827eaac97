//! Which way work takes where there are several: the one place of the core and of the extension module that decides it.
//!
//! A row gives an operation, the size from which on it uses its other implementation, and the measurement that set it. Where a
//! library competes with kernels, its backend states what the library was measured to do faster, and the functions below join
//! that with what the user chose. `_lib/routes.py` does the same for what Python chooses between: kernels in Python, primitives
//! and compiled loops, by the class of the device. So the way of a sparse product is decided by [`sparse`] (library or own
//! kernel) and then by rows of that table (which kernel). Strategies of fusion weigh costs of kernels, not ways: those stand in
//! `fusion`.

use std::sync::Arc;

use cuproxide_hal::libraries::{Library, Rng, Solver, SparseWork};
use cuproxide_hal::routes::Route;
use cuproxide_hal::settings::{self, Variable};
use cuproxide_hal::{DType, Error as Failure};
use parking_lot::Mutex;

use crate::context::Context;
use crate::detach::queueing;
use crate::error::Result;
use crate::ops::gather::is_deterministic;

/// Values from which on a search goes to the device's primitive, which prepares itself first.
pub const SEARCH: Route =
    Route { work: "values searched for at once by the device's primitive", from: 4096, why: "not measured" };

/// Elements from which on a padded array is copied and only its edges are gathered.
pub const PADDED_COPY: Route =
    Route { work: "elements of a padded array whose inside is copied", from: 1 << 18, why: "not measured" };

/// Elements from which on a draw is worth a second kernel for what its blocks leave over.
pub const DRAWN_BLOCKS: Route =
    Route { work: "elements drawn by blocks, and what is left over one by one", from: 256, why: "not measured" };

/// Elements from which on a synchronous device's work outweighs the price of handing over the interpreter.
pub const DETACHED: Route =
    Route { work: "elements of work during which other Python threads run", from: 1 << 16, why: "not measured" };

/// Bytes from which on a copy to the host is cut into pieces, between which its progress is shown.
pub const COPIED_IN_PIECES: Route =
    Route { work: "bytes copied to the host in pieces", from: 1 << 26, why: "not measured" };

/// All thresholds of the core.
pub const ROUTES: [Route; 5] = [SEARCH, PADDED_COPY, DRAWN_BLOCKS, DETACHED, COPIED_IN_PIECES];

/// What a library of sparse matrices may take, whatever it is.
struct SparseRow {
    work: SparseWork,
    /// Whether indices may be int64 too.
    wide: bool,
    /// Whether libraries add up parts of long rows in any order, so that a program that asks for the same bits at every call
    /// does not use them.
    any_order: bool,
}

const SPARSE: [SparseRow; 6] = [
    SparseRow { work: SparseWork::Vector, wide: true, any_order: true },
    SparseRow { work: SparseWork::ShortRows, wide: false, any_order: true },
    SparseRow { work: SparseWork::Columns, wide: false, any_order: true },
    SparseRow { work: SparseWork::Product, wide: false, any_order: false },
    SparseRow { work: SparseWork::Transposition, wide: false, any_order: false },
    SparseRow { work: SparseWork::Triangle, wide: false, any_order: false },
];

/// Whether the device's library is to do some work on sparse matrices of a type: what its measurements say, unless the user
/// says otherwise. A library that cannot be opened does nothing.
pub fn sparse(context: &Arc<Context>, work: SparseWork, dtype: DType, index_dtype: DType) -> bool {
    let Some(row) = SPARSE.iter().find(|row| row.work == work) else { return false };
    let fits = library_computes(dtype) && (index_dtype == DType::I32 || (index_dtype == DType::I64 && row.wide));
    let library = &context.device().libraries().sparse;
    fits && !(row.any_order && is_deterministic())
        && chosen(context.index(), &settings::SPARSE, library, |found| found.is_faster(work))
}

/// Whether the device's library is to factor a sparse matrix of so many rows, as [`sparse`]; `again`: its pattern will be reused.
pub fn sparse_factors(
    context: &Arc<Context>,
    order: usize,
    stored: usize,
    dtype: DType,
    index_dtype: DType,
    again: bool,
) -> bool {
    let fits =
        library_computes(dtype) && matches!(index_dtype, DType::I32 | DType::I64) && stored >= order && order > 0;
    let library = &context.device().libraries().direct_solver;
    // Libraries factor and substitute in any order.
    fits && !is_deterministic()
        && chosen(context.index(), &settings::SPARSE_SOLVER, library, |found| found.is_faster(order, again))
}

/// The types that libraries of linear algebra compute in.
fn library_computes(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)
}

/// Libraries that a device lacks: looking for one takes long.
static MISSING: Mutex<Vec<(usize, &str)>> = Mutex::new(Vec::new());

/// Whether an optional library of a device is used: `own` says no, `library` whenever it is there, else where it is `faster`.
fn chosen<T: ?Sized + Send + Sync + 'static>(
    device: usize,
    setting: &'static Variable,
    library: &Library<T>,
    faster: impl FnOnce(&T) -> bool + Send,
) -> bool {
    let (choice, place) = (setting.text().unwrap_or_default(), (device, setting.name));
    if choice == "own" || !library.is_there() || MISSING.lock().contains(&place) {
        return false;
    }
    match queueing(|| library.find().map(|found| found.map(faster))) {
        Ok(Some(faster)) => faster || choice == "library",
        // Memory may be free another time, and a capture ends.
        Ok(None) | Err(Failure::OutOfMemory { .. } | Failure::Capture { .. }) => false,
        Err(_) => {
            MISSING.lock().push(place);
            false
        }
    }
}

fn solver(context: &Context) -> Result<&dyn Solver> {
    Ok(context.device().libraries().solver()?)
}

/// Whether a lower Cholesky factor of this side is made as such, and not as the upper one of the transpose.
pub fn lower_factor(context: &Context, side: usize) -> Result<bool> {
    Ok(solver(context)?.lower_from().is_some_and(|from| side >= from))
}

/// Rows from which on the device factorises matrices of single precision in double; `None` if never.
pub fn double_from(context: &Context) -> Result<Option<usize>> {
    Ok(solver(context)?.double_from())
}

/// Side of matrices from which on the device is better at products than at singular values; `None` if never.
pub fn polar_from(context: &Context) -> Result<Option<usize>> {
    Ok(solver(context)?.polar_from())
}

/// How many times as fast the device is with a whole matrix as one thread of a kernel is with a band.
pub fn dense_advantage(context: &Context) -> Result<usize> {
    Ok(solver(context)?.dense_advantage())
}

/// The generator that writes words of the package's stream, where reading them from memory is faster than computing them.
pub fn words_first(context: &Context) -> Result<Option<&dyn Rng>> {
    Ok(context.device().libraries().rng.find()?.filter(|rng| rng.writes_first()))
}

/// Whether products of rows and columns are computed by a reduction: where there are many, which a reduction reads at the speed
/// of memory and libraries take one by one; and on GPUs a single complex one, which their libraries multiply by 1 + 0i at the
/// end, so that infinities become NaN. Those of float16 are added up in float32 by libraries.
pub fn dots_by_reduction(is_gpu: bool, dtype: DType, shape: &[usize]) -> bool {
    let wide = dtype.is_inexact() && dtype.bits() > 16;
    let is_many = shape.iter().product::<usize>() > 1;
    wide && shape.ends_with(&[1, 1]) && (is_many || is_gpu && dtype.is_complex())
}

/// The longest side of tiny products, and the fewest elements of all results from which a kernel with a thread for each element
/// is used. Libraries have tiles for larger matrices: for 100,000 products of 8 x 8, cuBLAS took 198 us on an H200; moving the
/// data takes 18.
const TINY_PRODUCT: (usize, usize) = (8, 1 << 16);

/// Whether a stack of products is so long, and its matrices so small, that a kernel with a thread for each element beats a
/// library.
pub fn tiny_products(is_gpu: bool, dtype: DType, shape: &[usize], inner: usize) -> bool {
    let (side, results) = TINY_PRODUCT;
    let [.., m, n] = shape else { return false };
    let small = *m.max(n) <= side && inner <= side && shape.iter().product::<usize>() >= results;
    is_gpu && small && library_computes(dtype)
}

/// Elements of a matrix from which a GPU computes its product with a vector as a reduction, if the widest loads can read the
/// rows. On an H200 cuBLAS read 268 MB in 91 us, which is 2.9 TB/s; sums of rows read 4.4 TB/s.
const LARGE_MATRIX: usize = 1 << 22;

/// Whether a product is that of a matrix and a vector which is faster as a reduction than by a library.
pub fn large_matrix_times_vector(is_gpu: bool, dtype: DType, shape: &[usize], inner: usize) -> bool {
    let real = matches!(dtype, DType::F32 | DType::F64);
    let [m, n] = shape else { return false };
    is_gpu && real && *m.min(n) == 1 && m * n * inner >= LARGE_MATRIX
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cuproxide_hal::libraries::Sparse;

    use super::*;

    #[test]
    fn each_work_on_sparse_matrices_has_one_row() {
        for (_, work) in SparseWork::ALL {
            assert_eq!(SPARSE.iter().filter(|row| row.work == work).count(), 1);
        }
    }

    #[test]
    fn thresholds_say_why() {
        for row in ROUTES {
            assert!(row.from > 1 && !row.work.is_empty() && !row.why.is_empty(), "{row:?}");
            assert!(row.takes(row.from) && !row.takes(row.from - 1));
        }
    }

    #[test]
    fn a_missing_library_is_looked_for_once() {
        static LOOKS: AtomicUsize = AtomicUsize::new(0);
        let library: Library<dyn Sparse> = Library::new(|| {
            LOOKS.fetch_add(1, Ordering::Relaxed);
            Err(Failure::unsupported("nowhere", "a library"))
        });
        // No device has this number.
        for _ in 0..3 {
            assert!(!chosen(usize::MAX, &settings::SPARSE, &library, |_| true));
        }
        assert_eq!(LOOKS.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn numbers_of_rows_and_columns_are_reduced() {
        for is_gpu in [false, true] {
            assert!(dots_by_reduction(is_gpu, DType::F32, &[5, 1, 1]));
            assert!(dots_by_reduction(is_gpu, DType::C64, &[5, 1, 1]));
            assert_eq!(dots_by_reduction(is_gpu, DType::C128, &[1, 1]), is_gpu);
            assert!(!dots_by_reduction(is_gpu, DType::F32, &[1, 1, 1]));
            assert!(!dots_by_reduction(is_gpu, DType::F32, &[5, 2, 1]));
            assert!(!dots_by_reduction(is_gpu, DType::F16, &[5, 1, 1]));
            assert!(!dots_by_reduction(is_gpu, DType::BF16, &[5, 1, 1]));
        }
    }
}
