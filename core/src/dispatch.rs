//! The one place where array operations become kernel launches.
//!
//! A launch is described by a shape and, for each operand, an address and strides. Its layout is simplified first: axes
//! of length 1 go, the rest is sorted by stride and neighbours that form one line are merged. What remains almost always
//! has one to three dimensions; the outermost ones of what exceeds [`MAX_DIMS`] are looped over here.

use std::sync::Arc;

use cuproxide_hal::ir::{Body, Kernel};
use cuproxide_hal::{CompiledKernel, Launch, MAX_DIMS, Operand, Scalar, Specialization};
use once_cell::sync::{Lazy, OnceCell};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::array::Array;
use crate::context::Context;
use crate::error::Result;
use crate::layout::{Dims, Strides, memory_order};

/// Names what a kernel computes: a family and everything that its builder depends on, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelKey {
    /// Which builder.
    pub family: Family,
    /// The builder's arguments.
    pub params: u128,
}

/// The kernel builders of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Family {
    /// A ufunc over arrays and scalars.
    Ufunc,
    /// A reduction.
    Reduce,
    /// A cumulative operation.
    Scan,
    /// A reduction by a ufunc that must go left to right.
    SequentialReduce,
    /// Arithmetic progression.
    Arange,
    /// Indexing by arrays.
    Gather,
    /// Assignment through arrays of indices.
    Scatter,
    /// Positions of true elements.
    Nonzero,
    /// Binary search.
    Search,
    /// Matrix products without a library.
    Matmul,
    /// Draws from the random stream.
    Random,
}

/// A kernel with its compiled versions.
pub struct CachedKernel {
    kernel: Kernel,
    uses_index: bool,
    can_fault: bool,
    /// By the index of the context.
    compiled: RwLock<SmallVec<[(usize, Specialization, Arc<dyn CompiledKernel>); 4]>>,
}

/// Kernels are kept for the life of the process, so references to them need no count.
static KERNELS: Lazy<RwLock<FxHashMap<KernelKey, &'static CachedKernel>>> = Lazy::new(Default::default);

/// The kernel of this key, built at the first request.
pub fn kernel(key: KernelKey, build: impl FnOnce() -> Kernel) -> Result<&'static CachedKernel> {
    if let Some(found) = KERNELS.read().get(&key) {
        return Ok(found);
    }
    let kernel = build();
    kernel.validate()?;
    Ok(KERNELS.write().entry(key).or_insert_with(|| {
        Box::leak(Box::new(CachedKernel {
            uses_index: kernel.uses_index(),
            can_fault: kernel.can_fault(),
            kernel,
            compiled: RwLock::default(),
        }))
    }))
}

/// An operand of a launch before simplification.
#[derive(Clone, Debug)]
pub struct Place {
    /// Address of the first element.
    pub ptr: u64,
    /// Strides in bytes over the outer, then the inner dimensions.
    pub strides: Strides,
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
    let mut all: SmallVec<[Operand; 4]> = SmallVec::new();
    for &(ptr, stride) in operands {
        let mut strides = [0; MAX_DIMS];
        strides[0] = stride;
        all.push(Operand { ptr, strides });
    }
    submit(context, kernel, &[size], &[], &all, scalars)
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
    if outer.contains(&0) {
        return Ok(());
    }
    let (mut outer, mut inner) = (Dims::from_slice(outer), Dims::from_slice(inner));
    let free = !kernel.uses_index && !kernel.kernel.ordered;
    // The prefixes of a scan depend on the direction.
    simplify(&mut inner, operands, outer.len(), free && !matches!(kernel.kernel.body, Body::Scan(_)));
    simplify(&mut outer, operands, 0, free);
    // A fold always has an inner dimension.
    if inner.is_empty() && !matches!(kernel.kernel.body, Body::Map(_)) {
        inner.push(1);
        operands.iter_mut().for_each(|operand| operand.strides.push(0));
    }
    let excess = (outer.len() + inner.len()).saturating_sub(MAX_DIMS).min(outer.len());
    if excess == 0 {
        return submit(context, kernel, &outer, &inner, &placed(operands), scalars);
    }
    // Walk the slowest axes here, the rest in the kernel.
    let mut counter: Dims = SmallVec::from_elem(0, excess);
    let lengths: Dims = outer.drain(..excess).collect();
    let steps: SmallVec<[Strides; 6]> =
        operands.iter_mut().map(|operand| operand.strides.drain(..excess).collect()).collect();
    loop {
        submit(context, kernel, &outer, &inner, &placed(operands), scalars)?;
        let mut axis = excess;
        loop {
            let Some(next) = axis.checked_sub(1) else { return Ok(()) };
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

/// Runs its argument in a way that lets other threads of the host language go on.
pub type Detach = fn(&mut (dyn FnMut() + Send));

static DETACH: OnceCell<Detach> = OnceCell::new();

/// Sets how to run work that takes tens of milliseconds; once for the process.
pub fn set_detach(detach: Detach) {
    let _ = DETACH.set(detach);
}

#[cold]
fn compile(context: &Context, kernel: &Kernel, version: Specialization) -> Result<Arc<dyn CompiledKernel>> {
    let mut compiled = None;
    let mut work = || compiled = Some(context.device().compile(kernel, version));
    match DETACH.get() {
        Some(detach) => detach(&mut work),
        None => work(),
    }
    Ok(compiled.expect("the work has run")?)
}

fn placed(places: &[Place]) -> SmallVec<[Operand; 6]> {
    let operand = |place: &Place| {
        let mut strides = [0; MAX_DIMS];
        strides[..place.strides.len()].copy_from_slice(&place.strides);
        Operand { ptr: place.ptr, strides }
    };
    places.iter().map(operand).collect()
}

fn submit(
    context: &Context,
    cached: &CachedKernel,
    outer: &[usize],
    inner: &[usize],
    operands: &[Operand],
    scalars: &[Scalar],
) -> Result<()> {
    let mut launch = Launch { outer, inner, operands, scalars, scratch: 0 };
    let specialization = Specialization::of(&cached.kernel, &launch);
    let wanted = (context.index(), specialization);
    let find = || {
        let compiled = cached.compiled.read();
        compiled.iter().find(|(index, version, _)| (*index, *version) == wanted).map(|(_, _, kernel)| kernel.clone())
    };
    let compiled = match find() {
        Some(compiled) => compiled,
        None => {
            let compiled = compile(context, &cached.kernel, specialization)?;
            cached.compiled.write().push((wanted.0, wanted.1, compiled.clone()));
            compiled
        }
    };
    let scratch_bytes = compiled.scratch_bytes(&launch);
    // Given back after the launch is queued: stream order protects it from the next user.
    let scratch = match scratch_bytes {
        0 => None,
        bytes => Some(context.allocate(bytes)?),
    };
    launch.scratch = scratch.as_ref().map_or(0, |block| block.ptr);
    tracing::trace!(kernel = cached.kernel.name, device = %context.id(), ?outer, ?inner, "launch");
    // SAFETY: the callers in `ops` keep the HAL's contract: operands are arrays of this device that cover the launch's
    // shape, written ones do not partly overlap others, and their storage outlives the stream-ordered work.
    context.with_stream(|stream| unsafe { compiled.launch(stream.as_ref(), &launch) })?;
    if cached.can_fault && !context.info().asynchronous {
        context.check_fault()?;
    }
    Ok(())
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
