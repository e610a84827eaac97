//! Deferred evaluation: elementwise operations are recorded, and run fused.
//!
//! An elementwise operation does not launch a kernel. It becomes a *step* of a *group*: the deferred operations over one
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
mod cache;
mod contract;
mod execute;
mod folds;
mod group;
mod line;
mod log;
mod plans;
mod program;
mod record;
mod repeat;
mod repetition;
mod rows;
mod running;
mod single;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuproxide_hal::{Stream, settings};
use once_cell::sync::Lazy;
use parking_lot::{Condvar, Mutex};

use crate::array::Array;
use crate::context::Context;
use crate::deferred::Deferred;
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::fork::this_thread;
use crate::storage::Storage;
use crate::timeline::{self, Work};
use crate::trace;
pub use absorb::{Absorbed, absorb};
use execute::Failed;
use group::{Group, Held};
pub(crate) use line::{Line, record_line, record_line_into};
use log::Log;
pub use log::{CacheInfo, Entry, Name, Reason, Tier};
pub(crate) use program::Folding;
pub(crate) use record::{FoldRequest, Operand, Request, may_wait, record, record_fold};
use running::{Running, Take};

/// Most open groups of a device.
const MAX_GROUPS: usize = 8;
/// Most open groups of a device while a function is traced: what is not cut apart is launched together ever after.
const MAX_TRACED_GROUPS: usize = 64;

static EAGER: Lazy<AtomicBool> = Lazy::new(|| AtomicBool::new(settings::EAGER.is_on()));

