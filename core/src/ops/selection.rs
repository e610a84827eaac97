//! Selections by arrays of indices: what they read where, and `take`.

use cuproxide_hal::{DType, Kind, Scalar};

use crate::array::{Array, check_ndim, common_context};
use crate::dispatch::Place;
use crate::error::{Error, Result, index_error, out_of_bounds};
use crate::layout::{self, Dims, MAX_NDIM, Order, Strides, broadcast_shapes, normalize_axis, show_shape};
use crate::ops::copy::{aligned, astype, reshape};
use crate::ops::gather::{self, Mode, Selector};
use crate::ops::reduction::{self, Reduction};
use crate::ops::transfer::item;

/// An index expression applied to an array: basic indices have become a view, arrays are left.
pub(super) struct Plan {
    pub(super) view: Array,
    /// Axis of the view and the integer array that selects from it.
    pub(super) selections: Vec<(usize, Array)>,
    /// Axis of the result where the broadcast shape of the arrays goes.
    pub(super) position: usize,
}

pub(super) fn check_result_ndim(ndim: usize) -> Result<()> {
    if ndim > MAX_NDIM {
        return index_error(format!(
            "number of dimensions must be within [0, {MAX_NDIM}], indexing result would have {ndim}"
        ));
    }
    Ok(())
}

/// A plan spread out over the shape of its result.
pub(super) struct Spread<'a> {
    pub(super) shape: Dims,
    pub(super) selectors: Vec<Selector<'a>>,
    /// The indexed view, with zero strides along the selected axes.
    pub(super) place: Place,
    /// Axes of the result in the order in which NumPy's lie in memory, fastest first: those of the view as they lie
    /// there, then those of the index arrays in C order, but as they lie in memory where no others are longer than 1.
    pub(super) memory_order: Dims,
}

impl Plan {
    /// The same selection from another array, whose view lies in memory alike.
    pub(super) fn on(&self, view: Array) -> Plan {
        Plan { view, selections: self.selections.clone(), position: self.position }
    }

    pub(super) fn spread(&self, address: fn(&Array) -> Result<u64>) -> Result<Spread<'_>> {
        let shapes = self.selections.iter().map(|(_, indices)| indices.shape());
        let common = broadcast_shapes(shapes.clone()).map_err(|_| {
            let list = shapes.map(show_shape).collect::<Vec<_>>().join(" ");
            Error::Index(format!("shape mismatch: indexing arrays could not be broadcast together with shapes {list}"))
        })?;
        let selected = |axis: usize| self.selections.iter().any(|(a, _)| *a == axis);
        let kept: Dims = (0..self.view.ndim()).filter(|&axis| !selected(axis)).collect();
        let mut shape: Dims = kept.iter().map(|&axis| self.view.shape()[axis]).collect();
        let mut strides: Strides = kept.iter().map(|&axis| self.view.strides()[axis]).collect();
        shape.insert_many(self.position, common.iter().copied());
        strides.insert_many(self.position, common.iter().map(|_| 0));
        check_result_ndim(shape.len())?;
        let selectors = self.selections.iter().map(|(axis, indices)| {
            let own = indices.layout().broadcast_strides(&common).expect("shapes were broadcast together");
            let mut strides = Strides::from_elem(0, self.position);
            strides.extend(own);
            strides.resize(shape.len(), 0);
            Selector { indices, strides, length: self.view.shape()[*axis], stride: self.view.strides()[*axis] }
        });
        let selectors: Vec<_> = selectors.collect();
        if common.iter().product::<usize>() > 0 {
            for (selector, (axis, _)) in selectors.iter().zip(&self.selections) {
                if selector.length == 0 {
                    return index_error(format!("index is out of bounds for axis {axis} with size 0"));
                }
            }
        }
        let chosen = self.position..self.position + common.len();
        let mut memory_order: Dims = (0..shape.len()).rev().filter(|axis| !chosen.contains(axis)).collect();
        memory_order.sort_by_key(|&axis| strides[axis].unsigned_abs());
        if memory_order.iter().all(|&axis| shape[axis] == 1) {
            let indices = selectors.iter().map(|selector| &selector.strides[chosen.clone()]);
            memory_order.extend(layout::memory_order(common.len(), indices).iter().map(|axis| chosen.start + axis));
        } else {
            memory_order.extend(chosen.rev());
        }
        Ok(Spread { place: Place { ptr: address(&self.view)?, strides }, shape, selectors, memory_order })
    }

    /// Checks indices that no element depends on, since the other axes have none: NumPy looks at them all the same.
    pub(super) fn check_idle(&self, spread: &Spread<'_>, mode: Mode) -> Result<()> {
        let selectors = &spread.selectors;
        if mode != Mode::Raise || !spread.shape.contains(&0) || selectors.iter().any(|s| s.indices.size() == 0) {
            return Ok(());
        }
        let context = self.view.context();
        let source = crate::ops::creation::full(context, DType::Bool, &[], Order::C, Scalar::integer(DType::Bool, 0))?;
        for selector in selectors {
            let indices = selector.indices;
            let out = indices.empty_like(DType::Bool, Order::C)?;
            let place = Place { ptr: source.ptr()?, strides: Strides::from_elem(0, indices.ndim()) };
            let alone = Selector { strides: indices.layout().strides.clone(), stride: 0, ..*selector };
            gather::launch_gather(&[alone], mode, place, &out).map_err(|error| self.explain(error))?;
        }
        Ok(())
    }

    /// Replaces the general message of an index fault by NumPy's, which names the index, where devices report at once.
    pub(super) fn explain(&self, error: Error) -> Error {
        let Error::Index(general) = error else { return error };
        for (axis, indices) in &self.selections {
            let length = self.view.shape()[*axis];
            if let Ok(Some(index)) = outside(indices, length) {
                return out_of_bounds(index, *axis, length);
            }
        }
        Error::Index(general)
    }
}

