//! Communication between the devices of one or several processes.

use std::sync::Arc;

use crate::{DType, Result, Stream};

/// How elements of several ranks are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// One rank's end of a group. All ranks make the same calls in the same order.
pub trait Communicator: Send + Sync {
    /// This rank's number.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Queues an all-reduce of `count` elements.
    ///
    /// # Safety
    /// Both addresses are device memory of `count` elements of `dtype`.
    unsafe fn all_reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()>;

    /// Queues sending the elements of `root` to every rank.
    ///
    /// # Safety
    /// `buffer` is device memory of `count` elements of `dtype`.
    unsafe fn broadcast(&self, stream: &dyn Stream, buffer: u64, count: usize, dtype: DType, root: usize)
    -> Result<()>;

    /// Queues gathering `count` elements of every rank into `count * size` at `dst`.
    ///
    /// # Safety
    /// `src` holds `count` and `dst` `count * size` elements of `dtype`.
    unsafe fn all_gather(&self, stream: &dyn Stream, src: u64, dst: u64, count: usize, dtype: DType) -> Result<()>;
}

/// Maker of communicators.
pub trait Collectives: Send + Sync {
    /// Bytes that identify a new group; one rank makes them and hands them to the others.
    fn unique_id(&self) -> Result<Vec<u8>>;

    /// Joins a group; blocks until all ranks have joined.
    fn join(&self, id: &[u8], rank: usize, size: usize) -> Result<Arc<dyn Communicator>>;
}
