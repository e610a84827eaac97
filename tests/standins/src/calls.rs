//! What every call goes through: counting, planned failures, lost devices, missing contexts.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::status::{INVALID_CONTEXT, INVALID_VALUE, NOT_INITIALIZED, Outcome, Status, UNKNOWN, is_sticky};
use crate::{device, queue};

thread_local! {
    /// The device whose context is current.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A call that is to fail.
struct Planned {
    name: String,
    /// Calls until then; nothing if every one fails.
    after: Option<u64>,
    status: Status,
}

#[derive(Default)]
struct Calls {
    counts: FxHashMap<&'static str, u64>,
    planned: Option<Vec<Planned>>,
}

static CALLS: Mutex<Option<Calls>> = Mutex::new(None);

/// Replaces the plan: `name:n=status` for the n-th call from now, `name:*=status` for all, separated by commas.
pub fn plan(text: &str) -> Outcome {
    let parse = |part: &str| -> Option<Planned> {
        let (call, status) = part.trim().rsplit_once('=')?;
        let (name, number) = call.rsplit_once(':')?;
        let after = if number == "*" { None } else { Some(number.parse().ok()?) };
        Some(Planned { name: name.to_owned(), after, status: status.parse().ok()? })
    };
    let parts: Option<Vec<Planned>> = text.split(',').filter(|part| !part.trim().is_empty()).map(parse).collect();
    CALLS.lock().get_or_insert_default().planned = Some(parts.ok_or(INVALID_VALUE)?);
    Ok(())
}

/// How often a function was called.
pub fn count(name: &str) -> u64 {
    CALLS.lock().as_ref().and_then(|calls| calls.counts.get(name)).copied().unwrap_or(0)
}

/// Counts a call; the status that is planned for it.
fn planned(name: &'static str) -> Outcome {
    let first = CALLS.lock().as_ref().is_none_or(|calls| calls.planned.is_none());
    if first {
        let text = std::env::var("STANDIN_FAIL").unwrap_or_default();
        if plan(&text).is_err() {
            eprintln!("stand-in: STANDIN_FAIL is not understood: {text}");
            plan("")?;
        }
    }
    let mut calls = CALLS.lock();
    let calls = calls.get_or_insert_default();
    *calls.counts.entry(name).or_default() += 1;
    for planned in calls.planned.iter_mut().flatten().filter(|planned| planned.name == name) {
        match &mut planned.after {
            None => return Err(planned.status),
            Some(0) => {}
            Some(after) => {
                *after -= 1;
                if *after == 0 {
                    return Err(planned.status);
                }
            }
        }
    }
    Ok(())
}

/// What a call needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: it is answered before and after everything else.
    Nothing,
    /// A driver that was initialised.
    Driver,
    /// A current context.
    Context,
    /// A current device, which is the first one where nobody has said otherwise.
    Device,
}

/// Runs the body of a function.
pub fn enter(name: &'static str, needs: Needs, body: impl FnOnce() -> Outcome) -> Status {
    let run = || -> Outcome {
        planned(name).inspect_err(|&status| {
            if is_sticky(status) {
                queue::lose(status);
            }
        })?;
        if needs != Needs::Nothing {
            if !device::is_initialised() {
                return Err(NOT_INITIALIZED);
            }
            if needs == Needs::Device && current().is_err() {
                set_current(Some(0));
            }
            if matches!(needs, Needs::Context | Needs::Device) {
                queue::lost()?;
                current()?;
            }
        }
        body()
    };
    // Nothing may unwind into the caller.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => {
            if std::env::var_os("STANDIN_LOG").is_some() {
                eprintln!("stand-in: {name} returns {status}");
            }
            status
        }
        Err(_) => UNKNOWN,
    }
}

/// The device whose context is current.
pub fn current() -> Outcome<usize> {
    CURRENT.get().ok_or(INVALID_CONTEXT)
}

/// Makes a device's context current, or none.
pub fn set_current(device: Option<usize>) {
    CURRENT.set(device);
}

/// Declares functions of a library by what they need. The body is of type [`Outcome`], all but its last `Ok(())`.
macro_rules! export {
    ($($needs:ident => { $(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)* })*) => {$($(
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> $crate::status::Status {
            $crate::calls::enter(stringify!($name), $crate::calls::Needs::$needs, || {
                #[allow(unused_unsafe, reason = "few functions touch no pointer")]
                // SAFETY: the caller keeps to the vendor's documentation of this function.
                unsafe { $body }
                #[allow(unreachable_code, reason = "some functions always fail")]
                Ok(())
            })
        }
    )*)*};
}
pub(crate) use export;

/// Writes to an address that the caller gave.
///
/// # Safety
/// The address is null or good for a value of the type.
pub unsafe fn give<T>(to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe { to.write_unaligned(value) };
    Ok(())
}
