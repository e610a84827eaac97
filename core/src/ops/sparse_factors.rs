//! Sparse direct solvers: matrices go to the host, where every device's solver computes; solutions come back.

use std::sync::Arc;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{
    ExplicitLu, LuParts, SparseFactor, SparseForm, SparseMethod, SparsePattern, SparseValues,
};

use crate::array::Array;
use crate::context::Context;
use crate::error::{Result, value_error};
use crate::layout::Order;
use crate::ops::copy;
use crate::ops::transfer::{from_words, to_words};

/// A square matrix on the host, in compressed sparse column form.
struct HostMatrix {
    order: usize,
    offsets: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    complex: bool,
}

fn numbers(array: &Array, dtype: DType) -> Result<Vec<f64>> {
    Ok(to_words(array, dtype)?.into_iter().map(f64::from_bits).collect())
}

impl HostMatrix {
    /// `rows` are sorted in each column and there are no duplicates.
    fn read(offsets: &Array, rows: &Array, values: &Array) -> Result<HostMatrix> {
        let complex = matches!(values.dtype(), DType::C64 | DType::C128);
        let positions = |array: &Array| -> Result<Vec<usize>> {
            Ok(to_words(array, DType::I64)?.into_iter().map(|word| word as usize).collect())
        };
        let (offsets, rows) = (positions(offsets)?, positions(rows)?);
        let order = offsets.len().saturating_sub(1);
        let ordered = offsets.windows(2).all(|ends| {
            ends[0] <= ends[1]
                && ends[1] <= rows.len()
                && rows[ends[0]..ends[1]].windows(2).all(|pair| pair[0] < pair[1])
        });
        let inside = offsets.first() == Some(&0)
            && offsets.last() == Some(&rows.len())
            && rows.len() == values.size()
            && rows.iter().all(|&row| row < order);
        if !ordered || !inside {
            return value_error("a sparse factorisation takes sorted row indices inside a square matrix");
        }
        let values = numbers(values, if complex { DType::C128 } else { DType::F64 })?;
        Ok(HostMatrix { order, offsets, rows, values, complex })
    }

    fn pattern(&self) -> SparsePattern<'_> {
        SparsePattern { order: self.order, offsets: &self.offsets, rows: &self.rows }
    }

    fn values(&self) -> SparseValues<'_> {
        if self.complex { SparseValues::Complex(&self.values) } else { SparseValues::Real(&self.values) }
    }
}

/// Factors of a matrix, on the host.
pub struct Factors {
    factor: Arc<dyn SparseFactor>,
    order: usize,
    complex: bool,
}

/// Factors for solving; `None` if the matrix is singular, or, for Cholesky, not positive definite.
///
/// # Errors
/// `ValueError` for indices that are not sorted or lie outside; those of the device's solver.
pub fn factor(offsets: &Array, rows: &Array, values: &Array, cholesky: bool) -> Result<Option<Factors>> {
    let matrix = HostMatrix::read(offsets, rows, values)?;
    let solver = values.context().device().libraries().sparse_solver()?;
    let method = if cholesky { SparseMethod::Cholesky } else { SparseMethod::Lu };
    let symbolic = solver.analyse(&matrix.pattern(), method)?;
    let factor = symbolic.factor(&matrix.pattern(), matrix.values())?;
    Ok(factor.map(|factor| Factors { factor, order: matrix.order, complex: matrix.complex }))
}

impl Factors {
    /// Solutions for right-hand sides with the shape (order,) or (order, columns), in float64 or complex128.
    ///
    /// # Errors
    /// `ValueError` for another shape.
    pub fn solve(&self, right: &Array, form: SparseForm) -> Result<Array> {
        if right.ndim() == 0 || right.ndim() > 2 || right.shape()[0] != self.order {
            return value_error(format!(
                "right-hand sides have the shape {:?}, which does not go with a matrix of order {}",
                right.shape(),
                self.order
            ));
        }
        let complex = self.complex || matches!(right.dtype(), DType::C64 | DType::C128);
        let dtype = if complex { DType::C128 } else { DType::F64 };
        // Columns lie one after another on the host.
        let mut words = numbers(&right.reversed_axes(), dtype)?;
        if complex && !self.complex {
            // Real factors: real and imaginary parts are right-hand sides of their own.
            let mut parts: Vec<f64> = words.iter().step_by(2).chain(words.iter().skip(1).step_by(2)).copied().collect();
            self.factor.solve(form, &mut parts)?;
            let (real, imaginary) = parts.split_at(parts.len() / 2);
            words = real.iter().zip(imaginary).flat_map(|(&re, &im)| [re, im]).collect();
        } else {
            self.factor.solve(form, &mut words)?;
        }
        let shape: Vec<usize> = right.shape().iter().rev().copied().collect();
        let words: Vec<u64> = words.into_iter().map(f64::to_bits).collect();
        let columns = from_words(right.context(), dtype, &shape, &words)?;
        copy::copy(&columns.reversed_axes(), Order::C)
    }
}

/// Explicit factors as arrays: offsets, rows and values of L, those of U, and the rows and columns of the matrix.
pub fn explicit(offsets: &Array, rows: &Array, values: &Array, options: &ExplicitLu) -> Result<Option<Vec<Array>>> {
    let matrix = HostMatrix::read(offsets, rows, values)?;
    let context = values.context();
    let solver = context.device().libraries().sparse_solver()?;
    let Some(parts) = solver.explicit(&matrix.pattern(), matrix.values(), options)? else { return Ok(None) };
    let LuParts { lower, upper, rows, columns } = parts;
    let mut arrays = Vec::with_capacity(8);
    for triangle in [lower, upper] {
        arrays.push(positions(context, &triangle.offsets)?);
        arrays.push(positions(context, &triangle.rows)?);
        let words: Vec<u64> = triangle.values.iter().map(|value| value.to_bits()).collect();
        let dtype = if matrix.complex { DType::C128 } else { DType::F64 };
        arrays.push(from_words(context, dtype, &[triangle.rows.len()], &words)?);
    }
    arrays.push(positions(context, &rows)?);
    arrays.push(positions(context, &columns)?);
    Ok(Some(arrays))
}

fn positions(context: &Arc<Context>, positions: &[usize]) -> Result<Array> {
    let words: Vec<u64> = positions.iter().map(|&at| at as u64).collect();
    from_words(context, DType::I64, &[positions.len()], &words)
}
