//! Graphs: a step of a program captured once and launched many times.

use std::sync::Arc;

use cuproxide_hal::{self as hal, CaptureMode, Event, Stream};
use parking_lot::Mutex;

use crate::context::Context;
use crate::detach::{lock, queueing};
use crate::error::Result;
use crate::memory::capture::{self, Hold};
use crate::memory::quiet;
use crate::trace;

/// Captured work with the memory that it uses.
///
/// A launch runs on the very memory that the work was captured with: change the content of the operands to compute with
/// other values. All of that memory stays the graph's, including what temporary arrays had.
pub struct Graph {
    body: Arc<Body>,
}

struct Body {
    // Dropped before the memory that it uses.
    graph: Arc<dyn hal::Graph>,
    context: Arc<Context>,
    hold: Arc<Hold>,
    /// Marks the end of the last launch.
    last: Mutex<Option<Arc<dyn Event>>>,
}

/// Graphs that nobody has any more but that may still run.
static RETIRED: Mutex<Vec<Arc<Body>>> = Mutex::new(Vec::new());

/// Drops the graphs whose last launch is done.
fn reap() {
    // Drivers are asked without the lock: they may wait.
    let retired = std::mem::take(&mut *RETIRED.lock());
    let (running, finished): (Vec<_>, Vec<_>) = retired.into_iter().partition(|body| body.may_run());
    RETIRED.lock().extend(running);
    drop(finished);
}

/// Deferred work of the program belongs before the capture: this is the one place that sees to it.
fn flush_before_capture(context: &Arc<Context>) -> Result<()> {
    context.flush()
}

/// Deferred work of the capture belongs into its graph: this is the one place that sees to it.
///
/// That of all streams that take part, whichever objects stand for them, and no other: a launch in the default stream would
/// invalidate the capture of a stream that waits for it. The rest stays deferred, and runs after the capture.
fn flush_into_capture(context: &Arc<Context>, capture: u64) -> Result<()> {
    context.fuser().flush_capture(capture)
}

/// Starts to capture what is queued on `stream`.
///
/// # Errors
/// Those of the device; the default stream cannot capture.
pub fn begin_capture(context: &Arc<Context>, stream: &Arc<dyn Stream>, mode: CaptureMode) -> Result<()> {
    reap();
    let id = context.id();
    if stream.id() == context.default_stream().id() {
        return Err(hal::Error::capture(id.backend, "the default stream cannot capture; make a Stream").into());
    }
    flush_before_capture(context)?;
    // Nothing can be given back while the capture runs.
    context.pool().sweep()?;
    let _closed = quiet::closed();
    stream.begin_capture(mode)?;
    match stream.capture() {
        Ok(Some(number)) => {
            capture::begin(id, stream, number);
            Ok(())
        }
        other => {
            let _ = stream.end_capture();
            other.map_err(Into::into).map(drop)
        }
    }
}

/// Ends a capture that began on `stream`.
///
/// # Errors
/// Those of the device: work that cannot be captured invalidates a capture. The stream is usable all the same.
pub fn end_capture(context: &Arc<Context>, stream: &Arc<dyn Stream>) -> Result<Graph> {
    let flushed = match stream.capture() {
        Ok(Some(number)) => flush_into_capture(context, number),
        _ => Ok(()),
    };
    let ended = stream.end_capture();
    // A stream that still captures was only part of a capture that began on another one.
    let hold = if matches!(stream.capture(), Ok(Some(_))) { None } else { capture::end(context.id(), stream.id()) };
    drop(quiet::quiet());
    let graph = ended?;
    flushed?;
    let Some(hold) = hold else {
        return Err(hal::Error::capture(context.id().backend, "the capture was not begun by this library").into());
    };
    let body = Body { graph, context: context.clone(), hold, last: Mutex::default() };
    Ok(Graph { body: Arc::new(body) })
}

impl Body {
    fn may_run(&self) -> bool {
        // It is locked while the graph is launched.
        let Some(last) = self.last.try_lock().map(|last| last.clone()) else { return true };
        last.is_some_and(|event| event.is_done().is_ok_and(|done| !done))
    }
}

impl Graph {
    /// The device.
    pub fn context(&self) -> &Arc<Context> {
        &self.body.context
    }

    /// Queues the captured work on `stream`, and raises what its kernels recorded if the device has done it by now.
    pub fn launch(&self, stream: &Arc<dyn Stream>) -> Result<()> {
        trace::refuse("it launches a graph");
        queueing(|| self.queue(stream))
    }

    fn queue(&self, stream: &Arc<dyn Stream>) -> Result<()> {
        // What is deferred may read or fill the graph's memory.
        self.body.context.flush()?;
        let Body { graph, context, last, .. } = self.body.as_ref();
        if let Some(parent) = capture::of(context.id(), stream.as_ref()) {
            parent.keep(self.body.clone());
            // SAFETY: the capture, and then its graph, keeps this graph's memory.
            return Ok(unsafe { graph.launch(stream.as_ref()) }?);
        }
        let mut last = lock(last);
        let event = match last.as_ref() {
            Some(event) => event.clone(),
            None => context.device().create_event(false)?,
        };
        // SAFETY: the memory is held until the event that is recorded next.
        unsafe { graph.launch(stream.as_ref()) }?;
        stream.record(event.as_ref())?;
        *last = Some(event);
        drop(last);
        if context.info().asynchronous { Ok(()) } else { context.check_fault() }
    }

    /// Moves what a launch needs to the device.
    pub fn upload(&self, stream: &Arc<dyn Stream>) -> Result<()> {
        Ok(self.body.graph.upload(stream.as_ref())?)
    }

    /// The captured work in the DOT language.
    pub fn dot(&self, flags: u32) -> Result<String> {
        Ok(self.body.graph.dot(flags)?)
    }

    /// The driver's handles of the graph and of its executable form.
    pub fn raw(&self) -> (u64, u64) {
        self.body.graph.raw()
    }

    /// Keeps an object as long as the graph.
    pub fn hold(&self) -> &Hold {
        &self.body.hold
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.body.may_run() {
            capture::set_reclaim(reap);
            RETIRED.lock().push(self.body.clone());
        }
        reap();
    }
}
