//! Flushing groups: which groups run before memory is read or written, or before a stream is synchronised.

use std::sync::Arc;

use cuproxide_hal::Stream;

use super::execute;
use super::group::{self, Group};
use super::log::{CacheInfo, Entry, Log, Outcome, Reason};
use super::run::Failed;
use super::running::Take;
use super::state::{Fuser, in_progress};
use crate::array::Array;
use crate::context::Context;
use crate::deferred::Deferred;
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::fork::this_thread;
use crate::storage::Storage;
use crate::timeline::{self, Work};
use crate::trace;

impl Fuser {
    /// Queues the groups that fill or change a storage; with `all`, also those that read it.
    ///
    /// # Errors
    /// Those of the groups; `ValueError` in user code that a running group has called, if that group itself is needed.
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

    /// Queues the groups of one stream, whichever object refers to it, or of all streams. Groups that are calling user code are
    /// skipped: this function may have been called by that code, or the code may wait for the calling thread.
    pub(crate) fn flush_stream(&self, stream: Option<&dyn Stream>, reason: Reason) -> Result<()> {
        self.flush_where(|group| stream.is_none_or(|one| is_same(one, group.stream().as_ref())), reason)
    }

    /// Queues the groups of all streams that take part in a capture.
    pub(crate) fn flush_capture(&self, capture: u64) -> Result<()> {
        let streams: Vec<Arc<dyn Stream>> = self.state.lock().all().map(|group| group.stream().clone()).collect();
        // Without the lock, because driver calls may block.
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

    /// Runs groups because an allocation failed: their results may be smaller than the operands that they keep alive. Returns
    /// whether any group has run. A group that fails stays deferred, and the caller reports the failed allocation.
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
            // Memory that one group freed may be enough for another.
            if !more || pending.len() < 2 {
                break;
            }
        }
        self.state.lock().making_room.retain(|&other| other != thread);
        ran
    }

    /// Runs a group, after the one that has to run before it. A group that fails stays deferred and can be tried again.
    pub(super) fn flush(&self, serial: u64, reason: Reason) -> Result<()> {
        self.try_flush(serial, reason, true).map(drop)
    }

    /// [`Fuser::flush`]; returns whether the group existed. Without `patient`, fails if another thread is running the group.
    fn try_flush(&self, serial: u64, reason: Reason, patient: bool) -> Result<bool> {
        self.flush_if(serial, reason, patient, |_| true).map(|flushed| flushed == Some(true))
    }

    /// [`Fuser::flush`], unless the group computes a storage by a reduction; returns false in that case.
    fn flush_points(&self, serial: u64, storage: &Storage, reason: Reason) -> Result<bool> {
        self.flush_if(serial, reason, true, |group| !group.makes_row(storage)).map(|flushed| flushed.is_some())
    }

    /// Runs a group for which `fits` holds, and returns whether the group existed; `None` if `fits` does not hold.
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
                    // Dropped without the lock: dropping the last reference to memory may run user code.
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

    /// Runs the group that fills or changes a storage. If the storage is the result of a reduction, the rest of the group stays
    /// deferred.
    pub(super) fn flush_for(&self, serial: u64, storage: &Storage, reason: Reason) -> Result<()> {
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
    /// The fuser of this device.
    #[inline]
    pub fn fuser(&self) -> &Fuser {
        self.deferred().get()
    }
}

/// Whether two objects refer to one stream: the owner's object, and those made from the stream's handle.
fn is_same(one: &dyn Stream, other: &dyn Stream) -> bool {
    one.id() == other.id() || (one.raw() == other.raw() && !other.is_of_another_thread())
}

/// Runs a group, or only the results of its folds, as a span of the timeline.
fn run(group: &Group, rows: bool, reason: Reason) -> Result<Outcome, Failed> {
    let storage = group.first();
    let _span = storage.and_then(|first| timeline::scope(Work::Flush, reason.text(), first.context().id(), || 0));
    if let Some(first) = storage.filter(|_| group.stream().is_of_another_thread()) {
        // In this thread the handle means another stream, so nothing else orders the two.
        let device = first.context().below();
        detached(|| device.synchronize()).map_err(|error| Failed::from(Error::from(error)))?;
    }
    let work = || timeline::with_label(group.label.clone(), || execute::run(group, rows));
    if trace::is_of(group.trace.as_ref()) {
        trace::count(if rows { 0 } else { group.steps.len() });
        return work();
    }
    // Work of another thread: it does not belong to this thread's trace, and is missing from the other thread's.
    group.trace.iter().for_each(|mark| mark.spoil());
    trace::paused(work)
}

/// Makes the current stream wait for a group that has been queued late: the program may already have synchronised the group's
/// stream by its handle, before this work was in it.
fn follow(context: &Context, stream: &Arc<dyn Stream>, reason: Reason) -> Result<()> {
    if stream.is_of_another_thread() {
        detached(|| context.below().synchronize())?;
    }
    if reason == Reason::Synchronise { Ok(()) } else { context.follow(stream) }
}

/// Whether nothing that makes an array is deferred.
#[inline]
pub fn is_evaluated(array: &Array) -> bool {
    array.storage().writer() == 0
}

/// Queues the groups that compute the given arrays, without waiting for them.
pub fn evaluate<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<()> {
    // Results of reductions last: the kernels of the other results may compute them too.
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

/// Queues the groups of the calling thread's trace.
pub(crate) fn flush_trace(context: &Context) -> Result<()> {
    context.fuser().flush_where(|group| group.trace.is_some() && trace::is_of(group.trace.as_ref()), Reason::Evaluate)
}

/// Logs the replay of a traced function.
pub(crate) fn note_replay(context: &Context, entry: Entry) {
    context.fuser().state.lock().log.note_replay(entry);
}

/// The last flushes of a device, newest last, and the counters.
pub fn history(context: &Arc<Context>) -> (Vec<Entry>, CacheInfo) {
    let state = context.fuser().state.lock();
    (state.log.entries(), state.log.info(state.all().map(|group| group.steps.len()).sum()))
}

/// Clears [`history`], and the operations that the device has learnt to run at once.
pub fn clear_history(context: &Arc<Context>) {
    let fuser = context.fuser();
    fuser.habits.clear();
    fuser.state.lock().log = Log::default();
}
