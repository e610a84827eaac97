//! Streams and events.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use cuproxide_hal as hal;
use cuproxide_hal::{Result, Stream as _};

use crate::api::driver::{Driver, NOT_READY};
use crate::context::Primary;
use crate::graph;
use crate::unfinished;

/// A stream: the legacy default one, one of our own, or another library's.
pub(crate) struct Stream {
    pub driver: &'static Driver,
    pub primary: Primary,
    raw: AtomicU64,
    id: u64,
    /// Whether dropping destroys the handle.
    owned: bool,
    /// The thread whose default stream it is.
    thread: Option<ThreadId>,
}

/// Number of the next stream of our own. The driver reuses handles, which have other values than these.
static NEXT: AtomicU64 = AtomicU64::new(1);
/// The driver's name for the default stream of whichever thread makes the call.
pub(crate) const PER_THREAD: u64 = 2;
/// Marks the ids of other libraries' streams, which are their handles.
const EXTERNAL: u64 = 1 << 63;

/// An event.
pub(crate) struct Event {
    pub driver: &'static Driver,
    pub primary: Primary,
    pub raw: u64,
    /// Whether it is destroyed with this value.
    pub owned: bool,
}

const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;

/// A new stream of the driver.
fn handle(driver: &Driver, flags: hal::StreamFlags) -> Result<u64> {
    let mut raw = 0;
    let bits = if flags.non_blocking { NON_BLOCKING } else { 0 };
    // SAFETY: the driver writes one handle; it clamps priorities to its range.
    unsafe { driver.stream_create(&mut raw, bits, flags.priority) }?;
    Ok(raw)
}

impl Stream {
    pub fn create(driver: &'static Driver, primary: Primary, flags: hal::StreamFlags) -> Result<Arc<Stream>> {
        primary.enter(driver)?;
        let raw = AtomicU64::new(handle(driver, flags)?);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(Stream { driver, primary, raw, id, owned: true, thread: None }))
    }

    /// The default stream of the calling thread, for use by this thread.
    pub fn per_thread(driver: &'static Driver, primary: Primary) -> Arc<Stream> {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let thread = Some(thread::current().id());
        Arc::new(Stream { driver, primary, raw: AtomicU64::new(PER_THREAD), id, owned: false, thread })
    }

    /// A stream that somebody else owns: the legacy default stream (0) or another library's.
    pub fn borrowed(driver: &'static Driver, primary: Primary, raw: u64) -> Arc<Stream> {
        let id = if raw == 0 { 0 } else { raw | EXTERNAL };
        Arc::new(Stream { driver, primary, raw: AtomicU64::new(raw), id, owned: false, thread: None })
    }

    /// Gives a stream whose capture was invalidated another handle, where the driver leaves the old one in that state: ROCm
    /// does, up to 7.2.
    fn leave_void_capture(&self) -> Result<()> {
        if self.owned && graph::is_void(self.driver, self.raw())? {
            let flags = self.flags()?;
            let void = self.raw.swap(handle(self.driver, flags)?, Ordering::Relaxed);
            // SAFETY: the handle was ours, and nobody finds it from here on.
            unsafe { self.driver.stream_destroy(void)? };
        }
        Ok(())
    }
}

impl Event {
    pub fn create(driver: &'static Driver, primary: Primary, timing: bool) -> Result<Arc<Event>> {
        primary.enter(driver)?;
        let mut raw = 0;
        // SAFETY: the driver writes one handle.
        unsafe { driver.event_create(&mut raw, if timing { 0 } else { DISABLE_TIMING }) }?;
        Ok(Arc::new(Event { driver, primary, raw, owned: true }))
    }
}

/// Whether a query says that all is done.
fn done(driver: &Driver, call: &'static str, status: Option<i32>) -> Result<bool> {
    match status {
        Some(0) => Ok(true),
        Some(NOT_READY) => Ok(false),
        Some(code) => Err(driver.failure(call, code)),
        None => Err(crate::api::missing(&driver.library, call)),
    }
}

