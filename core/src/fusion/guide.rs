//! Predicting the next steps of a group.
//!
//! Programs repeat themselves: a group that begins like one that ran before mostly goes on like it. From its second step on a
//! group therefore follows the *script* of a group that began so. The next operation is compared with the script's next step, and
//! if it is that, the step is taken as it stands ([`follow`](super::follow)).
//!
//! Results do not depend on predictions. Each step is one that recording would have added, and one that differs is recorded as
//! ever; then a script is looked for that has gone on in this way before. A deferred reduction ends a script: groups with
//! reductions have no plans.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::script::{Script, hash_step};

/// Steps after which a script is looked for: many programs begin with the same one.
const BEGINNING: usize = 2;

/// How many groups of the process follow scripts: while none does, no operation is expected.
static FOLLOWERS: AtomicUsize = AtomicUsize::new(0);

/// Whether any operation is expected.
#[inline]
pub fn is_any_expected() -> bool {
    FOLLOWERS.load(Ordering::Relaxed) != 0
}

/// The script that a group follows.
pub(super) struct Followed(pub Arc<Script>);

impl Followed {
    /// The script that begins with these steps, of this hash.
    fn of(hash: u64, steps: &[[u64; 2]]) -> Option<Followed> {
        let script = Script::beginning(hash, steps)?;
        FOLLOWERS.fetch_add(1, Ordering::Relaxed);
        Some(Followed(script))
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        FOLLOWERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the next steps of a group are expected to be.
pub(super) struct Guide {
    /// What the steps so far are the beginning of.
    pub script: Option<Followed>,
    /// The hash of the steps so far, if there is no script.
    hash: u64,
    /// The number of steps with which a script is looked for.
    branch: usize,
}

impl Default for Guide {
    fn default() -> Guide {
        Guide { script: None, hash: 0, branch: BEGINNING }
    }
}

impl Guide {
    /// Compares the newest of a group's steps with the script. `may_lead`: whether the group may have one.
    #[inline]
    pub fn note(&mut self, steps: &[[u64; 2]], may_lead: bool) {
        let (known, text) = (steps.len() - 1, steps[steps.len() - 1]);
        if let Some(Followed(script)) = &self.script {
            if script.text.get(known) == Some(&text) {
                return;
            }
            self.hash = script.hash_of(known);
            self.script = None;
            self.branch = known + 1;
        }
        self.hash = hash_step(self.hash, text);
        if self.branch == known + 1 && may_lead {
            self.script = Followed::of(self.hash, steps);
        }
    }

    /// The hash of the group's steps, of which there are so many.
    pub fn hash(&self, steps: usize) -> u64 {
        self.script.as_ref().map_or(self.hash, |script| script.0.hash_of(steps))
    }

    /// Whether these are all steps of the script, up to its end.
    pub fn has_held_to(&self, script: &Arc<Script>, steps: usize) -> bool {
        steps == script.text.len() && self.script.as_ref().is_some_and(|own| Arc::ptr_eq(&own.0, script))
    }

    /// The numbers of steps with which later groups look for a script, and this one was of no help or had none.
    pub fn beginnings(&self) -> [usize; 2] {
        [BEGINNING, self.branch]
    }
}
