//! Deferred evaluation: elementwise operations are recorded, and run fused.
//!
//! An elementwise operation does not launch a kernel (but for small ones on a CPU: `at_once.rs`). It becomes a *step* of a *group*: the deferred operations over one
//! shape on one stream. When a result is needed, its group is *flushed*: one kernel computes all of its results that are
//! still wanted. Intermediate results live in registers, and results that the program has dropped are never computed.
//!
//! The semantics are those of running every operation at once:
//!
//! - A step rounds to the type that its array has, and kernels are compiled without contraction, unless the program asks
//!   for it ([`contract`]).
//! - Arrays that a group reads exist. An operation on an array that another group is to fill flushes that group first.
//! - Writing memory flushes the groups that read it; reading memory flushes the group that writes it
//!   ([`Storage::buffer`](crate::storage::Storage::buffer) and [`Storage::read`](crate::storage::Storage::read)).
//!   Within a group, a write into memory that the group reads in another order goes through a new array.
//! - Operations that can fail on an element are not deferred, and neither are operations on memory whose address is known
//!   outside.
//! - Synchronising a stream, or marking a place in it, flushes its groups first, and so does leaving it for another one.
//!   A group that is flushed later, while another stream is current, makes that stream wait for it.
//!
//! A reduction is deferred too, as a step whose result is the same along the axes that it reduces: steps of the group may
//! use it, and several reductions over a group run as one kernel ([`record_fold`]). When only results of reductions are
//! needed, the rest of the group stays deferred. Reductions that cannot be deferred compute their input themselves
//! ([`absorb`]). `CUPROXIDE_EAGER=1` turns all of this off.

mod absorb;
mod at_once;
mod cache;
mod contract;
mod eager;
mod execute;
mod flush;
mod folds;
mod follow;
mod group;
mod guide;
mod habits;
mod kernels;
mod line;
mod log;
mod maps;
mod operators;
mod places;
mod plans;
mod program;
mod reader;
mod record;
mod repeat;
mod repetition;
mod rows;
mod run;
mod running;
mod script;
mod single;
mod slice;
mod state;
mod step;
mod unfused;
mod uniform;
mod view;

pub use absorb::{Absorbed, absorb};
pub(crate) use eager::is_usual;
pub use eager::{is_eager, set_eager, set_fusing};
pub use flush::{clear_history, evaluate, history, is_evaluated};
pub(crate) use flush::{flush_trace, note_replay};
pub use follow::Expected;
pub(crate) use follow::{Given, Inputs};
pub use guide::is_any_expected;
pub(crate) use line::{Line, follow, follow_into, record_line, record_line_into, record_next};
pub use log::{CacheInfo, Entry, Name, Reason, Tier};
pub(crate) use record::{FoldRequest, Operand, Request, may_wait, record, record_fold};
pub use state::Fuser;
pub(crate) use step::Folding;
