//! Streams and events.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use cuproxide_core::Context;
use cuproxide_core::{trace, waits};
use cuproxide_hal as hal;
use cuproxide_hal::{CaptureMode, StreamFlags};
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};

use crate::device::{self, Device};
use crate::errors::{Result, type_error, value_error};
use crate::settings::follows_cupy;
use crate::wait;

thread_local! {
    /// What was current before each `with stream:` that the thread is in.
    static ENTERED: RefCell<Vec<Left>> = const { RefCell::new(Vec::new()) };
    /// The object by which the thread's current stream was chosen last.
    static CHOSEN: RefCell<Option<Py<Stream>>> = const { RefCell::new(None) };
}

/// What was current before a `with stream:`: the stream of a device, and the object it was chosen by.
type Left = (Arc<Context>, Arc<dyn hal::Stream>, Option<Py<Stream>>);

/// Remembers the object that the thread's current stream is chosen by; returns the one before.
fn choose(object: Option<Py<Stream>>) -> Option<Py<Stream>> {
    CHOSEN.with_borrow_mut(|chosen| std::mem::replace(chosen, object))
}

/// Handles of streams and events that calls of the run-time interface destroyed. The driver gives a handle out again in time: one that a living
/// stream or event has told is forgotten here.
static DESTROYED: LazyLock<Mutex<HashSet<u64>>> = LazyLock::new(Mutex::default);

/// Notes that the stream or event with a handle was destroyed.
#[pyfunction]
pub fn note_destroyed(handle: u64) {
    DESTROYED.lock().insert(handle);
}

/// Whether a handle is that of a stream or event that was destroyed.
#[pyfunction]
pub fn was_destroyed(handle: u64) -> bool {
    DESTROYED.lock().contains(&handle)
}

pub fn told(handle: u64) -> u64 {
    DESTROYED.lock().remove(&handle);
    handle
}

/// A stream of another library's, with the object that keeps it.
struct Owned {
    stream: Arc<dyn hal::Stream>,
    _owner: Py<PyAny>,
}

impl hal::Stream for Owned {
    fn raw(&self) -> u64 {
        self.stream.raw()
    }

    fn id(&self) -> u64 {
        self.stream.id()
    }

    fn is_of_another_thread(&self) -> bool {
        self.stream.is_of_another_thread()
    }

    fn synchronize(&self) -> hal::Result<()> {
        self.stream.synchronize()
    }

    fn is_idle(&self) -> hal::Result<bool> {
        self.stream.is_idle()
    }

    fn record(&self, event: &dyn hal::Event) -> hal::Result<()> {
        self.stream.record(event)
    }

    fn wait(&self, event: &dyn hal::Event) -> hal::Result<()> {
        self.stream.wait(event)
    }

    fn flags(&self) -> hal::Result<StreamFlags> {
        self.stream.flags()
    }

    fn call_host(&self, function: hal::HostFunction) -> hal::Result<()> {
        self.stream.call_host(function)
    }

    fn begin_capture(&self, mode: CaptureMode) -> hal::Result<()> {
        self.stream.begin_capture(mode)
    }

    fn end_capture(&self) -> hal::Result<Arc<dyn hal::Graph>> {
        self.stream.end_capture()
    }

    fn capture(&self) -> hal::Result<Option<u64>> {
        self.stream.capture()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self.stream.as_any()
    }
}

/// A stream, or a default stream of whatever device is current.
enum Which {
    Null,
    PerThread,
    Fixed(Arc<Context>, Arc<dyn hal::Stream>),
}

/// A queue of work on a device. `with stream:` makes it the thread's current stream.
///
/// Parameters
/// ----------
/// null : bool
///     Whether this is the default stream of the device.
/// non_blocking : bool
///     Whether a new stream does not wait for the default one.
/// ptds : bool
///     Whether this is the default stream of the calling thread.
/// priority : int, optional
///     The priority of a new stream; lower numbers run first.
///
/// Examples
/// --------
/// >>> stream = cp.cuda.Stream(non_blocking=True)
/// >>> with stream:
/// ...     x = cp.arange(5).sum()
/// >>> stream.synchronize()
/// >>> int(x)
/// 10
#[pyclass(module = "cuproxide.cuda", frozen, subclass)]
pub struct Stream {
    which: Which,
}

impl Stream {
    fn fixed(context: Arc<Context>, stream: Arc<dyn hal::Stream>) -> Stream {
        Stream { which: Which::Fixed(context, stream) }
    }

