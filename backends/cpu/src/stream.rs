//! Streams and events: work is done when its call returns, so a stream has nothing to keep in order, unless it captures.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use cuproxide_hal::{CaptureMode, Error, Event, Graph, HostFunction, Result, Stream, StreamFlags};
use parking_lot::Mutex;

use crate::graph::{Capture, any_open, run_or_record};

/// Handles that drivers give a meaning (the default streams) are never given to a stream of our own.
static NEXT: AtomicU64 = AtomicU64::new(16);
/// The handle that every thread's own default stream has.
const PER_THREAD: u64 = 2;
/// Marks the ids of streams that were made up from a handle.
const EXTERNAL: u64 = 1 << 63;
/// The streams that live, so that a handle finds its stream.
static LIVE: Mutex<Vec<Weak<CpuStream>>> = Mutex::new(Vec::new());

/// A stream: a name, and the capture that it takes part in.
pub struct CpuStream {
    raw: u64,
    id: u64,
    flags: StreamFlags,
    capture: Mutex<Option<Arc<Capture>>>,
}

impl CpuStream {
    /// The default stream.
    pub const fn default_stream() -> CpuStream {
        CpuStream { raw: 0, id: 0, flags: StreamFlags { non_blocking: false, priority: 0 }, capture: Mutex::new(None) }
    }

    /// The default stream of one thread.
    pub fn per_thread() -> CpuStream {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        CpuStream { raw: PER_THREAD, id, flags: StreamFlags::default(), capture: Mutex::default() }
    }

    /// A stream with a new name.
    pub fn create(flags: StreamFlags) -> Arc<CpuStream> {
        let raw = NEXT.fetch_add(1, Ordering::Relaxed);
        CpuStream::listed(CpuStream { raw, id: raw, flags, capture: Mutex::default() })
    }

    /// The stream with a given name.
    pub fn named(raw: u64) -> Arc<CpuStream> {
        let found = LIVE.lock().iter().filter_map(Weak::upgrade).find(|stream| stream.raw == raw);
        found.unwrap_or_else(|| {
            CpuStream::listed(CpuStream {
                raw,
                id: raw | EXTERNAL,
                flags: StreamFlags::default(),
                capture: Mutex::default(),
            })
        })
    }

    fn listed(stream: CpuStream) -> Arc<CpuStream> {
        let stream = Arc::new(stream);
        let mut live = LIVE.lock();
        live.retain(|stream| stream.strong_count() > 0);
        live.push(Arc::downgrade(&stream));
        stream
    }

    /// The capture that the stream takes part in.
    pub fn current_capture(&self) -> Option<Arc<Capture>> {
        let mut capture = self.capture.lock();
        // Captures end on the stream where they began; the others find out here.
        if capture.as_ref().is_some_and(|capture| !capture.is_open()) {
            *capture = None;
        }
        capture.clone()
    }

    /// Fails, and invalidates the capture, if the stream captures.
    fn refuse(&self, what: &str) -> Result<()> {
        if !any_open() {
            return Ok(());
        }
        self.current_capture().map_or(Ok(()), |capture| Err(capture.refuse(what)))
    }
}

fn own(event: &dyn Event) -> Result<&CpuEvent> {
    event.as_any().downcast_ref().ok_or_else(|| Error::unsupported("cpu", "events of another backend"))
}

impl Stream for CpuStream {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn id(&self) -> u64 {
        self.id
    }

    fn synchronize(&self) -> Result<()> {
        self.refuse("waiting for the stream (as reading array data on the host does)")
    }

    fn is_idle(&self) -> Result<bool> {
        self.refuse("asking whether the stream is done").map(|()| true)
    }

    fn record(&self, event: &dyn Event) -> Result<()> {
        *own(event)?.state.lock() = match self.current_capture() {
            Some(capture) => Reached::In(capture),
            None => Reached::At(Instant::now()),
        };
        Ok(())
    }

    fn wait(&self, event: &dyn Event) -> Result<()> {
        let Reached::In(theirs) = &*own(event)?.state.lock() else { return Ok(()) };
        if !theirs.is_open() {
            return Err(Error::capture("cpu", "the event was recorded in a capture that has ended"));
        }
        match self.current_capture() {
            Some(mine) if mine.id != theirs.id => Err(mine.refuse("waiting for an event of another capture")),
            _ => {
                *self.capture.lock() = Some(theirs.clone());
                Ok(())
            }
        }
    }

    fn flags(&self) -> Result<StreamFlags> {
        Ok(self.flags)
    }

    fn call_host(&self, function: HostFunction) -> Result<()> {
        run_or_record(self, "host function", move || {
            function();
            Ok(())
        })
    }

    fn begin_capture(&self, _mode: CaptureMode) -> Result<()> {
        if self.current_capture().is_some() {
            return Err(Error::capture("cpu", "the stream captures already"));
        }
        *self.capture.lock() = Some(Capture::begin(self.raw));
        Ok(())
    }

    fn end_capture(&self) -> Result<Arc<dyn Graph>> {
        match self.current_capture() {
            None => Err(Error::capture("cpu", "the stream does not capture")),
            Some(capture) if capture.origin != self.raw => {
                Err(capture.refuse("ending the capture on a stream other than the one where it began"))
            }
            Some(capture) => {
                *self.capture.lock() = None;
                capture.finish()
            }
        }
    }

    fn capture(&self) -> Result<Option<u64>> {
        Ok(self.current_capture().map(|capture| capture.id))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CpuStream {
    fn drop(&mut self) {
        if let Some(capture) = self.capture.get_mut().take().filter(|capture| capture.origin == self.raw) {
            capture.close();
        }
    }
}

/// How far an event got.
enum Reached {
    Never,
    At(Instant),
    /// It marks a place in a capture, which no time belongs to.
    In(Arc<Capture>),
}

/// An event: the time when it was recorded.
pub struct CpuEvent {
    raw: u64,
    timing: bool,
    state: Mutex<Reached>,
}

impl CpuEvent {
    /// An event that has not been recorded.
    pub fn new(timing: bool) -> CpuEvent {
        CpuEvent { raw: NEXT.fetch_add(1, Ordering::Relaxed), timing, state: Mutex::new(Reached::Never) }
    }

    fn time(&self) -> Result<Instant> {
        if !self.timing {
            return Err(Error::unsupported("cpu", "reading the time of an event made without timing"));
        }
        match *self.state.lock() {
            Reached::At(time) => Ok(time),
            Reached::Never => Err(Error::unsupported("cpu", "reading the time of an event before it is recorded")),
            Reached::In(_) => Err(Error::capture("cpu", "the event was recorded in a capture and has no time")),
        }
    }

    fn refuse(&self) -> Result<()> {
        match &*self.state.lock() {
            Reached::In(capture) if capture.is_open() => Err(capture.refuse("waiting for an event of the capture")),
            Reached::In(_) => Err(Error::capture("cpu", "the event was recorded in a capture that has ended")),
            _ => Ok(()),
        }
    }
}

impl Event for CpuEvent {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        self.refuse()
    }

    fn is_done(&self) -> Result<bool> {
        self.refuse().map(|()| true)
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
