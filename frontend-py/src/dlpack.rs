//! DLPack, both ways and in both forms: the legacy structure and the versioned one.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use cuproxide_core::layout::{Dims, Layout, MAX_NDIM, Order, Strides, show_shape};
use cuproxide_core::ops::{copy, transfer};
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict};
use pyo3::{ffi, intern};

use crate::device;
use crate::errors::{Result, buffer_error, value_error};
use crate::foreign::foreign;
use crate::plain::reach;
use crate::wait;

const LEGACY: &CStr = c"dltensor";
const LEGACY_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";
/// The version of the structures below.
const VERSION: Version = Version { major: 1, minor: 1 };
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;
/// The flags of that version; the third says how elements of less than a byte lie, which no array has.
const FLAGS: u64 = READ_ONLY | IS_COPIED | 4;

#[repr(C)]
#[derive(Clone, Copy)]
struct Version {
    major: u32,
    minor: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct TensorDevice {
    kind: i32,
    ordinal: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: TensorDevice,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What an exported tensor points to.
struct Exported<M> {
    managed: M,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Keeps the memory alive.
    _array: Array,
}

fn encode(dtype: DType) -> DataType {
    DataType { code: dtype.info().dlpack, bits: dtype.size() as u8 * 8, lanes: 1 }
}

fn decode(dtype: DataType) -> Result<DType> {
    let same = |own: &DType| {
        let encoded = encode(*own);
        encoded.code == dtype.code && encoded.bits == dtype.bits && dtype.lanes == 1
    };
    DType::ALL.into_iter().find(same).ok_or_else(|| {
        buffer_error(format!(
            "Unsupported DLPack dtype (code {}, {} bits, {} lanes)",
            dtype.code, dtype.bits, dtype.lanes
        ))
    })
}

/// DLPack's name of an array's device.
pub fn device_of(array: &Array) -> (i32, i32) {
    let info = array.context().info();
    (info.dlpack_type, info.id.ordinal as i32)
}

fn describe(array: &Array) -> Result<(Tensor, Vec<i64>, Vec<i64>)> {
    let item = array.itemsize() as isize;
    if array.strides().iter().any(|stride| stride % item != 0) {
        return Err(buffer_error("DLPack only supports strides that are multiples of the item size"));
    }
    let (kind, ordinal) = device_of(array);
    let tensor = Tensor {
        data: if array.size() == 0 { std::ptr::null_mut() } else { array.expose()? as *mut c_void },
        device: TensorDevice { kind, ordinal },
        ndim: array.ndim() as i32,
        dtype: encode(array.dtype()),
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let shape = array.shape().iter().map(|&length| length as i64).collect();
    let strides = array.strides().iter().map(|&stride| (stride / item) as i64).collect();
    Ok((tensor, shape, strides))
}

unsafe extern "C" fn delete_legacy(managed: *mut Managed) {
    // SAFETY: the context is the box that `export` leaked, and a deleter is called once.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Exported<Managed>>()) });
}

unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: the context is the box that `export` leaked, and a deleter is called once.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Exported<ManagedVersioned>>()) });
}

unsafe extern "C" fn drop_legacy(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule of `export`; a consumer that took the tensor has renamed it.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()).cast::<Managed>();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        }
    }
}

unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as for `drop_legacy`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast::<ManagedVersioned>();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        }
    }
}

/// A capsule with an array's memory.
fn export<'py>(py: Python<'py>, array: &Array, versioned: bool, flags: u64) -> Result<Bound<'py, PyAny>> {
    let (tensor, shape, strides) = describe(array)?;
    let capsule = if versioned {
        let managed = ManagedVersioned {
            version: VERSION,
            context: std::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags,
            tensor,
        };
        let mut exported = Box::new(Exported { managed, shape, strides, _array: array.clone() });
        exported.managed.tensor.shape = exported.shape.as_mut_ptr();
        exported.managed.tensor.strides = exported.strides.as_mut_ptr();
        let raw = Box::into_raw(exported);
        // SAFETY: `raw` was just leaked and is owned by the capsule from here on.
        unsafe {
            (*raw).managed.context = raw.cast();
            ffi::PyCapsule_New((&raw mut (*raw).managed).cast(), VERSIONED.as_ptr(), Some(drop_versioned))
        }
    } else {
        let managed = Managed { tensor, context: std::ptr::null_mut(), deleter: Some(delete_legacy) };
        let mut exported = Box::new(Exported { managed, shape, strides, _array: array.clone() });
        exported.managed.tensor.shape = exported.shape.as_mut_ptr();
        exported.managed.tensor.strides = exported.strides.as_mut_ptr();
        let raw = Box::into_raw(exported);
        // SAFETY: as above.
        unsafe {
            (*raw).managed.context = raw.cast();
            ffi::PyCapsule_New((&raw mut (*raw).managed).cast(), LEGACY.as_ptr(), Some(drop_legacy))
        }
    };
    // SAFETY: `PyCapsule_New` returns a new reference, or null with an exception set.
    Ok(unsafe { Bound::from_owned_ptr_or_err(py, capsule)? })
}

