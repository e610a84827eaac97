//! Indexing as NumPy defines it: basic (views), advanced (arrays of integers and masks), and mixtures.

use cuproxide_hal::ir::Atomic;
use cuproxide_hal::{DType, Scalar};

use crate::array::{Array, Slice, common_context};
use crate::error::{Error, Result, index_error, out_of_bounds, value_error};
use crate::layout::{Dims, Order, Strides, short, show_shape};
use crate::ops::copy::{aligned, assign, astype, reshape};
use crate::ops::gather::{self, Write, runs};
use crate::ops::reduction;
use crate::ops::select;
use crate::ops::transfer::item;
use crate::promotion::Casting;

pub use crate::ops::gather::Mode;
pub use crate::ops::selection::take;
use crate::ops::selection::{Plan, check_index_dtype, check_result_ndim, flat, outside, take_planned};

/// One element of an index expression.
#[derive(Clone)]
pub enum Item {
    /// `None`: a new axis of length 1.
    NewAxis,
    /// `...`: as many full slices as fit.
    Ellipsis,
    /// An integer: selects and drops an axis.
    Int(isize),
    /// A slice with Python's meaning of missing parts.
    Slice {
        /// First index.
        start: Option<isize>,
        /// End, exclusive.
        stop: Option<isize>,
        /// Step, not zero.
        step: Option<isize>,
    },
    /// An array of integers, or a mask.
    Array(Array),
    /// A truth value: a mask of no dimensions.
    Bool(bool),
}

/// Python's rules for the bounds of a slice over `length` elements.
fn resolve_slice(start: Option<isize>, stop: Option<isize>, step: Option<isize>, length: usize) -> Result<Slice> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return value_error("slice step cannot be zero");
    }
    // A step below -isize::MAX selects at most one element, as does its neighbour.
    let step = step.max(-isize::MAX);
    let length = length as isize;
    let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let place = |bound: Option<isize>, default: isize| match bound {
        None => default,
        Some(b) if b < 0 => b.saturating_add(length).max(low),
        Some(b) => b.min(high),
    };
    let (start, stop) =
        if step > 0 { (place(start, low), place(stop, high)) } else { (place(start, high), place(stop, low)) };
    let span = if step > 0 { stop - start } else { start - stop };
    let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
    Ok(Slice { start, step, length: count as usize })
}

/// The view of a basic index that consists of integers and slices only.
///
/// # Errors
/// `IndexError` for an integer out of bounds or too many items, `ValueError` for a step of zero.
pub fn basic_view(array: &Array, items: &[Item]) -> Result<Array> {
    if items.len() > array.ndim() {
        return get(array, items);
    }
    let (mut shape, mut strides, mut offset) = (Dims::new(), Strides::new(), 0);
    for (axis, (item, (&length, &stride))) in items.iter().zip(array.shape().iter().zip(array.strides())).enumerate() {
        match *item {
            Item::Int(index) => {
                let wrapped = if index < 0 { index + length as isize } else { index };
                if !(0..length as isize).contains(&wrapped) {
                    return Err(out_of_bounds(index, axis, length));
                }
                offset += wrapped * stride;
            }
            Item::Slice { start, stop, step } => {
                let slice = resolve_slice(start, stop, step, length)?;
                offset += if slice.length == 0 { 0 } else { slice.start * stride };
                shape.push(slice.length);
                strides.push(stride * slice.step);
            }
            _ => return get(array, items),
        }
    }
    shape.extend_from_slice(&array.shape()[items.len()..]);
    strides.extend_from_slice(&array.strides()[items.len()..]);
    Ok(array.view(shape, strides, offset))
}

fn consumed(item: &Item) -> usize {
    match item {
        Item::Int(_) | Item::Slice { .. } => 1,
        Item::Array(mask) if mask.dtype() == DType::Bool => mask.ndim(),
        Item::Array(_) => 1,
        Item::NewAxis | Item::Ellipsis | Item::Bool(_) => 0,
    }
}

