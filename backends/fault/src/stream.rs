//! Streams and events whose waits may fail.

use std::any::Any;
use std::sync::Arc;

use cuproxide_hal::{Event, Result, Stream};

use crate::injector::Guard;
use crate::plan::Site;

/// A stream in front of another.
pub(crate) struct FaultyStream {
    pub(crate) inner: Arc<dyn Stream>,
    pub(crate) guard: Guard,
}

impl Stream for FaultyStream {
    fn raw(&self) -> u64 {
        self.inner.raw()
    }

    fn id(&self) -> u64 {
        self.inner.id()
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()?;
        self.guard.pass(Site::Synchronize, "Stream::synchronize")
    }

    fn is_idle(&self) -> Result<bool> {
        self.guard.alive()?;
        self.inner.is_idle()
    }

    fn record(&self, event: &dyn Event) -> Result<()> {
        self.guard.alive()?;
        self.inner.record(event)
    }

    fn wait(&self, event: &dyn Event) -> Result<()> {
        self.guard.alive()?;
        self.inner.wait(event)
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

/// An event in front of another.
pub(crate) struct FaultyEvent {
    pub(crate) inner: Arc<dyn Event>,
    pub(crate) guard: Guard,
}

impl Event for FaultyEvent {
    fn raw(&self) -> u64 {
        self.inner.raw()
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()?;
        self.guard.pass(Site::Synchronize, "Event::synchronize")
    }

    fn is_done(&self) -> Result<bool> {
        self.guard.alive()?;
        self.inner.is_done()
    }

    fn elapsed_since(&self, start: &dyn Event) -> Result<f32> {
        self.guard.alive()?;
        self.inner.elapsed_since(start)
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}
