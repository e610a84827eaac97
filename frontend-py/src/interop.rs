//! Turning Python objects into arrays, and arrays into NumPy's.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use cuproxide_core::layout::{Dims, Layout, MAX_NDIM, Order, Strides, show_shape};
use cuproxide_core::memory::{Buffer, Owner};
use cuproxide_core::ops::{copy, creation, joining, transfer};
use cuproxide_core::promotion::Casting;
use cuproxide_core::storage::Storage;
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use parking_lot::RwLock;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::arguments::{dense, reach, wants_fortran};
use crate::device;
use crate::dlpack;
use crate::dtypes::{self, Numpy};
use crate::errors::{Result, type_error, value_error};
use crate::ndarray::{NdArray, wrap};
use crate::scalars::Number;
use crate::wait;

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

/// What `array` was asked for.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The element type, if not the source's.
    pub dtype: Option<DType>,
    /// Whether to copy; `None` where needed only.
    pub copy: Option<bool>,
    /// Memory order.
    pub order: Order,
}

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

/// An array of another object's.
#[derive(Clone)]
pub struct Shared {
    /// The array.
    pub array: Array,
    /// Whether the object said that nobody must write to it.
    pub read_only: bool,
}

/// The array behind an object that hands one of this library out by `__cupy_get_ndarray__`, CuPy's protocol, or describes
/// GPU memory by `__cuda_array_interface__`.
pub fn from_device_object(object: &Bound<'_, PyAny>) -> Result<Option<Shared>> {
    let py = object.py();
    let hand_out = intern!(py, "__cupy_get_ndarray__");
    if object.get_type().getattr_opt(hand_out)?.is_some() {
        let own = object.call_method0(hand_out)?;
        return match own.cast::<NdArray>() {
            Ok(array) => Ok(Some(Shared { array: array.get().snapshot(), read_only: array.get().is_read_only() })),
            Err(_) => Err(type_error(format!("__cupy_get_ndarray__ returned {}, not an ndarray", own.get_type()))),
        };
    }
    let name = intern!(py, "__cuda_array_interface__");
    // Looking at the type and the object's own attributes keeps properties with side effects from running on every operand.
    let set_on_it = || -> PyResult<bool> {
        let own = object.getattr_opt(intern!(py, "__dict__"))?;
        own.map_or(Ok(false), |own| own.contains(name))
    };
    if object.get_type().getattr_opt(name)?.is_none() && !set_on_it()? {
        return Ok(None);
    }
    let Some(interface) = object.getattr_opt(name)? else { return Ok(None) };
    let described = Described::read(&interface)?;
    let context = device::gpu()?;
    if let Some(raw) = described.stream
        && PROTOCOLS.read().synchronize
    {
        wait_for_foreign_stream(&context, raw)?;
    }
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(object.clone().unbind());
    let Described { dtype, shape, strides, ptr, read_only, .. } = described;
    Ok(Some(Shared { array: foreign(&context, dtype, shape, strides, ptr, owner)?, read_only }))
}

/// The newest version of `__cuda_array_interface__` that is known here.
const NEWEST_INTERFACE: i64 = 3;

/// What `__cuda_array_interface__` says, checked.
struct Described {
    dtype: DType,
    shape: Dims,
    strides: Strides,
    ptr: u64,
    read_only: bool,
    stream: Option<u64>,
}