pub(super) fn take_planned(plan: &Plan, mode: Mode, order: Order) -> Result<Array> {
    if !plan.view.is_aligned() {
        return take_planned(&plan.on(aligned(&plan.view)?), mode, order);
    }
    let spread = plan.spread(Array::read_ptr)?;
    plan.check_idle(&spread, mode)?;
    let (context, dtype) = (plan.view.context(), plan.view.dtype());
    let out = match order {
        Order::K => Array::in_memory_order(context, dtype, &spread.shape, &spread.memory_order)?,
        order => Array::empty(context, dtype, &spread.shape, order)?,
    };
    gather::launch_gather(&spread.selectors, mode, spread.place, &out).map_err(|error| plan.explain(error))?;
    Ok(out)
}

pub(super) fn flat(array: &Array) -> Result<Array> {
    reshape(array, &[-1], Order::C)
}

pub(super) fn check_index_dtype(indices: &Array) -> Result<Array> {
    match indices.dtype().kind() {
        Kind::Signed | Kind::Unsigned => Ok(indices.clone()),
        Kind::Bool => astype(indices, DType::I64, Order::K),
        _ => Err(Error::Type(format!(
            "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
            indices.dtype()
        ))),
    }
}

/// `numpy.take`: elements along an axis (of the flattened array if none), in the shape of `indices`.
pub fn take(array: &Array, indices: &Array, axis: Option<isize>, mode: Mode) -> Result<Array> {
    common_context("take", [array, indices].into_iter())?;
    let (array, axis) = match axis {
        None => (flat(array)?, 0),
        Some(axis) => {
            let axis = normalize_axis(axis, array.ndim().max(1))?;
            (if array.ndim() == 0 { flat(array)? } else { array.clone() }, axis)
        }
    };
    let indices = check_index_dtype(indices)?;
    check_ndim(array.ndim() - 1 + indices.ndim())?;
    let (before, rest) = array.shape().split_at(axis);
    if rest[0] == 0 && indices.size() > 0 {
        if before.contains(&0) || rest[1..].contains(&0) && mode != Mode::Raise {
            let shape: Dims = before.iter().chain(indices.shape()).chain(&rest[1..]).copied().collect();
            return Array::empty(array.context(), array.dtype(), &shape, Order::C);
        }
        return index_error("cannot do a non-empty take from an empty axes.");
    }
    // Where an axis before it is empty, the indices are not looked at.
    let mode = if before.contains(&0) && mode == Mode::Raise { Mode::Clip } else { mode };
    let plan = Plan { view: array, selections: vec![(axis, indices)], position: axis };
    take_planned(&plan, mode, Order::C)
}

/// The least or the greatest of `indices`, if it lies outside of an axis. Waits for the device.
pub(super) fn outside(indices: &Array, length: usize) -> Result<Option<i128>> {
    let length = length as i128;
    for name in ["min", "max"] {
        let extreme = item(&reduction::reduce(name, indices, &Reduction::default())?)?.to_integer();
        if !(-length..length).contains(&extreme) {
            return Ok(Some(extreme));
        }
    }
    Ok(None)
}
