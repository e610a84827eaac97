//! Repeating small deferred expressions in the group that uses them: expressions of one element, or of an array that is broadcast
//! along an axis, such as one number for each level of a grid. A separate kernel would cost a launch to save a few operations.

use std::sync::Arc;

use smallvec::SmallVec;

use super::group::{Axes, Group, NEEDS, Repeated, writer_of};
use super::step::{Ref, Step};
use super::view::View;
use crate::array::Array;
use crate::layout::Strides;

/// Most steps of an expression that is repeated.
const MAX_STEPS: usize = 16;
/// Most work of an expression of several elements, in additions.
const MAX_COST: usize = 32;
/// Fewest points that use each of its elements.
const LEAST_SHARED: usize = 8;

/// Repeats in `group` the steps by which `other` computes an array, so that `other` need not run first.
pub(super) fn repeat(other: &Group, group: &mut Group, array: &Array, row: bool) -> Option<Ref> {
    // The group after a sealed group changes memory that the sealed group reads.
    let paired = other.sealed || other.after.is_some();
    if !other.effects.is_empty() || paired || other.stream_id != group.stream_id {
        return None;
    }
    let (step, axes) = whole(other, group, array)?;
    let is_one = axes.is_empty();
    if !is_one && (row || other.size() * LEAST_SHARED > group.size()) {
        return None;
    }
    let key = Repeated { group: other.serial, step, axes, row };
    if let Some((_, found)) = group.repeated.iter().find(|(known, _)| *known == key) {
        return Some(*found);
    }
    let needed = other.needed(std::iter::once(step), |_| false);
    let steps = || other.steps.iter().enumerate().filter(|(number, _)| needed[*number]);
    let count = steps().count();
    let room = (count + NEEDS.0, other.operands.len() + NEEDS.1, other.scalars.len() + NEEDS.2);
    if count > MAX_STEPS || !group.has_room(room.0, room.1, room.2) {
        return None;
    }
    let mut cost = 0;
    for (_, step) in steps() {
        let (ufunc, index, _) = step.call()?;
        cost += usize::from(ufunc.cost(index));
    }
    if !is_one && cost > MAX_COST {
        return None;
    }
    let ndim = group.shape.len();
    let mut made: SmallVec<[Ref; 32]> = SmallVec::from_elem(Ref::Step(0), other.steps.len());
    for (number, step) in steps() {
        let mut copy = Step { row, ..*step };
        for input in &mut copy.inputs[..usize::from(step.count)] {
            *input = match *input {
                Ref::Step(earlier) => made[usize::from(earlier)],
                Ref::Scalar(scalar) => group.scalar(other.scalars[usize::from(scalar)]),
                Ref::Operand(operand) => {
                    let view = &other.operands[usize::from(operand)];
                    let strides = spread(&view.strides, &key.axes, ndim);
                    Ref::Operand(group.operand(View { strides, ..view.clone() }))
                }
            };
        }
        made[number] = Ref::Step(group.step(copy));
    }
    let found = made[usize::from(step)];
    if is_one {
        group.uniform_work += cost;
    }
    group.repeated.push((key, found));
    Some(found)
}

/// The step whose result an array is, and the axes along which the elements differ. The array must be the whole result in its
/// own order, apart from axes of length 1.
fn whole(other: &Group, group: &Group, array: &Array) -> Option<(u16, Axes)> {
    let writer = array.storage().writer();
    debug_assert_eq!(writer_of(array.storage()), other.serial, "the array is another group's");
    let output = other.outputs.get((writer & 0xffff) as usize)?;
    let is_all = Arc::ptr_eq(&output.storage, array.storage())
        && array.offset() == 0
        && array.dtype() == output.dtype
        && !output.row
        && array.ndim() <= group.shape.len();
    if !is_all {
        return None;
    }
    let strides = other.strides_of(output);
    let first = group.shape.len() - array.ndim();
    let mut own = (0..other.shape.len()).filter(|&axis| other.shape[axis] != 1);
    let mut axes = Axes::new();
    for (axis, (&length, &stride)) in array.shape().iter().zip(array.strides()).enumerate() {
        if length != 1 {
            let from = own.next()?;
            let alike = other.shape[from] == length && strides[from] == stride;
            if !alike || group.shape[first + axis] != length {
                return None;
            }
            axes.push((from as u8, (first + axis) as u8));
        }
    }
    own.next().is_none().then_some((output.step, axes))
}

/// Converts strides over the other group's shape to strides over this one's.
fn spread(strides: &[isize], axes: &Axes, ndim: usize) -> Strides {
    let mut spread = Strides::from_elem(0, ndim);
    for &(from, to) in axes {
        spread[usize::from(to)] = strides[usize::from(from)];
    }
    spread
}
