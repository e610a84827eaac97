//! Ending long work on the host when the program is asked to stop (Ctrl-C).
//!
//! Work on the host calls [`point`] between its parts. From time to time that asks the front end whether a signal handler has
//! raised an exception; if so, it unwinds to [`caught`], where the call of the backend began, which returns
//! [`Error::Interrupted`]. Unwinding needs one line in a loop at any depth, and frees what the loops hold.
//!
//! Interpreters run signal handlers in their main thread, so only work of that thread ends early. Threads that help it follow
//! it ([`Following`]). Work that changes memory which others can see is [`held`]: it runs to its end.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How often a thread asks.
const PERIOD: Duration = Duration::from_millis(100);

/// Short pieces of work between two looks.
const TURN: u32 = 64;

/// What a front end knows about signals.
#[derive(Clone, Copy)]
pub struct Watcher {
    /// Whether signal handlers run in the calling thread.
    pub is_main: fn() -> bool,
    /// Runs the handlers of pending signals; whether one of them raised an exception, which the front end keeps until it
    /// meets [`Error::Interrupted`].
    pub is_raised: fn() -> bool,
}

static WATCHER: OnceLock<Watcher> = OnceLock::new();
/// Whether the work of the main thread is to end.
static STOP: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nothing would catch what unwinds.
    Closed,
    /// Work that is not to end early.
    Held,
    /// Work within [`caught`].
    Open,
    /// Help with work of the main thread.
    Follows,
}

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::Closed) };
    /// Whether the thread is the main one, once it is known.
    static IS_MAIN: Cell<Option<bool>> = const { Cell::new(None) };
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    static PIECES: Cell<u32> = const { Cell::new(0) };
}

/// What unwinds.
struct Interrupted;

/// Puts the state of the thread back.
struct Back(State);

impl Back {
    fn set(state: State) -> Back {
        Back(STATE.replace(state))
    }
}

impl Drop for Back {
    fn drop(&mut self) {
        STATE.set(self.0);
    }
}

/// Sets how to look for signals; once for the process.
pub fn set_watcher(watcher: Watcher) {
    let _ = WATCHER.set(watcher);
}

/// Runs work that may end early.
///
/// # Errors
/// [`Error::Interrupted`] if it did; those of the work.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if STATE.get() == State::Held || !is_main() {
        return work();
    }
    let back = Back::set(State::Open);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(back);
    outcome.unwrap_or_else(|payload| {
        if !payload.is::<Interrupted>() {
            resume_unwind(payload);
        }
        STOP.store(false, Ordering::Relaxed);
        Err(Error::Interrupted)
    })
}

/// Whether it is this thread's turn to look for a request, after one of many short pieces of work: asking for the time after
/// each would take longer than some of them.
#[inline]
pub fn is_turn() -> bool {
    let pieces = PIECES.get().wrapping_add(1);
    PIECES.set(pieces);
    pieces.is_multiple_of(TURN)
}

/// Runs work to its end: it changes memory that others can see.
pub fn held<T>(work: impl FnOnce() -> T) -> T {
    let _back = Back::set(State::Held);
    work()
}

/// Ends the work of the calling thread, by unwinding, if the program is to stop.
#[inline]
pub fn point() {
    if requested() {
        resume_unwind(Box::new(Interrupted));
    }
}

/// Whether the work of the calling thread is to end. A caller either calls [`point`] soon, or leaves its results unused.
#[inline]
pub fn requested() -> bool {
    match STATE.get() {
        State::Closed | State::Held => false,
        State::Follows => STOP.load(Ordering::Relaxed),
        State::Open => STOP.load(Ordering::Relaxed) || is_due() && look(),
    }
}

fn is_due() -> bool {
    let now = Instant::now();
    match LOOKED.get() {
        Some(before) if now.duration_since(before) < PERIOD => false,
        before => {
            LOOKED.set(Some(now));
            before.is_some()
        }
    }
}

/// Whether signal handlers run in the calling thread.
fn is_main() -> bool {
    IS_MAIN.get().unwrap_or_else(|| {
        let Some(watcher) = WATCHER.get() else { return false };
        let is_main = (watcher.is_main)();
        IS_MAIN.set(Some(is_main));
        is_main
    })
}

#[cold]
fn look() -> bool {
    // Handlers are programs of their own: what they compute runs to its end.
    let _back = Back::set(State::Held);
    let stops = WATCHER.get().is_some_and(|watcher| (watcher.is_raised)());
    STOP.store(stops, Ordering::Relaxed);
    stops
}

/// Whether threads that help the calling one are to follow it.
pub fn is_followed() -> bool {
    matches!(STATE.get(), State::Open | State::Follows)
}

/// As long as it lives, the calling thread helps another and ends when that one does.
pub struct Following {
    _back: Back,
}

impl Following {
    /// Begins to help a thread that [`is_followed`], or one that is not.
    pub fn begin(is_followed: bool) -> Following {
        Following { _back: Back::set(if is_followed { State::Follows } else { State::Held }) }
    }
}
