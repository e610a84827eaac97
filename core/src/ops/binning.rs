//! Counting by bins.

use cuproxide_hal::ir::Atomic;
use cuproxide_hal::libraries::{Edges, Histogram};
use cuproxide_hal::{DType, Kind, Scalar};

use crate::array::{Array, common_context};
use crate::error::{Result, type_error};
use crate::layout::Order;
use crate::ops::copy::{astype, dense, fill, reshape};
use crate::ops::creation::full;
use crate::ops::indexing::{self, Item};
use crate::promotion::promote;

/// How often each integer below `bins` appears in an array of integers or bools, int64.
///
/// # Errors
/// `TypeError` for other types. An integer outside is not counted, or an `IndexError`.
pub fn bincount(array: &Array, bins: usize) -> Result<Array> {
    if array.dtype().is_inexact() {
        return type_error(format!("bincount: unsupported type {}", array.dtype()));
    }
    let counts = zeros(array, bins)?;
    if array.size() == 0 || bins == 0 {
        return Ok(counts);
    }
    if !count(array, None, &counts)? {
        let indices = astype(&reshape(array, &[-1], Order::C)?, DType::I64, Order::C)?;
        let one = full(array.context(), DType::I64, &[], Order::C, Scalar::i64(1))?;
        indexing::scatter(&counts, &[Item::Array(indices)], &one, Atomic::Add)?;
    }
    Ok(counts)
}

/// How many elements fall between neighbours of ascending `edges`, int64; the last bin contains its upper edge too.
/// `uniform` says that the edges are equally far apart, up to rounding.
///
/// `None` where the device has no primitive for it, and for complex numbers.
///
/// # Errors
/// `ValueError` for arrays of different devices.
pub fn histogram(array: &Array, edges: &Array, uniform: bool) -> Result<Option<Array>> {
    common_context("histogram", [array, edges].into_iter())?;
    let common = promote(array.dtype(), edges.dtype());
    let dtype = match common.kind() {
        Kind::Complex => return Ok(None),
        Kind::Float if common == DType::F64 => DType::F64,
        Kind::Float => DType::F32,
        Kind::Signed => DType::I64,
        Kind::Unsigned | Kind::Bool => DType::U64,
    };
    let counts = zeros(array, edges.size().saturating_sub(1))?;
    if array.size() == 0 || counts.size() == 0 {
        return Ok(Some(counts));
    }
    let edges = if edges.dtype() == dtype { edges.clone() } else { astype(edges, dtype, Order::C)? };
    let edges = dense(&edges, false)?;
    let request = Edges { dtype, ptr: edges.ptr()?, uniform: uniform && dtype.is_inexact() };
    Ok(count(array, Some(request), &counts)?.then_some(counts))
}

fn zeros(array: &Array, bins: usize) -> Result<Array> {
    let counts = Array::empty(array.context(), DType::I64, &[bins], Order::C)?;
    fill(&counts, Scalar::i64(0))?;
    Ok(counts)
}

/// Counts by the device's primitive, if it has one.
fn count(array: &Array, edges: Option<Edges>, counts: &Array) -> Result<bool> {
    let context = array.context();
    let Some(binning) = context.device().libraries().binning.find()? else { return Ok(false) };
    let array = dense(array, array.layout().f_contiguous)?;
    let request = Histogram {
        dtype: array.dtype(),
        values: array.read_ptr()?,
        count: array.size(),
        bins: counts.size(),
        edges,
        counts: counts.ptr()?,
    };
    // SAFETY: the values are dense, the edges one more than the bins, the counts just made.
    context.queue(|stream| unsafe { binning.histogram(stream, &request) })?;
    Ok(true)
}
