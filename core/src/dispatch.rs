//! The one place where array operations become kernel launches.
//!
//! A launch is described by a shape and, for each operand, an address and strides. Its layout is simplified first: axes
//! of length 1 go, the rest is sorted by stride and neighbours that form one line are merged. What remains almost always
//! has one to three dimensions; the outermost ones of what exceeds [`MAX_DIMS`] are looped over here.

mod alike;
mod background;
mod family;
mod kernel;
mod versions;

use std::sync::Arc;

use cuproxide_hal::ir::{Body, Kernel};
use cuproxide_hal::{CompiledKernel, Launch, MAX_DIMS, Operand, Scalar, Specialization};
use smallvec::SmallVec;

use crate::array::Array;
use crate::context::Context;
use crate::detach::detached;
use crate::error::Result;
use crate::layout::{Dims, Strides, memory_order, short};
use crate::memory::capture;
use crate::timeline::{self, Work};
use crate::trace;

/// What to do about a version of a kernel that has to be compiled first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Wait for it.
    Wait,
    /// Compile it in the background if that takes long, and do without it now.
    Background,
    /// Do without it, unless compiling it is quick.
    Never,
}

/// The part of a device's memory from which values are large.
const LARGE: usize = 16;

impl Patience {
    /// The patience for a kernel that keeps values of so many bytes out of memory: for large values it waits, which costs less.
    pub fn sparing(self, context: &Context, bytes: usize) -> Patience {
        if bytes > context.info().total_memory / LARGE { Patience::Wait } else { self }
    }
}

/// An operand of a launch before simplification.
#[derive(Debug)]
pub struct Place {
    /// Address of the first element.
    pub ptr: u64,
    /// Strides in bytes over the outer, then the inner dimensions.
    pub strides: Strides,
}

impl Clone for Place {
    fn clone(&self) -> Place {
        Place { ptr: self.ptr, strides: Strides::from_slice(&self.strides) }
    }
}

impl Place {
    /// The elements of an array, which has the shape of the launch.
    pub fn of(array: &Array) -> Result<Place> {
        Ok(Place { ptr: array.ptr()?, strides: Strides::from_slice(array.strides()) })
    }

    /// The elements of an array stretched to `shape`, which it is known to fit.
    pub fn stretched(array: &Array, shape: &[usize]) -> Result<Place> {
        let strides = array.layout().broadcast_strides(shape).expect("shapes were broadcast together");
        Ok(Place { ptr: array.ptr()?, strides })
    }
}

/// Queues a map over `shape` on the current stream.
pub fn launch_map(
    context: &Context,
    kernel: &CachedKernel,
    shape: &[usize],
    operands: &mut [Place],
    scalars: &[Scalar],
) -> Result<()> {
    launch(context, kernel, shape, &[], operands, scalars)
}

/// Queues a map over one line of `size` elements of operands given by address and stride.
pub fn launch_line(
    context: &Context,
    kernel: &CachedKernel,
    size: usize,
    operands: &[(u64, isize)],
    scalars: &[Scalar],
) -> Result<()> {
    try_launch_line(context, kernel, size, operands, scalars, Patience::Wait)?;
    check_fault(context, kernel)
}

/// [`launch_line`] with a choice of patience: false if the kernel is not ready yet and nothing was queued. If it fails, nothing was
/// queued either: what kernels have found at fault is left to others.
pub(crate) fn try_launch_line(
    context: &Context,
    kernel: &CachedKernel,
    size: usize,
    operands: &[(u64, isize)],
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    let mut all: SmallVec<[Operand; 4]> = SmallVec::new();
    for &(ptr, stride) in operands {
        let mut strides = [0; MAX_DIMS];
        strides[0] = if size == 1 { 0 } else { stride };
        all.push(Operand { ptr, strides });
    }
    // An element is found without an axis, so all such launches share one version.
    let outer: &[usize] = if size == 1 { &[] } else { &[size] };
    submit(context, kernel, outer, &[], &all, scalars, patience)
}