    /// The device and the stream below.
    pub fn resolve(&self) -> Result<(Arc<Context>, Arc<dyn hal::Stream>)> {
        match &self.which {
            Which::Fixed(context, stream) => Ok((context.clone(), stream.clone())),
            Which::Null => {
                let context = Context::current()?;
                let stream = context.default_stream().clone();
                Ok((context, stream))
            }
            Which::PerThread => {
                let context = Context::current()?;
                let stream = context.per_thread_stream()?;
                Ok((context, stream))
            }
        }
    }
}

/// The stream of a `stream=` argument, or the current one of a device.
pub fn or_current(stream: Option<&Bound<'_, Stream>>, context: &Context) -> Result<Arc<dyn hal::Stream>> {
    match stream {
        Some(stream) => Ok(stream.get().resolve()?.1),
        None => Ok(context.stream()),
    }
}

/// Makes `next` the current stream. Work that is deferred on the one before is queued, since the program may wait for it, or
/// destroy it, by its handle.
fn leave(context: &Context, next: Arc<dyn hal::Stream>) -> Result<()> {
    let before = context.set_stream(next.clone());
    if before.id() != next.id() {
        context.flush_onto(before.as_ref())?;
    }
    Ok(())
}

/// Runs work with a given stream as the current one.
pub fn on_stream<T>(stream: Option<&Bound<'_, Stream>>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(stream) = stream else { return work() };
    let (context, stream) = stream.get().resolve()?;
    let before = context.set_stream(stream);
    let outcome = work();
    context.set_stream(before);
    outcome
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (null=false, non_blocking=false, ptds=false, priority=None))]
    fn __new__(null: bool, non_blocking: bool, ptds: bool, priority: Option<i32>) -> Result<Stream> {
        if null && ptds {
            return Err(value_error("null and ptds cannot both be chosen"));
        }
        if null {
            return Ok(Stream { which: Which::Null });
        }
        if ptds {
            return Ok(Stream { which: Which::PerThread });
        }
        let context = Context::current()?;
        let flags = StreamFlags { non_blocking, priority: priority.unwrap_or(0) };
        let stream = context.device().create_stream(flags)?;
        Ok(Stream::fixed(context, stream))
    }

    /// The default stream of the current device.
    #[classattr]
    fn null() -> Stream {
        Stream { which: Which::Null }
    }

    /// The default stream of the calling thread on the current device.
    #[classattr]
    fn ptds() -> Stream {
        Stream { which: Which::PerThread }
    }

    /// The stream of another library's object that has `__cuda_stream__`.
    #[staticmethod]
    fn from_external<'py>(obj: &Bound<'py, PyAny>) -> Result<Bound<'py, ExternalStream>> {
        let py = obj.py();
        if !obj.get_type().hasattr(intern!(py, "__cuda_stream__"))? {
            return Err(type_error(format!("{} objects have no __cuda_stream__", obj.get_type())));
        }
        let (version, ptr): (u64, u64) = obj.call_method0(intern!(py, "__cuda_stream__"))?.extract()?;
        if version != 0 {
            return Err(value_error(format!("version {version} of the __cuda_stream__ protocol is not known")));
        }
        let context = Context::current()?;
        let stream = context.device().external_stream(ptr)?;
        // The object, too, where the stream is current or work for it is deferred.
        let stream = Arc::new(Owned { stream, _owner: obj.clone().unbind() });
        let made = PyClassInitializer::from(Stream::fixed(context, stream)).add_subclass(ExternalStream);
        Ok(Bound::new(py, made)?)
    }

    /// The protocol by which other libraries take the stream: its version and the driver's handle.
    fn __cuda_stream__(&self) -> Result<(u32, u64)> {
        Ok((0, self.ptr()?))
    }

    /// The driver's handle.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        let (context, stream) = self.resolve()?;
        context.flush_onto(stream.as_ref())?;
        Ok(told(stream.raw()))
    }

    /// The device.
    #[getter]
    fn device(&self) -> Result<Device> {
        Ok(Device::of(&self.resolve()?.0))
    }

    /// Number of the device.
    #[getter]
    fn device_id(&self) -> Result<usize> {
        Ok(self.resolve()?.0.id().ordinal)
    }

    /// Whether all queued work is done.
    #[getter]
    fn done(&self) -> Result<bool> {
        let (context, stream) = self.resolve()?;
        context.flush_onto(stream.as_ref())?;
        Ok(stream.is_idle()?)
    }

    /// Whether the stream does not wait for the default stream.
    #[getter]
    fn is_non_blocking(&self) -> Result<bool> {
        Ok(self.resolve()?.1.flags()?.non_blocking)
    }

    /// The priority; lower numbers run first.
    #[getter]
    fn priority(&self) -> Result<i32> {
        Ok(self.resolve()?.1.flags()?.priority)
    }

    /// Makes this the thread's current stream.
    fn r#use<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        let (context, stream) = slf.get().resolve()?;
        leave(&context, stream)?;
        drop(choose(Some(slf.clone().unbind())));
        Ok(slf.clone())
    }

    /// Waits until all queued work is done and raises what kernels recorded.
    fn synchronize(&self, py: Python<'_>) -> Result<()> {
        let (context, stream) = self.resolve()?;
        wait::long(py, || {
            waits::check("the stream is synchronized")?;
            trace::refuse("it waits for the device");
            context.flush_onto(stream.as_ref())?;
            stream.synchronize()?;
            context.check_fault()
        })
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        let (context, stream) = slf.get().resolve()?;
        let before = context.set_stream(stream);
        let object = choose(Some(slf.clone().unbind()));
        ENTERED.with_borrow_mut(|entered| entered.push((context, before, object)));
        Ok(slf.clone())
    }

    #[pyo3(signature = (*arguments))]
    fn __exit__(&self, arguments: &Bound<'_, PyTuple>) -> Result<()> {
        let Some((context, before, object)) = ENTERED.with_borrow_mut(Vec::pop) else { return Ok(()) };
        drop(choose(object));
        let left = leave(&context, before);
        // An error that is under way already is the one to see; the work stays deferred, and fails where it is asked for.
        let fails = arguments.get_item(0).is_ok_and(|kind| !kind.is_none());
        if fails { Ok(()) } else { left }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Result<bool> {
        let Ok(other) = other.cast::<Stream>() else { return Ok(false) };
        let (mine, theirs) = (self.resolve()?, other.get().resolve()?);
        Ok(mine.0.id() == theirs.0.id() && mine.1.raw() == theirs.1.raw())
    }

    fn __hash__(&self) -> Result<u64> {
        Ok(self.resolve()?.1.raw())
    }

    fn __repr__(&self) -> Result<String> {
        let (context, stream) = self.resolve()?;
        Ok(format!("<Stream {:#x} (device {})>", stream.raw(), context.id()))
    }
}

