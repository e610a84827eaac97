//! Products of matrices with structured sparsity: work that programs queue at plain addresses.

use cuproxide_hal as hal;
use cuproxide_hal::Stream;
use cuproxide_hal::libraries::Structured;

use crate::context::Context;
use crate::detach::queueing;
use crate::error::Result;
use crate::timeline::{self, Work};

/// The library of a device.
///
/// # Errors
/// A missing library, and a device that has none.
pub fn library(context: &Context) -> Result<&dyn Structured> {
    Ok(queueing(|| context.device().libraries().structured())?)
}

/// Queues work of the library on the thread's current stream, after what is deferred there.
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
