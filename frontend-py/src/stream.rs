//! Streams and events.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_hal as hal;
use cuproxide_hal::StreamFlags;
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::device::{self, Device};
use crate::errors::{Result, value_error};
use crate::wait;

thread_local! {
    /// What was current before each `with stream:` that the thread is in.
    static ENTERED: RefCell<Vec<(Arc<Context>, Arc<dyn hal::Stream>)>> = const { RefCell::new(Vec::new()) };
}

/// A stream, or the default stream of whatever device is current.
enum Which {
    Default,
    Fixed(Arc<Context>, Arc<dyn hal::Stream>),
}

/// A queue of work on a device. `with stream:` makes it the thread's current stream.
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
            Which::Default => {
                let context = Context::current()?;
                let stream = context.default_stream().clone();
                Ok((context, stream))
            }
        }
    }
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
        if null || ptds {
            return Ok(Stream { which: Which::Default });
        }
        let context = Context::current()?;
        let flags = StreamFlags { non_blocking, priority: priority.unwrap_or(0) };
        let stream = context.device().create_stream(flags)?;
        Ok(Stream::fixed(context, stream))
    }

    /// The default stream of the current device.
    #[classattr]
    fn null() -> Stream {
        Stream { which: Which::Default }
    }

    /// The default stream of the current device.
    #[classattr]
    fn ptds() -> Stream {
        Stream { which: Which::Default }
    }

    /// The driver's handle.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        let (context, stream) = self.resolve()?;
        context.flush_onto(stream.as_ref())?;
        Ok(stream.raw())
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

    /// Makes this the thread's current stream.
    fn r#use<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        let (context, stream) = slf.get().resolve()?;
        context.set_stream(stream);
        Ok(slf.clone())
    }

    /// Waits until all queued work is done and raises what kernels recorded.
    fn synchronize(&self, py: Python<'_>) -> Result<()> {
        let (context, stream) = self.resolve()?;
        wait::long(py, || {
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
        context.flush_onto(stream.as_ref())?;
        match &*event.get().inner.lock() {
            Some((_, event)) => Ok(stream.wait(event.as_ref())?),
            None => Ok(()),
        }
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        let (context, stream) = slf.get().resolve()?;
        let before = context.set_stream(stream);
        ENTERED.with_borrow_mut(|entered| entered.push((context, before)));
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) {
        if let Some((context, before)) = ENTERED.with_borrow_mut(Vec::pop) {
            context.set_stream(before);
        }
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

/// A stream of another library by its raw handle.
#[pyfunction]
#[pyo3(signature = (ptr, device=None))]
pub fn external_stream(ptr: u64, device: Option<&Bound<'_, PyAny>>) -> Result<Stream> {
    let context = device::parse(device)?;
    let stream = context.device().external_stream(ptr)?;
    Ok(Stream::fixed(context, stream))
}

/// The thread's current stream on a device.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn get_current_stream(device: Option<&Bound<'_, PyAny>>) -> Result<Stream> {
    let context = device::parse(device)?;
    let stream = context.stream();
    Ok(Stream::fixed(context, stream))
}

/// A marker in a stream. It belongs to the device of the stream that it is first recorded on.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct Event {
    device: Option<Arc<Context>>,
    timing: bool,
    inner: Mutex<Option<(Arc<Context>, Arc<dyn hal::Event>)>>,
}

impl Event {
    fn on(device: Option<Arc<Context>>, timing: bool) -> Event {
        Event { device, timing, inner: Mutex::new(None) }
    }

    /// The event below, made for `context` if there is none yet.
    fn handle(&self, context: &Arc<Context>) -> Result<Arc<dyn hal::Event>> {
        let mut inner = self.inner.lock();
        if let Some((made_for, event)) = &*inner
            && made_for.id() == context.id()
        {
            return Ok(event.clone());
        }
        let event = context.device().create_event(self.timing)?;
        *inner = Some((context.clone(), event.clone()));
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
        if interprocess {
            return Err(
                hal::Error::unsupported(Context::current()?.id().backend, "events shared between processes").into()
            );
        }
        Ok(Event::on(None, !disable_timing))
    }

    /// The driver's handle.
    #[getter]
    fn ptr(&self) -> Result<u64> {
        Ok(self.handle(&self.own_context()?)?.raw())
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
            event.synchronize()?;
            context.check_fault()
        })
    }
}

/// Milliseconds between two events that have been reached.
#[pyfunction]
pub fn get_elapsed_time(start_event: &Bound<'_, Event>, end_event: &Bound<'_, Event>) -> Result<f32> {
    let start = start_event.get().inner.lock().clone();
    let end = end_event.get().inner.lock().clone();
    match (start, end) {
        (Some((_, start)), Some((_, end))) => Ok(end.elapsed_since(start.as_ref())?),
        _ => Err(value_error("both events must have been recorded")),
    }
}
