//! Deferred evaluation: elementwise operations wait, and run fused.
//!
//! An elementwise operation does not launch a kernel. It becomes a *step* of a *group*: the deferred operations over one
//! shape on one stream. When somebody needs a result, its group is *flushed*: all that is still wanted of it is computed
//! by one kernel. Intermediate results live in registers, and what nobody can see any more is never computed.
//!
//! The semantics are those of running every operation at once:
//!
//! - A step rounds to the type that its array has, and kernels are compiled without contraction, unless the program asks
//!   for it ([`contract`]).
//! - Arrays that a group reads exist. An operation on an array that another group is to fill flushes that group first.
//! - Who writes memory flushes the groups that read it; who reads it flushes the group that writes it
//!   ([`Storage::buffer`](crate::storage::Storage::buffer) and [`Storage::read`](crate::storage::Storage::read)).
//!   Within a group, a write into memory that the group reads in another order goes through a new array.
//! - Operations that can fail on an element are not deferred, nor is anything that touches memory whose address is known
//!   outside.
//! - What synchronises a stream, or marks a place in it, flushes its groups first, and so does leaving it for another one.
//!   A group that is flushed later, while another stream is current, makes that stream wait for it.
//!
//! A reduction waits too, as a step whose result is the same along the axes that it reduces: steps of the group may use it,
//! and several reductions of what a group computes run as one kernel ([`record_fold`]). When only results of reductions
//! are asked for, the rest of the group goes on waiting. Reductions that cannot wait compute their input themselves
//! ([`absorb`]). `CUPROXIDE_EAGER=1` turns all of this off.

mod absorb;
mod contract;
mod execute;
mod folds;
mod group;
mod log;
mod program;
mod record;
mod rhythm;
mod rows;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuproxide_hal::Stream;
use once_cell::sync::Lazy;
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use crate::array::Array;
use crate::context::Context;
use crate::deferred::Deferred;
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::storage::Storage;
use crate::timeline::{self, Work};
pub use absorb::{Absorbed, absorb};
use group::Group;
use log::Log;
pub use log::{CacheInfo, Entry, Reason, Tier};
pub(crate) use program::Folding;
pub(crate) use record::{FoldRequest, Operand, Request, record, record_fold};

/// Most open groups of a device.
const MAX_GROUPS: usize = 8;

static EAGER: Lazy<AtomicBool> = Lazy::new(|| {
    let asked = std::env::var_os("CUPROXIDE_EAGER");
    AtomicBool::new(asked.is_some_and(|value| !value.is_empty() && value != "0"))
});

