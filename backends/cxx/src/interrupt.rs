//! Ctrl-C while the main thread waits for a kernel.
//!
//! The handler that the program has for the signal only notes it, and the interpreter looks at the note when the launch is
//! over. So while the main thread launches, a handler of ours comes before it: it lets that one note the signal, and then
//! ends the kernel, between two blocks or within one. Within one, only where its own code or the host's mathematics is
//! running: anything else of the host might hold a lock for ever.
//!
//! Launches of other threads go on, as other calls of theirs do.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::guard;

/// Threads that may run blocks of one launch at a time: those of a pool or those of a cooperative launch.
const MOST_THREADS: usize = 1024;

/// What a kernel that was stopped says.
pub const MESSAGE: &str = "interrupted";

static ACTIVE: AtomicBool = AtomicBool::new(false);
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The system's numbers of the threads that run blocks of the launch.
static THREADS: [AtomicI32; MOST_THREADS] = [const { AtomicI32::new(0) }; MOST_THREADS];

thread_local! {
    /// Whether this thread runs blocks of the launch.
    static TAKES_PART: Cell<bool> = const { Cell::new(false) };
}

struct Before(UnsafeCell<libc::sigaction>);

// SAFETY: written by the main thread alone, while the handler that reads it is not in place.
unsafe impl Sync for Before {}

// SAFETY: plain data.
static BEFORE: Before = Before(UnsafeCell::new(unsafe { std::mem::zeroed() }));

/// As long as it lives, Ctrl-C ends the launch.
pub struct Interruptible(());

fn thread() -> i32 {
    // SAFETY: the call only returns a number.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

fn process() -> i32 {
    // SAFETY: as above.
    unsafe { libc::getpid() }
}

impl Interruptible {
    /// Begins a launch of the calling thread; nothing if that is not the main one, or the program leaves the signal to the
    /// system.
    pub fn begin() -> Option<Interruptible> {
        if thread() != process() || ACTIVE.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: the structures are plain data; the handler has the signature that its flag promises.
        unsafe {
            let before = BEFORE.0.get();
            libc::sigaction(libc::SIGINT, ptr::null(), before);
            if matches!((*before).sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) {
                ACTIVE.store(false, Ordering::Relaxed);
                return None;
            }
            REQUESTED.store(false, Ordering::Relaxed);
            guard::mathematics();
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = on_interrupt as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
            libc::sigaction(libc::SIGINT, &ours, ptr::null_mut());
        }
        Some(Interruptible(()))
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        // SAFETY: what was there before.
        unsafe { libc::sigaction(libc::SIGINT, BEFORE.0.get(), ptr::null_mut()) };
        ACTIVE.store(false, Ordering::Relaxed);
    }
}

/// As long as it lives, the calling thread runs blocks of the launch.
pub struct Part(Option<&'static AtomicI32>);

impl Part {
    /// Begins to run blocks; of a launch that can be interrupted, if there is one given.
    pub fn take(launch: Option<&Interruptible>) -> Part {
        let free = |slot: &&AtomicI32| slot.compare_exchange(0, thread(), Ordering::AcqRel, Ordering::Relaxed).is_ok();
        let slot = launch.and_then(|_| THREADS.iter().find(free));
        TAKES_PART.set(slot.is_some());
        Part(slot)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        TAKES_PART.set(false);
        if let Some(slot) = self.0 {
            slot.store(0, Ordering::Release);
        }
    }
}

/// Whether the launch that the calling thread runs blocks of is to end.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed) && TAKES_PART.get()
}

extern "C" fn on_interrupt(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system fills the structures in; the handler before has the signature that its flag promises.
    unsafe {
        // The one that a handler sends to the other threads.
        let ours = (*info).si_code == libc::SI_TKILL && (*info).si_pid() == process() && REQUESTED.load(Ordering::Relaxed);
        if !(ours && thread() != process()) {
            let before = *BEFORE.0.get();
            if before.sa_flags & libc::SA_SIGINFO != 0 {
                std::mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                    before.sa_sigaction,
                )(signal, info, context);
            } else {
                std::mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction)(signal);
            }
            REQUESTED.store(true, Ordering::Relaxed);
            let own = thread();
            for slot in &THREADS {
                let other = slot.load(Ordering::Acquire);
                if other != 0 && other != own {
                    libc::syscall(libc::SYS_tgkill, process(), other, signal);
                }
            }
        }
        let Some(running) = guard::running() else { return };
        let Some(place) = program_counter(&*context.cast::<libc::ucontext_t>()) else { return };
        if requested() && (running.code.contains(&place) || guard::mathematics().contains(&place)) {
            guard::end(running, format_args!("{MESSAGE}"));
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn program_counter(context: &libc::ucontext_t) -> Option<usize> {
    Some(context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize)
}

#[cfg(target_arch = "aarch64")]
fn program_counter(context: &libc::ucontext_t) -> Option<usize> {
    Some(context.uc_mcontext.pc as usize)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn program_counter(_context: &libc::ucontext_t) -> Option<usize> {
    None
}
