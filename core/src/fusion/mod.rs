//! Deferred evaluation: elementwise operations are recorded, and later run as fused kernels.
//!
//! An elementwise operation launches no kernel, except some small ones on a CPU (`at_once.rs`). It becomes a *step* of a *group*:
//! the deferred operations over one shape on one stream. When the program needs a result, the fuser *flushes* its group: one
//! kernel computes all results that are still wanted. Intermediate results stay in registers, and results that the program has
//! dropped are never computed.
//!
//! Results are those of running every operation at once:
//!
//! - A step rounds to the type of its array. Kernels are compiled without contraction, unless the program asks for it
//!   ([`contract`]).
//! - All arrays that a group reads are in memory. An operation on a deferred result of another group flushes that group first.
//! - Writing memory flushes the groups that read it; reading memory flushes the group that writes it
//!   ([`Storage::buffer`](crate::storage::Storage::buffer) and [`Storage::read`](crate::storage::Storage::read)).
//!   If a group writes memory that it reads in another order, the new values are first computed into a new array.
//! - Operations that can fail on an element are not deferred. Neither are operations on memory whose address has left the
//!   library.
//! - Synchronising a stream or recording an event in it flushes its groups first, and so does making another stream current.
//!   If a group is flushed later, while another stream is current, that stream waits for the group.
//!
//! Reductions are deferred too. The result of such a step does not vary along the reduced axes; other steps of the group may
//! use it, and several reductions over a group run as one kernel ([`record_fold`]). When only results of reductions are
//! needed, the rest of the group stays deferred. A reduction that cannot be deferred computes its deferred input itself
//! ([`absorb`]). `CUPROXIDE_EAGER=1` turns all of this off.
//!
//! In this module a *line* is an array of the group's shape that is C-contiguous, such as most results are.

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
pub(crate) use eager::has_default_mode;
pub use eager::{is_eager, set_eager, set_fusing};
pub use flush::{clear_history, evaluate, history, is_evaluated};
pub(crate) use flush::{flush_trace, note_replay};
pub use follow::Expected;
pub(crate) use follow::{InputRef, Inputs};
pub use guide::is_any_expected;
pub(crate) use line::{Line, follow, follow_into, record_line, record_line_into, record_next};
pub use log::{CacheInfo, Entry, Name, Reason, Tier};
pub(crate) use record::{FoldRequest, Operand, Request, may_wait, record, record_fold};
pub use state::Fuser;
pub(crate) use step::Folding;
