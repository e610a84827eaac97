//! Streams and events: everything is done when the call returns, so they only keep order and time.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use cuproxide_hal::{CaptureMode, Error, Event, Graph, HostFunction, Result, Stream, StreamFlags};
use parking_lot::Mutex;

use crate::name::NAME;
use crate::recorder::{Call, Recorder};

/// A stream.
pub(crate) struct NoopStream {
    pub(crate) device: usize,
    pub(crate) raw: u64,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) flags: StreamFlags,
    /// The number of the capture under way, or 0.
    pub(crate) capture: AtomicU64,
}

static NEXT_CAPTURE: AtomicU64 = AtomicU64::new(1);

impl NoopStream {
    fn add(&self, call: Call) {
        self.recorder.add(self.device, Some(self.raw), call);
    }

    fn captures(&self) -> bool {
        self.capture.load(Ordering::SeqCst) != 0
    }
}

impl Stream for NoopStream {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        if self.captures() {
            return Err(Error::capture(NAME, "the stream captures, so nothing runs that could be waited for"));
        }
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

    fn flags(&self) -> Result<StreamFlags> {
        Ok(self.flags)
    }

    fn call_host(&self, function: HostFunction) -> Result<()> {
        self.add(Call::CallHost);
        if !self.captures() {
            function();
        }
        Ok(())
    }

    fn begin_capture(&self, _mode: CaptureMode) -> Result<()> {
        let capture = NEXT_CAPTURE.fetch_add(1, Ordering::SeqCst);
        if self.capture.compare_exchange(0, capture, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return Err(Error::capture(NAME, "the stream captures already"));
        }
        self.add(Call::BeginCapture { capture });
        Ok(())
    }

    fn end_capture(&self) -> Result<Arc<dyn Graph>> {
        let capture = self.capture.swap(0, Ordering::SeqCst);
        if capture == 0 {
            return Err(Error::capture(NAME, "the stream does not capture"));
        }
        self.add(Call::EndCapture { capture });
        Ok(Arc::new(NoopGraph { capture, device: self.device, recorder: self.recorder.clone() }))
    }

    fn capture(&self) -> Result<Option<u64>> {
        Ok(Some(self.capture.load(Ordering::SeqCst)).filter(|&capture| capture != 0))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A captured graph: its number.
struct NoopGraph {
    capture: u64,
    device: usize,
    recorder: Arc<Recorder>,
}

impl Graph for NoopGraph {
    unsafe fn launch(&self, stream: &dyn Stream) -> Result<()> {
        self.recorder.add(self.device, Some(stream.raw()), Call::LaunchGraph { capture: self.capture });
        Ok(())
    }

    fn dot(&self, _flags: u32) -> Result<String> {
        Ok(format!("digraph \"graph_{}\" {{\n}}\n", self.capture))
    }

    fn raw(&self) -> (u64, u64) {
        (self.capture, self.capture)
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
