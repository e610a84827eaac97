//! Which operations a program asks for one by one.
//!
//! Where each result is looked at before the next operation, a group takes longer to be made, run and dropped than its only
//! operation takes to compute. So a device notes which operations began a group that ran with nothing else in it. What did so
//! several times in a row runs at once from then on ([`at_once`](super::at_once)); now and then it is recorded all the same, to
//! see whether the program still asks for it alone.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often in a row an operation was all of its group before it runs at once.
const LEAST: u64 = 4;
/// How often it then runs at once before it is recorded again.
const TURNS: u64 = 60;
/// Operations that are remembered.
const PLACES: usize = 256;
/// The bits of a word that count.
const TIMES: u64 = 0xff;

/// What an operation is and over how many elements, as a hash whose lowest byte is 0. Two kinds with one hash spoil each
/// other's guesses and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u64);

impl Kind {
    /// The kind that a word describes.
    #[inline]
    pub fn of(word: u64) -> Kind {
        Kind(word.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !TIMES)
    }
}

/// For each kind how often in a row it was all of its group: a word a place, so that looking takes no lock. A count that
/// threads lose to each other does not matter.
pub(super) struct Habits([AtomicU64; PLACES]);

impl Default for Habits {
    fn default() -> Habits {
        Habits([const { AtomicU64::new(0) }; PLACES])
    }
}

impl Habits {
    #[inline]
    fn place(&self, kind: Kind) -> &AtomicU64 {
        &self.0[(kind.0 >> 56) as usize]
    }

    /// How often in a row the kind was all of its group.
    #[inline]
    fn times(&self, kind: Kind) -> u64 {
        let word = self.place(kind).load(Ordering::Relaxed);
        if word & !TIMES == kind.0 { word & TIMES } else { 0 }
    }

    #[inline]
    fn set(&self, kind: Kind, times: u64) {
        self.place(kind).store(kind.0 | times, Ordering::Relaxed);
    }

    /// Whether an operation is to run at once this time.
    #[inline]
    pub fn is_due(&self, kind: Kind) -> bool {
        match self.times(kind) {
            times if times < LEAST => false,
            times if times < LEAST + TURNS => {
                self.set(kind, times + 1);
                true
            }
            _ => {
                self.set(kind, LEAST - 1);
                false
            }
        }
    }

    /// Notes that a group has run that an operation of the kind began, and whether that was all of it.
    #[inline]
    pub fn note(&self, kind: Kind, alone: bool) {
        self.set(kind, if alone { (self.times(kind) + 1).min(LEAST) } else { 0 });
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
        for _ in 0..LEAST {
            assert!(!habits.is_due(kind));
            habits.note(kind, true);
        }
        for _ in 0..3 {
            let turns = (0..1000).take_while(|_| habits.is_due(kind)).count();
            assert_eq!(turns as u64, TURNS);
            habits.note(kind, true);
        }
        habits.note(kind, false);
        assert!(!habits.is_due(kind));
    }

    #[test]
    fn another_kind_in_the_same_place_takes_it() {
        let (habits, kinds) = (Habits::default(), [Kind(1 << 8), Kind(2 << 8)]);
        (0..LEAST).for_each(|_| habits.note(kinds[0], true));
        habits.note(kinds[1], true);
        assert!(!habits.is_due(kinds[0]) && !habits.is_due(kinds[1]));
    }
}