/// Queues a reduction of one line of `size` elements, given by address and stride, to one result.
pub(crate) fn launch_fold_of_line(
    context: &Context,
    kernel: &CachedKernel,
    size: usize,
    (input, stride): (u64, isize),
    result: u64,
    scalars: &[Scalar],
) -> Result<()> {
    let mut strides = [0; MAX_DIMS];
    strides[0] = if size == 1 { 0 } else { stride };
    let operands = [Operand { ptr: input, strides }, Operand { ptr: result, strides: [0; MAX_DIMS] }];
    submit(context, kernel, &[], &[size], &operands, scalars, Patience::Wait)?;
    check_fault(context, kernel)
}

/// Queues a kernel over an outer and an inner shape on the current stream; consumes the operands' layout. Nothing
/// happens if `outer` has a zero.
pub fn launch(
    context: &Context,
    kernel: &CachedKernel,
    outer: &[usize],
    inner: &[usize],
    operands: &mut [Place],
    scalars: &[Scalar],
) -> Result<()> {
    try_launch(context, kernel, outer, inner, operands, scalars, Patience::Wait)?;
    check_fault(context, kernel)
}

/// [`launch`] with a choice of patience: false if the kernel is not ready yet and nothing was queued. If it fails, nothing was
/// queued either, up to [`MAX_DIMS`] dimensions.
pub(crate) fn try_launch(
    context: &Context,
    kernel: &CachedKernel,
    outer: &[usize],
    inner: &[usize],
    operands: &mut [Place],
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    if outer.contains(&0) {
        return Ok(true);
    }
    let (mut outer, mut inner) = (short(outer), short(inner));
    let free = !kernel.uses_index && !kernel.kernel.ordered;
    // The prefixes of a scan depend on the direction, and ranges count from the first position.
    let directed = matches!(kernel.kernel.body, Body::Scan(_) | Body::Segments(_));
    simplify(&mut inner, operands, outer.len(), free && !directed);
    simplify(&mut outer, operands, 0, free);
    // A fold always has an inner dimension.
    if inner.is_empty() && !matches!(kernel.kernel.body, Body::Map(_)) {
        inner.push(1);
        operands.iter_mut().for_each(|operand| operand.strides.push(0));
    }
    let excess = (outer.len() + inner.len()).saturating_sub(MAX_DIMS).min(outer.len());
    if excess == 0 {
        return submit(context, kernel, &outer, &inner, &placed(operands), scalars, patience);
    }
    // Walk the slowest axes here, the rest in the kernel.
    let mut counter: Dims = SmallVec::from_elem(0, excess);
    let lengths: Dims = outer.drain(..excess).collect();
    let steps: SmallVec<[Strides; 6]> =
        operands.iter_mut().map(|operand| operand.strides.drain(..excess).collect()).collect();
    loop {
        // All parts are of one version: if the first one is ready, all are.
        if !submit(context, kernel, &outer, &inner, &placed(operands), scalars, patience)? {
            return Ok(false);
        }
        let mut axis = excess;
        loop {
            let Some(next) = axis.checked_sub(1) else { return Ok(true) };
            axis = next;
            counter[axis] += 1;
            let wraps = counter[axis] == lengths[axis];
            let moves = if wraps { 1 - lengths[axis] as isize } else { 1 };
            for (operand, step) in operands.iter_mut().zip(&steps) {
                operand.ptr = operand.ptr.wrapping_add_signed((step[axis] * moves) as i64);
            }
            if !wraps {
                break;
            }
            counter[axis] = 0;
        }
    }
}

