//! Ends a kernel that does what it must not, as a GPU does, instead of the process.
//!
//! While a kernel runs on a thread, `RUNNING` says how to end it. A fault (an address out of bounds, a full stack, an illegal
//! instruction) raises a signal on that thread; the handler writes down what happened and jumps back to where the kernel was
//! called. Other signals of these kinds go to the handlers that were there before, such as those of a debugging aid. A
//! division of integers by zero is no fault: a GPU's kernel gets some value and goes on, and so does this one.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::io::Write;
use std::ops::Range;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, compiler_fence};

use crate::divide;
use crate::state::State;

/// What a library exports to end the running thread of its kernel.
pub type Land = unsafe extern "C" fn();

/// A kernel that runs on a thread of the system.
pub struct Running {
    /// The library's state on this thread.
    pub state: *mut State,
    pub land: Land,
    /// Addresses of the code of the kernel's library.
    pub code: Range<usize>,
}

thread_local! {
    static RUNNING: AtomicPtr<Running> = const { AtomicPtr::new(ptr::null_mut()) };
    /// Memory for handlers of signals: the kernel's own stack may be full.
    static STACK: Cell<Option<SignalStack>> = const { Cell::new(None) };
}

/// Threads that may run kernels. While there are none, a handler looks at no variable of its thread, which might have to be made.
static COUNT: AtomicUsize = AtomicUsize::new(0);

const SIGNALS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
const SIGNAL_STACK: usize = 64 << 10;

/// The handlers that were there before ours.
struct Before(UnsafeCell<[libc::sigaction; SIGNALS.len()]>);

// SAFETY: written under `INSTALLING`, or before the handler that reads it can run.
unsafe impl Sync for Before {}

// SAFETY: plain data, for which zeros stand for the system's own behaviour.
static BEFORE: Before = Before(UnsafeCell::new(unsafe { std::mem::zeroed() }));
static INSTALLING: parking_lot::Mutex<()> = parking_lot::Mutex::new(());

/// A thread's memory for handlers, given back at its end.
struct SignalStack(*mut c_void);

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: the memory is that which the system knows of; it forgets it first.
        unsafe {
            let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            libc::sigaltstack(&none, ptr::null_mut());
            libc::munmap(self.0, SIGNAL_STACK);
        }
    }
}

/// As long as it lives, kernels may run on the thread that has it.
pub struct Prepared(());

impl Drop for Prepared {
    fn drop(&mut self) {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sees to it that the handlers are in place and this thread has memory for them.
pub fn prepare() -> Prepared {
    install();
    give_stack();
    COUNT.fetch_add(1, Ordering::Relaxed);
    Prepared(())
}

/// Gives this thread memory for handlers, unless it has some.
fn give_stack() {
    STACK.with(|own| {
        let held = own.take();
        if held.is_some() {
            own.set(held);
            return;
        }
        // SAFETY: the structures are plain data; the memory is fresh and stays until the thread ends.
        unsafe {
            let mut before: libc::stack_t = std::mem::zeroed();
            if libc::sigaltstack(ptr::null(), &mut before) == 0 && before.ss_flags & libc::SS_DISABLE == 0 {
                // Somebody else's, which serves as well.
                return;
            }
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let memory = libc::mmap(ptr::null_mut(), SIGNAL_STACK, protection, flags, -1, 0);
            if memory == libc::MAP_FAILED {
                return;
            }
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: SIGNAL_STACK };
            libc::sigaltstack(&stack, ptr::null_mut());
            own.set(Some(SignalStack(memory)));
        }
    });
}

/// Puts the handlers in place, also where others have come since: debugging aids take all of these signals or none.
fn install() {
    // SAFETY: the structure is plain data.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(SIGNALS[0], ptr::null(), &mut now);
        if now.sa_sigaction == on_fault as *const () as usize {
            return;
        }
    }
    let _installing = INSTALLING.lock();
    // The first one last, by which others see that all are in place.
    for (index, &signal) in SIGNALS.iter().enumerate().rev() {
        // SAFETY: the structures are plain data; the handler has the signature that its flag promises.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, ptr::null(), &mut now);
            if now.sa_sigaction == on_fault as *const () as usize {
                continue;
            }
            (*BEFORE.0.get())[index] = now;
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = on_fault as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
            libc::sigaction(signal, &ours, ptr::null_mut());
        }
    }
}

/// Runs a kernel on this thread, which is prepared; faults end it.
pub fn with<T>(running: &Running, run: impl FnOnce() -> T) -> T {
    let before = RUNNING.with(|slot| slot.swap(ptr::from_ref(running).cast_mut(), Ordering::Relaxed));
    compiler_fence(Ordering::SeqCst);
    let result = run();
    compiler_fence(Ordering::SeqCst);
    RUNNING.with(|slot| slot.store(before, Ordering::Relaxed));
    result
}

