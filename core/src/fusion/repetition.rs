//! Loops whose results are not read: where to cut them, so that all pieces are one kernel.

use super::group::Group;
use super::program::{Ref, Step};
use crate::layout::Dims;

/// How many steps a group of a shape takes, since what it records repeats itself.
#[derive(Debug)]
pub(super) struct Rhythm {
    pub shape: Dims,
    pub stream: u64,
    /// A multiple of the steps of one turn of the loop: groups of so many steps all start at the same place in it.
    pub steps: usize,
}

impl Rhythm {
    /// The rhythm of a full group, if its later half repeats the same steps.
    pub fn of(group: &Group) -> Option<Rhythm> {
        let steps = &group.steps;
        let half = steps.len() / 2;
        let repeats = |period: &usize| (half..steps.len()).rev().all(|at| is_alike(steps, at, at - period));
        let period = (1..=half).find(repeats)?;
        Some(Rhythm { shape: group.shape.clone(), stream: group.stream_id, steps: steps.len() / period * period })
    }

    pub fn fits(&self, group: &Group) -> bool {
        self.shape == group.shape && self.stream == group.stream_id
    }
}

/// Whether two steps do the same, with what lies as far back.
fn is_alike(steps: &[Step], later: usize, earlier: usize) -> bool {
    let (a, b) = (&steps[later], &steps[earlier]);
    let distance = |at: usize, input: &Ref| match *input {
        Ref::Step(step) => Some(at - usize::from(step)),
        _ => None,
    };
    a.work == b.work
        && a.dtype == b.dtype
        && a.inputs().len() == b.inputs().len()
        && a.inputs().iter().zip(b.inputs()).all(|(x, y)| distance(later, x) == distance(earlier, y))
}
