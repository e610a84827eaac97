//! Streams and events: everything is done when the call returns, so they only keep order and time.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use cuproxide_hal::{Error, Event, Result, Stream};
use parking_lot::Mutex;

use crate::NAME;
use crate::recorder::{Call, Recorder};

/// A stream.
pub(crate) struct NoopStream {
    pub(crate) device: usize,
    pub(crate) raw: u64,
    pub(crate) recorder: Arc<Recorder>,
}

impl NoopStream {
    fn add(&self, call: Call) {
        self.recorder.add(self.device, Some(self.raw), call);
    }
}

impl Stream for NoopStream {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        self.add(Call::Synchronize);
        Ok(())
    }

    fn is_idle(&self) -> Result<bool> {
        Ok(true)
    }

    fn record(&self, event: &dyn Event) -> Result<()> {
        if let Some(event) = event.as_any().downcast_ref::<NoopEvent>() {
            *event.reached.lock() = Some(Instant::now());
        }
        self.add(Call::RecordEvent { event: event.raw() });
        Ok(())
    }

    fn wait(&self, event: &dyn Event) -> Result<()> {
        self.add(Call::WaitEvent { event: event.raw() });
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An event.
pub(crate) struct NoopEvent {
    pub(crate) device: usize,
    pub(crate) raw: u64,
    pub(crate) timing: bool,
    pub(crate) reached: Mutex<Option<Instant>>,
    pub(crate) recorder: Arc<Recorder>,
}

impl NoopEvent {
    fn time(&self) -> Result<Instant> {
        let reached = *self.reached.lock();
        reached.filter(|_| self.timing).ok_or_else(|| Error::unsupported(NAME, "times of events without timing"))
    }
}

impl Event for NoopEvent {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        self.recorder.add(self.device, None, Call::SynchronizeEvent { event: self.raw });
        Ok(())
    }

    fn is_done(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_since(&self, start: &dyn Event) -> Result<f32> {
        let Some(start) = start.as_any().downcast_ref::<NoopEvent>() else {
            return Err(Error::unsupported(NAME, "events of other backends"));
        };
        Ok(self.time()?.saturating_duration_since(start.time()?).as_secs_f32() * 1e3)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
