//! One operator over operands in memory, with its ordinary kernel.

use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::places::stride_over;
use super::run::{Made, Run, Target};
use super::slice::Slice;
use super::step::{Ref, Step};
use crate::context::Context;
use crate::dispatch::{self, CachedKernel, Patience, Place};
use crate::error::Result;
use crate::ufunc::{self, Ufunc};

/// The arguments of an operator's kernel.
pub(super) struct Inputs {
    sources: SmallVec<[ufunc::Source; 4]>,
    /// The operands: those that are read, then those that are written.
    pub places: SmallVec<[(Place, DType); 4]>,
    scalars: SmallVec<[Scalar; 4]>,
}

impl Inputs {
    /// The inputs of a step; `made` returns the results of earlier steps of the slice.
    pub fn of<'m>(run: &Run<'_>, slice: &Slice, step: &Step, made: impl Fn(usize) -> &'m Made) -> Inputs {
        let mut inputs = Inputs { sources: SmallVec::new(), places: SmallVec::new(), scalars: SmallVec::new() };
        for input in step.inputs() {
            let source = match *input {
                Ref::Step(earlier) => {
                    let made = made(earlier.into());
                    inputs.places.push((made.place.clone(), made.dtype));
                    ufunc::Source::Memory(made.dtype)
                }
                Ref::Operand(operand) => {
                    let source = slice.operands[usize::from(operand)];
                    inputs.places.push((source.place(run), source.dtype(run)));
                    ufunc::Source::Memory(source.dtype(run))
                }
                Ref::Scalar(scalar) => {
                    let scalar = run.group.scalars[usize::from(slice.scalars[usize::from(scalar)])];
                    inputs.scalars.push(scalar);
                    ufunc::Source::Scalar(scalar.dtype)
                }
            };
            inputs.sources.push(source);
        }
        inputs
    }

    /// Queues a ufunc that stores types `stored`; false if its kernel still has to be compiled.
    pub fn queue(
        &self,
        run: &Run<'_>,
        shape: &[usize],
        ufunc: &'static Ufunc,
        index: usize,
        stored: &[DType],
        patience: Patience,
    ) -> Result<bool> {
        let kernel = ufunc::cached_kernel(ufunc, index, &self.sources, stored, false)?;
        queue(run.context, kernel, shape, &self.places, &self.scalars, patience)
    }
}

/// Copies the result of a step from memory to a target; copies to existing memory are postponed to the end of the run.
pub(super) fn store_made(run: &Run<'_>, made: &Made, target: &Target) -> Result<()> {
    match target.effect {
        Some(effect) => {
            run.copies.borrow_mut().push((effect, made.clone()));
            Ok(())
        }
        None => copy_made(run, made, target),
    }
}

/// Copies the result of a step from memory to a target.
pub(super) fn copy_made(run: &Run<'_>, made: &Made, target: &Target) -> Result<()> {
    let copy = ufunc::copy();
    let places = SmallVec::from_iter([(made.place.clone(), made.dtype), (target.place.clone(), target.dtype)]);
    let inputs =
        Inputs { sources: SmallVec::from_elem(ufunc::Source::Memory(made.dtype), 1), places, scalars: SmallVec::new() };
    let index = copy.loop_of(target.dtype).expect("every type can be copied");
    inputs.queue(run, &run.shape(target.row), copy, index, &[target.dtype], Patience::Wait).map(drop)
}

/// Queues a map kernel over a shape; false if the kernel still has to be compiled.
pub(super) fn queue(
    context: &Context,
    kernel: &CachedKernel,
    shape: &[usize],
    places: &[(Place, DType)],
    scalars: &[Scalar],
    patience: Patience,
) -> Result<bool> {
    let line = |(place, dtype): &(Place, DType)| Some((place.ptr, stride_over(shape, *dtype, &place.strides)?));
    let lines: Option<SmallVec<[(u64, isize); 8]>> = places.iter().map(line).collect();
    if let Some(lines) = lines {
        return dispatch::try_launch_line(context, kernel, shape.iter().product(), &lines, scalars, patience);
    }
    let mut places: SmallVec<[Place; 4]> = places.iter().map(|(place, _)| place.clone()).collect();
    dispatch::try_launch(context, kernel, shape, &[], &mut places, scalars, patience)
}
