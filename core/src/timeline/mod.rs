//! What the process does, as spans of [`tracing`] on one timeline: kernels, copies, allocations, compilations, flushes.
//!
//! Where no subscriber listens, a span costs one atomic load. [`start`] makes the recorder of this module listen, which
//! also times work on devices that run ahead of the host, by events before and after it.

mod recorder;
mod work;

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_hal::{Device, DeviceId, Event, Stream};
use tracing::level_filters::LevelFilter;
use tracing::span::EnteredSpan;

pub use recorder::{Record, is_recording, mark, now, start, stop};
pub use work::{TARGET, Work};

/// An open span; it ends when this is dropped.
pub struct Scope {
    // Before the span, which is what the device's times are noted under.
    timing: Option<Timing>,
    span: EnteredSpan,
}

/// The beginning of work on a device's stream.
struct Timing {
    device: Arc<dyn Device>,
    stream: Arc<dyn Stream>,
    start: Arc<dyn Event>,
}

/// Whether anybody listens.
#[inline]
pub fn is_on() -> bool {
    LevelFilter::current() == LevelFilter::TRACE
}

/// A span of the host's time. `bytes` is how much memory is concerned.
#[inline]
pub fn scope(kind: Work, name: &str, device: DeviceId, bytes: impl FnOnce() -> usize) -> Option<Scope> {
    if !is_on() {
        return None;
    }
    Some(Scope { timing: None, span: span(kind, name, device, bytes()) })
}

/// Where work is queued: a device's context.
pub trait Place {
    /// The device's name in the process.
    fn id(&self) -> DeviceId;

    /// The device and the calling thread's current stream on it, if the device computes after a call has returned.
    fn asynchronous(&self) -> Option<(Arc<dyn Device>, Arc<dyn Stream>)>;
}

impl<P: Place> Place for Arc<P> {
    fn id(&self) -> DeviceId {
        self.as_ref().id()
    }

    fn asynchronous(&self) -> Option<(Arc<dyn Device>, Arc<dyn Stream>)> {
        self.as_ref().asynchronous()
    }
}

/// A span of work that is queued on the calling thread's current stream.
#[inline]
pub fn queued(kind: Work, name: &str, context: &impl Place, bytes: impl FnOnce() -> usize) -> Option<Scope> {
    if !is_on() {
        return None;
    }
    let span = span(kind, name, context.id(), bytes());
    Some(Scope { timing: Timing::begin(context), span })
}

thread_local! {
    static LABEL: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Runs work whose kernels have a name that the program gave them.
pub fn with_label<R>(label: Option<Arc<str>>, work: impl FnOnce() -> R) -> R {
    if label.is_none() || !is_on() {
        return work();
    }
    let before = LABEL.replace(label);
    let result = work();
    LABEL.set(before);
    result
}

#[cold]
fn span(kind: Work, name: &str, device: DeviceId, bytes: usize) -> EnteredSpan {
    let label = LABEL.with_borrow(Clone::clone).filter(|_| kind == Work::Kernel);
    let (kind, name) = (kind.name(), label.as_deref().unwrap_or(name));
    tracing::trace_span!(target: TARGET, "work", kind, name, %device, bytes).entered()
}

impl Timing {
    /// Nothing on devices that compute before the call returns, and while the stream captures.
    fn begin(context: &impl Place) -> Option<Timing> {
        if !is_recording() {
            return None;
        }
        let (device, stream) = context.asynchronous()?;
        if !matches!(stream.capture(), Ok(None)) {
            return None;
        }
        recorder::base(&device, stream.as_ref())?;
        let start = device.create_event(true).ok()?;
        stream.record(start.as_ref()).ok()?;
        Some(Timing { device, stream, start })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let Some(Timing { device, stream, start }) = self.timing.take() else { return };
        let Some(id) = self.span.id() else { return };
        if let Ok(end) = device.create_event(true)
            && stream.record(end.as_ref()).is_ok()
        {
            recorder::timed(id.into_u64(), &device, stream.raw(), start, end);
        }
    }
}
