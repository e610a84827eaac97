//! Which way work takes on GPUs where the vendors' libraries compete with kernels of this crate or with the host: the
//! thresholds of all crates for GPUs.

use cuproxide_hal::routes::Route;

/// Rows from which on a library takes a single matrix; a block of a kernel takes smaller ones.
pub const MATRIX: Route = Route { work: "rows of one matrix for a library", from: 33, why: "not measured" };

/// Rows from which on a library takes matrices of a stack.
pub const STACKED_MATRIX: Route =
    Route { work: "rows of each of many matrices for a library", from: 129, why: "not measured" };
/// Matrices that make a stack.
pub const STACK: Route =
    Route { work: "matrices of a stack, each with a block of its own", from: 8, why: "not measured" };

/// Right-hand sides from which on a group of lanes for each small matrix is no longer used, unless there are many matrices.
pub const SIDES_OF_LANES: Route =
    Route { work: "right-hand sides of matrices that groups of lanes hold", from: 65, why: "not measured" };
/// Matrices from which on groups of lanes are used for any number of right-hand sides.
pub const STACK_OF_LANES: Route =
    Route { work: "matrices whose many right-hand sides groups of lanes take", from: 1024, why: "not measured" };

/// Right-hand sides from which on triangular systems of the library for products are faster than the solver's.
pub const SUBSTITUTION: Route =
    Route { work: "right-hand sides solved by triangular systems", from: 64, why: "not measured" };

/// Side of matrices whose singular vectors the vendors' libraries seek longer than products take.
pub const POLAR: Route = Route { work: "side of matrices decomposed by products", from: 256, why: "not measured" };

/// Rows of single precision from which on the vendors' sums along columns lose more digits than a factorisation should.
pub const DOUBLE: Route =
    Route { work: "rows factored in double precision", from: 1 << 19, why: "digits were lost at 10^6 rows" };

/// Side from which on a lower Cholesky factor is made as such; smaller matrices have kernels of this crate.
pub const LOWER: Route =
    Route { work: "side of lower Cholesky factors", from: 129, why: "lower factors took half the time of upper ones" };

/// Rows of Hermitian matrices of a batch from which on the library is given one at a time.
pub const ONE_BY_ONE: Route =
    Route { work: "rows of Hermitian matrices taken one by one", from: 513, why: "not measured" };

/// Transforms side by side from which on libraries take them as they lie; of fewer they would read parts of lines.
pub const SIDE_BY_SIDE: Route =
    Route { work: "Fourier transforms that lie side by side", from: 16, why: "not measured" };
/// Elements from which on a line of them is transposed before its transform.
pub const TRANSPOSED: Route = Route {
    work: "elements of Fourier transforms that lie side by side and are transposed first",
    from: 4097,
    why: "measured on an H200: 4,096 take .60 of the time as they lie, 2^20 4.5 times, planes 4.5 to 7 times",
};

/// Bytes from which on copies are staged. Smaller ones take the driver less than starting threads does.
pub const STAGED: Route = Route { work: "bytes copied through staging buffers", from: 32 << 20, why: "not measured" };

/// Rows from which on a sparse factorisation of a pattern that was analysed before is faster on the device than on the host.
pub const REFACTORED: Route = Route {
    work: "rows of a sparse matrix factored on the device, of a known pattern",
    from: 1000,
    why: "measured on an H100: benches/results/direct_h100.md",
};
/// Rows from which on a sparse factorisation is so with the analysis of its pattern by several threads.
pub const FACTORED: Route = Route {
    work: "rows of a sparse matrix factored on the device, of a new pattern",
    from: 1 << 16,
    why: "measured on an H100: benches/results/direct_h100.md",
};
