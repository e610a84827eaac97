//! Orders of columns that keep the fill low.

use cuproxide_hal::Result;
use cuproxide_hal::libraries::{SparseOrdering, SparsePattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::{amd, colamd};

use crate::matrices::{failed, view};

/// The column of the matrix for each column of the factors.
pub(crate) fn columns(pattern: &SparsePattern<'_>, ordering: SparseOrdering) -> Result<Vec<usize>> {
    let order = pattern.order;
    let stored = pattern.rows.len();
    if ordering == SparseOrdering::Natural || order == 0 {
        return Ok((0..order).collect());
    }
    let request = match ordering {
        SparseOrdering::Symmetric => amd::order_maybe_unsorted_scratch::<usize>(order, stored),
        _ => colamd::order_scratch::<usize>(order, order, stored),
    };
    let mut memory = MemBuffer::try_new(request).map_err(|_| failed("there is not enough memory"))?;
    let stack = MemStack::new(&mut memory);
    let (mut columns, mut inverse) = (vec![0; order], vec![0; order]);
    match ordering {
        SparseOrdering::Symmetric => {
            amd::order_maybe_unsorted(&mut columns, &mut inverse, view(pattern), Default::default(), stack).map(|_| ())
        }
        _ => colamd::order(&mut columns, &mut inverse, view(pattern), Default::default(), stack),
    }
    .map_err(|error| failed(error.to_string()))?;
    Ok(columns)
}
