//! Strides of operands: as one stride over all points of a group, and over the axes that its folds keep and reduce.

use cuproxide_hal::DType;
use smallvec::SmallVec;

use super::group::Group;
use super::run::Run;
use super::view::View;
use crate::dispatch::{self, Place};
use crate::fold::Plan;
use crate::layout::{Dims, Layout, Strides, short};

/// The stride of an operand that is C-contiguous, or 0 if all its strides are 0; `None` for any other operand.
#[inline]
pub(super) fn stride_of_line(group: &Group, dtype: DType, strides: &[isize]) -> Option<isize> {
    if group.size() == 1 {
        return Some(0);
    }
    stride_over(&group.shape, dtype, strides)
}

/// [`stride_of_line`] over a shape of several elements.
pub(super) fn stride_over(shape: &[usize], dtype: DType, strides: &[isize]) -> Option<isize> {
    if is_line(shape, dtype, strides) {
        return Some(dtype.size() as isize);
    }
    let moves = shape.iter().zip(strides).any(|(&length, &stride)| length != 1 && stride != 0);
    (!moves).then_some(0)
}

/// Whether elements are C-contiguous.
fn is_line(shape: &[usize], dtype: DType, strides: &[isize]) -> bool {
    let mut expected = dtype.size() as isize;
    shape.iter().zip(strides).rev().all(|(&length, &stride)| {
        let fits = length == 1 || stride == expected;
        expected *= length as isize;
        fits
    })
}

#[inline]
pub(super) fn place_of(view: &View) -> Place {
    Place { ptr: view.ptr(), strides: short(&view.strides) }
}

/// Whether a fold of values computed from `places` groups its terms as a fold of stored values does. Strides are over the kept,
/// then the reduced axes. With `anywhere`, operands may begin at any element.
pub(super) fn alike(run: &Run<'_>, plan: &Plan, places: &[Place], sizes: &[usize], anywhere: bool) -> bool {
    let (outer, inner) = spaces(run);
    let size = plan.input.size();
    let strides = order(run, &Layout::contiguous(&run.group.shape, size, false).strides);
    dispatch::walks_alike(&outer, &inner, &Place { ptr: 0, strides }, places, sizes, size, anywhere)
}

/// The kept and the reduced lengths.
pub(super) fn spaces(run: &Run<'_>) -> (Dims, Dims) {
    let pick = |reduced: bool| {
        let axes = (0..run.group.shape.len()).filter(|&axis| run.group.is_reduced(axis) == reduced);
        axes.map(|axis| run.group.shape[axis]).collect()
    };
    (pick(false), pick(true))
}

/// Strides over the kept, then the reduced axes.
fn order(run: &Run<'_>, strides: &[isize]) -> Strides {
    let part = |reduced: bool| (0..strides.len()).filter(move |&axis| run.group.is_reduced(axis) == reduced);
    part(false).chain(part(true)).map(|axis| strides[axis]).collect()
}

/// Places with strides over the kept, then the reduced axes.
pub(super) fn ordered<const N: usize>(run: &Run<'_>, mut places: SmallVec<[Place; N]>) -> SmallVec<[Place; N]>
where
    [Place; N]: smallvec::Array<Item = Place>,
{
    places.iter_mut().for_each(|place| place.strides = order(run, &place.strides));
    places
}

/// Whether several folds in one kernel group their terms as each would alone.
pub(super) fn group_alike<'p>(plans: impl Iterator<Item = &'p Plan> + Clone) -> bool {
    let float = |plan: &Plan| if plan.accumulator.is_inexact() { plan.accumulator.size() } else { 0 };
    let mut inexact = plans.clone().filter(|plan| !plan.row.is_exact(plan));
    let Some(guide) = inexact.next() else { return true };
    inexact.all(|plan| plan.accumulator == guide.accumulator && plan.input.size() == guide.input.size())
        && plans.into_iter().all(|plan| float(plan) <= float(guide))
}
