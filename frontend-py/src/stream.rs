//! Streams and events.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Weak};

use cuproxide_core::Context;
use cuproxide_core::graph::{begin_capture, end_capture};
use cuproxide_core::{trace, waits};
use cuproxide_hal as hal;
use cuproxide_hal::{CaptureMode, StreamFlags};
use parking_lot::Mutex;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyTuple};
use pyo3::{ffi, intern};

use crate::device::{self, Device};
use crate::errors::{Result, type_error, value_error};
use crate::graph::Graph;
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

/// Functions of the host with their arguments, by the capture that they are part of.
static CAPTURED_CALLS: LazyLock<Mutex<HashMap<u64, Vec<(Py<PyAny>, Py<PyAny>)>>>> = LazyLock::new(Mutex::default);

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

fn told(handle: u64) -> u64 {
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

    /// Queues the call `callback(arg)`, which must not use the device. It may run in a thread of the driver: an exception
    /// goes to `sys.unraisablehook`, as one in a destructor does, except `KeyboardInterrupt`, which the main thread raises.
    ///
    /// Parameters
    /// ----------
    /// callback : callable
    ///     The function.
    /// arg : object
    ///     Its argument.
    fn launch_host_func(&self, py: Python<'_>, callback: Py<PyAny>, arg: Py<PyAny>) -> Result<()> {
        let kept = (callback.clone_ref(py), arg.clone_ref(py));
        self.call_host(move |py| callback.call1(py, (&arg,)), kept)
    }

    /// Queues the call `callback(stream, status, arg)`, which must not use the device; `status` is 0. Exceptions are treated
    /// as by `launch_host_func`.
    ///
    /// Parameters
    /// ----------
    /// callback : callable
    ///     The function.
    /// arg : object
    ///     Its argument.
    fn add_callback(slf: &Bound<'_, Self>, callback: Py<PyAny>, arg: Py<PyAny>) -> Result<()> {
        let stream = slf.clone().unbind();
        let kept = (callback.clone_ref(slf.py()), arg.clone_ref(slf.py()));
        slf.get().call_host(move |py| callback.call1(py, (&stream, 0, &arg)), kept)
    }

    /// Starts to capture: from now on, what is queued on this stream becomes part of a graph and does not run. `mode` is
    /// one of `runtime.streamCaptureMode...`; relaxed by default.
    #[pyo3(signature = (mode=None))]
    fn begin_capture(&self, py: Python<'_>, mode: Option<u32>) -> Result<()> {
        let mode = match mode {
            None | Some(2) => CaptureMode::Relaxed,
            Some(0) => CaptureMode::Global,
            Some(1) => CaptureMode::ThreadLocal,
            Some(other) => return Err(value_error(format!("{other} is not a capture mode (0, 1 or 2)"))),
        };
        let (context, stream) = self.resolve()?;
        wait::long(py, || begin_capture(&context, &stream, mode))
    }

    /// Ends the capture and returns its graph.
    fn end_capture(&self, py: Python<'_>) -> Result<Graph> {
        let (context, stream) = self.resolve()?;
        let capture = stream.capture().ok().flatten();
        let captured = wait::long(py, || end_capture(&context, &stream));
        // After a failure, too, nothing is kept.
        let calls = capture.and_then(|number| CAPTURED_CALLS.lock().remove(&number)).unwrap_or_default();
        Ok(Graph::of(captured?, calls))
    }

    /// Whether the stream takes part in a capture.
    fn is_capturing(&self) -> Result<bool> {
        Ok(self.resolve()?.1.capture()?.is_some())
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

    /// Records an event (a new one by default) after the work queued so far.
    #[pyo3(signature = (event=None))]
    fn record<'py>(&self, py: Python<'py>, event: Option<&Bound<'py, Event>>) -> Result<Bound<'py, Event>> {
        let (context, stream) = self.resolve()?;
        let event = match event {
            Some(event) => event.clone(),
            None => Bound::new(py, Event::on(Some(context.clone()), true))?,
        };
        event.get().record_on(&context, stream.as_ref())?;
        Ok(event)
    }

    /// Lets later work wait for an event.
    fn wait_event(&self, event: &Bound<'_, Event>) -> Result<()> {
        let (context, stream) = self.resolve()?;
        trace::refuse("it waits for an event");
        context.flush_onto(stream.as_ref())?;
        let recorded = event.get().inner.lock().clone();
        recorded.map_or(Ok(()), |(_, event)| Ok(stream.wait(event.as_ref())?))
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

impl Stream {
    fn call_host(
        &self,
        function: impl Fn(Python<'_>) -> PyResult<Py<PyAny>> + Send + Sync + 'static,
        kept: (Py<PyAny>, Py<PyAny>),
    ) -> Result<()> {
        trace::refuse("it queues a host callback");
        let announced = hal::host::Announced::new();
        let call = move || {
            let _announced = &announced;
            // Nothing can be called any more once the interpreter has shut down.
            wait::try_attached(|py| {
                match function(py) {
                    // The program is to stop: its main thread raises this as soon as it runs Python code.
                    Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                        // SAFETY: the interpreter is attached; the function only notes a signal.
                        unsafe { ffi::PyErr_SetInterrupt() }
                    }
                    Err(error) => error.write_unraisable(py, None),
                    Ok(_) => {}
                }
            });
        };
        let (context, stream) = self.resolve()?;
        context.flush_onto(stream.as_ref())?;
        stream.call_host(Box::new(call))?;
        // Devices that work at once have called it by now.
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "a method of one lifetime is no function of all of them"
        )]
        Python::attach(|py| py.check_signals())?;
        if let Some(number) = stream.capture()? {
            CAPTURED_CALLS.lock().entry(number).or_default().push(kept);
        }
        Ok(())
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

/// A marker in a stream. It belongs to the device of the stream that it is first recorded on.
///
/// Parameters
/// ----------
/// block : bool
///     Taken for compatibility: a thread that waits for the event sleeps in either case.
/// disable_timing : bool
///     Whether the event has no time, which makes it cheaper.
/// interprocess : bool
///     Whether other processes can open it; takes `disable_timing` as well.
///
/// See Also
/// --------
/// get_elapsed_time : The time between two events.
///
/// Examples
/// --------
/// >>> producer, consumer, event = cp.cuda.Stream(), cp.cuda.Stream(), cp.cuda.Event()
/// >>> with producer:
/// ...     x = cp.arange(5) + 1
/// ...     event.record()
/// >>> consumer.wait_event(event)
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct Event {
    device: Option<Arc<Context>>,
    timing: bool,
    shared: bool,
    inner: Mutex<Option<(Arc<Context>, Arc<dyn hal::Event>)>>,
}

/// The living events whose handles a program has asked for.
static KNOWN: Mutex<Vec<(Arc<Context>, Weak<dyn hal::Event>)>> = Mutex::new(Vec::new());

impl Event {
    /// The living event with a handle.
    pub fn with_handle(raw: u64) -> Option<Event> {
        let alive = |(context, event): &(Arc<Context>, Weak<dyn hal::Event>)| Some((context.clone(), event.upgrade()?));
        // The last to hold an event destroys it, which is not to be done under the lock.
        let known: Vec<_> = KNOWN.lock().iter().filter_map(alive).collect();
        known.into_iter().find(|(_, event)| event.raw() == raw).map(|(context, event)| Event::made(context, event))
    }

    fn on(device: Option<Arc<Context>>, timing: bool) -> Event {
        Event { device, timing, shared: false, inner: Mutex::new(None) }
    }

    /// An event that exists already.
    pub fn made(context: Arc<Context>, event: Arc<dyn hal::Event>) -> Event {
        let inner = Mutex::new(Some((context.clone(), event)));
        Event { device: Some(context), timing: false, shared: true, inner }
    }

    /// The event below.
    pub fn below(&self) -> Result<Arc<dyn hal::Event>> {
        self.handle(&self.own_context()?)
    }

    /// The event below, made for `context` if there is none yet.
    fn handle(&self, context: &Arc<Context>) -> Result<Arc<dyn hal::Event>> {
        let held = |inner: &Option<(Arc<Context>, Arc<dyn hal::Event>)>| {
            inner.as_ref().filter(|(made_for, _)| made_for.id() == context.id()).map(|(_, event)| event.clone())
        };
        if let Some(event) = held(&self.inner.lock()) {
            return Ok(event);
        }
        // Made, and the one before destroyed, without the lock: drivers may wait.
        let event = match self.shared {
            true => context.device().system()?.create_shared_event()?,
            false => context.device().create_event(self.timing)?,
        };
        let mut inner = self.inner.lock();
        if let Some(event) = held(&inner) {
            return Ok(event);
        }
        let before = inner.replace((context.clone(), event.clone()));
        drop(inner);
        drop(before);
        Ok(event)
    }

    fn own_context(&self) -> Result<Arc<Context>> {
        if let Some((context, _)) = &*self.inner.lock() {
            return Ok(context.clone());
        }
        match &self.device {
            Some(context) => Ok(context.clone()),
            None => Ok(Context::current()?),
        }
    }

    fn record_on(&self, context: &Arc<Context>, stream: &dyn hal::Stream) -> Result<()> {
        trace::refuse("it records an event");
        context.flush_onto(stream)?;
        Ok(stream.record(self.handle(context)?.as_ref())?)
    }
}

#[pymethods]
impl Event {
    #[new]
    #[pyo3(signature = (block=false, disable_timing=false, interprocess=false))]
    fn __new__(block: bool, disable_timing: bool, interprocess: bool) -> Result<Event> {
        // Waiting always gives up the processor, so there is nothing to choose.
        let _ = block;
        if interprocess && !disable_timing {
            return Err(value_error("an interprocess event must be made with disable_timing=True"));
        }
        if interprocess {
            let context = Context::current()?;
            let event = context.device().system()?.create_shared_event()?;
            return Ok(Event::made(context, event));
        }
        Ok(Event::on(None, !disable_timing))
    }

    /// The driver's handle.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        let context = self.own_context()?;
        let event = self.handle(&context)?;
        let raw = event.raw();
        let mut known = KNOWN.lock();
        known.retain(|(_, event)| event.strong_count() > 0);
        if !known.iter().any(|(_, other)| other.ptr_eq(&Arc::downgrade(&event))) {
            known.push((context, Arc::downgrade(&event)));
        }
        Ok(told(raw))
    }

    /// The device.
    #[getter]
    fn device(&self) -> Result<Device> {
        Ok(Device::of(&self.own_context()?))
    }

    /// Whether the event has been reached.
    #[getter]
    fn done(&self) -> Result<bool> {
        Ok(self.handle(&self.own_context()?)?.is_done()?)
    }

    /// Records the event on a stream, by default the current one.
    #[pyo3(signature = (stream=None))]
    fn record(&self, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let (context, stream) = match stream {
            Some(stream) => stream.get().resolve()?,
            None => {
                let context = self.own_context()?;
                let stream = context.stream();
                (context, stream)
            }
        };
        self.record_on(&context, stream.as_ref())
    }

    /// Waits until the event has been reached.
    fn synchronize(&self, py: Python<'_>) -> Result<()> {
        let context = self.own_context()?;
        let event = self.handle(&context)?;
        wait::long(py, || {
            waits::check("the event is synchronized")?;
            event.synchronize()?;
            context.check_fault()
        })
    }
}

/// Milliseconds between two events that have been reached.
///
/// Parameters
/// ----------
/// start_event : Event
///     The first event.
/// end_event : Event
///     The second event.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ValueError
///     For an event that was not recorded.
///
/// Examples
/// --------
/// >>> start, end = cp.cuda.Event(), cp.cuda.Event()
/// >>> start.record()
/// >>> x = cp.arange(1000).sum()
/// >>> end.record()
/// >>> end.synchronize()
/// >>> cp.cuda.get_elapsed_time(start, end) >= 0
/// True
#[pyfunction]
pub fn get_elapsed_time(start_event: &Bound<'_, Event>, end_event: &Bound<'_, Event>) -> Result<f32> {
    let start = start_event.get().inner.lock().clone();
    let end = end_event.get().inner.lock().clone();
    match (start, end) {
        (Some((_, start)), Some((_, end))) => Ok(end.elapsed_since(start.as_ref())?),
        _ => Err(value_error("both events must have been recorded")),
    }
}
