//! Events: markers in streams.

use std::sync::{Arc, Weak};

use cuproxide_core::{Context, trace, waits};
use cuproxide_hal as hal;
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::device::Device;
use crate::errors::{Result, value_error};
use crate::stream::{Stream, told};
use crate::wait;

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
    pub inner: Mutex<Option<(Arc<Context>, Arc<dyn hal::Event>)>>,
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

    pub fn on(device: Option<Arc<Context>>, timing: bool) -> Event {
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

    pub fn record_on(&self, context: &Arc<Context>, stream: &dyn hal::Stream) -> Result<()> {
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