fn plan(array: &Array, items: &[Item]) -> Result<Plan> {
    let used: usize = items.iter().map(consumed).sum();
    if used > array.ndim() {
        return index_error(format!(
            "too many indices for array: array is {}-dimensional, but {used} were indexed",
            array.ndim()
        ));
    }
    if items.iter().filter(|item| matches!(item, Item::Ellipsis)).count() > 1 {
        return index_error("an index can only have a single ellipsis ('...')");
    }
    let fancy = items.iter().any(|item| matches!(item, Item::Array(_) | Item::Bool(_)));
    // One view is made at the end: each takes as long as all that is worked out here for an axis.
    let (mut shape, mut strides, mut moved) = (short(array.shape()), short(array.strides()), 0);
    let mut selections = Vec::new();
    // `axis` walks the view, `source` the original array, for messages.
    let (mut axis, mut source) = (0, 0);
    let mut first: Option<usize> = None;
    let (mut last_was_advanced, mut scattered) = (false, false);
    for item in items {
        let advanced = match item {
            Item::Int(_) => fancy,
            Item::Array(_) | Item::Bool(_) => true,
            _ => false,
        };
        if advanced {
            scattered |= first.is_some() && !last_was_advanced;
            first.get_or_insert(axis);
        }
        last_was_advanced = advanced;
        match item {
            Item::NewAxis => {
                shape.insert(axis, 1);
                strides.insert(axis, 0);
                axis += 1;
            }
            Item::Ellipsis => {
                axis += array.ndim() - used;
                source += array.ndim() - used;
            }
            Item::Int(index) => {
                let length = shape.remove(axis) as isize;
                let wrapped = if *index < 0 { *index + length } else { *index };
                if !(0..length).contains(&wrapped) {
                    return Err(out_of_bounds(*index, source, array.shape()[source]));
                }
                moved += wrapped * strides.remove(axis);
                source += 1;
            }
            Item::Slice { start, stop, step } => {
                let slice = resolve_slice(*start, *stop, *step, shape[axis])?;
                moved += if slice.length == 0 { 0 } else { slice.start * strides[axis] };
                shape[axis] = slice.length;
                strides[axis] *= slice.step;
                axis += 1;
                source += 1;
            }
            Item::Bool(value) => {
                shape.insert(axis, 1);
                strides.insert(axis, 0);
                let zeros = Array::empty(array.context(), DType::I64, &[usize::from(*value)], Order::C)?;
                crate::ops::copy::fill(&zeros, Scalar::i64(0))?;
                selections.push((axis, zeros));
                axis += 1;
            }
            Item::Array(mask) if mask.dtype() == DType::Bool => {
                for (dimension, &length) in mask.shape().iter().enumerate() {
                    let own = shape[axis + dimension];
                    // As NumPy: an axis without elements selects nothing of any axis.
                    if own != length && length != 0 {
                        return index_error(format!(
                            "boolean index did not match indexed array along axis {}; size of axis is {own} but size \
                             of corresponding boolean axis is {length}",
                            source + dimension
                        ));
                    }
                }
                if mask.ndim() == 0 {
                    shape.insert(axis, 1);
                    strides.insert(axis, 0);
                    let truth = item_is_true(mask)?;
                    let zeros = Array::empty(array.context(), DType::I64, &[usize::from(truth)], Order::C)?;
                    crate::ops::copy::fill(&zeros, Scalar::i64(0))?;
                    selections.push((axis, zeros));
                    axis += 1;
                } else {
                    for coordinates in nonzero(mask)? {
                        selections.push((axis, coordinates));
                        axis += 1;
                        source += 1;
                    }
                }
            }
            Item::Array(indices) => {
                if !indices.dtype().is_integer() {
                    return index_error("arrays used as indices must be of integer (or boolean) type");
                }
                selections.push((axis, indices.clone()));
                axis += 1;
                source += 1;
            }
        }
    }
    common_context("indexing", std::iter::once(array).chain(selections.iter().map(|(_, a)| a)))?;
    if selections.is_empty() {
        check_result_ndim(shape.len())?;
    }
    let view = array.view(shape, strides, moved);
    let position = if scattered { 0 } else { first.unwrap_or(0) };
    Ok(Plan { view, selections, position })
}

fn item_is_true(mask: &Array) -> Result<bool> {
    Ok(item(mask)?.to_integer() != 0)
}

/// `array[items]`: a view where only integers, slices, new axes and an ellipsis are used, otherwise a new array.
///
/// # Errors
/// `IndexError` as NumPy raises it. An index inside an array that is out of bounds is reported at once by a device that
/// works synchronously, by the next synchronisation otherwise.
pub fn get(array: &Array, items: &[Item]) -> Result<Array> {
    if let [Item::Array(mask)] = items
        && mask.dtype() == DType::Bool
        && mask.ndim() > 0
        && mask.shape() == array.shape()
        && common_context("indexing", [array, mask].into_iter()).is_ok()
        && let Some(selected) = select::elements(array, mask)?
    {
        return Ok(selected);
    }
    let plan = plan(array, items)?;
    if plan.selections.is_empty() {
        return Ok(plan.view);
    }
    take_planned(&plan, Mode::checked(), Order::of_results())
}