impl Described {
    fn read(interface: &Bound<'_, PyAny>) -> Result<Described> {
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
fn wait_for_foreign_stream(context: &Context, raw: u64) -> Result<()> {
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

/// Copies of fewer bytes are done before anybody would look.
const SHORT: usize = 1 << 26;

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
    if bytes < SHORT {
        return copy(0..bytes);
    }
    let progress = py.import(intern!(py, "cuproxide._progress"))?;
    for piece in progress.call_method1(intern!(py, "pieces"), (bytes, "copying to the host"))?.try_iter()? {
        let (start, end): (usize, usize) = piece?.extract()?;
        copy(start..end)?;
    }
    Ok(())
}

fn empty<'py>(py: Python<'py>, dtype: &Bound<'py, PyAny>, shape: &[usize], fortran: bool) -> Result<Bound<'py, PyAny>> {
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

/// Whether a sequence holds arrays of this library, at most `depth` levels down.
fn holds_arrays(items: &Bound<'_, PyAny>, depth: usize) -> bool {
    let inside = |item: &Bound<'_, PyAny>| is_device_object(item) || (depth > 0 && holds_arrays(item, depth - 1));
    if let Ok(list) = items.cast::<PyList>() {
        return list.iter().any(|item| inside(&item));
    }
    items.cast::<PyTuple>().is_ok_and(|tuple| tuple.iter_borrowed().any(|item| inside(&item)))
}

/// Whether an object is an array of a device, or hands one out.
fn is_device_object(object: &Bound<'_, PyAny>) -> bool {
    if object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyFloat>() {
        return false;
    }
    let py = object.py();
    let protocols = [intern!(py, "__cupy_get_ndarray__"), intern!(py, "__cuda_array_interface__")];
    let class = object.get_type();
    object.is_instance_of::<NdArray>() || protocols.iter().any(|name| class.hasattr(name).unwrap_or(false))
}

/// Stacks the members of a sequence, which become arrays each.
fn stack(items: &Bound<'_, PyAny>, context: &Arc<Context>, depth: usize) -> Result<Array> {
    if depth == 0 {
        return Err(value_error("the sequence is nested too deeply"));
    }
    let row = |item: Bound<'_, PyAny>| {
        if let Ok(array) = item.cast::<NdArray>() {
            return Ok(array.get().snapshot().insert_axis(0));
        }
        let is_nested = item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>();
        if is_nested && holds_arrays(&item, depth) {
            return Ok(stack(&item, context, depth - 1)?.insert_axis(0));
        }
        Ok(from_anything(&item, context)?.insert_axis(0))
    };
    let rows = items.try_iter()?.map(|item| row(item?)).collect::<Result<Vec<Array>>>()?;
    if let Some(odd) = rows.iter().find(|row| row.shape() != rows[0].shape()) {
        return Err(value_error(format!(
            "the members of the sequence have different shapes: {} and {}",
            show_shape(&rows[0].shape()[1..]),
            show_shape(&odd.shape()[1..])
        )));
    }
    Ok(joining::concatenate(&rows, Some(0), None, None, Casting::SameKind)?)
}

/// Any array-like as an array on `context`.
pub fn from_anything(object: &Bound<'_, PyAny>, context: &Arc<Context>) -> Result<Array> {
    if let Ok(array) = object.cast::<NdArray>() {
        return Ok(array.get().snapshot());
    }
    convert(object, context, None).and_then(Converted::for_reading)
}

/// Like [`from_anything`], where the elements of a sequence become `dtype` as those of `numpy.array(object, dtype)` do.
pub fn to_be_assigned(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: DType) -> Result<Array> {
    convert(object, context, Some(dtype)).and_then(Converted::for_reading)
}

/// What NumPy makes of an object that is assigned to an element of `dtype`.
///
/// # Errors
/// NumPy's, for lists and for text that is no number.
pub fn element(object: &Bound<'_, PyAny>, dtype: DType) -> Result<Number> {
    let py = object.py();
    let host = empty(py, &dtypes::to_numpy(py, dtype)?, &[], false)?;
    host.set_item(PyTuple::empty(py), object)?;
    Number::parse(&host)?.ok_or_else(|| type_error(format!("an element cannot be {}", object.get_type())))
}

/// What became of an object.
struct Converted {
    array: Array,
    /// Whether the memory is the object's.
    shared: bool,
    /// Whether that memory must not be written.
    read_only: bool,
}

impl Converted {
    /// New memory.
    fn fresh(array: Array) -> Converted {
        Converted { array, shared: false, read_only: false }
    }

    /// The array for callers that keep no note of what must not be written: a copy of such.
    fn for_reading(self) -> Result<Array> {
        Ok(if self.read_only { copy::copy(&self.array, Order::K)? } else { self.array })
    }
}

/// Whether the elements of a NumPy array are of a kind that no device has, and yet may be numbers.
fn is_foreign_kind(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind: String = array.getattr(intern!(array.py(), "dtype"))?.getattr(intern!(array.py(), "kind"))?.extract()?;
    Ok("OSUMm".contains(&kind))
}

/// Any object but an `ndarray` as an array.
fn convert(object: &Bound<'_, PyAny>, context: &Arc<Context>, dtype: Option<DType>) -> Result<Converted> {
    let py = object.py();
    let numpy = Numpy::get(py)?;
    if numpy.is_array(object)? {
        let Some(dtype) = dtype.filter(|_| is_foreign_kind(object).unwrap_or(false)) else {
            return Ok(Converted::fresh(from_numpy(object, context)?));
        };
        // Objects, text and dates become numbers on the host.
        let host = object.call_method1(intern!(py, "astype"), (dtypes::to_numpy(py, dtype)?,))?;
        return Ok(Converted::fresh(from_numpy(&host, context)?));
    }
    if let Some(number) = Number::parse(object)? {
        let element = number.converted(py, dtype.unwrap_or_else(|| number.dtype()))?;
        return Ok(Converted::fresh(creation::full(context, element.dtype, &[], Order::C, element)?));
    }
    let is_sequence = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if is_sequence && holds_arrays(object, MAX_NDIM) {
        return Ok(Converted::fresh(copy::ascontiguous(&stack(object, context, MAX_NDIM)?, false)?));
    }
    if !is_sequence {
        if let Some(Shared { array, read_only }) = from_device_object(object)? {
            return Ok(Converted { array, shared: true, read_only });
        }
        let class = object.get_type();
        if class.getattr_opt(intern!(py, "__dlpack__"))?.is_some()
            && class.getattr_opt(intern!(py, "__dlpack_device__"))?.is_some()
        {
            return Ok(Converted { array: dlpack::import(object, None, None)?, shared: true, read_only: false });
        }
    }
    let keywords = PyDict::new(py);
    // ml_dtypes rounds doubles to floats before it rounds them to bfloat16; a device rounds them once.
    if let Some(dtype) = dtype.filter(|&dtype| dtype != DType::BF16) {
        keywords.set_item("dtype", dtypes::to_numpy(py, dtype)?)?;
    }
    let mut host = py.import("numpy")?.call_method("array", (object,), Some(&keywords))?;
    if let Some(dtype) = dtype.filter(|_| is_foreign_kind(&host).unwrap_or(false)) {
        host = host.call_method1(intern!(py, "astype"), (dtypes::to_numpy(py, dtype)?,))?;
    }
    Ok(Converted::fresh(from_numpy(&host, context)?))
}

fn refuse_copy() -> crate::errors::Failure {
    value_error("Unable to avoid copy while creating an array as requested.")
}

/// An array with the wished type and order; `shared` says that the source must not be handed out where a copy is wished.
fn adapt(array: Array, wish: Wish, shared: bool) -> Result<(Array, bool)> {
    let dtype = wish.dtype.unwrap_or(array.dtype());
    let layout = array.layout();
    let fits = match wish.order {
        Order::C => layout.c_contiguous,
        Order::F => layout.f_contiguous,
        Order::A => layout.c_contiguous || layout.f_contiguous,
        Order::K => true,
    };
    if dtype == array.dtype() && fits && (wish.copy != Some(true) || !shared) {
        return Ok((array, false));
    }
    if wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let order = match wish.order {
        Order::A if wants_fortran(Order::A, &array) => Order::F,
        Order::A => Order::C,
        order => order,
    };
    Ok((copy::astype(&array, dtype, order)?, true))
}

fn with_ndim(array: Array, ndmin: usize, order: Order) -> Array {
    let missing = ndmin.saturating_sub(array.ndim());
    if missing == 0 {
        return array;
    }
    let shape: Dims = std::iter::repeat_n(1, missing).chain(array.shape().iter().copied()).collect();
    let fortran = array.layout().f_contiguous && (order == Order::F || !array.layout().c_contiguous);
    array.reshape_view(&shape, fortran).unwrap_or(array)
}

/// `array(...)`: an array of anything. The same object comes back where nothing has to be done and no copy is wished.
pub fn array<'py>(
    object: &Bound<'py, PyAny>,
    wish: Wish,
    ndmin: usize,
    context: Option<Arc<Context>>,
    subok: bool,
) -> Result<Bound<'py, PyAny>> {
    let py = object.py();
    if let Ok(own) = object.cast::<NdArray>() {
        let source = own.get().snapshot();
        let moved = match &context {
            Some(context) if context.id() != source.context().id() => {
                if wish.copy == Some(false) {
                    return Err(refuse_copy());
                }
                Some(wait::long(py, || transfer::to_device(&source, context))?)
            }
            _ => None,
        };
        let is_moved = moved.is_some();
        dtypes::warn_of_lost_parts(py, source.dtype(), wish.dtype.unwrap_or(source.dtype()))?;
        let (made, copied) = adapt(moved.unwrap_or(source), wish, !is_moved)?;
        let is_plain = own.is_exact_instance_of::<NdArray>();
        if !copied && !is_moved && made.ndim() >= ndmin && (is_plain || subok) {
            return Ok(object.clone());
        }
        let made = with_ndim(made, ndmin, wish.order);
        return match (copied || is_moved, subok && !is_plain) {
            (true, true) => crate::ndarray::wrap_like(own, made),
            (false, true) => crate::ndarray::wrap_view(own, made),
            (false, false) => Ok(crate::ndarray::plain_view(own, made)?.into_any()),
            (true, false) => wrap(py, made),
        };
    }
    let chosen = context.is_some();
    let context = match context {
        Some(context) => context,
        None => Context::current()?,
    };
    let Converted { mut array, mut shared, read_only } = convert(object, &context, wish.dtype)?;
    if !shared && wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let elsewhere = array.context().id() != context.id();
    // Memory of the host goes to the device in use; memory of a GPU stays where it is unless told otherwise.
    if elsewhere && (chosen || array.context().info().host_addressable) {
        if wish.copy == Some(false) {
            return Err(refuse_copy());
        }
        array = wait::long(py, || transfer::to_device(&array, &context))?;
        shared = false;
    }
    dtypes::warn_of_lost_parts(py, array.dtype(), wish.dtype.unwrap_or(array.dtype()))?;
    // A fresh upload counts as the copy that was wished for.
    let (made, copied) = adapt(array, Wish { copy: if shared { wish.copy } else { None }, ..wish }, shared)?;
    let made = wrap(py, with_ndim(made, ndmin, wish.order))?;
    if shared && read_only && !copied {
        made.cast::<NdArray>().map_err(PyErr::from)?.get().set_read_only(true);
    }
    Ok(made)
}
