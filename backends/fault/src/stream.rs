//! Streams and events whose waits may fail.

use std::any::Any;
use std::sync::Arc;

use cuproxide_hal::{CaptureMode, Event, Graph, HostFunction, Result, Stream, StreamFlags};

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

    fn is_of_another_thread(&self) -> bool {
        self.inner.is_of_another_thread()
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

    fn flags(&self) -> Result<StreamFlags> {
        self.inner.flags()
    }

    fn call_host(&self, function: HostFunction) -> Result<()> {
        self.guard.pass(Site::Launch, "Stream::call_host")?;
        self.inner.call_host(function)
    }

    fn begin_capture(&self, mode: CaptureMode) -> Result<()> {
        self.guard.pass(Site::Stream, "Stream::begin_capture")?;
        self.inner.begin_capture(mode)
    }

    fn end_capture(&self) -> Result<Arc<dyn Graph>> {
        // The capture ends in any case; a graph that is made to fail is dropped.
        let inner = self.inner.end_capture()?;
        self.guard.pass(Site::Stream, "Stream::end_capture")?;
        Ok(Arc::new(FaultyGraph { inner, guard: self.guard.clone() }))
    }

    fn capture(&self) -> Result<Option<u64>> {
        self.inner.capture()
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

/// A graph in front of another.
struct FaultyGraph {
    inner: Arc<dyn Graph>,
    guard: Guard,
}

impl Graph for FaultyGraph {
    unsafe fn launch(&self, stream: &dyn Stream) -> Result<()> {
        self.guard.pass(Site::Launch, "Graph::launch")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.launch(stream) }
    }

    fn upload(&self, stream: &dyn Stream) -> Result<()> {
        self.guard.alive()?;
        self.inner.upload(stream)
    }

    fn dot(&self, flags: u32) -> Result<String> {
        self.guard.alive()?;
        self.inner.dot(flags)
    }

    fn raw(&self) -> (u64, u64) {
        self.inner.raw()
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