/// `array[items] = value`, with `value` broadcast and cast as NumPy does in assignments.
///
/// # Errors
/// `IndexError` as for [`get`], `ValueError` if `value` does not fit.
pub fn set(array: &Array, items: &[Item], value: &Array) -> Result<()> {
    common_context("indexing", [array, value].into_iter())?;
    if let [Item::Array(mask)] = items
        && mask.dtype() == DType::Bool
        && mask.shape() == array.shape()
    {
        if value.ndim() > 1 && mask.ndim() > 0 {
            return Err(Error::Type(format!(
                "an assignment through a mask takes values with at most one axis, got {}",
                value.ndim()
            )));
        }
        if value.size() == 1 && value.ndim() <= 1 {
            // No need to find out how many elements are true.
            return assign(array, &reshape(value, &[], Order::C)?, Casting::Unsafe, Some(mask));
        }
    }
    let plan = plan(array, items)?;
    if plan.selections.is_empty() {
        return assign(&plan.view, value, Casting::Unsafe, None);
    }
    write_planned(&plan, Mode::checked(), value, Write::Replace)
}

/// `array[items] op= value` where repeated indices all count (`scatter_add` and friends, `numpy.add.at`).
///
/// # Errors
/// `IndexError` as for [`get`], `ValueError` if `value` does not fit.
pub fn scatter(array: &Array, items: &[Item], value: &Array, op: Atomic) -> Result<()> {
    common_context("scatter", [array, value].into_iter())?;
    let mut plan = plan(array, items)?;
    if plan.selections.is_empty() {
        // A selector that always picks the one element of a new axis.
        let zeros = Array::empty(array.context(), DType::I64, &[1], Order::C)?;
        crate::ops::copy::fill(&zeros, Scalar::i64(0))?;
        plan.view = plan.view.insert_axis(0);
        plan.selections.push((0, zeros));
        plan.position = 0;
        let value = value.broadcast_to(&plan.view.shape()[1..])?.insert_axis(0);
        return write_planned(&plan, Mode::checked(), &value, Write::Combine(op));
    }
    write_planned(&plan, Mode::checked(), value, Write::Combine(op))
}

fn write_planned(plan: &Plan, mode: Mode, value: &Array, write: Write) -> Result<()> {
    if !plan.view.is_aligned() {
        let moved = plan.on(aligned(&plan.view)?);
        write_planned(&moved, mode, value, write)?;
        return assign(&plan.view, &moved.view, Casting::No, None);
    }
    let spread = plan.spread(Array::ptr)?;
    plan.check_idle(&spread, mode)?;
    let mut value = value.clone();
    // Leading axes of length 1 may be dropped in an assignment.
    while value.ndim() > spread.shape.len() && value.shape()[0] == 1 {
        value = value.index_axis(0, 0)?;
    }
    if value.layout().broadcast_strides(&spread.shape).is_none() {
        return value_error(format!(
            "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            show_shape(value.shape()),
            show_shape(&spread.shape)
        ));
    }
    if value.may_share_memory(&plan.view) {
        value = astype(&value, value.dtype(), Order::K)?;
    }
    let (dtype, place) = (plan.view.dtype(), spread.place);
    runs::scatter(&spread.selectors, mode, &spread.shape, &value, place, dtype, write)
        .map_err(|error| plan.explain(error))
}

/// `numpy.put`: writes `values`, repeated as needed, at positions of the flattened array. Of several values for one
/// position the last stays.
pub fn put(array: &Array, indices: &Array, values: &Array, mode: Mode) -> Result<()> {
    common_context("put", [array, indices, values].into_iter())?;
    let (indices, values) = (flat(&check_index_dtype(indices)?)?, flat(values)?);
    if indices.size() == 0 || values.size() == 0 {
        return Ok(());
    }
    if array.size() == 0 {
        return index_error("cannot replace elements of an empty array");
    }
    check_at_once(&indices, array.size(), mode)?;
    let count = indices.size();
    let values = if values.size() >= count {
        values.slice_axis(0, Slice { start: 0, step: 1, length: count })
    } else {
        let order = crate::ops::creation::arange(array.context(), DType::I64, Scalar::i64(0), Scalar::i64(1), count)?;
        take(&values, &order, None, Mode::Wrap)?
    };
    let values = match values.strides()[0] {
        0 => values,
        _ if count == 1 || array.context().info().writes_in_order => values,
        _ => take(&values, &last_writers(&indices, array.size(), mode)?, None, Mode::Clip)?,
    };
    let target = array.reshape_view(&[array.size()], false);
    if let Some(view) = target {
        let plan = Plan { view, selections: vec![(0, indices)], position: 0 };
        return write_planned(&plan, mode, &values, Write::Replace);
    }
    // No flat view exists: write to a flat copy, then back.
    let copy = flat(array)?;
    let plan = Plan { view: copy.clone(), selections: vec![(0, indices)], position: 0 };
    write_planned(&plan, mode, &values, Write::Replace)?;
    let shape: Vec<isize> = array.shape().iter().map(|&n| n as isize).collect();
    assign(array, &reshape(&copy, &shape, Order::C)?, Casting::Unsafe, None)
}

