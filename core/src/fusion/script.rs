//! Scripts: the steps of groups that ran, which predict the steps of later groups.

use std::sync::{Arc, Weak};

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::step::Step;

/// Most prefixes of scripts that are remembered.
const MOST: usize = 1024;

/// Scripts by the hash of a prefix of their steps. Of several scripts with the same prefix, the last one remembered wins.
static BY_PREFIX: Lazy<Mutex<FxHashMap<u64, Weak<Script>>>> = Lazy::new(Mutex::default);

/// The steps of a group that ran.
pub(super) struct Script {
    pub steps: Box<[Step]>,
    /// The steps as words.
    pub text: Box<[[u64; 2]]>,
    /// The hash of each prefix, by its number of steps.
    hashes: Box<[u64]>,
    /// The types of the operands.
    pub operands: Box<[DType]>,
}

impl Script {
    pub fn new(steps: &[Step], text: &[[u64; 2]], operands: Box<[DType]>) -> Script {
        Script { steps: steps.into(), text: text.into(), hashes: hashes(text), operands }
    }

    /// The script that begins with `steps`, whose hash is `hash`.
    pub fn with_prefix(hash: u64, steps: &[[u64; 2]]) -> Option<Arc<Script>> {
        let script = BY_PREFIX.lock().get(&hash)?.upgrade()?;
        script.text.starts_with(steps).then_some(script)
    }

    /// The hash of the first `steps` steps.
    pub fn hash_of(&self, steps: usize) -> u64 {
        self.hashes[steps]
    }

    /// Remembers the script for groups that begin with its first steps: with either of two numbers of them.
    pub fn remember(self: &Arc<Script>, prefixes: [usize; 2]) {
        let mut known = BY_PREFIX.lock();
        if known.len() >= MOST {
            known.clear();
        }
        for steps in prefixes {
            if steps < self.text.len() {
                known.insert(self.hash_of(steps), Arc::downgrade(self));
            }
        }
    }
}

/// Extends the hash of steps by one step.
#[inline]
pub(super) fn hash_step(steps: u64, [work, inputs]: [u64; 2]) -> u64 {
    hash_word(hash_word(steps, work), inputs)
}

/// Extends the hash of words by one word. The rotation moves the high bits, which the product mixes best, to the low end.
#[inline]
pub(super) fn hash_word(words: u64, word: u64) -> u64 {
    (words.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hash of each prefix, the empty one included.
fn hashes(text: &[[u64; 2]]) -> Box<[u64]> {
    let more = text.iter().scan(0, |hash, &step| {
        *hash = hash_step(*hash, step);
        Some(*hash)
    });
    std::iter::once(0).chain(more).collect()
}
