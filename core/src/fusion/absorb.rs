//! Absorbing: a kernel that runs at once computes its deferred input itself.

use std::sync::Arc;

use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use super::folds::{GROUPED_COST, REPEATABLE_COST};
use super::group::{Group, MAX_OPERANDS, Space, writer_of};
use super::kernels::kernel;
use super::log::{Name, Outcome, Reason, Tier};
use super::program::Program;
use super::run::Run;
use super::running::Take;
use super::slice::Slice;
use super::step::Ref;
use crate::array::Array;
use crate::dispatch::{self, CachedKernel, Place};
use crate::error::Result;
use crate::fold;
use crate::layout::Strides;

/// A deferred value that another kernel computes as its input.
pub struct Absorbed<'g> {
    run: Run<'g>,
    slice: Slice,
    root: (Ref, DType),
}

impl Absorbed<'_> {
    /// The places of the value's operands, with strides over the array's shape.
    pub fn places(&self) -> SmallVec<[Place; 6]> {
        self.slice.places(&self.run).collect()
    }

    /// Whether a reduction over the value by `kernel` groups its terms as a reduction over the stored array does. Strides are
    /// those of [`Absorbed::places`], in the order of `outer` and `inner`.
    pub fn groups_alike(
        &self,
        kernel: &CachedKernel,
        array: &Array,
        outer: &[usize],
        inner: &[usize],
        input: Strides,
        places: &[Place],
    ) -> bool {
        let sizes = self.slice.dtypes(&self.run).map(DType::size);
        let read = kernel.folded(0, places.iter().cloned().zip(sizes));
        let (places, sizes): (SmallVec<[Place; 8]>, SmallVec<[usize; 8]>) = read.unzip();
        let input = Place { ptr: 0, strides: input };
        array.layout().c_contiguous
            && self.slice.cost() <= GROUPED_COST
            && dispatch::walks_alike(outer, inner, &input, &places, &sizes, array.itemsize(), true)
    }

    /// The value's scalars, which are the kernel's first scalar arguments.
    pub fn scalars(&self) -> SmallVec<[Scalar; 5]> {
        self.slice.scalars(&self.run).collect()
    }

    /// The kernel that folds the value.
    pub fn fold_kernel(&self, key: &fold::Key) -> Result<Arc<CachedKernel>> {
        kernel(self.slice.program(&self.run, &[self.root], Some(key.clone())), Program::fold_kernel)
    }
}

/// If `array` is deferred and cheap to compute where it is read, calls `consume` with its value, which stays deferred. Returns
/// whether `consume` used the value.
pub fn absorb(array: &Array, consume: impl FnOnce(&Absorbed<'_>) -> Result<bool>) -> Result<bool> {
    let storage = array.storage();
    if storage.writer() == 0 || array.ndim() > MAX_DIMS {
        return Ok(false);
    }
    let fuser = array.context().fuser();
    let taken = loop {
        let serial = writer_of(storage);
        match fuser.take(serial, |_| true) {
            Take::Taken(taken) => break taken,
            Take::After(before) => fuser.flush(before, Reason::Overlap)?,
            Take::Elsewhere => fuser.wait_for(serial)?,
            Take::Gone | Take::Unfit | Take::Own => return Ok(false),
        }
    };
    let outcome = absorb_from(taken.group(), array, consume)?;
    taken.put_back(outcome.as_ref());
    Ok(outcome.is_some())
}

fn absorb_from(
    group: &Group,
    array: &Array,
    consume: impl FnOnce(&Absorbed<'_>) -> Result<bool>,
) -> Result<Option<Outcome>> {
    let Some(output) = group.output_of(array, array.shape(), &Space::Points) else { return Ok(None) };
    let context = array.context();
    if context.stream_id() != group.stream_id {
        return Ok(None);
    }
    let output = &group.outputs[output];
    let run = Run::new(context, group);
    let slice = Slice::of(&run, std::iter::once(output.step));
    if slice.steps.iter().any(|step| step.row) {
        return Ok(None);
    }
    // Computing the value again later must not cost more than storing it now.
    let cheap = slice.cost() <= REPEATABLE_COST && slice.read_bytes(&run) <= 3 * group.size() * output.dtype.size();
    if slice.operands.len() > MAX_OPERANDS || (!cheap && is_shared(group, array)) {
        return Ok(None);
    }
    let root = (slice.reference(output.step), output.dtype);
    let (steps, operands) = (slice.steps.len(), slice.operands.len());
    let absorbed = Absorbed { run, slice, root };
    let used = consume(&absorbed)?;
    Ok(used.then_some(Outcome { tier: Tier::Fused, steps, operands, stored: 1, name: Name::default(), absorbed: 1 }))
}

/// Whether anything except the caller's array holds the value's storage.
fn is_shared(group: &Group, array: &Array) -> bool {
    Arc::strong_count(array.storage()) > group.references(array.storage()) + 1
}
