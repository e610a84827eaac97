//! Methods of `ndarray` that convert, fill, select and sort.

use cuproxide_core::Array;
use cuproxide_core::array::Slice;
use cuproxide_core::context::Context;
use cuproxide_core::layout::{Order, normalize_axis};
use cuproxide_core::ops::{copy, transfer};
use cuproxide_core::promotion::{Casting, can_cast};
use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyTupleMethods};

use super::{NdArray, attached_snapshot, scatter, wrap, wrap_like};
use crate::arguments::{self, Argument, dense};
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::functions;
use crate::interop;
use crate::package::{self, package};
use crate::records;
use crate::settings::follows_cupy;
use crate::wait;

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Calls the package's public function of a name with the array as the first argument.
fn delegate<'py>(
    slf: &Bound<'py, NdArray>,
    name: &str,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let function = package(slf.py())?.getattr(name)?;
    let mut all = vec![slf.clone().into_any()];
    all.extend(arguments.iter());
    Ok(function.call(PyTuple::new(slf.py(), all)?, keywords)?)
}

/// Rejects an `order=` that names fields, because there are no structured types.
fn no_fields(order: Any<'_, '_>) -> Result<()> {
    match order.filter(|order| !order.is_none()) {
        Some(_) => Err(value_error("Cannot specify order when the array has no fields.")),
        None => Ok(()),
    }
}

/// The keywords that the functions `sort` and `argsort` check.
fn sort_options<'py>(
    py: Python<'py>,
    kind: Any<'_, 'py>,
    stable: Any<'_, 'py>,
    descending: Any<'_, 'py>,
) -> Result<Bound<'py, PyDict>> {
    let options = PyDict::new(py);
    options.set_item("kind", kind)?;
    options.set_item("stable", stable)?;
    options.set_item("descending", descending)?;
    Ok(options)
}

