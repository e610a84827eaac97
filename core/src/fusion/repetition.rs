//! Loops whose results are not read: where to cut them, so that all pieces are one kernel.

use cuproxide_hal::DType;

use super::group::Group;
use super::step::{MAX_INPUTS, Ref, Step, Work};
use crate::layout::Dims;

/// Fewest steps that a turn of more than half a group must have in common with the one before.
const LEAST: usize = 64;

/// How many steps a group of a shape takes, since what it records repeats itself.
#[derive(Debug)]
pub(super) struct Rhythm {
    pub shape: Dims,
    pub stream: u64,
    /// One turn of the loop, from where groups begin in it.
    turn: Box<[Kind]>,
    /// A multiple of the steps of one turn: groups of so many steps all start at the same place in it.
    pub steps: usize,
}

/// What a step has in common with the same step of another turn.
#[derive(Clone, Debug)]
struct Kind {
    work: Work,
    dtype: DType,
    count: u8,
    /// How far back the results lie that it reads; nothing for what is no step.
    distances: [Option<u16>; MAX_INPUTS],
}

impl Kind {
    fn of(steps: &[Step], at: usize) -> Kind {
        let step = &steps[at];
        let mut distances = [None; MAX_INPUTS];
        for (distance, input) in distances.iter_mut().zip(step.inputs()) {
            *distance = if let Ref::Step(earlier) = *input { Some(at as u16 - earlier) } else { None };
        }
        Kind { work: step.work, dtype: step.dtype, count: step.count, distances }
    }

    /// Whether `other`, step `at` of a group, is the same step of another turn: what lies before a group is memory to it.
    fn is(&self, other: &Kind, at: usize) -> bool {
        let seen = |distance: Option<u16>| distance.filter(|&distance| usize::from(distance) <= at);
        (self.work, self.dtype, self.count) == (other.work, other.dtype, other.count)
            && self.distances.map(seen) == other.distances
    }
}

impl Rhythm {
    /// The rhythm of a full group, if its later half repeats the same steps, or all that has come after a longer turn.
    pub fn of(group: &Group) -> Option<Rhythm> {
        let kinds: Vec<Kind> = (0..group.steps.len()).map(|at| Kind::of(&group.steps, at)).collect();
        let room = kinds.len();
        let half = room / 2;
        let repeats = |period: &usize| {
            let mut later = (half.max(*period)..room).rev();
            later.all(|at| kinds[at].is(&kinds[at - period], at - period))
        };
        let period = (1..=room.saturating_sub(LEAST).max(half)).find(repeats)?;
        let (shape, stream) = (group.shape.clone(), group.stream_id);
        Some(Rhythm { shape, stream, turn: kinds[room - period..].into(), steps: room / period * period })
    }

    pub fn fits(&self, group: &Group) -> bool {
        self.shape == group.shape && self.stream == group.stream_id
    }

    /// Whether a group goes on with the loop.
    pub fn goes_on(&self, group: &Group) -> bool {
        let expected = |at: usize| &self.turn[at % self.turn.len()];
        (0..group.steps.len()).all(|at| expected(at).is(&Kind::of(&group.steps, at), at))
    }
}
