//! Distances of pairs of rows, by the primitive of devices that have one.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Distances, Nearest, Term};

use crate::array::{Array, common_context};
use crate::error::{Result, value_error};
use crate::layout::Order;
use crate::ops::copy::dense;

/// How a distance follows from pairs of coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// What they add.
    pub term: Term,
    /// Whether the distance is the square root of the sum.
    pub root: bool,
    /// What sums are divided by.
    pub divisor: f64,
}

/// Distances of all rows of `rows` to those of `others`, or, without them, of all pairs of `rows` in one dimension. All
/// are float64. `weights` are factors of the terms.
///
/// `None` where the device has no primitive for it.
///
/// # Errors
/// `ValueError` for arrays that do not fit.
pub fn distances(
    rows: &Array,
    others: Option<&Array>,
    weights: Option<&Array>,
    how: Distance,
) -> Result<Option<Array>> {
    common_context("distances", [rows].into_iter().chain(others).chain(weights))?;
    let (context, second) = (rows.context(), others.unwrap_or(rows));
    let fits = [rows, second].iter().all(|a| a.ndim() == 2 && a.dtype() == DType::F64)
        && rows.shape()[1] == second.shape()[1]
        && weights.is_none_or(|w| w.dtype() == DType::F64 && w.shape() == &rows.shape()[1..]);
    if !fits {
        return value_error("distances: needs matrices of float64 with as many columns, and a weight for each of them");
    }
    if how.term == Term::Largest && weights.is_some() {
        return Ok(None);
    }
    let Some(pairs) = context.device().libraries().pairs.find()? else { return Ok(None) };
    let (row_count, other_count) = (rows.shape()[0], second.shape()[0]);
    let shape: &[usize] =
        if others.is_some() { &[row_count, other_count] } else { &[row_count * row_count.saturating_sub(1) / 2] };
    let out = Array::empty(context, DType::F64, shape, Order::C)?;
    let dense_rows = dense(rows, false)?;
    let dense_others = if others.is_some() { dense(second, false)? } else { dense_rows.clone() };
    let weights = weights.map(|weights| dense(weights, false)).transpose()?;
    let request = Distances {
        term: how.term,
        root: how.root,
        divisor: how.divisor,
        rows: dense_rows.ptr()?,
        row_count,
        others: dense_others.ptr()?,
        other_count,
        dimension: rows.shape()[1],
        weights: weights.as_ref().map(Array::ptr).transpose()?,
        condensed: others.is_none(),
        out: out.ptr()?,
    };
    if out.size() > 0 {
        // SAFETY: all are contiguous, of the sizes that their shapes say, the result just made.
        context.queue(|stream| unsafe { pairs.distances(stream, &request) })?;
    }
    Ok(Some(out))
}

/// For each row of `rows` the number of the nearest one of `codes` (int32) and its distance.
///
/// `None` where the device has no primitive for it.
///
/// # Errors
/// `ValueError` for arrays that do not fit.
pub fn nearest(rows: &Array, codes: &Array) -> Result<Option<(Array, Array)>> {
    common_context("nearest", [rows, codes].into_iter())?;
    let (context, dtype) = (rows.context(), rows.dtype());
    let fits = rows.ndim() == 2 && codes.ndim() == 2 && rows.shape()[1] == codes.shape()[1] && codes.size() > 0;
    if !fits || codes.dtype() != dtype || !matches!(dtype, DType::F32 | DType::F64) {
        return value_error("nearest: needs rows and codes of float32 or float64 with as many columns");
    }
    let Some(pairs) = context.device().libraries().pairs.find()? else { return Ok(None) };
    let numbers = Array::empty(context, DType::I32, &rows.shape()[..1], Order::C)?;
    let distances = Array::empty(context, dtype, &rows.shape()[..1], Order::C)?;
    let (dense_rows, dense_codes) = (dense(rows, false)?, dense(codes, false)?);
    let request = Nearest {
        dtype,
        rows: dense_rows.ptr()?,
        row_count: rows.shape()[0],
        codes: dense_codes.ptr()?,
        code_count: codes.shape()[0],
        dimension: rows.shape()[1],
        numbers: numbers.ptr()?,
        distances: distances.ptr()?,
    };
    if rows.shape()[0] > 0 {
        // SAFETY: all are contiguous, of the sizes that their shapes say, the results just made.
        context.queue(|stream| unsafe { pairs.nearest(stream, &request) })?;
    }
    Ok(Some((numbers, distances)))
}
