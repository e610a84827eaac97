//! Memory of other libraries as arrays: what `__cuda_array_interface__` describes.

use std::any::Any;
use std::sync::Arc;

use cuproxide_core::layout::{Dims, Layout, MAX_NDIM, Strides, show_shape};
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::storage::Storage;
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use parking_lot::RwLock;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::dtypes;
use crate::errors::{Result, type_error, value_error};
use crate::plain::reach;

/// How arrays are exchanged with other libraries.
#[derive(Clone, Copy)]
pub struct Protocols {
    /// Whether to wait for the stream that `__cuda_array_interface__` names, and to name one.
    pub synchronize: bool,
    /// Version of that protocol which is exported.
    pub interface: u32,
    /// Whether DLPack is exported with its version.
    pub versioned_dlpack: bool,
}

/// The settings of the process.
pub static PROTOCOLS: RwLock<Protocols> =
    RwLock::new(Protocols { synchronize: true, interface: 3, versioned_dlpack: true });

/// Memory of another library as an array. `ptr` is the first element's address.
///
/// # Errors
/// `ValueError` for an address, a shape and strides that no memory can have.
pub fn foreign(
    context: &Arc<Context>,
    dtype: DType,
    shape: Dims,
    strides: Strides,
    ptr: u64,
    owner: Arc<dyn Any + Send + Sync>,
) -> Result<Array> {
    if shape.len() > MAX_NDIM {
        return Err(value_error(format!(
            "maximum supported dimension for an ndarray is {MAX_NDIM}, found {}",
            shape.len()
        )));
    }
    let (start, bytes, offset) = span(dtype, &shape, &strides, ptr)?;
    let buffer = Buffer { ptr: start, bytes, owner: Owner::Foreign(owner) };
    Ok(Array::from_storage(Storage::ready(context, buffer), dtype, shape, strides, offset))
}

/// The memory that a shape and strides touch, given the first element's address: where it begins, its bytes, and how far
/// into it the first element lies.
fn span(dtype: DType, shape: &[usize], strides: &[isize], ptr: u64) -> Result<(u64, usize, usize)> {
    let (low, high) = reach(shape, strides, dtype)?;
    if high > 0 && ptr == 0 {
        return Err(value_error(format!("the memory's address is 0, but the shape is {}", show_shape(shape))));
    }
    let (start, end) = (ptr.checked_add_signed(low as i64), ptr.checked_add_signed(high as i64));
    let bytes = start.zip(end).and_then(|(start, end)| isize::try_from(end - start).ok());
    let (Some(start), Some(bytes)) = (start, bytes) else {
        return Err(value_error(format!(
            "strides={strides:?} of shape={} lead from data={ptr:#x} beyond what memory can address",
            show_shape(shape)
        )));
    };
    Ok((start, bytes as usize, low.unsigned_abs()))
}

/// The newest version of `__cuda_array_interface__` that is known here.
const NEWEST_INTERFACE: i64 = 3;

/// What `__cuda_array_interface__` says, checked.
pub struct Described {
    pub dtype: DType,
    pub shape: Dims,
    pub strides: Strides,
    pub ptr: u64,
    pub read_only: bool,
    pub stream: Option<u64>,
}