thread_local! {
    /// The name of the kernel that the thread's operations are to become, while it runs a function that is to be fused.
    static FUSING: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Defers this thread's operations, whatever [`set_eager`] says, under a name for their kernel; with `None` no longer.
/// Returns the name before.
pub fn set_fusing(name: Option<Arc<str>>) -> Option<Arc<str>> {
    FUSING.replace(name)
}

/// The name that this thread's operations have for their kernel.
fn label() -> Option<Arc<str>> {
    FUSING.with_borrow(Clone::clone)
}

/// Whether every operation runs at once.
pub fn is_eager() -> bool {
    EAGER.load(Ordering::Relaxed) && FUSING.with_borrow(Option::is_none)
}

/// Makes every operation run at once, or not; returns what was before. What is deferred already stays so.
pub fn set_eager(eager: bool) -> bool {
    EAGER.swap(eager, Ordering::Relaxed)
}

/// The deferred work of one device.
#[derive(Default)]
pub struct Fuser {
    /// Reentrant, since memory for results may come from a program's own code.
    state: ReentrantMutex<RefCell<State>>,
}

#[derive(Default)]
struct State {
    groups: Vec<Group>,
    /// Loops that were found in full groups.
    rhythms: Vec<rhythm::Rhythm>,
    /// Groups that are being run: taken out, but their results are not there yet.
    running: Vec<u64>,
    log: Log,
}

impl State {
    /// Whether a group has to wait for one that is being run, further up in the same call.
    fn is_blocked(&self, group: &Group) -> bool {
        group.after.is_some_and(|before| self.running.contains(&before))
    }
}

static SERIAL: AtomicU64 = AtomicU64::new(1);

type Guard<'f> = ReentrantMutexGuard<'f, RefCell<State>>;

impl Fuser {
    /// Whoever waits here must not keep the holder from going on.
    fn lock(&self) -> Guard<'_> {
        loop {
            if let Some(guard) = self.state.try_lock() {
                return guard;
            }
            detached(|| drop(self.state.lock()));
        }
    }

    /// Queues the deferred work that fills or changes a storage; with `all`, also what reads it.
    pub(crate) fn settle(&self, storage: &Storage, all: bool) -> Result<()> {
        let guard = self.lock();
        loop {
            let writer = group::writer_of(storage);
            let next = {
                let state = guard.borrow();
                let concerned = |group: &&Group| group.serial == writer || (all && group.touches(storage));
                state.groups.iter().find(concerned).map(|group| group.serial)
            };
            let Some(serial) = next else { break };
            if serial == writer {
                flush_for(&guard, serial, storage, Reason::Read)?;
            } else {
                flush(&guard, serial, Reason::Write)?;
            }
        }
        if storage.writer() != 0 {
            return Err(in_progress());
        }
        if all {
            storage.set_read_by_group(false);
        }
        Ok(())
    }

    /// Queues the deferred work of one stream, whichever object stands for it, or of all.
    pub(crate) fn flush_stream(&self, stream: Option<&dyn Stream>, reason: Reason) -> Result<()> {
        let guard = self.lock();
        loop {
            let next = {
                let state = guard.borrow();
                let concerned = |group: &&Group| {
                    stream.is_none_or(|one| is_same(one, group.stream.as_ref())) && !state.is_blocked(group)
                };
                state.groups.iter().find(concerned).map(|group| group.serial)
            };
            match next {
                Some(serial) => flush(&guard, serial, reason)?,
                None => return Ok(()),
            }
        }
    }

    /// Whether anything is deferred.
    pub fn is_idle(&self) -> bool {
        self.lock().borrow().groups.is_empty()
    }
}

impl Deferred for Fuser {
    fn settle(&self, storage: &Storage, all: bool) -> Result<()> {
        Fuser::settle(self, storage, all)
    }

    fn flush_stream(&self, stream: Option<&dyn Stream>) -> Result<()> {
        Fuser::flush_stream(self, stream, Reason::Synchronise)
    }

    fn is_idle(&self) -> bool {
        Fuser::is_idle(self)
    }
}

impl Context {
    /// What defers this device's work.
    pub fn fuser(&self) -> &Fuser {
        self.deferred().get()
    }
}

/// Whether two objects stand for one stream: its owner's, and those made of its handle.
fn is_same(one: &dyn Stream, other: &dyn Stream) -> bool {
    one.id() == other.id() || (one.raw() == other.raw() && !other.is_of_another_thread())
}

/// The error of code that makes room for a result and asks for that very result.
fn in_progress() -> Error {
    Error::Value("the array is being computed: it cannot be used to make room for itself".to_owned())
}

/// Runs what fills or changes a storage. Where that is the result of a reduction, the rest of the group goes on waiting.
fn flush_for(guard: &Guard<'_>, serial: u64, storage: &Storage, reason: Reason) -> Result<()> {
    let ahead = {
        let state = guard.borrow();
        let group = state.groups.iter().find(|group| group.serial == serial);
        group.is_some_and(|group| group.makes_row(storage) && group.can_run_rows())
    };
    if !ahead {
        return flush(guard, serial, reason);
    }
    let mut group = take(guard, serial)?.expect("the group was there");
    let outcome = run(&group, true, reason);
    let mut state = guard.borrow_mut();
    state.running.retain(|&other| other != serial);
    let followed = outcome.and_then(|outcome| {
        group.finish_rows();
        state.log.note_ahead(&group, reason, outcome);
        follow(&group, reason)
    });
    state.groups.push(group);
    followed
}

