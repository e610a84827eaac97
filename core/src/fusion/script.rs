//! The steps of groups that ran, for groups that begin alike.

use std::sync::{Arc, Weak};

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::step::Step;

/// Most beginnings of scripts that are remembered.
const MOST: usize = 1024;

/// Scripts by the hashes of their first steps: of those that begin alike the one that was found or made last.
static BEGINNINGS: Lazy<Mutex<FxHashMap<u64, Weak<Script>>>> = Lazy::new(Mutex::default);

/// The steps of a group.
pub(super) struct Script {
    pub steps: Box<[Step]>,
    /// The steps as words.
    pub text: Box<[[u64; 2]]>,
    /// The hash of the first steps, for each number of them.
    hashes: Box<[u64]>,
    /// The types of what they read.
    pub operands: Box<[DType]>,
}

impl Script {
    pub fn new(steps: &[Step], text: &[[u64; 2]], operands: Box<[DType]>) -> Script {
        Script { steps: steps.into(), text: text.into(), hashes: hashes(text), operands }
    }

    /// The script that begins with these steps, of this hash.
    pub fn beginning(hash: u64, steps: &[[u64; 2]]) -> Option<Arc<Script>> {
        let script = BEGINNINGS.lock().get(&hash)?.upgrade()?;
        script.text.starts_with(steps).then_some(script)
    }

    /// The hash of the first steps.
    pub fn hash_of(&self, steps: usize) -> u64 {
        self.hashes[steps]
    }

    /// Remembers the script for groups that begin with so many of its steps.
    pub fn remember(self: &Arc<Script>, beginnings: [usize; 2]) {
        let mut known = BEGINNINGS.lock();
        if known.len() >= MOST {
            known.clear();
        }
        for steps in beginnings {
            if steps < self.text.len() {
                known.insert(self.hash_of(steps), Arc::downgrade(self));
            }
        }
    }
}

/// A hash of steps and one more.
#[inline]
pub(super) fn hash_step(steps: u64, [work, inputs]: [u64; 2]) -> u64 {
    hash_word(hash_word(steps, work), inputs)
}

/// A hash of words and one more. The rotation lets high bits, which the products mix best, count in all later ones.
#[inline]
pub(super) fn hash_word(words: u64, word: u64) -> u64 {
    (words.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hashes of the first steps, for each number of them.
fn hashes(text: &[[u64; 2]]) -> Box<[u64]> {
    let more = text.iter().scan(0, |hash, &step| {
        *hash = hash_step(*hash, step);
        Some(*hash)
    });
    std::iter::once(0).chain(more).collect()
}
