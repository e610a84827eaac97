//! Methods of `ndarray` about its memory: resizing it, and views of other types and layouts of the same bytes.

use cuproxide_core::Array;
use cuproxide_core::array::Slice;
use cuproxide_core::layout::{Dims, Order, Strides};
use cuproxide_core::ops::copy;
use cuproxide_core::promotion::Casting;
use cuproxide_hal::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{NdArray, wrap_like, wrap_view};
use crate::arguments;
use crate::dtypes;
use crate::errors::{Result, type_error, value_error};

#[pymethods]
impl NdArray {
    /// Changes shape and size in place. Elements keep their order in memory, new ones are zero.
    ///
    /// Existing views keep the old memory, so `refcheck` is accepted and has no effect.
    ///
    /// Parameters
    /// ----------
    /// *new_shape : int or tuple of int
    ///     The shape of the result.
    /// refcheck : bool
    ///     Accepted for compatibility.
    #[pyo3(signature = (*new_shape, refcheck=true))]
    fn resize(slf: &Bound<'_, Self>, new_shape: &Bound<'_, PyTuple>, refcheck: bool) -> Result<()> {
        let _ = refcheck;
        let wanted = if new_shape.len() == 1 { new_shape.get_item(0)? } else { new_shape.clone().into_any() };
        if new_shape.is_empty() || wanted.is_none() {
            return Ok(());
        }
        let lengths = arguments::integers(&wanted)?;
        if lengths.iter().any(|&length| length < 0) {
            return Err(value_error("all elements of `new_shape` must be non-negative"));
        }
        let shape: Dims = lengths.iter().map(|&length| length as usize).collect();
        if slf.get().base.is_some() {
            return Err(value_error("cannot resize this array: it does not own its data"));
        }
        slf.get().change(slf.py(), |array| resized(array, &shape))
    }

    /// A view of a field of each element's bytes: `offset` bytes in, read as another type.
    ///
    /// Parameters
    /// ----------
    /// dtype : dtype
    ///     The type of the field.
    /// offset : int
    ///     The first byte of an element.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (dtype, offset=0))]
    fn getfield<'py>(slf: &Bound<'py, Self>, dtype: &Bound<'py, PyAny>, offset: isize) -> Result<Bound<'py, PyAny>> {
        wrap_view(slf, field(&slf.get().snapshot(), dtype, offset)?)
    }

    /// Writes values to a field of each element's bytes; see `getfield`.
    ///
    /// Parameters
    /// ----------
    /// val : array_like
    ///     The value.
    /// dtype : dtype
    ///     The type of the field.
    /// offset : int
    ///     The first byte of an element.
    #[pyo3(signature = (val, dtype, offset=0))]
    fn setfield(&self, val: &Bound<'_, PyAny>, dtype: &Bound<'_, PyAny>, offset: isize) -> Result<()> {
        super::attributes::assign(&field(&self.target()?, dtype, offset)?, val)
    }

