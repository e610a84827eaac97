//! A device's libraries, for callers that only pass work on to one.

use cuproxide_hal as hal;
use cuproxide_hal::Stream;
use cuproxide_hal::libraries::Libraries;

use crate::context::Context;
use crate::detach::queueing;
use crate::error::Result;
use crate::timeline::{self, Work};

/// A library of a device: what a method of [`Libraries`] gives out.
///
/// # Errors
/// A missing library, and a device that has none.
pub fn library<'a, T: Send>(
    context: &'a Context,
    which: impl FnOnce(&'a Libraries) -> hal::Result<T> + Send,
) -> Result<T> {
    Ok(queueing(|| which(context.device().libraries()))?)
}

/// Queues work of a library on the thread's current stream, after what is deferred there.
///
/// # Errors
/// Those of the library.
pub fn queue(
    context: &Context,
    name: &'static str,
    work: impl FnOnce(&dyn Stream) -> hal::Result<()> + Send,
) -> Result<()> {
    context.flush_onto(context.stream().as_ref())?;
    let _span = timeline::queued(Work::Library, name, context, || 0);
    context.queue(work)?;
    Ok(())
}
