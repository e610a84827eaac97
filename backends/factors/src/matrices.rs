//! Matrices as `faer` sees them.

use cuproxide_hal::Error;
use cuproxide_hal::libraries::SparsePattern;
use faer::c64;
use faer::sparse::SymbolicSparseColMatRef;

pub(crate) fn view<'a>(pattern: &SparsePattern<'a>) -> SymbolicSparseColMatRef<'a, usize> {
    SymbolicSparseColMatRef::new_checked(pattern.order, pattern.order, pattern.offsets, None, pattern.rows)
}

pub(crate) fn failed(reason: impl Into<String>) -> Error {
    Error::unsupported("the host", format!("this sparse factorisation: {}", reason.into()))
}

pub(crate) fn complex(pairs: &[f64]) -> Vec<c64> {
    pairs.chunks_exact(2).map(|pair| c64::new(pair[0], pair[1])).collect()
}