/// `ndarray.__dlpack__`.
pub fn produce<'py>(
    py: Python<'py>,
    array: &Array,
    read_only: bool,
    stream: Option<i64>,
    max_version: Option<(u32, u32)>,
    wanted: Option<(i32, i32)>,
    force_copy: Option<bool>,
) -> Result<Bound<'py, PyAny>> {
    let mut array = array.clone();
    let mut copied = false;
    if let Some((kind, ordinal)) = wanted
        && (kind, ordinal) != device_of(&array)
    {
        if force_copy == Some(false) {
            return Err(buffer_error("a tensor on another device needs a copy, which copy=False forbids"));
        }
        let target = device::by_dlpack(kind, ordinal)?;
        array = wait::long(py, || transfer::to_device(&array, &target))?;
        copied = true;
    }
    if force_copy == Some(true) && !copied {
        array = copy::copy(&array, Order::K)?;
        copied = true;
    }
    let info = array.context().info();
    // -1 asks for no synchronisation at all; on the host there is nothing to order.
    if info.asynchronous && !info.host_addressable && stream != Some(-1) {
        hand_over(array.context(), stream)?;
    }
    let versioned =
        crate::foreign::PROTOCOLS.read().versioned_dlpack && max_version.is_some_and(|(major, _)| major >= 1);
    let flags = match (copied, read_only) {
        (true, _) => IS_COPIED,
        (false, true) if versioned => READ_ONLY,
        (false, true) => return Err(buffer_error("a read-only array can only be exported with DLPack 1.0 or newer")),
        (false, false) => 0,
    };
    export(py, &array, versioned, flags)
}

/// Lets the consumer's stream wait for the work that has been queued on the current one.
fn hand_over(context: &Context, stream: Option<i64>) -> Result<()> {
    let current = context.stream();
    let consumer = stream.map_or(0, |stream| stream as u64);
    // 1 is the legacy default stream, whose own handle is 0.
    if consumer == current.raw() || (consumer <= 1 && current.raw() == 0) {
        return Ok(());
    }
    context.flush_onto(current.as_ref())?;
    let event = context.device().create_event(false)?;
    current.record(event.as_ref())?;
    Ok(context.device().external_stream(consumer)?.wait(event.as_ref())?)
}

/// A tensor that was taken over; dropping it tells its producer.
enum Taken {
    Legacy(*mut Managed),
    Versioned(*mut ManagedVersioned),
}

// SAFETY: the structure is only read here; DLPack lets the deleter be called from any thread.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the tensor was taken over from its capsule, so this is the one call of its deleter.
        unsafe {
            match *self {
                Taken::Legacy(managed) => {
                    if let Some(delete) = (*managed).deleter {
                        delete(managed);
                    }
                }
                Taken::Versioned(managed) => {
                    if let Some(delete) = (*managed).deleter {
                        delete(managed);
                    }
                }
            }
        }
    }
}

/// Takes over the tensor of a capsule; the flag says that its memory must not be written.
pub fn consume(capsule: &Bound<'_, PyAny>) -> Result<(Array, bool)> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err("a DLPack capsule is needed: an object with __dlpack__ goes to from_dlpack")
    })?;
    // Of threads that consume one capsule at once, one finds it unused: free-threaded Python needs to be told.
    let taken = with_critical_section(capsule.as_any(), || take(capsule))?;
    let (tensor, flags): (&Tensor, u64) = match taken {
        // SAFETY: the tensor is alive until `taken` is dropped, which the array below keeps from happening.
        Taken::Legacy(managed) => unsafe { (&(*managed).tensor, 0) },
        // SAFETY: as above.
        Taken::Versioned(managed) => unsafe { (&(*managed).tensor, (*managed).flags) },
    };
    let array = view(tensor, Arc::new(taken))?;
    Ok((array, flags & READ_ONLY != 0))
}

/// The tensor of a capsule that was not consumed before, and is from now on.
fn take(capsule: &Bound<'_, PyCapsule>) -> Result<Taken> {
    let name = capsule.name()?;
    // SAFETY: the name belongs to the capsule, which outlives this use.
    let name = name.map(|name| unsafe { name.as_cstr() }.to_owned());
    let (taken, used) = match name.as_deref() {
        Some(name) if name == VERSIONED => {
            let managed = capsule.pointer_checked(Some(VERSIONED))?.cast::<ManagedVersioned>().as_ptr();
            // SAFETY: the name says what the pointer is; the version stands at the same place in all versions.
            let version = unsafe { (*managed).version };
            if version.major != VERSION.major {
                return Err(buffer_error(format!(
                    "DLPack version {}.{} is not supported: {}.x is",
                    version.major, version.minor, VERSION.major
                )));
            }
            // SAFETY: as above; this version has the flags.
            let flags = unsafe { (*managed).flags };
            // Later minor versions may add flags, but none that a reader must know.
            if version.minor <= VERSION.minor && flags & !FLAGS != 0 {
                return Err(buffer_error(format!(
                    "the DLPack tensor has flags={flags:#x}, which version {}.{} does not define",
                    version.major, version.minor
                )));
            }
            (Taken::Versioned(managed), VERSIONED_USED)
        }
        Some(name) if name == LEGACY => {
            (Taken::Legacy(capsule.pointer_checked(Some(LEGACY))?.cast::<Managed>().as_ptr()), LEGACY_USED)
        }
        _ => return Err(value_error("the capsule holds no DLPack tensor, or one that was consumed before")),
    };
    // SAFETY: the capsule is alive; the new name has static lifetime.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
        std::mem::forget(taken);
        return Err(PyErr::fetch(capsule.py()).into());
    }
    Ok(taken)
}