/// Raises for an index outside of `length` elements before anything is written, where kernels would report it later. Waits
/// for the device, unless the stream captures: what it captures runs later in any case.
fn check_at_once(indices: &Array, length: usize, mode: Mode) -> Result<()> {
    let context = indices.context();
    if mode != Mode::Raise || !context.info().asynchronous || context.current_stream().capture()?.is_some() {
        return Ok(());
    }
    outside(indices, length)?.map_or(Ok(()), |index| Err(out_of_bounds(index, 0, length)))
}

/// For each of `indices` into `size` elements, the place in the list where its position is named last. Where threads
/// write in no particular order, values taken from there are right whichever thread is last.
fn last_writers(indices: &Array, size: usize, mode: Mode) -> Result<Array> {
    let context = indices.context();
    let numbers = crate::ops::creation::arange(context, DType::I64, Scalar::i64(0), Scalar::i64(1), indices.size())?;
    let last = crate::ops::creation::full(context, DType::I64, &[size], Order::C, Scalar::i64(-1))?;
    let plan = Plan { view: last.clone(), selections: vec![(0, indices.clone())], position: 0 };
    write_planned(&plan, mode, &numbers, Write::Combine(Atomic::Max))?;
    take(&last, indices, None, mode)
}

/// Coordinates of the elements that are not zero, one array for each axis (`numpy.nonzero`). Synchronises, because the
/// result's size depends on the data.
pub fn nonzero(array: &Array) -> Result<Vec<Array>> {
    if array.ndim() == 0 {
        return value_error(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.",
        );
    }
    let positions = flat_nonzero(array)?;
    if array.ndim() == 1 {
        return Ok(vec![positions]);
    }
    unravel(&positions, array.shape())
}

/// Positions in the flattened array of the elements that are not zero. Synchronises.
pub fn flat_nonzero(array: &Array) -> Result<Array> {
    if let Some(positions) = select::positions(array)? {
        return Ok(positions);
    }
    let flags = astype(array, DType::Bool, Order::C)?;
    let flags = flat(&flags)?;
    let count = if flags.size() == 0 {
        0
    } else {
        let ranks = reduction::accumulate("sum", &flags, 0, Some(DType::I64), None)?;
        let count = item(&ranks.index_axis(0, -1)?)?.to_integer() as usize;
        let out = Array::empty(array.context(), DType::I64, &[count], Order::C)?;
        if count > 0 {
            gather::launch_compact(&flags, &ranks, &out)?;
        }
        return Ok(out);
    };
    Array::empty(array.context(), DType::I64, &[count], Order::C)
}

/// Coordinates of flat positions in a C-ordered array of the given shape, one int64 array for each axis.
pub fn unravel(positions: &Array, shape: &[usize]) -> Result<Vec<Array>> {
    let Some((_, inner)) = shape.split_first() else { return Ok(vec![]) };
    let last = shape.iter().product::<usize>().saturating_sub(1);
    let mut rest = positions.clone();
    let mut coordinates = vec![];
    for &length in inner.iter().rev() {
        let [before, along] = [0, 1].map(|_| positions.empty_like(DType::I64, Order::C));
        let (before, along) = (before?, along?);
        gather::launch_unravel(&rest, last, length.max(1), &before, &along)?;
        coordinates.push(along);
        rest = before;
    }
    coordinates.push(rest);
    coordinates.reverse();
    Ok(coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_python() {
        let cases = [
            ((None, None, None), (0, 1, 5)),
            ((Some(1), Some(-1), None), (1, 1, 3)),
            ((None, None, Some(-1)), (4, -1, 5)),
            ((Some(10), Some(-10), Some(-2)), (4, -2, 3)),
            ((Some(3), Some(1), None), (3, 1, 0)),
            ((Some(-100), Some(100), Some(3)), (0, 3, 2)),
            ((Some(0), Some(-6), Some(-1)), (0, -1, 1)),
        ];
        for ((start, stop, step), (first, distance, length)) in cases {
            let slice = resolve_slice(start, stop, step, 5).unwrap();
            assert_eq!((slice.step, slice.length), (distance, length));
            if length > 0 {
                assert_eq!(slice.start, first);
            }
        }
        assert!(resolve_slice(None, None, Some(0), 5).is_err());
        assert_eq!(resolve_slice(None, None, Some(isize::MIN), 5).unwrap().length, 1);
    }
}
