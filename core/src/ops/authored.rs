//! Kernels that are written at run time, outside this crate: what fits their launches to any arrays.

use std::sync::Arc;

use cuproxide_hal::ir::{Kernel, Mode};
use cuproxide_hal::{MAX_DIMS, Scalar};
use smallvec::SmallVec;

use crate::array::Array;
use crate::context::Context;
use crate::dispatch::{self, CachedKernel, Place};
use crate::error::{Result, value_error};
use crate::layout::{Order, Strides, show_shape};
use crate::ops::copy;
use crate::ops::elementwise::same_places;
use crate::promotion::Casting;

/// A map, or a fold of ranges, that was written at run time.
///
/// Its launch scalars are, for each operand in turn, the length and the stride in bytes of each axis that the kernel
/// walks itself; then those that the caller hands over.
pub struct Authored {
    kernel: Arc<CachedKernel>,
    uses_index: bool,
    writes: SmallVec<[bool; 8]>,
}

/// An operand of a launch.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    /// The array.
    pub array: &'a Array,
    /// How many of its last axes the kernel walks itself; nothing for all of them. The axes before are broadcast with the
    /// shape of the launch.
    pub own_axes: Option<usize>,
}

impl Operand<'_> {
    /// How many axes the launch walks.
    pub fn batch_axes(&self) -> usize {
        self.own_axes.map_or(0, |own| self.array.ndim() - own)
    }

    fn is_elementwise(&self) -> bool {
        self.own_axes == Some(0)
    }

    /// Strides over the shape of a launch; nothing if the array cannot be stretched to it.
    fn strides_over(&self, array: &Array, shape: &[usize]) -> Option<Strides> {
        let batch = self.batch_axes();
        let mut strides = Strides::from_elem(0, shape.len().checked_sub(batch)?);
        for (axis, &length) in shape[shape.len() - batch..].iter().enumerate() {
            match array.shape()[axis] {
                1 if length != 1 => strides.push(0),
                own if own == length => strides.push(array.strides()[axis]),
                _ => return None,
            }
        }
        Some(strides)
    }
}