/// Whether a reduction whose input is computed from `operands` walks as one over an input in C order at `input` does,
/// so that it groups elements alike. All have strides over `outer`, then `inner`; with `anywhere`, operands may begin at
/// any element (`Specialization::shifted`).
pub(crate) fn walks_alike(
    outer: &[usize],
    inner: &[usize],
    input: &Place,
    operands: &[Place],
    sizes: &[usize],
    itemsize: usize,
    anywhere: bool,
) -> bool {
    let dims: Dims = outer.iter().chain(inner).copied().collect();
    let Some(last) = (0..dims.len()).rev().find(|&axis| dims[axis] != 1) else { return true };
    let fastest = (0..dims.len()).filter(|&axis| dims[axis] != 1).min_by_key(|&axis| input.strides[axis]);
    let fastest = fastest.unwrap_or(last);
    let even =
        |strides: &Strides| (0..dims.len()).all(|axis| axis == fastest || dims[axis] == 1 || strides[axis] % 16 == 0);
    let (mut twin, mut moves) = (false, false);
    for (operand, &size) in operands.iter().zip(sizes) {
        // Launches walk an axis forwards that all operands walk backwards; a fold would meet its elements from the other end.
        if (outer.len()..dims.len()).any(|axis| dims[axis] != 1 && operand.strides[axis] < 0) {
            return false;
        }
        let at = operand.strides[fastest];
        let varies = (0..dims.len()).any(|axis| dims[axis] != 1 && operand.strides[axis] != 0);
        if !varies {
            continue;
        }
        let like = |axis: usize| {
            dims[axis] == 1 || operand.strides[axis] / size as isize == input.strides[axis] / itemsize as isize
        };
        twin |= (0..dims.len()).all(like);
        let unit = at == size as isize;
        moves |= unit;
        let lies_well = if anywhere {
            let place = operand.strides.iter().fold(operand.ptr, |bits, &stride| bits | stride as u64);
            place % size.min(8) as u64 == 0
        } else {
            operand.ptr % 16 == 0 && even(&operand.strides) == even(&input.strides)
        };
        if (at != 0 && !unit) || (unit && !lies_well) {
            return false;
        }
    }
    let simplified = |places: &[Place]| {
        let mut places: SmallVec<[Place; 8]> = places.iter().cloned().collect();
        let (mut outer, mut inner) = (Dims::from_slice(outer), Dims::from_slice(inner));
        let start = outer.len();
        simplify(&mut inner, &mut places, start, true);
        simplify(&mut outer, &mut places, 0, true);
        (outer, inner)
    };
    // Without an operand that lies like the input, only rows are sure to be walked as rows.
    let shapes = simplified(std::slice::from_ref(input));
    let lies_as_rows = anywhere || even(&input.strides);
    let rows = fastest >= outer.len() && lies_as_rows && shapes.0.len() <= 1 && shapes.1.len() == 1;
    (twin || (rows && moves)) && simplified(operands) == shapes
}

/// Brings one space of a launch into its simplest form; its strides begin at `start` in every operand.
fn simplify(shape: &mut Dims, operands: &mut [Place], start: usize, reorder: bool) {
    if shape.is_empty() || (shape.len() == 1 && shape[0] != 1 && operands.iter().all(|o| o.strides[start] >= 0)) {
        return;
    }
    for axis in (0..shape.len()).rev().filter(|&axis| shape[axis] == 1).collect::<Dims>() {
        shape.remove(axis);
        operands.iter_mut().for_each(|operand| _ = operand.strides.remove(start + axis));
    }
    if reorder {
        reverse(shape, operands, start);
        sort(shape, operands, start);
    }
    // Merge an axis into the faster one where every operand steps over exactly its length.
    for axis in (1..shape.len()).rev() {
        let (slow, fast) = (start + axis - 1, start + axis);
        let length = shape[axis] as isize;
        if operands.iter().all(|operand| operand.strides[slow] == operand.strides[fast] * length) {
            shape[axis - 1] *= shape[axis];
            shape.remove(axis);
            operands.iter_mut().for_each(|operand| _ = operand.strides.remove(slow));
        }
    }
}

