//! What machine code is made for, and the run-time compiler that makes it.

use parking_lot::Mutex;

use crate::api::rtc::Rtc;

/// What is compiled for: one architecture by the compiler's name for it, as machine code or in a portable form that
/// the driver finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The compiler's name, such as `sm_90` or `gfx942:sramecc+:xnack-`.
    pub name: &'static str,
    /// Machine code rather than a portable form.
    pub binary: bool,
}

impl Target {
    /// A target by its name. Names are few and are kept for the life of the process.
    pub fn new(name: &str, binary: bool) -> Target {
        static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
        let mut names = NAMES.lock();
        let known = names.iter().copied().find(|known| *known == name);
        let name = known.unwrap_or_else(|| {
            let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
            names.push(kept);
            kept
        });
        Target { name, binary }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The compiler's options for an architecture.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The option that names it.
    pub option: String,
    /// Others that it needs.
    pub more: &'static [&'static str],
    /// Machine code rather than a portable form.
    pub binary: bool,
}

/// How well machine code for the first target runs on a device of the second: more is better, `None` not at all.
pub type Serves = fn(Target, Target) -> Option<u32>;

/// The run-time compiler of a vendor.
pub struct Compiler {
    /// Its functions.
    pub rtc: Rtc,
    /// Its name and version, which decide what becomes of a text.
    pub version: String,
    /// The option for a target, or for the nearest one that the compiler knows.
    pub choose: fn(Target) -> Choice,
    /// Whether the compiler knows a target by name.
    pub knows: fn(Target) -> bool,
    /// Whether initialisers of the vendor's libraries call it. They hold the loader's lock, for which a compilation of
    /// another thread would wait while they wait for the compiler's.
    pub serves_initialisers: bool,
}
