//! Sorting along an axis.

use std::cmp::Reverse;
use std::ops::Range;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::Sort;

use crate::array::Array;
use crate::error::{Result, type_error};
use crate::layout::{Order, normalize_axis};
use crate::ops::copy::copy;
use crate::timeline::{self, Work};

enum Wanted {
    Keys,
    Indices,
}

/// Positions along the axis that have to be right, clipped to it; all of them if `None`. Elements before them are not
/// greater, those after not less.
pub type Places = Option<Range<usize>>;

/// A sorted copy along an axis, whose axes keep their order in memory; stable, NaN last (`numpy.sort`, and with `places`
/// `numpy.partition`).
pub fn sort(array: &Array, axis: isize, places: Places) -> Result<Array> {
    if array.layout().c_contiguous {
        return run(array, axis, Wanted::Keys, places, 8 * array.dtype().size());
    }
    let axis = normalize_axis(axis, array.ndim())? as isize;
    let mut order: Vec<isize> = (0..array.ndim() as isize).collect();
    if array.layout().f_contiguous {
        order.reverse();
    } else {
        order.sort_by_key(|&axis| Reverse(array.strides()[axis as usize].unsigned_abs()));
    }
    let place = |axis: isize| order.iter().position(|&other| other == axis).unwrap_or_default() as isize;
    let bits = 8 * array.dtype().size();
    let sorted = run(&array.transpose(&order)?, place(axis), Wanted::Keys, places, bits)?;
    sorted.transpose(&(0..array.ndim() as isize).map(place).collect::<Vec<_>>())
}

/// The indices that sort along an axis, int64; stable, NaN last (`numpy.argsort`, and with `places` `numpy.argpartition`).
pub fn argsort(array: &Array, axis: isize, places: Places) -> Result<Array> {
    run(array, axis, Wanted::Indices, places, 8 * array.dtype().size())
}

/// The same along the last axis for integers from 0 to `2^bits - 1`, which fewer passes may sort.
pub fn argsort_below(array: &Array, bits: usize) -> Result<Array> {
    run(array, -1, Wanted::Indices, None, bits.min(8 * array.dtype().size()))
}

fn run(array: &Array, axis: isize, wanted: Wanted, places: Places, bits: usize) -> Result<Array> {
    let axis = normalize_axis(axis, array.ndim())?;
    if array.dtype().size() > 16 {
        return type_error(format!("sort: unsupported type {}", array.dtype()));
    }
    let last = array.ndim() as isize - 1;
    let mut order: Vec<isize> = (0..array.ndim() as isize).collect();
    order.remove(axis);
    order.push(axis as isize);
    // The primitive sorts contiguous rows: bring the axis to the end.
    let rows = copy_if_needed(&array.transpose(&order)?)?;
    let length = rows.shape()[last as usize];
    let dtype = match wanted {
        Wanted::Keys => array.dtype(),
        Wanted::Indices => DType::I64,
    };
    let out = Array::empty(array.context(), dtype, rows.shape(), Order::C)?;
    if rows.size() > 0 {
        let context = array.context();
        let target = out.ptr()?;
        let places = places.unwrap_or(0..length);
        let first = places.start.min(length - 1);
        let mut request = Sort {
            dtype: array.dtype(),
            rows: rows.size() / length,
            length,
            wanted: (first, places.end.clamp(first + 1, length)),
            bits,
            keys: rows.ptr()?,
            sorted: if matches!(wanted, Wanted::Keys) { target } else { 0 },
            indices: if matches!(wanted, Wanted::Indices) { target } else { 0 },
            scratch: 0,
        };
        let sorting = context.device().libraries().sorting()?;
        let bytes = sorting.scratch_bytes(&request);
        let scratch = if bytes > 0 { Some(context.allocate(bytes)?) } else { None };
        request.scratch = scratch.as_ref().map_or(0, |block| block.ptr);
        let _span = timeline::queued(Work::Library, "sort", context, || rows.nbytes() + out.nbytes());
        // SAFETY: keys and target are contiguous arrays of the stated size, scratch is as large as asked for.
        context.queue(|stream| unsafe { sorting.sort(stream, &request) })?;
    }
    let mut back: Vec<isize> = (0..last).collect();
    back.insert(axis, last);
    let restored = out.transpose(&back)?;
    if restored.layout().c_contiguous { Ok(restored) } else { copy(&restored, Order::C) }
}

fn copy_if_needed(array: &Array) -> Result<Array> {
    crate::ops::copy::dense(array, false)
}
