//! Predicting the next steps of a group.
//!
//! Programs repeat themselves: a group that begins like an earlier one mostly continues like it. After its second step, a group
//! therefore follows the *script* of an earlier group that began with the same two steps. The fuser compares the next operation
//! with the script's next step. If they match, it copies the step from the script ([`follow`](super::follow)).
//!
//! Results do not depend on predictions: a copied step is the one that recording would have added. An operation that does not
//! match is recorded as usual. The group then looks for a script that continues with this operation. A deferred reduction
//! ends the prediction, because groups with reductions have no plans and thus no scripts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::script::{Script, hash_step};

/// Steps after which a group looks for a script: many programs share the first one.
const FIRST_LOOKUP: usize = 2;

/// How many groups of the process follow a script. While none does, no operation is expected.
static FOLLOWERS: AtomicUsize = AtomicUsize::new(0);

/// Whether any group follows a script.
#[inline]
pub fn is_any_expected() -> bool {
    FOLLOWERS.load(Ordering::Relaxed) != 0
}

/// The script that a group follows, counted in [`FOLLOWERS`].
pub(super) struct Followed(pub Arc<Script>);

impl Followed {
    /// The script that begins with `steps`, whose hash is `hash`.
    fn of(hash: u64, steps: &[[u64; 2]]) -> Option<Followed> {
        let script = Script::with_prefix(hash, steps)?;
        FOLLOWERS.fetch_add(1, Ordering::Relaxed);
        Some(Followed(script))
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        FOLLOWERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The prediction of a group's next steps.
pub(super) struct Guide {
    /// The script that begins with the group's steps.
    pub script: Option<Followed>,
    /// The hash of the group's steps, if there is no script.
    hash: u64,
    /// The number of steps after which the group looks for a script.
    next_lookup: usize,
}

impl Default for Guide {
    fn default() -> Guide {
        Guide { script: None, hash: 0, next_lookup: FIRST_LOOKUP }
    }
}

impl Guide {
    /// Compares the last of a group's steps with the script, and looks for a script where one is due. `may_follow` says whether
    /// the group may have a script.
    #[inline]
    pub fn note(&mut self, steps: &[[u64; 2]], may_follow: bool) {
        let (known, text) = (steps.len() - 1, steps[steps.len() - 1]);
        if let Some(Followed(script)) = &self.script {
            if script.text.get(known) == Some(&text) {
                return;
            }
            self.hash = script.hash_of(known);
            self.script = None;
            self.next_lookup = known + 1;
        }
        self.hash = hash_step(self.hash, text);
        if self.next_lookup == known + 1 && may_follow {
            self.script = Followed::of(self.hash, steps);
        }
    }

    /// The hash of the group's steps; `steps` is their number.
    pub fn hash(&self, steps: usize) -> u64 {
        self.script.as_ref().map_or(self.hash, |script| script.0.hash_of(steps))
    }

    /// Whether the group followed `script` from its first step to its last; `steps` is the number of the group's steps.
    pub fn has_matched(&self, script: &Arc<Script>, steps: usize) -> bool {
        steps == script.text.len() && self.script.as_ref().is_some_and(|own| Arc::ptr_eq(&own.0, script))
    }

    /// The numbers of steps after which this group looked for a script without finding the right one.
    pub fn prefixes(&self) -> [usize; 2] {
        [FIRST_LOOKUP, self.next_lookup]
    }
}