fn view(tensor: &Tensor, owner: Arc<Taken>) -> Result<Array> {
    let dtype = decode(tensor.dtype)?;
    // The lists are as long as the tensor says: a number that no array has must not be believed.
    let ndim = usize::try_from(tensor.ndim).ok().filter(|&ndim| ndim <= MAX_NDIM).ok_or_else(|| {
        value_error(format!("the DLPack tensor has ndim={}; an array has 0 to {MAX_NDIM} dimensions", tensor.ndim))
    })?;
    let list = |name: &str, values: *const i64| -> Result<Option<&[i64]>> {
        if values.is_null() || ndim == 0 {
            return Ok(None);
        }
        if !values.is_aligned() {
            return Err(value_error(format!(
                "the DLPack tensor has {name}={values:p}, which is not an address of int64"
            )));
        }
        // SAFETY: DLPack's lists have `ndim` entries, and `ndim` is a number that tensors have.
        Ok(Some(unsafe { std::slice::from_raw_parts(values, ndim) }))
    };
    let lengths = list("shape", tensor.shape)?.unwrap_or_default();
    if lengths.len() != ndim {
        return Err(value_error(format!("the DLPack tensor has ndim={ndim}, but shape=NULL")));
    }
    let wrong = |name: &str, axis: usize, value: i64, why: &str| {
        value_error(format!("the DLPack tensor has {name}[{axis}]={value}, {why}"))
    };
    let mut shape = Dims::new();
    for (axis, &length) in lengths.iter().enumerate() {
        shape.push(usize::try_from(length).map_err(|_| wrong("shape", axis, length, "which is negative"))?);
    }
    let strides: Strides = match list("strides", tensor.strides)? {
        Some(strides) => {
            let bytes = |(axis, &stride): (usize, &i64)| {
                let bytes = (stride as isize).checked_mul(dtype.size() as isize);
                bytes.ok_or_else(|| wrong("strides", axis, stride, "beyond what memory can address"))
            };
            strides.iter().enumerate().map(bytes).collect::<Result<Strides>>()?
        }
        None => {
            // Before strides are made of the lengths, whose products may be too large for them.
            reach(&shape, &Strides::from_elem(0, ndim), dtype)?;
            Layout::contiguous(&shape, dtype.size(), false).strides
        }
    };
    let data = tensor.data as u64;
    let Some(ptr) = data.checked_add(tensor.byte_offset) else {
        let offset = tensor.byte_offset;
        return Err(value_error(format!(
            "the DLPack tensor has byte_offset={offset} from data={data:#x}, beyond memory"
        )));
    };
    let has_elements = !shape.contains(&0);
    if has_elements && data == 0 {
        return Err(value_error(format!("the DLPack tensor has data=NULL, but shape={}", show_shape(&shape))));
    }
    if has_elements && !ptr.is_multiple_of(dtype.real().size() as u64) {
        return Err(buffer_error(format!("the DLPack tensor's data={ptr:#x} is not aligned to elements of {dtype}")));
    }
    let context = device::by_dlpack(tensor.device.kind, tensor.device.ordinal)?;
    foreign(&context, dtype, shape, strides, ptr, owner)
}

/// The array of an object with `__dlpack__`, on `target` if one is given.
pub fn import(object: &Bound<'_, PyAny>, target: Option<Arc<Context>>, force_copy: Option<bool>) -> Result<Array> {
    let py = object.py();
    let (kind, ordinal): (i32, i32) = object.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
    let source = device::by_dlpack(kind, ordinal)?;
    let keywords = PyDict::new(py);
    if source.info().asynchronous && !source.info().host_addressable {
        let raw = source.stream().raw();
        keywords.set_item("stream", if raw == 0 { source.info().dlpack_default_stream } else { raw })?;
    }
    let plain = keywords.copy()?;
    keywords.set_item("max_version", (VERSION.major, VERSION.minor))?;
    let method = object.getattr(intern!(py, "__dlpack__"))?;
    let capsule = match method.call((), Some(&keywords)) {
        // Producers from before the versioned protocol do not know the argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call((), Some(&plain))?,
        other => other?,
    };
    let (array, read_only) = consume(&capsule)?;
    let elsewhere = target.filter(|target| target.id() != array.context().id());
    if force_copy == Some(false) && (elsewhere.is_some() || read_only) {
        return Err(buffer_error("the tensor cannot be shared as it is, and copy=False forbids a copy"));
    }
    if let Some(target) = elsewhere {
        return wait::long(py, || transfer::to_device(&array, &target));
    }
    if force_copy == Some(true) || read_only {
        return Ok(copy::copy(&array, Order::K)?);
    }
    Ok(array)
}