/// An axis that every operand walks backwards (or not at all) may as well be walked forwards.
fn reverse(shape: &[usize], operands: &mut [Place], start: usize) {
    for (axis, &length) in shape.iter().enumerate() {
        let axis = start + axis;
        if operands.iter().all(|o| o.strides[axis] <= 0) && operands.iter().any(|o| o.strides[axis] < 0) {
            let last = length.saturating_sub(1) as isize;
            for operand in operands.iter_mut() {
                operand.ptr = operand.ptr.wrapping_add_signed((operand.strides[axis] * last) as i64);
                operand.strides[axis] = -operand.strides[axis];
            }
        }
    }
}

/// Sorts the axes by stride, the fastest last.
fn sort(shape: &mut Dims, operands: &mut [Place], start: usize) {
    if shape.len() < 2 {
        return;
    }
    let range = start..start + shape.len();
    let mut order = memory_order(shape.len(), operands.iter().map(|operand| &operand.strides[range.clone()]));
    order.reverse();
    if order.iter().enumerate().all(|(position, &axis)| position == axis) {
        return;
    }
    *shape = order.iter().map(|&axis| shape[axis]).collect();
    for operand in operands {
        let sorted: Strides = order.iter().map(|&axis| operand.strides[start + axis]).collect();
        operand.strides[range.clone()].copy_from_slice(&sorted);
    }
}

pub use background::forget_background;
pub use background::{shut_down, wait_for_background};
pub use family::Family;
pub use kernel::{CachedKernel, used_kernels};
pub(crate) use kernel::{intern, retire};

#[cold]
fn compile(
    context: &Context,
    cached: &CachedKernel,
    version: Specialization,
    patience: Patience,
) -> Result<Option<Arc<dyn CompiledKernel>>> {
    let wanted = (context.index(), version);
    // What a trace records is launched many times: it is worth the wait.
    let patience = if trace::is_on() { Patience::Wait } else { patience };
    let compiled = detached(|| {
        let device = context.below();
        let _span = timeline::scope(Work::Compile, &cached.kernel.name, context.id(), || 0);
        match patience {
            Patience::Wait => device.compile(&cached.kernel, version).map(Some),
            Patience::Background | Patience::Never => device.compile_cached(&cached.kernel, version),
        }
    })?;
    match &compiled {
        Some(kernel) => cached.compiled.add(wanted.0, wanted.1, kernel.clone()),
        None if patience == Patience::Never => {}
        None => {
            let mut requested = cached.requested.lock();
            if !requested.contains(&wanted)
                && let Some(kernel) = cached.this.upgrade()
            {
                requested.push(wanted);
                background::request(context.below().clone(), wanted.0, kernel, version);
            }
        }
    }
    Ok(compiled)
}

fn placed(places: &[Place]) -> SmallVec<[Operand; 6]> {
    let mut operands = SmallVec::new();
    for place in places {
        let mut strides = [0; MAX_DIMS];
        strides.iter_mut().zip(&place.strides).for_each(|(to, &from)| *to = from);
        operands.push(Operand { ptr: place.ptr, strides });
    }
    operands
}

/// Bytes that a launch reads and writes, each element once.
#[cold]
pub(crate) fn touched(kernel: &Kernel, launch: &Launch<'_>) -> usize {
    let lengths = launch.outer.iter().chain(launch.inner);
    let operands = kernel.operands.iter().zip(launch.operands);
    let bytes = operands.map(|(declared, operand)| {
        let steps = lengths.clone().zip(operand.strides).filter(|(_, stride)| *stride != 0);
        steps.map(|(&length, _)| length).product::<usize>() * declared.dtype.size()
    });
    bytes.sum()
}

