//! Ctrl-C while the main thread waits for a kernel.
//!
//! The handler that the program has for the signal only notes it, and the interpreter looks at the note when the launch is
//! over. So a handler of ours comes before it: it lets that one note the signal, and then ends the kernel that the main thread
//! waits for, between two blocks or within one. Within one, only where its own code or the host's mathematics is
//! running: anything else of the host might hold a lock for ever.
//!
//! Launches of other threads go on, as other calls of theirs do. A signal that arrives just before the launch begins or before
//! its first instruction is only noted; the next one ends the launch.

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
    /// The system's number of this thread, and whether it is the main one.
    static SELF: (i32, bool) = (thread(), thread() == process());
}

/// What handlers send to the other threads of a launch goes with this, so that nobody takes it for another Ctrl-C.
const MARK: usize = 0x63_7078;

/// A signal with a value, as the system takes it.
#[repr(C)]
struct Sent {
    signal: c_int,
    error: c_int,
    code: c_int,
    unused: c_int,
    process: i32,
    user: u32,
    value: usize,
    rest: [u64; 12],
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
        if !SELF.with(|own| own.1) || ACTIVE.load(Ordering::Relaxed) {
            return None;
        }
        // SAFETY: the structures are plain data; the handler has the signature that its flag promises.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGINT, ptr::null(), &mut now);
            match now.sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => return None,
                handler if handler == on_interrupt as *const () as usize => {}
                _ => {
                    guard::mathematics();
                    BEFORE.0.get().write(now);
                    let mut ours: libc::sigaction = std::mem::zeroed();
                    ours.sa_sigaction = on_interrupt as *const () as usize;
                    ours.sa_flags = now.sa_flags | libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                    libc::sigaction(libc::SIGINT, &ours, ptr::null_mut());
                }
            }
        }
        REQUESTED.store(false, Ordering::Relaxed);
        ACTIVE.store(true, Ordering::Relaxed);
        Some(Interruptible(()))
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        ACTIVE.store(false, Ordering::Relaxed);
    }
}

/// As long as it lives, the calling thread runs blocks of the launch.
pub struct Part(Option<&'static AtomicI32>);

impl Part {
    /// Begins to run blocks; of a launch that can be interrupted, if there is one given.
    pub fn take(launch: Option<&Interruptible>) -> Part {
        let own = SELF.with(|own| own.0);
        let free = |slot: &&AtomicI32| slot.compare_exchange(0, own, Ordering::SeqCst, Ordering::Relaxed).is_ok();
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
    REQUESTED.load(Ordering::SeqCst) && TAKES_PART.get()
}

extern "C" fn on_interrupt(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system fills the structures in; the handler before has the signature that its flag promises; the signal
    // with a value has the system's form.
    unsafe {
        let relayed = (*info).si_code == libc::SI_QUEUE && (*info).si_value().sival_ptr as usize == MARK;
        if !relayed {
            let before = *BEFORE.0.get();
            if before.sa_flags & libc::SA_SIGINFO != 0 {
                std::mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                    before.sa_sigaction,
                )(signal, info, context);
            } else {
                std::mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction)(signal);
            }
            if !ACTIVE.load(Ordering::Relaxed) {
                return;
            }
            // In one order with the places of threads: one that comes later sees the request, one that came before is found.
            REQUESTED.store(true, Ordering::SeqCst);
            let (own, process) = (thread(), process());
            let relay = Sent {
                signal,
                error: 0,
                code: libc::SI_QUEUE,
                unused: 0,
                process,
                user: libc::getuid(),
                value: MARK,
                rest: [0; 12],
            };
            for slot in &THREADS {
                let other = slot.load(Ordering::SeqCst);
                if other != 0 && other != own {
                    libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, other, signal, &raw const relay);
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
