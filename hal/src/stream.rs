//! Streams and events.

use std::any::Any;
use std::sync::Arc;

use crate::error::Result;
use crate::graph::{CaptureMode, Graph, HostFunction};

/// How a stream is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFlags {
    /// Does not wait for the default stream.
    pub non_blocking: bool,
    /// Lower numbers run first; 0 is the default.
    pub priority: i32,
}

/// An ordered queue of work on one device.
pub trait Stream: Send + Sync {
    /// The vendor's handle, unique among live streams of the device; 0 for the legacy default stream.
    fn raw(&self) -> u64;

    /// A name that, unlike the handle, is never given to a later stream of the device.
    fn id(&self) -> u64 {
        self.raw()
    }

    /// Whether the handle stands for a stream of whichever thread uses it, and this object for that of another thread.
    fn is_of_another_thread(&self) -> bool {
        false
    }

    /// Waits until all queued work is done.
    fn synchronize(&self) -> Result<()>;

    /// Whether all queued work is done.
    fn is_idle(&self) -> Result<bool>;

    /// Records `event` after the work queued so far.
    fn record(&self, event: &dyn Event) -> Result<()>;

    /// Lets later work wait for `event`. A stream that waits for an event of a capture takes part in that capture.
    fn wait(&self, event: &dyn Event) -> Result<()>;

    /// How the stream was made.
    fn flags(&self) -> Result<StreamFlags> {
        Ok(StreamFlags::default())
    }

    /// Queues a host callback, which must not use the device. It may run in any thread. A function that
    /// needs an interpreter's lock has its [`Announced`](crate::host::Announced) with it.
    fn call_host(&self, function: HostFunction) -> Result<()>;

    /// Starts to record what is queued instead of running it.
    fn begin_capture(&self, mode: CaptureMode) -> Result<()>;

    /// Ends the capture that began on this stream. After an error, too, the stream is usable as before the capture.
    fn end_capture(&self) -> Result<Arc<dyn Graph>>;

    /// The number of the capture that the stream takes part in; no two captures of the process have the same.
    fn capture(&self) -> Result<Option<u64>>;

    /// For a backend to recognise its own streams.
    fn as_any(&self) -> &dyn Any;
}

/// A marker in a stream.
pub trait Event: Send + Sync {
    /// The vendor's handle.
    fn raw(&self) -> u64;

    /// Waits until the event has been reached.
    fn synchronize(&self) -> Result<()>;

    /// Whether the event has been reached.
    fn is_done(&self) -> Result<bool>;

    /// Milliseconds from `start` to this event; both must have been reached and made with timing.
    fn elapsed_since(&self, start: &dyn Event) -> Result<f32>;

    /// For a backend to recognise its own events.
    fn as_any(&self) -> &dyn Any;
}
