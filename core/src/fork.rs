//! What a fork of the process waits for. Only the thread that forks goes on in the child; a lock that another one holds at that
//! moment stays locked there. Threads that hold the interpreter's lock are at rest by it; those that work without it say so here.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// Threads that are at work, each as often as it began.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);
/// Whether a thread waits for the others, to fork.
static FORKING: AtomicBool = AtomicBool::new(false);
/// How long a thread that begins, or one that forks, sleeps before it looks again.
const NAP: Duration = Duration::from_micros(100);

/// Threads that are in functions of the program's, each as often as it called one.
static CALLING: Mutex<Vec<u64>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Cell<usize> = const { Cell::new(0) };
    /// Whether the thread works without the interpreter's lock.
    static FREE: Cell<bool> = const { Cell::new(false) };
}

/// A thread is at work, without the interpreter's lock, while this lives. It knows whether the thread was before.
pub struct AtWork(bool);

impl AtWork {
    /// Begins work that holds no lock yet: waits for a fork that is about to be.
    pub fn begin() -> AtWork {
        while FORKING.load(Ordering::SeqCst) && OWN.get() == 0 {
            std::thread::sleep(NAP);
        }
        AtWork::go_on()
    }

    /// Begins a part of work that is under way, whose locks may be held.
    pub fn go_on() -> AtWork {
        AT_WORK.fetch_add(1, Ordering::SeqCst);
        OWN.set(OWN.get() + 1);
        AtWork(FREE.replace(true))
    }

    /// Whether the calling thread is at work, and not in a function of the program's that its work has called.
    pub fn is_now() -> bool {
        FREE.get()
    }
}

/// Calls a function of the program's, with the interpreter's lock, in the middle of work or outside of any.
pub fn called_back<T>(function: impl FnOnce() -> T) -> T {
    /// Puts things back, also after a panic.
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            FREE.set(self.0);
            let mut calling = CALLING.lock();
            if let Some(position) = calling.iter().rposition(|&thread| thread == this_thread()) {
                calling.swap_remove(position);
            }
        }
    }
    CALLING.lock().push(this_thread());
    let _back = Back(FREE.replace(false));
    function()
}

/// Whether a thread is in a function of the program's.
pub(crate) fn is_calling_back(thread: u64) -> bool {
    CALLING.lock().contains(&thread)
}

/// A number that names the calling thread in this process.
pub(crate) fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

impl Drop for AtWork {
    fn drop(&mut self) {
        FREE.set(self.0);
        OWN.set(OWN.get() - 1);
        AT_WORK.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Keeps other threads from beginning. A fork may go on as soon as this says true while the interpreter's lock is held;
/// before the next question the lock is let go for a moment, by [`nap`].
pub fn is_reached() -> bool {
    FORKING.store(true, Ordering::SeqCst);
    AT_WORK.load(Ordering::SeqCst) == OWN.get()
}

/// Sleeps until it is worth while to ask again.
pub fn nap() {
    std::thread::sleep(NAP);
}

/// Lets the others go on, in the parent.
pub fn is_over() {
    FORKING.store(false, Ordering::SeqCst);
}

/// Goes on in the child, which has no other threads. What such threads did is to be forgotten, too
/// ([`forget_background`](crate::dispatch::forget_background)).
pub fn begin_child() {
    AT_WORK.store(OWN.get(), Ordering::SeqCst);
    is_over();
}
