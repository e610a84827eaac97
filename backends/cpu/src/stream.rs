//! Streams and events: work is done when its call returns, so a stream has nothing to keep in order.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use cuproxide_hal::{Error, Event, Result, Stream};
use parking_lot::Mutex;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A stream; it only has a name.
pub struct CpuStream {
    raw: u64,
}

impl CpuStream {
    /// The default stream.
    pub const fn default_stream() -> CpuStream {
        CpuStream { raw: 0 }
    }

    /// A stream with a new name.
    pub fn new() -> CpuStream {
        CpuStream { raw: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// A stream with a given name.
    pub fn named(raw: u64) -> CpuStream {
        CpuStream { raw }
    }
}

fn own(event: &dyn Event) -> Result<&CpuEvent> {
    event.as_any().downcast_ref().ok_or_else(|| Error::unsupported("cpu", "events of another backend"))
}

impl Stream for CpuStream {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn is_idle(&self) -> Result<bool> {
        Ok(true)
    }

    fn record(&self, event: &dyn Event) -> Result<()> {
        *own(event)?.reached.lock() = Some(Instant::now());
        Ok(())
    }

    fn wait(&self, event: &dyn Event) -> Result<()> {
        own(event).map(drop)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An event: the time when it was recorded.
pub struct CpuEvent {
    raw: u64,
    timing: bool,
    reached: Mutex<Option<Instant>>,
}

impl CpuEvent {
    /// An event that has not been recorded.
    pub fn new(timing: bool) -> CpuEvent {
        CpuEvent { raw: NEXT.fetch_add(1, Ordering::Relaxed), timing, reached: Mutex::new(None) }
    }

    fn time(&self) -> Result<Instant> {
        if !self.timing {
            return Err(Error::unsupported("cpu", "reading the time of an event made without timing"));
        }
        (*self.reached.lock())
            .ok_or_else(|| Error::unsupported("cpu", "reading the time of an event before it is recorded"))
    }
}

impl Event for CpuEvent {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn is_done(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_since(&self, start: &dyn Event) -> Result<f32> {
        let (start, end) = (own(start)?.time()?, self.time()?);
        let forward = end.saturating_duration_since(start).as_secs_f64();
        let backward = start.saturating_duration_since(end).as_secs_f64();
        Ok(((forward - backward) * 1e3) as f32)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
