//! Loops whose results are not read between iterations: finds where to cut them, so that all pieces use one kernel.

use cuproxide_hal::DType;

use super::group::Group;
use super::step::{MAX_INPUTS, Ref, Step, Work};
use crate::layout::Dims;

/// Fewest steps in which an iteration of more than half a group must repeat the one before.
const LEAST: usize = 64;

/// The loop that groups of a shape record, and how many steps such a group takes.
#[derive(Debug)]
pub(super) struct Rhythm {
    pub shape: Dims,
    pub stream: u64,
    /// One iteration, beginning where groups begin.
    turn: Box<[Kind]>,
    /// A multiple of the steps of one iteration, so that all groups begin at the same step of it.
    pub steps: usize,
}

/// What a step has in common with the same step of another iteration.
#[derive(Clone, Debug)]
struct Kind {
    work: Work,
    dtype: DType,
    count: u8,
    /// For each input that is a step, how many steps back that is.
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

    /// Whether `other`, step `at` of a group, is the same step of another iteration. Results from before the group are memory.
    fn is(&self, other: &Kind, at: usize) -> bool {
        let seen = |distance: Option<u16>| distance.filter(|&distance| usize::from(distance) <= at);
        (self.work, self.dtype, self.count) == (other.work, other.dtype, other.count)
            && self.distances.map(seen) == other.distances
    }
}

impl Rhythm {
    /// The rhythm of a full group, if its second half repeats the same steps, or all steps after a longer iteration do.
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

    /// Whether a group has the rhythm's shape and stream.
    pub fn fits(&self, group: &Group) -> bool {
        self.shape == group.shape && self.stream == group.stream_id
    }

    /// Whether all steps of a group are those of the loop.
    pub fn goes_on(&self, group: &Group) -> bool {
        let expected = |at: usize| &self.turn[at % self.turn.len()];
        (0..group.steps.len()).all(|at| expected(at).is(&Kind::of(&group.steps, at), at))
    }
}
