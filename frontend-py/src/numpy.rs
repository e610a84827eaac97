//! NumPy's arrays as arrays of a device, and back.

use std::ops::Range;
use std::sync::Arc;

use cuproxide_core::layout::{Dims, Order, show_shape};
use cuproxide_core::ops::transfer;
use cuproxide_core::{Array, Context, routes};
use cuproxide_hal::DType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::dtypes::{self, Numpy};
use crate::errors::{Result, type_error, value_error};
use crate::package::PIECES;
use crate::plain::{dense, wants_fortran};
use crate::wait;

/// Address of a NumPy array's first element.
fn address(array: &Bound<'_, PyAny>) -> Result<u64> {
    let interface = array.getattr(intern!(array.py(), "__array_interface__"))?;
    let (address, _read_only): (u64, bool) = interface.get_item(intern!(array.py(), "data"))?.extract()?;
    Ok(address)
}

/// Whether a NumPy array is contiguous in C and in Fortran order.
fn contiguity(array: &Bound<'_, PyAny>) -> Result<(bool, bool)> {
    let py = array.py();
    let flags = array.getattr(intern!(py, "flags"))?;
    Ok((
        flags.getattr(intern!(py, "c_contiguous"))?.is_truthy()?,
        flags.getattr(intern!(py, "f_contiguous"))?.is_truthy()?,
    ))
}

/// A NumPy array's elements on a device, in the same order in memory.
pub fn from_numpy(array: &Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Array> {
    let py = array.py();
    let own = array.getattr(intern!(py, "dtype"))?;
    if !own.getattr(intern!(py, "isnative"))?.is_truthy()? && own.getattr(intern!(py, "names"))?.is_none() {
        // Bytes in the other order have no type on a device.
        let native = own.call_method1(intern!(py, "newbyteorder"), ("=",))?;
        return from_numpy(&array.call_method1(intern!(py, "astype"), (native,))?, context);
    }
    let dtype = dtypes::parse(&own)?;
    let shape: Dims = array.getattr(intern!(py, "shape"))?.extract::<Vec<usize>>()?.into();
    let (c, f) = contiguity(array)?;
    if c || f {
        return upload(array, context, dtype, &shape, f && !c);
    }
    // Dense, but its axes may lie in memory in any order: upload them from slowest to fastest.
    let packed = array.call_method1(intern!(py, "copy"), ("K",))?;
    let strides: Vec<isize> = packed.getattr(intern!(py, "strides"))?.extract()?;
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis]));
    let lengths: Dims = axes.iter().map(|&axis| shape[axis]).collect();
    let uploaded = upload(&packed, context, dtype, &lengths, false)?;
    let mut back = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(place, &axis)| back[axis] = place as isize);
    Ok(uploaded.transpose(&back)?)
}

/// Copies a dense NumPy array to a device.
fn upload(
    array: &Bound<'_, PyAny>,
    context: &Arc<Context>,
    dtype: DType,
    shape: &[usize],
    fortran: bool,
) -> Result<Array> {
    let source = address(array)?;
    // SAFETY: `array` is dense, has that many elements of that type, and stays alive over the call.
    wait::long(array.py(), || unsafe { transfer::from_host(context, dtype, shape, fortran, source as *const u8) })
}

/// A new NumPy array with an array's elements, or `out` with them written to it.
pub fn to_numpy<'py>(
    py: Python<'py>,
    array: &Array,
    order: Order,
    out: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let dtype = dtypes::to_numpy(py, array.dtype())?;
    if let Some(out) = out {
        return into_numpy(array, &dtype, out);
    }
    let source = dense(array, order)?;
    let fortran = wants_fortran(order, array);
    let host = empty(py, &dtype, source.shape(), fortran)?;
    let target = address(&host)?;
    // SAFETY: NumPy just allocated that many bytes, and the new array is not yet known to anybody else.
    unsafe { fetch(py, &source, target)? };
    Ok(host)
}

/// Copies the elements of a dense array to an address of the host; long copies to a terminal's user show how far they are.
///
/// # Safety
/// There is room for the elements.
unsafe fn fetch(py: Python<'_>, source: &Array, target: u64) -> Result<()> {
    let bytes = source.nbytes();
    let copy = |range: Range<usize>| {
        let place = target + range.start as u64;
        // SAFETY: the caller's promise, for all and so for each piece.
        wait::long(py, || unsafe { transfer::part_to_host(source, place as *mut u8, range) })
    };
    if !routes::COPIED_IN_PIECES.takes(bytes) {
        return copy(0..bytes);
    }
    for piece in PIECES.call(py, (bytes, "copying to the host"))?.try_iter()? {
        let (start, end): (usize, usize) = piece?.extract()?;
        copy(start..end)?;
    }
    Ok(())
}

pub fn empty<'py>(
    py: Python<'py>,
    dtype: &Bound<'py, PyAny>,
    shape: &[usize],
    fortran: bool,
) -> Result<Bound<'py, PyAny>> {
    let order = if fortran { intern!(py, "F") } else { intern!(py, "C") };
    Ok(py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "empty"), (PyTuple::new(py, shape)?, dtype, order))?)
}

fn into_numpy<'py>(array: &Array, dtype: &Bound<'py, PyAny>, out: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let py = out.py();
    if !Numpy::get(py)?.is_array(out)? {
        return Err(type_error("Only numpy.ndarray can be obtained from cuproxide.ndarray"));
    }
    let out_dtype = out.getattr(intern!(py, "dtype"))?;
    if !out_dtype.eq(dtype)? {
        return Err(type_error(format!("{out_dtype} array cannot be obtained from {dtype} array")));
    }
    let shape: Vec<usize> = out.getattr(intern!(py, "shape"))?.extract()?;
    if shape != array.shape() {
        return Err(value_error(format!(
            "Shape mismatch. Expected shape: {}, actual shape: {}",
            show_shape(array.shape()),
            show_shape(&shape)
        )));
    }
    let (c, f) = contiguity(out)?;
    let writeable = out.getattr(intern!(py, "flags"))?.getattr(intern!(py, "writeable"))?.is_truthy()?;
    if !writeable {
        return Err(value_error("assignment destination is read-only"));
    }
    if c || f {
        let source = dense(array, if c { Order::C } else { Order::F })?;
        let target = address(out)?;
        // SAFETY: `out` is dense, writeable, of the array's type and shape, and kept alive by the caller.
        unsafe { fetch(py, &source, target)? };
    } else {
        let host = to_numpy(py, array, Order::C, None)?;
        py.import("numpy")?.call_method1("copyto", (out, host))?;
    }
    Ok(out.clone())
}