/// The kernel that runs on this thread.
pub fn running() -> Option<&'static Running> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let running = RUNNING.try_with(|slot| slot.load(Ordering::Relaxed)).unwrap_or(ptr::null_mut());
    // SAFETY: what is stored outlives the run that it stands for, and this thread is within that run.
    unsafe { running.as_ref() }
}

/// Ends the kernel of this thread with a message. Returns if it has not begun.
///
/// # Safety
/// Called by a handler of a signal of this thread.
pub unsafe fn end(running: &Running, message: std::fmt::Arguments<'_>) {
    // SAFETY: the state is this thread's; its kernel reads the message only after it has ended.
    unsafe {
        let text = &mut (*running.state).message;
        let bytes = std::slice::from_raw_parts_mut(text.as_mut_ptr().cast::<u8>(), text.len());
        let room = bytes.len() - 1;
        let mut rest = &mut bytes[..room];
        let _ = rest.write_fmt(message);
        let left = rest.len();
        bytes[room - left] = 0;
        (running.land)();
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system fills the structures in.
    unsafe {
        // What others send has no positive code.
        if let Some(running) = running().filter(|_| (*info).si_code > 0) {
            let context = context.cast::<libc::ucontext_t>();
            let address = (*info).si_addr() as usize;
            match signal {
                libc::SIGFPE if divide::resume(&mut *context) => return,
                libc::SIGFPE => end(running, format_args!("an arithmetic fault at {address:#x}")),
                libc::SIGILL => end(running, format_args!("an illegal instruction at {address:#x}")),
                _ if stack_pointer(&*context).is_some_and(|top| address.abs_diff(top) < 64 << 10) => {
                    end(running, format_args!("illegal address {address:#x}: the stack of a thread is full"));
                }
                _ => end(running, format_args!("illegal address {address:#x}")),
            }
        }
        pass_on(signal, info, context);
    }
}

#[cfg(target_arch = "x86_64")]
fn stack_pointer(context: &libc::ucontext_t) -> Option<usize> {
    Some(context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize)
}

#[cfg(target_arch = "aarch64")]
fn stack_pointer(context: &libc::ucontext_t) -> Option<usize> {
    Some(context.uc_mcontext.sp as usize)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn stack_pointer(_context: &libc::ucontext_t) -> Option<usize> {
    None
}

/// Lets the handler that was there before have a signal.
unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    static INSIDE: AtomicUsize = AtomicUsize::new(0);
    let Some(index) = SIGNALS.iter().position(|&known| known == signal) else { return };
    // SAFETY: written before this handler was in place.
    let before = unsafe { (*BEFORE.0.get())[index] };
    // SAFETY: the system fills the structure in.
    let sent = unsafe { (*info).si_code } <= 0;
    // One that came after ours takes ours for the one before it, and sends the signal again.
    let circle = INSIDE.fetch_add(1, Ordering::Relaxed) > 0 && sent;
    // SAFETY: the handler has the signature that its flag promises.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_DFL => stop(signal, sent),
            _ if circle => stop(signal, sent),
            // A fault that is ignored would come again for ever.
            libc::SIG_IGN if sent => {}
            libc::SIG_IGN => stop(signal, sent),
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(handler)(
                    signal, info, context,
                );
            }
            handler => std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal),
        }
    }
    INSIDE.fetch_sub(1, Ordering::Relaxed);
}

/// Gives a signal the system's own behaviour, which ends the process: the instruction that failed is tried again, or the
/// signal is sent again.
unsafe fn stop(signal: c_int, sent: bool) {
    // SAFETY: the structure is plain data.
    unsafe {
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &default, ptr::null_mut());
        if sent {
            libc::raise(signal);
        }
    }
}

/// Addresses of the code of the object that holds an address: what a library is made of, or the host's mathematics.
pub fn code_around(address: usize) -> Range<usize> {
    struct Search {
        address: usize,
        found: Range<usize>,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes a live description, and the search that it was given.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the headers belong to the description.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0)
        {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            let range = start..start.wrapping_add(header.p_memsz as usize);
            if range.contains(&search.address) {
                search.found = range;
                return 1;
            }
        }
        0
    }
    let mut search = Search { address, found: 0..0 };
    // SAFETY: the search outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// Addresses of the code of the C library's mathematics, which holds no locks.
pub fn mathematics() -> Range<usize> {
    static ONCE: Once = Once::new();
    static START: AtomicUsize = AtomicUsize::new(0);
    static END: AtomicUsize = AtomicUsize::new(0);
    ONCE.call_once(|| {
        // SAFETY: only the address is taken.
        let sine = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"sin".as_ptr()) } as usize;
        let allocation = libc::malloc as *const () as usize;
        let range = code_around(sine);
        // Where both are one library, an address says nothing about locks.
        if !range.contains(&allocation) {
            START.store(range.start, Ordering::Relaxed);
            END.store(range.end, Ordering::Relaxed);
        }
    });
    START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)
}