/// A stream of another library by its handle `ptr`. That library keeps it alive.
///
/// Parameters
/// ----------
/// ptr : int
///     The handle of the stream in the library of the device's vendor, as a number.
/// device_id : int, optional
///     The number of its device, the current one by default.
///
/// Examples
/// --------
/// >>> stream = cp.cuda.Stream()
/// >>> with cp.cuda.ExternalStream(stream.ptr):
/// ...     x = cp.ones(3) * 2
/// >>> stream.synchronize()
/// >>> x
/// array([2., 2., 2.])
#[pyclass(module = "cuproxide.cuda", frozen, extends = Stream)]
pub struct ExternalStream;

#[pymethods]
impl ExternalStream {
    #[new]
    #[pyo3(signature = (ptr, device_id=None))]
    fn __new__(ptr: u64, device_id: Option<&Bound<'_, PyAny>>) -> Result<PyClassInitializer<ExternalStream>> {
        let context = device::parse_id(device_id)?;
        let stream = context.device().external_stream(ptr)?;
        Ok(PyClassInitializer::from(Stream::fixed(context, stream)).add_subclass(ExternalStream))
    }
}

/// The thread's current stream on a device: the object that was entered or used last, if it is that stream.
#[pyfunction]
#[pyo3(signature = (device_id=None))]
pub fn get_current_stream<'py>(py: Python<'py>, device_id: Option<&Bound<'py, PyAny>>) -> Result<Bound<'py, Stream>> {
    let context = device::parse_id(device_id)?;
    let stream = context.stream();
    let chosen = CHOSEN.with_borrow(|chosen| chosen.as_ref().map(|object| object.clone_ref(py)));
    if let Some(object) = chosen {
        // That of a default stream means another stream on another device.
        let (device, own) = object.get().resolve()?;
        let fits = device.id() == context.id() && own.id() == stream.id();
        if fits && (device_id.is_none() || matches!(object.get().which, Which::Fixed(..))) {
            return Ok(object.into_bound(py));
        }
    }
    if device_id.is_none() && follows_cupy() && stream.id() == context.default_stream().id() {
        return Ok(py.get_type::<Stream>().getattr(intern!(py, "null"))?.cast_into::<Stream>()?);
    }
    Ok(Bound::new(py, Stream::fixed(context, stream))?)
}
