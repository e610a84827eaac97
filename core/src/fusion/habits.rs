//! Which operations a program asks for one by one.
//!
//! Where a program looks at each result before the next operation, a group takes longer to be made, run and dropped than its
//! only operation takes to compute. So a device counts how often an operation was the whole group that it began. After several
//! times in a row such operations run at once ([`at_once`](super::at_once)). Now and then they are recorded all the same, to
//! see whether the program still needs each result by itself.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often in a row an operation has to be its whole group before it runs at once.
const STREAK: u64 = 4;
/// How often it then runs at once before it is recorded again.
const RERECORD_AFTER: u64 = 60;
/// Operations that are remembered.
const SLOTS: usize = 256;
/// The bits of a word that count.
const COUNT_MASK: u64 = 0xff;

/// What an operation is and over how many elements, as a hash whose lowest byte is 0. Two kinds with one hash spoil each
/// other's guesses and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u64);

impl Kind {
    /// The kind that a word describes.
    #[inline]
    pub fn of(word: u64) -> Kind {
        Kind(word.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !COUNT_MASK)
    }
}

/// For each kind how often in a row it was its whole group, in one word, so that reading takes no lock. Lost updates are
/// harmless.
pub(super) struct Habits([AtomicU64; SLOTS]);

impl Default for Habits {
    fn default() -> Habits {
        Habits([const { AtomicU64::new(0) }; SLOTS])
    }
}

impl Habits {
    #[inline]
    fn place(&self, kind: Kind) -> &AtomicU64 {
        &self.0[(kind.0 >> 56) as usize]
    }

    /// How often in a row the kind was its whole group.
    #[inline]
    fn times(&self, kind: Kind) -> u64 {
        let word = self.place(kind).load(Ordering::Relaxed);
        if word & !COUNT_MASK == kind.0 { word & COUNT_MASK } else { 0 }
    }

    #[inline]
    fn set(&self, kind: Kind, times: u64) {
        self.place(kind).store(kind.0 | times, Ordering::Relaxed);
    }

    /// Whether an operation is to run at once this time.
    #[inline]
    pub fn is_due(&self, kind: Kind) -> bool {
        match self.times(kind) {
            times if times < STREAK => false,
            times if times < STREAK + RERECORD_AFTER => {
                self.set(kind, times + 1);
                true
            }
            _ => {
                self.set(kind, STREAK - 1);
                false
            }
        }
    }

    /// Notes that a group has run that an operation of the kind began, and whether that was all of it.
    #[inline]
    pub fn note(&self, kind: Kind, alone: bool) {
        self.set(kind, if alone { (self.times(kind) + 1).min(STREAK) } else { 0 });
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_alone_runs_at_once_until_it_is_tried_again() {
        let (habits, kind) = (Habits::default(), Kind::of(7));
        for _ in 0..STREAK {
            assert!(!habits.is_due(kind));
            habits.note(kind, true);
        }
        for _ in 0..3 {
            let turns = (0..1000).take_while(|_| habits.is_due(kind)).count();
            assert_eq!(turns as u64, RERECORD_AFTER);
            habits.note(kind, true);
        }
        habits.note(kind, false);
        assert!(!habits.is_due(kind));
    }

    #[test]
    fn another_kind_in_the_same_slot_replaces_it() {
        let (habits, kinds) = (Habits::default(), [Kind(1 << 8), Kind(2 << 8)]);
        (0..STREAK).for_each(|_| habits.note(kinds[0], true));
        habits.note(kinds[1], true);
        assert!(!habits.is_due(kinds[0]) && !habits.is_due(kinds[1]));
    }
}
