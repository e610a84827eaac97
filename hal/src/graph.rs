//! Captured work: what streams were asked to do, recorded once and launched many times.

use crate::error::Result;
use crate::stream::Stream;

/// What other calls of the program may do while a stream captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureMode {
    /// No thread may make calls that could disturb a capture, such as allocating memory.
    Global,
    /// The capturing thread may not make such calls.
    ThreadLocal,
    /// Every call is allowed that does not concern the capturing stream itself.
    #[default]
    Relaxed,
}

/// A host callback: a function that a stream calls. A graph calls it at each launch.
pub type HostFunction = Box<dyn Fn() + Send + Sync>;

/// Captured work, ready to launch.
///
/// It refers to the memory that the work was captured with; keeping that alive is the caller's business. What a backend
/// itself needs (copies of pageable host memory, host functions, machine code) the graph keeps.
pub trait Graph: Send + Sync {
    /// Queues all of the work on `stream`. Launches of one graph do not overlap.
    ///
    /// # Safety
    /// The memory that the captured work refers to is alive until the work is done.
    unsafe fn launch(&self, stream: &dyn Stream) -> Result<()>;

    /// Moves what a launch needs to the device ahead of the first one.
    fn upload(&self, stream: &dyn Stream) -> Result<()> {
        let _ = stream;
        Ok(())
    }

    /// The work as text in the DOT language; `flags` choose the details in the vendor's way.
    fn dot(&self, flags: u32) -> Result<String>;

    /// The vendor's handles of the graph and of its executable form.
    fn raw(&self) -> (u64, u64);
}