/// Runs a group, or its rows only, as work of the timeline.
fn run(group: &Group, rows: bool, reason: Reason) -> Result<log::Outcome> {
    let changed = group.effects.first().map(|effect| &effect.view.storage);
    let storage = group.outputs.first().map(|output| &output.storage).or(changed);
    let _span = storage.and_then(|first| timeline::scope(Work::Flush, reason.text(), first.context().id(), || 0));
    let work = || timeline::with_label(group.label.clone(), || execute::run(group, rows));
    match storage {
        Some(first) if group.stream.is_of_another_thread() => {
            // Its handle stands for the stream of this thread here.
            let device = first.context().device();
            detached(|| device.synchronize())?;
            let outcome = work()?;
            detached(|| device.synchronize())?;
            Ok(outcome)
        }
        _ => work(),
    }
}

/// Lets the current stream wait for a group that has been queued late: the program may have waited already, for the handle of
/// the stream, and knows nothing of it.
fn follow(group: &Group, reason: Reason) -> Result<()> {
    let changed = group.effects.first().map(|effect| &effect.view.storage);
    match group.outputs.first().map(|output| &output.storage).or(changed) {
        Some(storage) if reason != Reason::Synchronise => storage.context().follow(&group.stream),
        _ => Ok(()),
    }
}

/// Takes a group out to run it.
fn take(guard: &Guard<'_>, serial: u64) -> Result<Option<Group>> {
    let mut state = guard.borrow_mut();
    let Some(position) = state.groups.iter().position(|group| group.serial == serial) else { return Ok(None) };
    if state.is_blocked(&state.groups[position]) {
        return Err(in_progress());
    }
    state.running.push(serial);
    Ok(Some(state.groups.remove(position)))
}

/// Runs a group. If that fails, its work stays deferred: nothing is lost, and it may be tried again.
fn flush(guard: &Guard<'_>, serial: u64, reason: Reason) -> Result<()> {
    let before = guard.borrow().groups.iter().find(|group| group.serial == serial).and_then(|group| group.after);
    if let Some(before) = before {
        flush(guard, before, Reason::Overlap)?;
    }
    let Some(group) = take(guard, serial)? else { return Ok(()) };
    let outcome = run(&group, false, reason);
    guard.borrow_mut().running.retain(|&other| other != serial);
    match outcome {
        Ok(outcome) => {
            let changed = group.effects.iter().map(|effect| &effect.view.storage);
            for storage in group.outputs.iter().map(|output| &output.storage).chain(changed) {
                if group::writer_of(storage) == serial {
                    storage.set_writer(0);
                }
            }
            let mut state = guard.borrow_mut();
            if state.groups.is_empty() {
                group.operands.iter().for_each(|view| view.storage.set_read_by_group(false));
            }
            state.log.note(&group, reason, outcome);
            drop(state);
            let followed = if outcome.stored > 0 { follow(&group, reason) } else { Ok(()) };
            // Dropped outside the borrow: the last reference to memory may run a program's own code.
            drop(group);
            followed
        }
        Err(error) => {
            guard.borrow_mut().groups.push(group);
            Err(error)
        }
    }
}

/// Queues the deferred work that makes the given arrays, without waiting for it.
pub fn evaluate<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<()> {
    // Results of reductions last: they come out of the same kernels as what is wanted at all points.
    let mut rows = vec![];
    for array in arrays {
        let storage = array.storage();
        if storage.writer() != 0 {
            let fuser = storage.context().fuser();
            let guard = fuser.lock();
            let serial = group::writer_of(storage);
            let is_row = guard.borrow().groups.iter().any(|group| group.makes_row(storage));
            if is_row { rows.push(storage) } else { flush(&guard, serial, Reason::Evaluate)? }
        }
    }
    for storage in rows.into_iter().filter(|storage| storage.writer() != 0) {
        let guard = storage.context().fuser().lock();
        flush_for(&guard, group::writer_of(storage), storage, Reason::Evaluate)?;
    }
    Ok(())
}

/// What was flushed last on a device, newest last, and how often.
pub fn history(context: &Arc<Context>) -> (Vec<Entry>, CacheInfo) {
    let guard = context.fuser().lock();
    let state = guard.borrow();
    (state.log.entries(), state.log.info(state.groups.iter().map(|group| group.steps.len()).sum()))
}

/// Forgets what [`history`] tells.
pub fn clear_history(context: &Arc<Context>) {
    context.fuser().lock().borrow_mut().log = Log::default();
}