fn submit(
    context: &Context,
    cached: &CachedKernel,
    outer: &[usize],
    inner: &[usize],
    operands: &[Operand],
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    let untagged = trace::untag(scalars);
    let scalars = untagged.as_ref().map_or(scalars, |(plain, _)| plain.as_slice());
    let mut launch = Launch { outer, inner, operands, scalars, scratch: 0 };
    let specialization = Specialization::of(&cached.kernel, &launch);
    let made;
    let compiled = match cached.compiled.find(context.index(), specialization) {
        Some(compiled) => compiled,
        None => match compile(context, cached, specialization, patience)? {
            Some(compiled) => {
                made = compiled;
                &made
            }
            None => return Ok(false),
        },
    };
    let scratch_bytes = compiled.scratch_bytes(&launch);
    // Given back after the launch is queued: stream order protects it from the next user.
    let scratch = match scratch_bytes {
        0 => None,
        bytes => Some(context.allocate(bytes)?),
    };
    launch.scratch = scratch.as_ref().map_or(0, |block| block.ptr);
    let _span = timeline::queued(Work::Kernel, &cached.kernel.name, context, || touched(&cached.kernel, &launch));
    if let Some(hold) = capture::current(context)
        && let Some(kernel) = cached.this.upgrade()
    {
        // A graph names machine code by its address.
        hold.keep(kernel);
    }
    // SAFETY: the callers in `ops` keep the HAL's contract: operands are arrays of this device that cover the launch's
    // shape, written ones do not partly overlap others, and their storage outlives the stream-ordered work.
    context.queue_known(|stream| unsafe { compiled.launch(stream, &launch) })?;
    if trace::is_on() {
        trace::launched(context.index(), &launch, || {
            Some(trace::Launched {
                compiled: compiled.clone(),
                kernel: cached.kernel.clone(),
                keep: cached.this.upgrade()?,
                can_fault: cached.can_fault,
                outer: Dims::from_slice(outer),
                inner: Dims::from_slice(inner),
                operands: operands.to_vec(),
                scalars: scalars.to_vec(),
                numbers: untagged.as_ref().map(|(_, numbers)| numbers.clone()).unwrap_or_default(),
                scratch: 0,
            })
        });
    }
    Ok(true)
}

/// Raises what a kernel has found, where devices compute before the call returns.
fn check_fault(context: &Context, cached: &CachedKernel) -> Result<()> {
    if cached.can_fault && !context.info().asynchronous { context.check_fault() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    fn run(shape: &[usize], strides: &[&[isize]], reorder: bool) -> (Dims, Vec<Strides>, Vec<u64>) {
        let mut shape = Dims::from_slice(shape);
        let mut places: Vec<Place> =
            strides.iter().map(|s| Place { ptr: 1000, strides: Strides::from_slice(s) }).collect();
        simplify(&mut shape, &mut places, 0, reorder);
        (shape, places.iter().map(|p| p.strides.clone()).collect(), places.iter().map(|p| p.ptr).collect())
    }

    #[test]
    fn contiguous_arrays_become_one_line() {
        let (shape, strides, _) = run(&[2, 3, 4], &[&[48, 16, 4], &[96, 32, 8]], true);
        assert_eq!(shape.as_slice(), [24]);
        assert_eq!(strides, [Strides::from_slice(&[4]), smallvec![8]]);
    }

    #[test]
    fn fortran_arrays_become_one_line_unless_the_index_counts() {
        let (shape, ..) = run(&[2, 3], &[&[4, 8]], true);
        assert_eq!(shape.as_slice(), [6]);
        let (shape, ..) = run(&[2, 3], &[&[4, 8]], false);
        assert_eq!(shape.as_slice(), [2, 3]);
    }

    #[test]
    fn reversed_axes_are_walked_forwards() {
        let (shape, strides, ptrs) = run(&[5], &[&[-4]], true);
        assert_eq!((shape.as_slice(), strides[0].as_slice(), ptrs[0]), ([5].as_slice(), [4].as_slice(), 984));
    }

    #[test]
    fn broadcast_axes_stay_apart() {
        let (shape, strides, _) = run(&[3, 4], &[&[16, 4], &[0, 4]], true);
        assert_eq!(shape.as_slice(), [3, 4]);
        assert_eq!(strides[1].as_slice(), [0, 4]);
    }
}
