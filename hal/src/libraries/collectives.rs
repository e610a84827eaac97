//! Communication between the devices of one or several processes.

use std::sync::Arc;

use crate::{DType, Result, Stream};

/// How elements of several ranks are combined. Of bools the sum and the maximum are true where one is, the product and the
/// minimum where all are; they have no average. The result has 0 where it is false and may have any other byte where it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Maximum.
    Max,
    /// Minimum.
    Min,
    /// Sum divided by the number of ranks.
    Average,
}

/// One rank's end of a group. All ranks make the same calls in the same order. Addresses are memory of the rank's device;
/// calls queue their work on a stream of that device.
pub trait Communicator: Send + Sync {
    /// This rank's number.
    fn rank(&self) -> Result<usize>;

    /// Number of ranks.
    fn size(&self) -> Result<usize>;

    /// Number of the device.
    fn device(&self) -> Result<usize>;

    /// The vendor's handle.
    fn raw(&self) -> u64;

    /// Combines `count` elements of all ranks, for all of them.
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

    /// Combines `count` elements of all ranks, for `root`.
    ///
    /// # Safety
    /// As for `all_reduce`; only `root` needs `dst`.
    unsafe fn reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
        root: usize,
    ) -> Result<()>;

    /// Sends the elements of `root` to every rank.
    ///
    /// # Safety
    /// As for `all_reduce`; only `root` needs `src`.
    unsafe fn broadcast(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        root: usize,
    ) -> Result<()>;

    /// Combines `count * size` elements of all ranks and gives each its `count`.
    ///
    /// # Safety
    /// `src` holds `count * size` and `dst` `count` elements of `dtype`.
    unsafe fn reduce_scatter(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()>;

    /// Gathers `count` elements of every rank into `count * size` at `dst`.
    ///
    /// # Safety
    /// `src` holds `count` and `dst` `count * size` elements of `dtype`.
    unsafe fn all_gather(&self, stream: &dyn Stream, src: u64, dst: u64, count: usize, dtype: DType) -> Result<()>;

    /// Sends to a rank, which receives.
    ///
    /// # Safety
    /// `src` is device memory of `count` elements of `dtype`.
    unsafe fn send(&self, stream: &dyn Stream, src: u64, count: usize, dtype: DType, peer: usize) -> Result<()>;

    /// Receives from a rank, which sends.
    ///
    /// # Safety
    /// `dst` is device memory of `count` elements of `dtype`.
    unsafe fn receive(&self, stream: &dyn Stream, dst: u64, count: usize, dtype: DType, peer: usize) -> Result<()>;

    /// The group of the ranks with the same `color`, in the order of `key`; nothing for a negative color.
    fn split(&self, color: i32, key: i32) -> Result<Option<Arc<dyn Communicator>>>;

    /// Stops what has been queued and leaves the group.
    fn abort(&self) -> Result<()>;

    /// Leaves the group once what has been queued is done.
    fn destroy(&self) -> Result<()>;

    /// An error that happened since the last call returned.
    fn check(&self) -> Result<()>;
}

/// Maker of communicators.
pub trait Collectives: Send + Sync {
    /// Version of the library, as major * 10000 + minor * 100 + patch level.
    fn version(&self) -> Result<i32>;

    /// Bytes that identify a new group; one rank makes them and hands them to the others.
    fn unique_id(&self) -> Result<Vec<u8>>;

    /// Joins a group; blocks until all ranks have joined.
    fn join(&self, id: &[u8], rank: usize, size: usize) -> Result<Arc<dyn Communicator>>;

    /// A group of devices of this process, one rank each.
    fn join_all(&self, devices: &[usize]) -> Result<Vec<Arc<dyn Communicator>>>;

    /// Begins a number of calls that are made at once.
    fn group_start(&self) -> Result<()>;

    /// Makes them.
    fn group_end(&self) -> Result<()>;
}