thread_local! {
    /// The name of the kernel that the thread's operations are to become, while it runs a function that is to be fused.
    static FUSING: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Whether any thread has ever had a name for its operations, for which others need not look before.
static NAMED: AtomicBool = AtomicBool::new(false);

/// Defers this thread's operations, whatever [`set_eager`] says, under a name for their kernel; with `None` no longer.
/// Returns the name before.
pub fn set_fusing(name: Option<Arc<str>>) -> Option<Arc<str>> {
    if name.is_some() {
        NAMED.store(true, Ordering::Relaxed);
    }
    FUSING.replace(name)
}

/// The name that this thread's operations have for their kernel.
#[inline]
fn label() -> Option<Arc<str>> {
    if NAMED.load(Ordering::Relaxed) { FUSING.with_borrow(Clone::clone) } else { None }
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
///
/// The lock guards bookkeeping only: it is never held while anything can fail, wait, compile, allocate, or run a program's
/// own code. A group that runs is in [`State::running`] meanwhile, so that everybody sees what it reads and writes.
#[derive(Default)]
pub struct Fuser {
    state: Mutex<State>,
    /// Told when a group has run, or failed to.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    groups: Vec<Held>,
    /// Loops that were found in full groups.
    rhythms: Vec<repetition::Rhythm>,
    running: Vec<Running>,
    /// Threads that wait for a group that another one runs.
    waiting: Vec<(u64, u64)>,
    /// Threads that run deferred work because there was no memory.
    making_room: Vec<u64>,
    log: Log,
}

static SERIAL: AtomicU64 = AtomicU64::new(1);

impl Fuser {
    /// Queues the deferred work that fills or changes a storage; with `all`, also what reads it.
    ///
    /// # Errors
    /// Those of the work; `ValueError` in code that a group has called in order to run, if that very group is concerned.
    pub(crate) fn settle(&self, storage: &Storage, all: bool) -> Result<()> {
        loop {
            let (serial, writes) = {
                let state = self.state.lock();
                let writer = group::writer_of(storage);
                let reader = || state.all().find(|group| group.reads(storage)).map(|group| group.serial);
                match (writer, all) {
                    (0, false) => return Ok(()),
                    (0, true) => match reader() {
                        Some(serial) => (serial, false),
                        None => {
                            storage.set_read_by_group(false);
                            return Ok(());
                        }
                    },
                    _ => (writer, true),
                }
            };
            if writes {
                self.flush_for(serial, storage, Reason::Read)?;
            } else {
                self.flush(serial, Reason::Write)?;
            }
        }
    }

    /// Queues the deferred work of one stream, whichever object stands for it, or of all; but for groups that have called a
    /// program's own code, which may be what asks, or wait for the thread that asks.
    pub(crate) fn flush_stream(&self, stream: Option<&dyn Stream>, reason: Reason) -> Result<()> {
        self.flush_where(|group| stream.is_none_or(|one| is_same(one, group.stream().as_ref())), reason)
    }

    /// Queues the deferred work of the streams that take part in a capture.
    pub(crate) fn flush_capture(&self, capture: u64) -> Result<()> {
        let streams: Vec<Arc<dyn Stream>> = self.state.lock().all().map(|group| group.stream().clone()).collect();
        // Asked without the lock: drivers may wait.
        for stream in streams {
            if stream.capture()? == Some(capture) {
                self.flush_stream(Some(stream.as_ref()), Reason::Synchronise)?;
            }
        }
        Ok(())
    }

    fn flush_where(&self, concerned: impl Fn(&Group) -> bool, reason: Reason) -> Result<()> {
        loop {
            let next = {
                let state = self.state.lock();
                let group = state.all().find(|group| concerned(group) && !state.is_in_call(group));
                group.map(|group| group.serial)
            };
            match next {
                Some(serial) => self.flush(serial, reason)?,
                None => return Ok(()),
            }
        }
    }

    /// Runs deferred work because there is no memory: what it makes may be smaller than what it keeps alive. Returns whether
    /// any has run. What fails stays deferred; the error to report is the lack of memory.
    pub(crate) fn make_room(&self) -> bool {
        let thread = this_thread();
        {
            let mut state = self.state.lock();
            if state.groups.is_empty() || state.making_room.contains(&thread) {
                return false;
            }
            state.making_room.push(thread);
        }
        let mut ran = false;
        loop {
            let pending: Vec<u64> = self.state.lock().groups.iter().map(|group| group.serial).collect();
            let mut more = false;
            for &serial in &pending {
                more |= self.try_flush(serial, Reason::Memory, false).is_ok_and(|ran| ran);
            }
            ran |= more;
            // What one of them freed may suffice for another.
            if !more || pending.len() < 2 {
                break;
            }
        }
        self.state.lock().making_room.retain(|&other| other != thread);
        ran
    }

    /// Runs a group, after the one that has to run before it. If that fails, its work stays deferred: nothing is lost, and it
    /// may be tried again.
    fn flush(&self, serial: u64, reason: Reason) -> Result<()> {
        self.try_flush(serial, reason, true).map(drop)
    }

    /// [`Fuser::flush`]; returns whether the group was there. Without `patient`, one that another thread runs is an error.
    fn try_flush(&self, serial: u64, reason: Reason, patient: bool) -> Result<bool> {
        self.flush_if(serial, reason, patient, |_| true).map(|flushed| flushed == Some(true))
    }

    /// [`Fuser::flush`], unless the group makes a storage by a reduction; returns whether that is not so.
    fn flush_points(&self, serial: u64, storage: &Storage, reason: Reason) -> Result<bool> {
        self.flush_if(serial, reason, true, |group| !group.makes_row(storage)).map(|flushed| flushed.is_some())
    }

    /// Runs a group if it is as `fits` says; nothing if it is not. Else returns whether it was there.
    fn flush_if(
        &self,
        serial: u64,
        reason: Reason,
        patient: bool,
        fits: impl Fn(&Group) -> bool,
    ) -> Result<Option<bool>> {
        loop {
            match self.take(serial, &fits) {
                Take::Gone => return Ok(Some(false)),
                Take::Unfit => return Ok(None),
                Take::After(before) => _ = self.try_flush(before, Reason::Overlap, patient)?,
                Take::Own => return Err(in_progress()),
                Take::Elsewhere if patient => self.wait_for(serial)?,
                Take::Elsewhere => return Err(in_progress()),
                Take::Taken(taken) => {
                    let outcome = match run(taken.group(), false, reason) {
                        Ok(outcome) => outcome,
                        Err(failed) => return Err(taken.fail(failed)),
                    };
                    // Dropped without the lock: the last reference to memory may run a program's own code.
                    let group = taken.finish(reason, &outcome);
                    if outcome.stored > 0
                        && let Some(storage) = group.first()
                    {
                        follow(storage.context(), group.stream(), reason)?;
                    }
                    group.discard();
                    return Ok(Some(true));
                }
            }
        }
    }

    /// Runs what fills or changes a storage. Where that is the result of a reduction, the rest of the group goes on waiting.
    fn flush_for(&self, serial: u64, storage: &Storage, reason: Reason) -> Result<()> {
        let ahead = |group: &Group| group.makes_row(storage) && group.can_run_rows();
        let Take::Taken(taken) = self.take(serial, ahead) else { return self.flush(serial, reason) };
        let outcome = run(taken.group(), true, reason).map_err(|failed| failed.error)?;
        let stream = taken.group().stream().clone();
        taken.finish_rows(reason, &outcome);
        follow(storage.context(), &stream, reason)
    }

    /// Whether anything is deferred.
    pub fn is_idle(&self) -> bool {
        self.state.lock().all().next().is_none()
    }
}

impl Deferred for Fuser {
    fn settle(&self, storage: &Storage, all: bool) -> Result<()> {
        Fuser::settle(self, storage, all)
    }

    fn flush_stream(&self, stream: Option<&dyn Stream>) -> Result<()> {
        Fuser::flush_stream(self, stream, Reason::Synchronise)
    }

    fn make_room(&self) -> bool {
        Fuser::make_room(self)
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

/// The error of code that a group has called in order to run (a memory hook or an allocator) and that needs that very group.
fn in_progress() -> Error {
    Error::Value(
        "the array is being computed: a memory hook or an allocator that this calls cannot read the result, nor write to \
         what it is computed from"
            .to_owned(),
    )
}

/// Runs a group, or its rows only, as work of the timeline.
fn run(group: &Group, rows: bool, reason: Reason) -> Result<log::Outcome, Failed> {
    let storage = group.first();
    let _span = storage.and_then(|first| timeline::scope(Work::Flush, reason.text(), first.context().id(), || 0));
    if let Some(first) = storage.filter(|_| group.stream().is_of_another_thread()) {
        // Its handle stands for the stream of this thread here, so what follows on that one has to be waited for, too.
        let device = first.context().below();
        detached(|| device.synchronize()).map_err(|error| Failed::from(Error::from(error)))?;
    }
    let work = || timeline::with_label(group.label.clone(), || execute::run(group, rows));
    if trace::is_of(group.trace.as_ref()) {
        trace::count(if rows { 0 } else { group.steps.len() });
        return work();
    }
    // Somebody else's work: it is no part of what this thread traces, and that thread has not seen it.
    group.trace.iter().for_each(|mark| mark.spoil());
    trace::paused(work)
}

/// Lets the current stream wait for a group that has been queued late: the program may have waited already, for the handle of
/// the stream, and knows nothing of it.
fn follow(context: &Context, stream: &Arc<dyn Stream>, reason: Reason) -> Result<()> {
    if stream.is_of_another_thread() {
        detached(|| context.below().synchronize())?;
    }
    if reason == Reason::Synchronise { Ok(()) } else { context.follow(stream) }
}

/// Queues the deferred work that makes the given arrays, without waiting for it.
pub fn evaluate<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<()> {
    // Results of reductions last: they come out of the same kernels as what is wanted at all points.
    let mut rows = vec![];
    for array in arrays {
        let storage = array.storage();
        match group::writer_of(storage) {
            0 => {}
            writer => {
                if !storage.context().fuser().flush_points(writer, storage, Reason::Evaluate)? {
                    rows.push(storage);
                }
            }
        }
    }
    for storage in rows.into_iter().filter(|storage| storage.writer() != 0) {
        storage.context().fuser().flush_for(group::writer_of(storage), storage, Reason::Evaluate)?;
    }
    Ok(())
}

/// Queues what the calling thread's trace has deferred.
pub(crate) fn flush_trace(context: &Context) -> Result<()> {
    context.fuser().flush_where(|group| group.trace.is_some() && trace::is_of(group.trace.as_ref()), Reason::Evaluate)
}

/// Notes that a function's trace was launched again.
pub(crate) fn note_replay(context: &Context, entry: Entry) {
    context.fuser().state.lock().log.note_replay(entry);
}

/// What was flushed last on a device, newest last, and how often.
pub fn history(context: &Arc<Context>) -> (Vec<Entry>, CacheInfo) {
    let state = context.fuser().state.lock();
    (state.log.entries(), state.log.info(state.all().map(|group| group.steps.len()).sum()))
}

/// Forgets what [`history`] tells.
pub fn clear_history(context: &Arc<Context>) {
    context.fuser().state.lock().log = Log::default();
}