impl Authored {
    /// Takes a kernel in; it is kept for the life of the process.
    ///
    /// # Errors
    /// The kernel breaks a rule of the IR.
    pub fn new(kernel: Kernel) -> Result<Authored> {
        let uses_index = kernel.uses_index();
        let writes = kernel.operands.iter().map(|operand| operand.mode != Mode::Read).collect();
        Ok(Authored { kernel: dispatch::intern(kernel)?, uses_index, writes })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Queues the kernel over `shape`, at each point of which a kernel of ranges folds some of `inner` positions. Inputs that
    /// overlap what is written are read as they were before.
    ///
    /// # Errors
    /// `ValueError` for operands that do not fit `shape`, and for outputs with elements at one place.
    pub fn launch(
        &self,
        context: &Arc<Context>,
        shape: &[usize],
        inner: Option<usize>,
        operands: &[Operand<'_>],
        scalars: &[Scalar],
    ) -> Result<()> {
        debug_assert_eq!(operands.len(), self.writes.len());
        // The position in C order counts over all axes only where one launch walks them all: dense arrays have one axis.
        let crowded = self.uses_index && shape.len() > MAX_DIMS;
        let mut arrays: SmallVec<[Array; 8]> = SmallVec::new();
        let mut detours: SmallVec<[usize; 2]> = SmallVec::new();
        for (position, operand) in operands.iter().enumerate() {
            self.check(position, operand, shape)?;
            let is_fit = self.is_fit(position, operands) && (!crowded || is_dense(operand, shape));
            if is_fit {
                arrays.push(operand.array.clone());
            } else if self.writes[position] {
                detours.push(position);
                arrays.push(copy::copy(operand.array, Order::C)?);
            } else if crowded && operand.is_elementwise() {
                arrays.push(copy::copy(&operand.array.broadcast_to(shape)?, Order::C)?);
            } else {
                // A kernel may rely on neighbours along the last axis being neighbours in memory.
                let order = if operand.is_elementwise() { Order::K } else { Order::C };
                arrays.push(copy::copy(operand.array, order)?);
            }
            if crowded && operand.batch_axes() > 0 && !is_dense_over(&arrays[position], shape) {
                return value_error(format!("{}: more than {MAX_DIMS} axes of rows", self.name()));
            }
        }
        if shape.contains(&0) {
            return Ok(());
        }
        let mut places: SmallVec<[Place; 8]> = SmallVec::new();
        let mut all: SmallVec<[Scalar; 16]> = SmallVec::new();
        let mut spares: SmallVec<[Array; 2]> = SmallVec::new();
        for ((operand, array), &writes) in operands.iter().zip(&arrays).zip(&self.writes) {
            let Some(mut strides) = operand.strides_over(array, shape) else { return self.misfit(operand, shape) };
            strides.extend(inner.map(|_| 0));
            let ptr = if array.size() == 0 && !operand.is_elementwise() {
                // A kernel that keeps its indices inside may touch the first element all the same.
                let spare = Array::empty(context, array.dtype(), &[1], Order::C)?;
                let ptr = spare.ptr()?;
                spares.push(spare);
                ptr
            } else if writes {
                array.ptr()?
            } else {
                array.read_ptr()?
            };
            places.push(Place { ptr, strides });
            for axis in operand.batch_axes()..array.ndim() {
                all.push(Scalar::i64(array.shape()[axis] as i64));
                all.push(Scalar::i64(array.strides()[axis] as i64));
            }
        }
        all.extend_from_slice(scalars);
        let inner: SmallVec<[usize; 1]> = inner.into_iter().collect();
        dispatch::launch(context, &self.kernel, shape, &inner, &mut places, &all)?;
        for position in detours {
            copy::assign(operands[position].array, &arrays[position], Casting::No, None)?;
        }
        Ok(())
    }

    fn misfit<T>(&self, operand: &Operand<'_>, shape: &[usize]) -> Result<T> {
        let batch = &operand.array.shape()[..operand.batch_axes()];
        value_error(format!(
            "{}: an operand with shape {} does not fit the shape {} of the launch",
            self.name(),
            show_shape(batch),
            show_shape(shape)
        ))
    }

    /// Checks an operand that is written: each of its elements belongs to one point, unless the kernel walks all its axes.
    fn check(&self, position: usize, operand: &Operand<'_>, shape: &[usize]) -> Result<()> {
        if !self.writes[position] {
            return Ok(());
        }
        let batch = operand.batch_axes();
        if (batch > 0 || operand.is_elementwise()) && operand.array.shape()[..batch] != *shape {
            return self.misfit(operand, shape);
        }
        if operand.array.is_broadcast() {
            return value_error(format!("{}: output array has several elements at one place", self.name()));
        }
        Ok(())
    }

    /// Whether the kernel may use the memory of an operand itself.
    fn is_fit(&self, position: usize, operands: &[Operand<'_>]) -> bool {
        let operand = &operands[position];
        // Addresses that a kernel computes are those of whole elements.
        if !operand.is_elementwise() && !operand.array.is_aligned() {
            return false;
        }
        let mut others = operands.iter().zip(&self.writes).enumerate();
        !others.any(|(number, (other, &writes))| {
            let in_place = !self.writes[position] && operand.is_elementwise() && other.is_elementwise();
            number != position
                && writes
                && other.array.may_share_memory(operand.array)
                && !(in_place && same_places(other.array, operand.array))
        })
    }
}

/// Whether an operand that the launch walks lies in C order.
fn is_dense(operand: &Operand<'_>, shape: &[usize]) -> bool {
    operand.batch_axes() == 0 && !operand.is_elementwise() || is_dense_over(operand.array, shape)
}

fn is_dense_over(array: &Array, shape: &[usize]) -> bool {
    array.layout().c_contiguous && array.shape() == shape
}
