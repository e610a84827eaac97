//! The user's kernels that may still run. A device reports what a kernel did wrong when somebody waits, by a status that
//! says nothing of whose fault it was; the error then names these.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use cuproxide_hal::DeviceId;
use parking_lot::Mutex;

thread_local! {
    /// The device that this thread used last.
    static CURRENT: Cell<Option<DeviceId>> = const { Cell::new(None) };
}

/// Notes the device that this thread uses from here on.
#[inline]
pub(crate) fn entered(device: DeviceId) {
    CURRENT.set(Some(device));
}

/// The device that this thread used last.
pub(crate) fn current() -> Option<DeviceId> {
    CURRENT.get()
}

/// How many are kept.
const KEPT: usize = 8;

struct Suspect {
    device: DeviceId,
    /// The HAL's number of the stream.
    stream: u64,
    name: Arc<str>,
}

/// The oldest first.
static SUSPECTS: Mutex<VecDeque<Suspect>> = Mutex::new(VecDeque::new());

/// Notes a kernel that was queued.
pub(crate) fn launched(device: DeviceId, stream: u64, name: &Arc<str>) {
    let same =
        |suspect: &Suspect| suspect.stream == stream && suspect.device == device && Arc::ptr_eq(&suspect.name, name);
    let mut suspects = SUSPECTS.lock();
    if suspects.back().is_some_and(same) {
        return;
    }
    suspects.retain(|suspect| !same(suspect));
    if suspects.len() == KEPT {
        suspects.pop_front();
    }
    suspects.push_back(Suspect { device, stream, name: name.clone() });
}

/// Forgets what ran before a wait for a stream, or for all of the device, that succeeded.
pub(crate) fn finished(device: DeviceId, stream: Option<u64>) {
    let done = |suspect: &Suspect| suspect.device == device && stream.is_none_or(|stream| suspect.stream == stream);
    SUSPECTS.lock().retain(|suspect| !done(suspect));
}

/// What to add to the message of a device that is lost.
pub(crate) fn named(device: DeviceId) -> String {
    let suspects = SUSPECTS.lock();
    let mut names: Vec<&str> = vec![];
    for suspect in suspects.iter().filter(|suspect| suspect.device == device) {
        if !names.contains(&&*suspect.name) {
            names.push(&suspect.name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    format!("; launched since the last wait, the latest last: {}", names.join(", "))
}
