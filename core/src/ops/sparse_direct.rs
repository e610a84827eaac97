//! Sparse direct solvers of a device's library, on matrices that stay in device memory.

use cuproxide_hal::libraries::{DirectFactor, Libraries, Pivots, SparseForm, SparseMatrix, SparseMethod};
use cuproxide_hal::{DType, Error as Failure};

use crate::array::Array;
use crate::detach::{detached, queueing};
use crate::error::{Error, Result, value_error};
use crate::layout::Order;
use crate::ops::copy::copy;
use crate::ops::library::library;
use crate::timeline::{self, Work};

/// Pivots below this multiple of the rounding unit of the greatest one are not trusted: they may be zeros that were rounded.
const LEAST: f64 = 64.0;

/// A square matrix in compressed rows, and its factors by the device's library.
pub struct Direct {
    // Dropped before what it points to.
    factor: Box<dyn DirectFactor>,
    _pattern: [Array; 2],
    values: Array,
    order: usize,
}

/// Factors of a matrix in compressed rows, whose columns are sorted in each row, without duplicates. `None` if the library
/// refuses it, or had to replace pivots: then the matrix may be singular, or not positive definite for Cholesky.
///
/// # Errors
/// `ValueError` for arrays that do not fit, and a device that is lost.
pub fn factor(offsets: &Array, indices: &Array, values: &Array, method: SparseMethod) -> Result<Option<Direct>> {
    // The program may change its arrays meanwhile.
    let [offsets, indices, values] = [copy(offsets, Order::C)?, copy(indices, Order::C)?, copy(values, Order::C)?];
    let order = offsets.size().saturating_sub(1);
    if [&offsets, &indices, &values].iter().any(|array| array.ndim() != 1)
        || indices.size() != values.size()
        || offsets.dtype() != indices.dtype()
        || order == 0
    {
        return value_error("a matrix in compressed rows has offsets, and as many indices of their type as elements");
    }
    let context = values.context().clone();
    let matrix = SparseMatrix {
        rows: order,
        columns: order,
        stored: values.size(),
        dtype: values.dtype(),
        index_dtype: indices.dtype(),
        offsets: offsets.ptr()?,
        indices: indices.ptr()?,
        values: values.ptr()?,
    };
    let moved = || matrix.stored * (matrix.dtype.size() + matrix.index_dtype.size());
    let _span = timeline::queued(Work::Library, "sparse factorisation", &context, moved);
    let stream = context.stream();
    let library = library(&context, Libraries::direct_solver)?;
    // SAFETY: the arrays go into what is returned, which outlives the factors.
    let analysed = detached(|| unsafe { library.analyse(stream.as_ref(), &matrix, method) });
    let Some(factor) = accepted(analysed)? else { return Ok(None) };
    let made = Direct { factor, _pattern: [offsets, indices], values, order };
    Ok(made.numbers()?.then_some(made))
}

/// What the library made; `None` where it refuses. A device that is lost is an error.
fn accepted<T>(outcome: cuproxide_hal::Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(made) => Ok(Some(made)),
        Err(error @ (Failure::Call { .. } | Failure::Unsupported { .. } | Failure::OutOfMemory { .. })) => {
            tracing::debug!(%error, "the host factors a sparse matrix");
            Ok(None)
        }
        Err(error) => Err(Error::from(error)),
    }
}

impl Direct {
    /// The numeric phase; whether its pivots are to be trusted.
    fn numbers(&self) -> Result<bool> {
        let stream = self.values.context().stream();
        let address = self.values.ptr()?;
        // SAFETY: the elements live as long as the factors.
        let pivots = detached(|| unsafe { self.factor.factor(stream.as_ref(), address) });
        Ok(accepted(pivots)?.is_some_and(|pivots| are_good(&pivots, self.values.dtype())))
    }

    /// Replaces the elements of the matrix, which lie in the same pattern, and factors it again; whether its pivots are to be
    /// trusted.
    ///
    /// # Errors
    /// `ValueError` for another number or type of elements, and a device that is lost.
    pub fn refactor(&mut self, values: &Array) -> Result<bool> {
        if values.shape() != self.values.shape() || values.dtype() != self.values.dtype() {
            return value_error("refactorisation needs the same number of elements and the same dtype");
        }
        self.values = copy(values, Order::C)?;
        self.numbers()
    }

    /// Bytes of the factors.
    ///
    /// # Errors
    /// Those of the library.
    pub fn bytes(&self) -> Result<usize> {
        Ok(queueing(|| self.factor.stored())? * self.values.dtype().size())
    }

    /// Solutions for right-hand sides in the type of the matrix, which lie one after another: the shape is (columns, order).
    ///
    /// # Errors
    /// `ValueError` for another shape or type, and those of the library.
    pub fn solve(&self, right: &Array, form: SparseForm) -> Result<Array> {
        if right.ndim() != 2 || right.shape()[1] != self.order || right.dtype() != self.values.dtype() {
            return value_error("right-hand sides of a sparse system lie in rows of its order, in its type");
        }
        let context = self.values.context();
        let right =
            if right.layout().c_contiguous && right.is_aligned() { right.clone() } else { copy(right, Order::C)? };
        let result = Array::empty(context, right.dtype(), right.shape(), Order::C)?;
        if result.size() == 0 {
            return Ok(result);
        }
        let (b, x, columns) = (right.ptr()?, result.ptr()?, right.shape()[0]);
        let moved = || 2 * result.size() * result.dtype().size();
        let _span = timeline::queued(Work::Library, "sparse system", context, moved);
        // SAFETY: the arrays live, and freeing memory waits for its stream.
        context.queue(|stream| unsafe { self.factor.solve(stream, form, columns, b, x) })?;
        Ok(result)
    }
}

/// Whether no pivot was replaced, and none is nearly zero beside the others.
fn are_good(pivots: &Pivots, dtype: DType) -> bool {
    let unit = if matches!(dtype, DType::F32 | DType::C64) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    pivots.replaced == 0 && pivots.range.is_none_or(|(least, greatest)| least > greatest * (LEAST * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_are_trusted_by_their_range() {
        let pivots = |replaced, least, greatest| Pivots { replaced, range: Some((least, greatest)) };
        assert!(are_good(&pivots(0, 1e-10, 1.0), DType::F64));
        assert!(!are_good(&pivots(0, 1e-10, 1.0), DType::C64));
        assert!(!are_good(&pivots(0, 0.0, 0.0), DType::F64));
        assert!(!are_good(&pivots(0, 1.0, f64::INFINITY), DType::F64));
        assert!(!are_good(&pivots(0, f64::NAN, 1.0), DType::F64));
        assert!(!are_good(&pivots(1, 1.0, 1.0), DType::F64));
        assert!(are_good(&Pivots { replaced: 0, range: None }, DType::F64));
    }
}