    /// A view with the fewest axes: adjacent axes are merged where their strides allow it.
    #[pyo3(signature = (dtype=None))]
    fn reduced_view<'py>(slf: &Bound<'py, Self>, dtype: Option<&Bound<'py, PyAny>>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let merged = merge(&array);
        let view = match dtypes::parse_optional(dtype)? {
            Some(dtype) => merged.view_dtype(dtype)?,
            None => merged,
        };
        if view.ndim() == array.ndim() && view.dtype() == array.dtype() {
            return Ok(slf.clone().into_any());
        }
        wrap_view(slf, view)
    }

    /// The address, shape and strides as `ctypes` objects. The address is one of the device.
    #[getter]
    fn ctypes<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(crate::package::CTYPES.call(slf.py(), (slf,))?)
    }

    /// The array with its shape and strides as kernels take it by value: a `CArray` of `cupy/carray.cuh`.
    #[getter]
    fn cstruct(slf: &Bound<'_, Self>) -> Result<crate::kernel_values::ByValue> {
        // The program may launch kernels with the structure at any time.
        slf.get().read().expose()?;
        crate::kernel_values::kernel_array(slf.as_any(), false)
    }

    /// The array as kernels take an `mdspan` of C++ with `layout_stride` by value, with extents and strides (in elements)
    /// of `index_type`, int32 or int64. `RuntimeError` for axes of length 0 and strides that are not positive, unless
    /// `allow_unsafe`; `OverflowError` for what int32 does not hold.
    ///
    /// Parameters
    /// ----------
    /// index_type : dtype, optional
    ///     The type of indices.
    /// allow_unsafe : bool
    ///     Whether an index type that is too narrow is allowed.
    ///
    /// Returns
    /// -------
    /// object
    #[pyo3(signature = (index_type=None, allow_unsafe=false))]
    fn mdspan(
        slf: &Bound<'_, Self>,
        index_type: Option<&Bound<'_, PyAny>>,
        allow_unsafe: bool,
    ) -> Result<crate::kernel_values::ByValue> {
        let narrow = match dtypes::parse_optional(index_type)? {
            None | Some(DType::I64) => false,
            Some(DType::I32) => true,
            Some(other) => return Err(value_error(format!("index_type must be int32 or int64, got {other}"))),
        };
        crate::kernel_values::ByValue::span(&slf.get().snapshot(), narrow, allow_unsafe)
    }

    /// Wraps an array in an object of this array's class, for functions that compute with plain arrays.
    #[pyo3(signature = (array, context=None, return_scalar=false))]
    fn __array_wrap__<'py>(
        slf: &Bound<'py, Self>,
        array: &Bound<'py, PyAny>,
        context: Option<&Bound<'py, PyAny>>,
        return_scalar: bool,
    ) -> Result<Bound<'py, PyAny>> {
        // A single element stays an array: a scalar would have to wait for the device.
        let _ = (context, return_scalar);
        let Ok(given) = array.cast::<NdArray>() else {
            return Err(type_error("can only be called with ndarray object"));
        };
        if given.get_type().is(slf.get_type()) {
            return Ok(array.clone());
        }
        wrap_like(slf, given.get().snapshot())
    }
}

/// A dense array of another shape with the elements of `array`, truncated or padded with zeros.
fn resized(array: &Array, shape: &[usize]) -> Result<Array> {
    let layout = array.layout();
    if !layout.c_contiguous && !layout.f_contiguous {
        return Err(value_error("resize only works on single-segment arrays"));
    }
    let fortran = !layout.c_contiguous;
    let made = Array::empty(array.context(), array.dtype(), shape, if fortran { Order::F } else { Order::C })?;
    let line = |array: &Array| array.reshape_view(&[array.size()], fortran).unwrap_or_else(|| array.clone());
    let (old, new) = (line(array), line(&made));
    let part = |array: &Array, start: usize, length: usize| {
        array.slice_axis(0, Slice { start: start as isize, step: 1, length })
    };
    let kept = old.size().min(new.size());
    copy::assign(&part(&new, 0, kept), &part(&old, 0, kept), Casting::No, None)?;
    if kept < new.size() {
        copy::fill(&part(&new, kept, new.size() - kept), Scalar::integer(array.dtype(), 0))?;
    }
    Ok(made)
}

fn field(array: &Array, dtype: &Bound<'_, PyAny>, offset: isize) -> Result<Array> {
    let dtype = dtypes::parse(dtype)?;
    let (whole, part) = (array.itemsize(), dtype.size());
    if offset < 0 {
        return Err(value_error("offset is negative"));
    }
    if part > whole {
        return Err(value_error("new type is larger than original type"));
    }
    let offset = offset as usize;
    if offset + part > whole {
        return Err(value_error("new type plus offset is larger than original type"));
    }
    let (shape, strides) = (Dims::from_slice(array.shape()), Strides::from_slice(array.strides()));
    Ok(Array::from_storage(array.storage().clone(), dtype, shape, strides, array.offset() + offset))
}

fn merge(array: &Array) -> Array {
    let (mut shape, mut strides) = (Dims::new(), Strides::new());
    if array.layout().c_contiguous && array.ndim() > 0 {
        shape.push(array.size());
        strides.push(array.itemsize() as isize);
    } else {
        for (&length, &stride) in array.shape().iter().zip(array.strides()) {
            match (shape.last_mut(), strides.last_mut()) {
                _ if length == 1 => {}
                (Some(outer), Some(step)) if *step == stride * length as isize => {
                    *outer *= length;
                    *step = stride;
                }
                _ => {
                    shape.push(length);
                    strides.push(stride);
                }
            }
        }
    }
    Array::from_storage(array.storage().clone(), array.dtype(), shape, strides, array.offset())
}