impl Described {
    pub fn read(interface: &Bound<'_, PyAny>) -> Result<Described> {
        let py = interface.py();
        let Ok(interface) = interface.cast::<PyDict>() else {
            return Err(type_error(format!("__cuda_array_interface__ is {}, not a dict", interface.get_type())));
        };
        let wrong = |name: &str, value: &Bound<'_, PyAny>, why: &str| {
            let value = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
            value_error(format!("__cuda_array_interface__ has {name}={value}: {why}"))
        };
        let optional = |name: &str| Ok::<_, PyErr>(interface.get_item(name)?.filter(|value| !value.is_none()));
        let needed = |name: &str| {
            optional(name)?.ok_or_else(|| value_error(format!("__cuda_array_interface__ has no {name:?}")))
        };
        // A list from outside, whose length is looked at before its items.
        let numbers = |name: &str, value: &Bound<'_, PyAny>| -> Result<Vec<i64>> {
            let Ok(list) = value.cast::<PyTuple>() else { return Err(wrong(name, value, "not a tuple")) };
            if list.len() > MAX_NDIM {
                return Err(value_error(format!(
                    "__cuda_array_interface__ has a {name} of {} entries: at most {MAX_NDIM}",
                    list.len()
                )));
            }
            list.extract().map_err(|_| wrong(name, value, "not a tuple of integers"))
        };
        if let Some(version) = optional("version")? {
            let known = version.extract().is_ok_and(|version: i64| (0..=NEWEST_INTERFACE).contains(&version));
            if !known {
                return Err(wrong("version", &version, "versions 0 to 3 are known"));
            }
        }
        if let Some(mask) = optional("mask")? {
            return Err(wrong("mask", &mask.get_type(), "masked arrays have no counterpart here"));
        }
        let typestr = needed("typestr")?;
        if !typestr.is_instance_of::<PyString>() {
            return Err(wrong("typestr", &typestr, "not a string"));
        }
        let own = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "dtype"))?.call1((&typestr,));
        let own = own.map_err(|_| wrong("typestr", &typestr, "no type of elements"))?;
        if !own.getattr(intern!(py, "isnative"))?.is_truthy()? {
            return Err(wrong("typestr", &typestr, "bytes in the other order have no type on a device"));
        }
        let dtype = dtypes::parse(&own)?;
        if let Some(descr) = optional("descr")? {
            let plain = descr.cast::<PyList>().is_ok_and(|fields| fields.len() == 1)
                && descr.get_item(0).and_then(|field| field.get_item(1)?.eq(&typestr)).unwrap_or(false);
            if !plain {
                return Err(wrong("descr", &descr, "not a single field of the type in typestr"));
            }
        }
        let lengths = needed("shape")?;
        let shape = numbers("shape", &lengths)?;
        let shape: Option<Dims> = shape.iter().map(|&length| usize::try_from(length).ok()).collect();
        let shape = shape.ok_or_else(|| wrong("shape", &lengths, "a length is negative"))?;
        reach(&shape, &Strides::from_elem(0, shape.len()), dtype)?;
        let strides = match optional("strides")? {
            None => Layout::contiguous(&shape, dtype.size(), false).strides,
            Some(list) => {
                let strides = numbers("strides", &list)?;
                if strides.len() != shape.len() {
                    return Err(wrong("strides", &list, &format!("the shape has {} lengths", shape.len())));
                }
                strides.iter().map(|&stride| stride as isize).collect()
            }
        };
        let data = needed("data")?;
        let parts: PyResult<(u64, bool)> = data.extract();
        let (ptr, read_only) = parts.map_err(|_| wrong("data", &data, "not an address and whether it is read-only"))?;
        if ptr == 0 && !shape.contains(&0) {
            return Err(wrong("data", &data, "no memory, but the shape has elements"));
        }
        span(dtype, &shape, &strides, ptr)?;
        let stream = match optional("stream")? {
            None => None,
            Some(stream) => match stream.extract::<u64>() {
                Ok(0) => {
                    return Err(wrong(
                        "stream",
                        &stream,
                        "the protocol forbids it, 1 is the default stream, 2 a thread's",
                    ));
                }
                Ok(raw) => Some(raw),
                Err(_) => return Err(wrong("stream", &stream, "no handle of a stream")),
            },
        };
        Ok(Described { dtype, shape, strides, ptr, read_only, stream })
    }
}

/// Lets the current stream wait for what another library has queued on its stream so far.
pub fn wait_for_foreign_stream(context: &Context, raw: u64) -> Result<()> {
    let current = context.stream();
    if current.raw() == raw || (current.raw() == 0 && raw == 1) {
        return Ok(());
    }
    context.flush_onto(current.as_ref())?;
    let device = context.device();
    let event = device.create_event(false)?;
    device.external_stream(raw)?.record(event.as_ref())?;
    Ok(current.wait(event.as_ref())?)
}
