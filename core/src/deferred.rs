//! All that a device's context knows of deferred work: that it can be queued. [`fusion`](crate::fusion) registers itself
//! here with the first operation that it defers.

use std::any::Any;
use std::sync::OnceLock;

use cuproxide_hal::Stream;

use crate::error::Result;
use crate::storage::Storage;

/// Deferred work of one device.
pub trait Deferred: Any + Send + Sync {
    /// Queues what fills or changes a storage; with `all`, also what reads it.
    fn settle(&self, storage: &Storage, all: bool) -> Result<()>;

    /// Queues the work of one stream, whichever object stands for it, or of all, for a synchronisation.
    fn flush_stream(&self, stream: Option<&dyn Stream>) -> Result<()>;

    /// Runs what may free memory, since there is none left. Returns whether any has run.
    fn make_room(&self) -> bool;

    /// Whether there is none.
    fn is_idle(&self) -> bool;
}

/// The place of a device's deferred work; empty until something is deferred.
#[derive(Default)]
pub(crate) struct Waiting(OnceLock<Box<dyn Deferred>>);

impl Waiting {
    /// The deferred work, of which there is one kind in the process.
    #[inline]
    pub fn get<D: Deferred + Default>(&self) -> &D {
        let work: &dyn Any = self.0.get_or_init(|| Box::new(D::default())).as_ref();
        work.downcast_ref().expect("one kind of deferred work")
    }

    /// As [`Deferred::settle`].
    pub fn settle(&self, storage: &Storage, all: bool) -> Result<()> {
        self.0.get().map_or(Ok(()), |work| work.settle(storage, all))
    }

    /// As [`Deferred::flush_stream`].
    pub fn flush_stream(&self, stream: Option<&dyn Stream>) -> Result<()> {
        self.0.get().map_or(Ok(()), |work| work.flush_stream(stream))
    }

    /// As [`Deferred::make_room`].
    pub fn make_room(&self) -> bool {
        self.0.get().is_some_and(|work| work.make_room())
    }
}