impl hal::Stream for Stream {
    fn raw(&self) -> u64 {
        self.raw.load(Ordering::Relaxed)
    }

    fn id(&self) -> u64 {
        self.id
    }

    fn is_of_another_thread(&self) -> bool {
        self.thread.is_some_and(|own| own != thread::current().id())
    }

    fn synchronize(&self) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: the handle lives as long as this object.
        unsafe { self.driver.stream_synchronize(self.raw()) }?;
        unfinished::finished(self.primary.id(), Some(self.id));
        Ok(())
    }

    fn is_idle(&self) -> Result<bool> {
        self.primary.enter(self.driver)?;
        // SAFETY: as above.
        let status = self.driver.stream_query.map(|query| unsafe { query(self.raw()) });
        done(self.driver, "cuStreamQuery", status)
    }

    fn record(&self, event: &dyn hal::Event) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: both handles live; the HAL's contract is that they belong to one device.
        unsafe { self.driver.event_record(event.raw(), self.raw()) }
    }

    fn wait(&self, event: &dyn hal::Event) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: both handles live.
        unsafe { self.driver.stream_wait(self.raw(), event.raw(), 0) }
    }

    fn flags(&self) -> Result<hal::StreamFlags> {
        self.primary.enter(self.driver)?;
        let (mut bits, mut priority) = (0, 0);
        // SAFETY: the handle lives; the driver writes two numbers.
        unsafe {
            self.driver.stream_flags(self.raw(), &mut bits)?;
            self.driver.stream_priority(self.raw(), &mut priority)?;
        }
        Ok(hal::StreamFlags { non_blocking: bits & NON_BLOCKING != 0, priority })
    }

    fn call_host(&self, function: hal::HostFunction) -> Result<()> {
        self.primary.enter(self.driver)?;
        graph::call_host(self.driver, self.raw(), function)
    }

    fn begin_capture(&self, mode: hal::CaptureMode) -> Result<()> {
        self.primary.enter(self.driver)?;
        graph::begin(self.driver, self.raw(), mode)
    }

    fn end_capture(&self) -> Result<Arc<dyn hal::Graph>> {
        self.primary.enter(self.driver)?;
        match graph::end(self.driver, self.primary, self.raw()) {
            Ok(graph) => Ok(Arc::new(graph)),
            Err(error) => {
                self.leave_void_capture()?;
                Err(error)
            }
        }
    }

    fn capture(&self) -> Result<Option<u64>> {
        self.primary.enter(self.driver)?;
        graph::capture_of(self.driver, self.raw())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned && self.primary.enter(self.driver).is_ok() {
            graph::abandon(self.driver, self.primary, self.raw());
            // SAFETY: the handle is ours; the driver finishes queued work before it frees the stream.
            let _ = unsafe { self.driver.stream_destroy(self.raw()) };
        }
    }
}

impl hal::Event for Event {
    fn raw(&self) -> u64 {
        self.raw
    }

    fn synchronize(&self) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: the handle lives as long as this object.
        unsafe { self.driver.event_synchronize(self.raw) }
    }

    fn is_done(&self) -> Result<bool> {
        self.primary.enter(self.driver)?;
        // SAFETY: as above.
        let status = self.driver.event_query.map(|query| unsafe { query(self.raw) });
        done(self.driver, "cuEventQuery", status)
    }

    fn elapsed_since(&self, start: &dyn hal::Event) -> Result<f32> {
        self.primary.enter(self.driver)?;
        let mut milliseconds = 0.0;
        // SAFETY: both handles live; the driver writes one number.
        unsafe { self.driver.event_elapsed(&mut milliseconds, start.raw(), self.raw) }?;
        Ok(milliseconds)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.owned && self.primary.enter(self.driver).is_ok() {
            // SAFETY: the handle is ours.
            let _ = unsafe { self.driver.event_destroy(self.raw) };
        }
    }
}
