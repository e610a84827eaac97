//! Methods of `ndarray` that change the shape or the axes, or make a view of another type.

use cuproxide_core::Array;
use cuproxide_core::layout::{Order, memory_order, normalize_axes, normalize_axis};
use cuproxide_core::ops::copy;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyTupleMethods, PyType};

use super::{NdArray, of_class, wrap_like, wrap_view};
use crate::arguments;
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::records;
use crate::settings::follows_cupy;

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The arguments of `reshape` and `transpose`, which take `f(1, 2)` as well as `f((1, 2))`.
fn spread<'py>(arguments: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
    if arguments.len() == 1 { Ok(arguments.get_item(0)?) } else { Ok(arguments.clone().into_any()) }
}

#[pymethods]
impl NdArray {
    /// The array with another shape: a view where possible, else a copy.
    ///
    /// Parameters
    /// ----------
    /// *shape : int
    ///     The lengths, one by one or as a tuple; one may be -1.
    /// order : {'C', 'F', 'A', 'K'}, optional
    ///     The order of elements in memory.
    /// copy : bool, optional
    ///     Whether to copy always (True), never (False, a `ValueError` if needed), or where needed (None).
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*shape, order=None, copy=None))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        order: Option<&str>,
        #[pyo3(from_py_with = arguments::copy_flag)] copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        if shape.is_empty() {
            return Err(type_error("reshape() takes exactly 1 argument (0 given)"));
        }
        let shape = arguments::integers(&spread(shape)?)?;
        let order = arguments::order(order, Order::C)?;
        let array = slf.get().snapshot();
        let made = copy::reshape(&array, &shape, order)?;
        let is_view = std::sync::Arc::ptr_eq(made.storage(), array.storage());
        match copy {
            Some(true) if is_view => wrap_like(slf, copy::copy(&made, Order::K)?),
            Some(false) if !is_view => {
                Err(value_error("Unable to avoid creating a copy while reshaping the array as requested."))
            }
            _ if is_view => wrap_view(slf, made),
            _ => wrap_like(slf, made),
        }
    }

    /// The array in one dimension: a view if it is contiguous in that order, else a copy.
    #[pyo3(signature = (order=None))]
    fn ravel<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let order = arguments::order(order, Order::C)?;
        // A strided 1-d array reshapes without a copy, but the result must be contiguous.
        let made = copy::ascontiguous(&flatten(&array, order)?, false)?;
        if std::sync::Arc::ptr_eq(made.storage(), array.storage()) {
            wrap_view(slf, made)
        } else {
            wrap_like(slf, made)
        }
    }

    /// A copy in one dimension.
    #[pyo3(signature = (order=None))]
    fn flatten<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let made = flatten(&array, arguments::order(order, Order::C)?)?;
        let is_view = std::sync::Arc::ptr_eq(made.storage(), array.storage());
        wrap_like(slf, if is_view { copy::copy(&made, Order::C)? } else { made })
    }

    /// A view with the axes in another order; reversed without arguments.
    #[pyo3(signature = (*axes))]
    fn transpose<'py>(slf: &Bound<'py, Self>, axes: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let is_default = axes.is_empty();
        let axes = spread(axes)?;
        if is_default || axes.is_none() {
            return wrap_view(slf, array.reversed_axes());
        }
        wrap_view(slf, array.transpose(&arguments::integers(&axes)?)?)
    }

    /// A view with two axes exchanged.
    ///
    /// Parameters
    /// ----------
    /// axis1 : int
    ///     The first axis.
    /// axis2 : int
    ///     The second axis.
    ///
    /// Returns
    /// -------
    /// ndarray
    fn swapaxes<'py>(slf: &Bound<'py, Self>, axis1: isize, axis2: isize) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let (first, second) = (normalize_axis(axis1, array.ndim())?, normalize_axis(axis2, array.ndim())?);
        let mut axes: Vec<isize> = (0..array.ndim() as isize).collect();
        axes.swap(first, second);
        wrap_view(slf, array.transpose(&axes)?)
    }

    /// A view without axes of length 1.
    #[pyo3(signature = (axis=None))]
    fn squeeze<'py>(slf: &Bound<'py, Self>, axis: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let axes = arguments::axes(axis)?;
        if array.ndim() == 0 && matches!(axes.as_deref(), Some([0 | -1])) {
            // NumPy accepts this axis for a 0-d array.
            return wrap_view(slf, array);
        }
        let axes = axes.map(|axes| normalize_axes(&axes, array.ndim())).transpose()?;
        wrap_view(slf, array.squeeze(axes.as_deref())?)
    }

    /// A view of a diagonal. It is read-only unless its `writeable` flag is set, as in NumPy.
    ///
    /// Parameters
    /// ----------
    /// offset : int
    ///     The number of the diagonal: 0 is the main one, positive ones are above it.
    /// axis1 : int
    ///     The first axis of the plane.
    /// axis2 : int
    ///     The second axis of the plane.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (offset=0, axis1=0, axis2=1))]
    fn diagonal<'py>(slf: &Bound<'py, Self>, offset: isize, axis1: isize, axis2: isize) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let view = wrap_view(slf, array.diagonal(offset, axis1, axis2)?)?;
        if !follows_cupy() {
            arguments::owner(&view)?.get().set_read_only(true);
        }
        Ok(view)
    }

    /// The same memory read as another type, or as an object of another class.
    ///
    /// Parameters
    /// ----------
    /// dtype : dtype, optional
    ///     The type to read the elements as.
    /// type : type, optional
    ///     The class of the view.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (dtype=None, r#type=None))]
    fn view<'py>(slf: &Bound<'py, Self>, dtype: Any<'_, 'py>, r#type: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        let py = slf.py();
        let is_class = |object: &Bound<'py, PyAny>| -> Option<Bound<'py, PyType>> {
            let class = object.cast::<PyType>().ok()?;
            class.is_subclass_of::<NdArray>().ok()?.then(|| class.clone())
        };
        let (dtype, class) = match (dtype.filter(|object| !object.is_none()), r#type.filter(|object| !object.is_none()))
        {
            (Some(object), None) if is_class(object).is_some() => (None, is_class(object)),
            (dtype, None) => (dtype, None),
            (dtype, Some(object)) => {
                let class = is_class(object).ok_or_else(|| type_error("Type must be a sub-type of ndarray type"))?;
                (dtype, Some(class))
            }
        };
        let array = slf.get().snapshot();
        let array = match dtype {
            Some(object) => match dtypes::parse(object) {
                Ok(dtype) => array.view_dtype(dtype)?,
                Err(failure) => return records::instead(py, failure, &[Some(object)], "view_as", (slf, object)),
            },
            None => array,
        };
        let Some(class) = class else { return wrap_view(slf, array) };
        let plain = super::plain_view(slf, array)?;
        if class.is(py.get_type::<NdArray>()) { Ok(plain.into_any()) } else { of_class(&class, plain, slf) }
    }
}

/// The elements in one dimension, in the given order; `K` is the order in memory.
fn flatten(array: &Array, order: Order) -> Result<Array> {
    if order != Order::K {
        return Ok(copy::reshape(array, &[-1], order)?);
    }
    // Axes from slowest to fastest, so that C order is the order in memory.
    let mut axes: Vec<isize> = (0..array.ndim() as isize).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(array.strides()[axis as usize].abs()));
    let sorted = array.transpose(&axes)?;
    if let Some(view) = sorted.reshape_view(&[array.size()], false)
        && (view.layout().c_contiguous)
    {
        return Ok(view);
    }
    // A copy goes through the elements as NumPy's iterator does, for which broadcast axes have no place in memory.
    let order = memory_order(array.ndim(), std::iter::once(array.strides()));
    let axes: Vec<isize> = order.iter().rev().map(|&axis| axis as isize).collect();
    Ok(copy::reshape(&array.transpose(&axes)?, &[-1], Order::C)?)
}
