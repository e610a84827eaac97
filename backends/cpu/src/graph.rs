//! Captured work: a list of jobs, run in order by each launch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use cuproxide_hal::{Error, Graph, Launch, Operand, Result, Scalar, Stream, interrupt};
use parking_lot::Mutex;

use crate::registers::Cleared;
use crate::stream::CpuStream;

/// Captures that are going on; mostly none, which is all that a launch has to know.
static OPEN: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicU64 = AtomicU64::new(1);

struct Job {
    label: &'static str,
    work: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

/// What the streams of one capture were asked to do, in the order of the calls.
pub struct Capture {
    /// The capture's number.
    pub id: u64,
    /// Handle of the stream on which it began.
    pub origin: u64,
    open: AtomicBool,
    void: Mutex<Option<String>>,
    jobs: Mutex<Vec<Job>>,
}

impl Capture {
    /// A capture that begins on the stream with this handle.
    pub fn begin(origin: u64) -> Arc<Capture> {
        OPEN.fetch_add(1, Ordering::SeqCst);
        Arc::new(Capture {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            origin,
            open: AtomicBool::new(true),
            void: Mutex::default(),
            jobs: Mutex::default(),
        })
    }

    /// Whether it has not ended.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Ends it; whether it was still going on.
    pub fn close(&self) -> bool {
        let was_open = self.open.swap(false, Ordering::AcqRel);
        if was_open {
            OPEN.fetch_sub(1, Ordering::SeqCst);
        }
        was_open
    }

    /// Records a job.
    pub fn push(&self, label: &'static str, work: impl Fn() -> Result<()> + Send + Sync + 'static) {
        self.jobs.lock().push(Job { label, work: Box::new(work) });
    }

    /// Invalidates the capture and returns the error that says why.
    pub fn refuse(&self, what: &str) -> Error {
        let message = format!(
            "{what} is not possible while the stream captures a graph, because nothing runs before the graph is launched; \
             the capture is invalid"
        );
        self.void.lock().get_or_insert_with(|| what.to_owned());
        Error::capture("cpu", message)
    }

    /// Ends the capture with its graph.
    pub fn finish(&self) -> Result<Arc<dyn Graph>> {
        self.close();
        if let Some(what) = self.void.lock().take() {
            return Err(Error::capture("cpu", format!("{what} invalidated the capture")));
        }
        let jobs = std::mem::take(&mut *self.jobs.lock());
        Ok(Arc::new(CpuGraph(Arc::new(Jobs { id: self.id, jobs, turn: Mutex::default() }))))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whether any stream captures.
pub fn any_open() -> bool {
    OPEN.load(Ordering::Relaxed) > 0
}

/// The capture that a stream takes part in.
#[inline]
pub fn capture_of(stream: &dyn Stream) -> Option<Arc<Capture>> {
    if !any_open() {
        return None;
    }
    stream.as_any().downcast_ref::<CpuStream>()?.current_capture()
}

/// Runs work now, which Ctrl-C may end, or lets the stream's capture record it. The work must be able to run again.
pub fn run_or_record(
    stream: &dyn Stream,
    label: &'static str,
    work: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    let work = move || {
        let _cleared = Cleared;
        work()
    };
    match capture_of(stream) {
        None => interrupt::caught(work),
        Some(capture) => {
            capture.push(label, work);
            Ok(())
        }
    }
}

/// [`run_or_record`] of work that is over in a moment if it `is_brief`: nobody could interrupt it before, so it runs to its end.
pub fn run_or_record_brief(
    stream: &dyn Stream,
    label: &'static str,
    is_brief: bool,
    work: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    if is_brief && !any_open() {
        let _cleared = Cleared;
        return work();
    }
    run_or_record(stream, label, work)
}

/// A launch that owns its lists.
pub struct OwnedLaunch {
    outer: Vec<usize>,
    inner: Vec<usize>,
    operands: Vec<Operand>,
    scalars: Vec<Scalar>,
    scratch: u64,
}

impl OwnedLaunch {
    /// A copy of a launch.
    pub fn new(launch: &Launch<'_>) -> OwnedLaunch {
        OwnedLaunch {
            outer: launch.outer.to_vec(),
            inner: launch.inner.to_vec(),
            operands: launch.operands.to_vec(),
            scalars: launch.scalars.to_vec(),
            scratch: launch.scratch,
        }
    }

    /// The launch.
    pub fn borrow(&self) -> Launch<'_> {
        Launch {
            outer: &self.outer,
            inner: &self.inner,
            operands: &self.operands,
            scalars: &self.scalars,
            scratch: self.scratch,
        }
    }
}

struct Jobs {
    id: u64,
    jobs: Vec<Job>,
    /// Launches take turns.
    turn: Mutex<()>,
}

impl Jobs {
    fn run(&self) -> Result<()> {
        let _turn = self.turn.lock();
        // All of them or none: what one has written another may have read.
        interrupt::held(|| self.jobs.iter().try_for_each(|job| (job.work)()))
    }
}

struct CpuGraph(Arc<Jobs>);

impl Graph for CpuGraph {
    unsafe fn launch(&self, stream: &dyn Stream) -> Result<()> {
        let jobs = self.0.clone();
        run_or_record(stream, "graph", move || jobs.run())
    }

    fn dot(&self, _flags: u32) -> Result<String> {
        let mut text = format!("digraph \"graph_{}\" {{\n", self.0.id);
        for (number, job) in self.0.jobs.iter().enumerate() {
            text += &format!("  node_{number} [label=\"{number}: {}\"];\n", job.label);
        }
        for number in 1..self.0.jobs.len() {
            text += &format!("  node_{} -> node_{number};\n", number - 1);
        }
        Ok(text + "}\n")
    }

    fn raw(&self) -> (u64, u64) {
        (self.0.id, self.0.id)
    }
}
