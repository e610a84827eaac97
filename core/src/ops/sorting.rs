//! Sorting along an axis.

use std::cmp::Reverse;
use std::ops::Range;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Carried, Sort};

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

/// A sorted copy along an axis, whose axes keep their order in memory (but see [`Order::of_results`]); stable, NaN last (`numpy.sort`, and with `places`
/// `numpy.partition`).
pub fn sort(array: &Array, axis: isize, places: Places) -> Result<Array> {
    if array.layout().c_contiguous || Order::of_results() == Order::C {
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

/// Integers from 0 to `2^bits - 1` of one axis sorted, and two arrays in their stable order; `None` if the device does not
/// move such elements along with the keys.
pub fn sort_carrying(keys: &Array, bits: usize, others: [&Array; 2]) -> Result<Option<(Array, [Array; 2])>> {
    let (context, length) = (keys.context(), keys.size());
    if keys.ndim() != 1 || others.iter().any(|other| other.shape() != keys.shape()) {
        return type_error("sort: arrays of one axis and one length are sorted together".to_owned());
    }
    if length == 0 {
        return Ok(None);
    }
    let (keys, others) = (copy_if_needed(keys)?, [copy_if_needed(others[0])?, copy_if_needed(others[1])?]);
    let sorted = Array::empty(context, keys.dtype(), keys.shape(), Order::C)?;
    let moved = [
        Array::empty(context, others[0].dtype(), keys.shape(), Order::C)?,
        Array::empty(context, others[1].dtype(), keys.shape(), Order::C)?,
    ];
    let carried = |number: usize| -> Result<Carried> {
        Ok(Carried { from: others[number].read_ptr()?, to: moved[number].ptr()?, size: others[number].dtype().size() })
    };
    let carried = [carried(0)?, carried(1)?];
    let mut request = Sort {
        dtype: keys.dtype(),
        rows: 1,
        length,
        wanted: (0, length),
        bits: bits.min(8 * keys.dtype().size()),
        keys: keys.read_ptr()?,
        sorted: sorted.ptr()?,
        indices: 0,
        scratch: 0,
    };
    let sorting = context.device().libraries().sorting()?;
    let is_aligned = carried.iter().all(|each| (each.from | each.to).is_multiple_of(each.size as u64));
    let Some(bytes) = sorting.carrying_scratch_bytes(&request, &carried).filter(|_| is_aligned) else {
        return Ok(None);
    };
    let scratch = if bytes > 0 { Some(context.allocate(bytes)?) } else { None };
    request.scratch = scratch.as_ref().map_or(0, |block| block.ptr);
    let moves = || 2 * (keys.nbytes() + others[0].nbytes() + others[1].nbytes());
    let _span = timeline::queued(Work::Library, "sort", context, moves);
    // SAFETY: all are contiguous arrays of one length, scratch is as large as asked for.
    context.queue(|stream| unsafe { sorting.sort_carrying(stream, &request, &carried) })?;
    Ok(Some((sorted, moved)))
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
            keys: rows.read_ptr()?,
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