#[pymethods]
impl NdArray {
    /// The array with another element type.
    ///
    /// Parameters
    /// ----------
    /// dtype : dtype
    ///     The type of elements.
    /// order : {'C', 'F', 'A', 'K'}, optional
    ///     The order of elements in memory.
    /// casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value'}, optional
    ///     Which casts are allowed. "same_value" allows all that change no value, and waits for the device.
    /// subok : bool
    ///     Whether arrays of a subclass keep their class.
    /// copy : bool
    ///     Whether to copy where nothing changes.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///
    /// Raises
    /// ------
    /// TypeError
    ///     If `casting` does not allow the cast.
    /// ValueError
    ///     If `casting` is "same_value" and an element is no value of the new type.
    #[pyo3(signature = (dtype, order=None, casting=None, subok=Some(true), copy=true))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
        order: Option<&str>,
        casting: Option<&str>,
        #[pyo3(from_py_with = arguments::optional_flag)] subok: Option<bool>,
        #[pyo3(from_py_with = arguments::flag)] copy: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let array = attached_snapshot(slf);
        let dtype = match dtypes::parse(dtype) {
            Ok(dtype) => dtype,
            Err(failure) => return records::instead(slf.py(), failure, &[Some(dtype)], "array", (slf, dtype)),
        };
        let subok = subok.unwrap_or(true);
        let order = arguments::order(order, Order::K)?;
        let same_value = casting == Some("same_value");
        let casting = arguments::casting(casting.filter(|_| !same_value), Casting::Unsafe)?;
        if !can_cast(array.dtype(), dtype, casting) {
            return Err(type_error(format!(
                "Cannot cast array data from dtype('{}') to dtype('{dtype}') according to the rule '{}'",
                array.dtype(),
                casting.name()
            )));
        }
        let fits = match order {
            Order::C => array.layout().c_contiguous,
            Order::F => array.layout().f_contiguous,
            Order::A => array.layout().c_contiguous || array.layout().f_contiguous,
            Order::K => true,
        };
        if !copy && fits && dtype == array.dtype() && (subok || slf.is_exact_instance_of::<NdArray>()) {
            return Ok(slf.clone().into_any());
        }
        let order = if order == Order::A && arguments::wants_fortran(order, &array) { Order::F } else { order };
        dtypes::warn_of_lost_parts(slf.py(), array.dtype(), dtype)?;
        let made = wait::operation(slf.py(), array.context(), array.size(), || copy::astype(&array, dtype, order))?;
        let made = if subok { wrap_like(slf, made) } else { wrap(slf.py(), made) }?;
        if same_value && dtype != array.dtype() {
            package::CHECK_SAME_VALUES.call(slf.py(), (slf, &made))?;
        }
        Ok(made)
    }

    /// A copy, on the same device.
    #[pyo3(signature = (order=None))]
    fn copy<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> Result<Bound<'py, PyAny>> {
        let mut array = attached_snapshot(slf);
        if follows_cupy() {
            // CuPy's copies are on the current device.
            let here = Context::current()?;
            if here.id() != array.context().id() {
                array = wait::long(slf.py(), || transfer::to_device(&array, &here))?;
            }
        }
        let order = arguments::order(order, Order::C)?;
        let order = if order == Order::A && arguments::wants_fortran(order, &array) { Order::F } else { order };
        let made = wait::operation(slf.py(), array.context(), array.size(), || copy::copy(&array, order))?;
        wrap_like(slf, made)
    }

    /// Sets every element to one value.
    fn fill(&self, value: &Bound<'_, PyAny>) -> Result<()> {
        let target = self.target()?;
        match Argument::parse(value)? {
            Some(Argument::Array(array)) if array.ndim() > 0 => {
                Err(value_error("setting an array element with a sequence."))
            }
            Some(_) => super::attributes::assign(&target, value),
            None => {
                // A tuple is a sequence; NumPy would take it for one element of a structured type.
                let value = match value.cast::<PyTuple>() {
                    Ok(tuple) => tuple.to_list().into_any(),
                    Err(_) => value.clone(),
                };
                Ok(copy::fill(&target, interop::element(&value, target.dtype())?.element(target.dtype())?)?)
            }
        }
    }

    /// The elements within limits.
    ///
    /// Parameters
    /// ----------
    /// min : array_like, optional
    ///     The lower bound.
    /// max : array_like, optional
    ///     The upper bound.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    /// **kwargs
    ///     The options of ufuncs.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (min=None, max=None, out=None, **kwargs))]
    fn clip<'py>(
        slf: &Bound<'py, Self>,
        min: Any<'_, 'py>,
        max: Any<'_, 'py>,
        out: Any<'_, 'py>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        if kwargs.is_some() {
            return delegate(slf, "clip", &(min, max, out).into_pyobject(slf.py())?, kwargs);
        }
        functions::clip(slf.as_any(), min, max, out)
    }

    /// The elements rounded to a number of decimals, ties to even.
    ///
    /// Parameters
    /// ----------
    /// decimals : int
    ///     The number of places, negative ones left of the point.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (decimals=0, out=None))]
    fn round<'py>(slf: &Bound<'py, Self>, decimals: i32, out: Any<'_, 'py>) -> Result<Bound<'py, PyAny>> {
        functions::round(slf, decimals, out)
    }

    /// The complex conjugate; the array itself if it is real.
    fn conj<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = attached_snapshot(slf);
        if !array.dtype().is_complex() {
            return Ok(slf.clone().into_any());
        }
        wrap_like(slf, functions::apply(slf.py(), "conjugate", &[&array])?)
    }

    /// The complex conjugate; the array itself if it is real.
    fn conjugate<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::conj(slf)
    }

    /// The array with the bytes of every number reversed.
    #[pyo3(signature = (inplace=false))]
    fn byteswap<'py>(slf: &Bound<'py, Self>, inplace: bool) -> Result<Bound<'py, PyAny>> {
        let array = attached_snapshot(slf);
        let swapped = swap_bytes(&array)?;
        if inplace {
            copy::assign(&slf.get().target()?, &swapped, Casting::No, None)?;
            return Ok(slf.clone().into_any());
        }
        let made = array.empty_like(array.dtype(), Order::K)?;
        copy::assign(&made, &swapped, Casting::No, None)?;
        wrap_like(slf, made)
    }

    /// Elements at positions along an axis.
    ///
    /// Parameters
    /// ----------
    /// indices : array_like of int
    ///     The indices.
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    /// mode : {'raise', 'wrap', 'clip'}
    ///     How indices out of bounds are treated.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (indices, axis=None, out=None, mode="raise"))]
    fn take<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        mode: &str,
    ) -> Result<Bound<'py, PyAny>> {
        functions::take(slf, indices, axis, out, mode)
    }

    /// Writes values at positions of the flattened array.
    ///
    /// Parameters
    /// ----------
    /// indices : array_like of int
    ///     The positions. If one is named several times, one of the values is kept.
    /// values : array_like
    ///     The values, repeated as often as needed.
    /// mode : {"raise", "wrap", "clip"}
    ///     How positions out of bounds are treated: an error, modulo the length, or the nearest position.
    ///
    /// Raises
    /// ------
    /// IndexError
    ///     For a position out of bounds with "raise".
    ///
    /// Examples
    /// --------
    /// >>> x = cp.arange(5)
    /// >>> x.put([0, -1], [7, 8])
    /// >>> x
    /// array([7, 1, 2, 3, 8])
    #[pyo3(signature = (indices, values, mode="raise"))]
    fn put(slf: &Bound<'_, Self>, indices: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>, mode: &str) -> Result<()> {
        functions::put(slf, indices, values, mode)
    }

    /// Positions of the elements that are not zero, an array for each axis.
    fn nonzero<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyTuple>> {
        functions::nonzero(slf)
    }

    /// Sorts in place, stably, NaN last.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// kind : str, optional
    ///     Accepted for compatibility: sorting is always stable.
    /// order : str or list of str, optional
    ///     The fields of records to sort by.
    /// stable : bool, optional
    ///     Accepted for compatibility: sorting is always stable.
    /// descending : bool, optional
    ///     Whether the greatest come first, with NaN last in any case; not together with `kind`.
    #[pyo3(signature = (axis=-1, kind=None, order=None, *, stable=None, descending=None))]
    fn sort<'py>(
        slf: &Bound<'py, Self>,
        axis: isize,
        kind: Any<'_, 'py>,
        order: Any<'_, 'py>,
        stable: Any<'_, 'py>,
        descending: Any<'_, 'py>,
    ) -> Result<()> {
        no_fields(order)?;
        let array = slf.get().target()?;
        if array.ndim() == 0 {
            // NumPy's message.
            normalize_axis(axis, 0)?;
        }
        if kind.or(stable).or(descending).is_some() {
            let options = sort_options(slf.py(), kind, stable, descending)?;
            let made = delegate(slf, "sort", &PyTuple::new(slf.py(), [axis])?, Some(&options))?;
            return super::attributes::assign(&array, &made);
        }
        wait::operation(slf.py(), array.context(), array.size(), || {
            let sorted = cuproxide_core::ops::sorting::sort(&array, axis, None)?;
            copy::assign(&array, &sorted, Casting::No, None)
        })
    }

    /// The positions that sort the array.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// kind : str, optional
    ///     Accepted for compatibility: sorting is always stable.
    /// order : str or list of str, optional
    ///     The fields of records to sort by.
    /// stable : bool, optional
    ///     Accepted for compatibility: sorting is always stable.
    /// descending : bool, optional
    ///     Whether the greatest come first, with NaN last in any case; not together with `kind`.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=Some(-1), kind=None, order=None, *, stable=None, descending=None))]
    fn argsort<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = arguments::given_axis)] axis: Option<isize>,
        kind: Any<'_, 'py>,
        order: Any<'_, 'py>,
        stable: Any<'_, 'py>,
        descending: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        no_fields(order)?;
        if kind.or(stable).or(descending).is_some() {
            let options = sort_options(slf.py(), kind, stable, descending)?;
            return delegate(slf, "argsort", &PyTuple::new(slf.py(), [axis])?, Some(&options));
        }
        functions::argsort(slf, axis, None)
    }

    /// Adds values at positions; repeated positions all count.
    ///
    /// Parameters
    /// ----------
    /// slices : index
    ///     The index of the elements, as in `a[slices]`.
    /// value : array_like
    ///     The values.
    fn scatter_add(slf: &Bound<'_, Self>, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Result<()> {
        scatter(slf, slices, value, Atomic::Add)
    }

    /// Keeps the larger of element and value at positions.
    ///
    /// Parameters
    /// ----------
    /// slices : index
    ///     The index of the elements, as in `a[slices]`.
    /// value : array_like
    ///     The values.
    fn scatter_max(slf: &Bound<'_, Self>, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Result<()> {
        scatter(slf, slices, value, Atomic::Max)
    }

    /// Keeps the smaller of element and value at positions.
    ///
    /// Parameters
    /// ----------
    /// slices : index
    ///     The index of the elements, as in `a[slices]`.
    /// value : array_like
    ///     The values.
    fn scatter_min(slf: &Bound<'_, Self>, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Result<()> {
        scatter(slf, slices, value, Atomic::Min)
    }

    /// Product with another array.
    ///
    /// Parameters
    /// ----------
    /// b : array_like
    ///     The second factor.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, b, out=None)")]
    fn dot<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "dot", args, kwargs)
    }

    /// Range of the values.
    ///
    /// Parameters
    /// ----------
    /// axis : int or tuple of int, optional
    ///     The axis or axes.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, axis=None, out=None, keepdims=False)")]
    fn ptp<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "ptp", args, kwargs)
    }

    /// Sum along a diagonal.
    ///
    /// Parameters
    /// ----------
    /// offset : int
    ///     The number of the diagonal: 0 is the main one, positive ones are above it.
    /// axis1, axis2 : int
    ///     The axes of the plane.
    /// dtype : dtype, optional
    ///     The type of the result's elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, offset=0, axis1=0, axis2=1, dtype=None, out=None)")]
    fn trace<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "trace", args, kwargs)
    }

    /// The elements repeated.
    ///
    /// Parameters
    /// ----------
    /// repeats : int or array_like of int
    ///     How often each element stands in the result.
    /// axis : int, optional
    ///     The axis along which to work.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, repeats, axis=None)")]
    fn repeat<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "repeat", args, kwargs)
    }

    /// Elements chosen from several arrays by this one.
    ///
    /// Parameters
    /// ----------
    /// choices : sequence of array_like
    ///     The arrays to choose from, by the elements of this one.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    /// mode : {'raise', 'wrap', 'clip'}
    ///     How numbers out of bounds are treated.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, choices, out=None, mode='raise')")]
    fn choose<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "choose", args, kwargs)
    }

    /// Slices along an axis where a condition is true.
    ///
    /// Parameters
    /// ----------
    /// condition : array_like of bool
    ///     Where it is true.
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (condition, *args, **kwargs), text_signature = "($self, condition, axis=None, out=None)")]
    fn compress<'py>(
        slf: &Bound<'py, Self>,
        condition: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        // The function takes the condition first.
        let mut all = vec![condition.clone(), slf.clone().into_any()];
        all.extend(args.iter());
        Ok(package(slf.py())?.getattr("compress")?.call(PyTuple::new(slf.py(), all)?, kwargs)?)
    }

    /// Partially sorts in place.
    ///
    /// Parameters
    /// ----------
    /// kth : int or sequence of int
    ///     The positions whose elements are where sorting would put them.
    /// axis : int, optional
    ///     The axis along which to work.
    /// kind : str, optional
    ///     Accepted for compatibility: there is only one algorithm.
    /// order : None
    ///     Only for records.
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, kth, axis=-1, kind='introselect', order=None)")]
    fn partition(slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> Result<()> {
        let made = delegate(slf, "partition", args, kwargs)?;
        super::attributes::assign(&slf.get().target()?, &made)
    }

    /// The positions that partition the array.
    ///
    /// Parameters
    /// ----------
    /// kth : int or sequence of int
    ///     The positions whose elements are where sorting would put them.
    /// axis : int, optional
    ///     The axis along which to work.
    /// kind : str, optional
    ///     Accepted for compatibility: there is only one algorithm.
    /// order : None
    ///     Only for records.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, kth, axis=-1, kind='introselect', order=None)")]
    fn argpartition<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "argpartition", args, kwargs)
    }

    /// The positions at which values keep this sorted array sorted when inserted.
    ///
    /// Parameters
    /// ----------
    /// v : array_like
    ///     The values.
    /// side : {'left', 'right'}
    ///     Whether a value is inserted before or after equal elements.
    /// sorter : array_like of int, optional
    ///     The order in which this array is sorted.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (*args, **kwargs), text_signature = "($self, v, side='left', sorter=None)")]
    fn searchsorted<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        delegate(slf, "searchsorted", args, kwargs)
    }
}

fn swap_bytes(array: &Array) -> Result<Array> {
    let number = array.dtype().real().size();
    let copy = copy::copy(array, Order::C)?;
    let bytes = copy.reshape_view(&[copy.size()], false).unwrap_or_else(|| copy.clone());
    let bytes = bytes.view_dtype(DType::U8)?;
    let rows = copy::reshape(&bytes, &[-1, number as isize], Order::C)?;
    let reversed = rows.slice_axis(1, Slice { start: number as isize - 1, step: -1, length: number });
    let swapped = dense(&reversed, Order::C)?;
    let flat = copy::reshape(&swapped, &[-1], Order::C)?.view_dtype(array.dtype())?;
    let shape: Vec<isize> = array.shape().iter().map(|&length| length as isize).collect();
    Ok(copy::reshape(&flat, &shape, Order::C)?)
}
