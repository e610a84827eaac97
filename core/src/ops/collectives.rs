//! Communication between devices: what the ranks of a group do together with their arrays.

use std::sync::Arc;

use cuproxide_hal::libraries::{Collectives, Communicator, ReduceOp};
use cuproxide_hal::{self as hal, DType, Stream};

use crate::context::Context;
use crate::detach::queueing;
use crate::error::Result;
use crate::timeline::{self, Work};

/// What all ranks do, or two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Combines the elements of all ranks, for all of them.
    AllReduce(ReduceOp),
    /// Combines the elements of all ranks, for this one.
    Reduce(ReduceOp, usize),
    /// Sends the elements of this rank to all.
    Broadcast(usize),
    /// Combines the elements of all ranks and gives each a share.
    ReduceScatter(ReduceOp),
    /// Gathers the elements of all ranks, for all of them.
    AllGather,
    /// Sends to this rank, which receives.
    Send(usize),
    /// Receives from this rank, which sends.
    Receive(usize),
}

impl Exchange {
    /// What the timeline calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Exchange::AllReduce(_) => "all-reduce",
            Exchange::Reduce(..) => "reduce to one rank",
            Exchange::Broadcast(_) => "broadcast from one rank",
            Exchange::ReduceScatter(_) => "reduce-scatter",
            Exchange::AllGather => "all-gather",
            Exchange::Send(_) => "send",
            Exchange::Receive(_) => "receive",
        }
    }
}

/// Elements of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// Address of what is sent; of no account to a rank that only receives.
    pub src: u64,
    /// Address of what is received; of no account to a rank that only sends.
    pub dst: u64,
    /// How many of them: what a single rank sends, or the share of each where ranks get different ones.
    pub count: usize,
    /// Their type.
    pub dtype: DType,
}

impl Elements {
    fn nbytes(&self) -> usize {
        self.count * self.dtype.size()
    }
}

/// Queues this rank's part of an exchange on a stream, after what is deferred there. The library may wait for the other
/// ranks, which may be threads of this process, so others should be let go on meanwhile.
///
/// # Errors
/// Those of the library.
///
/// # Safety
/// The addresses are memory of the rank's device for what [`Communicator`] says of the exchange.
pub unsafe fn exchange(
    context: &Context,
    stream: &Arc<dyn Stream>,
    communicator: &dyn Communicator,
    exchange: Exchange,
    elements: Elements,
) -> Result<()> {
    context.flush_onto(stream.as_ref())?;
    context.on_stream(stream, || {
        let _span = timeline::queued(Work::Library, exchange.name(), context, || elements.nbytes());
        // SAFETY: the caller's promise.
        queueing(|| unsafe { queue(stream.as_ref(), communicator, exchange, elements) })?;
        Ok(())
    })
}

/// Queues messages to and from other ranks at once: one piece of work on the stream, in which none waits for another.
///
/// # Errors
/// Those of the library.
///
/// # Safety
/// As for [`exchange`].
pub unsafe fn exchange_at_once(
    context: &Context,
    stream: &Arc<dyn Stream>,
    library: &dyn Collectives,
    communicator: &dyn Communicator,
    messages: &[(Exchange, Elements)],
) -> Result<()> {
    context.flush_onto(stream.as_ref())?;
    context.on_stream(stream, || {
        let bytes = || messages.iter().map(|(_, elements)| elements.nbytes()).sum();
        let _span = timeline::queued(Work::Library, "exchange", context, bytes);
        queueing(|| {
            library.group_start()?;
            let queued = messages.iter().try_for_each(|&(exchange, elements)| {
                // SAFETY: the caller's promise.
                unsafe { queue(stream.as_ref(), communicator, exchange, elements) }
            });
            // The library counts beginnings and ends.
            let ended = library.group_end();
            queued.and(ended)
        })?;
        Ok(())
    })
}

unsafe fn queue(
    stream: &dyn Stream,
    communicator: &dyn Communicator,
    exchange: Exchange,
    elements: Elements,
) -> hal::Result<()> {
    let Elements { src, dst, count, dtype } = elements;
    // SAFETY: the caller's promise.
    unsafe {
        match exchange {
            Exchange::AllReduce(op) => communicator.all_reduce(stream, src, dst, count, dtype, op),
            Exchange::Reduce(op, root) => communicator.reduce(stream, src, dst, count, dtype, op, root),
            Exchange::Broadcast(root) => communicator.broadcast(stream, src, dst, count, dtype, root),
            Exchange::ReduceScatter(op) => communicator.reduce_scatter(stream, src, dst, count, dtype, op),
            Exchange::AllGather => communicator.all_gather(stream, src, dst, count, dtype),
            Exchange::Send(peer) => communicator.send(stream, src, count, dtype, peer),
            Exchange::Receive(peer) => communicator.receive(stream, dst, count, dtype, peer),
        }
    }
}
