//! The fast path for a group of one operation, as programs make them that read every result: it launches the operator's kernel.

use std::sync::Arc;

use cuproxide_hal::{DType, Scalar};

use super::group::{Group, Output};
use super::log::{Name, Outcome, Tier};
use super::places::stride_of_line;
use super::step::{MAX_INPUTS, Ref, WORTH_ONCE};
use super::view::View;
use crate::context::Context;
use crate::dispatch::{self, Patience};
use crate::error::Result;
use crate::trace;
use crate::ufunc::{self, Source, Ufunc};

/// The output of a group's only operation.
pub(super) enum Target<'g> {
    /// A new array.
    New(&'g Output),
    /// Existing memory.
    Old(&'g View),
}

impl<'g> Target<'g> {
    /// The output of a group of one operation, if it is wanted.
    #[inline]
    pub fn of(group: &'g Group) -> Option<Target<'g>> {
        match (&group.steps[..], &group.outputs[..], &group.effects[..]) {
            ([_], [output], []) if !output.done && !output.row && group.is_wanted(&output.storage) => {
                Some(Target::New(output))
            }
            ([_], [], [effect]) if group.is_wanted(&effect.view.storage) => Some(Target::Old(&effect.view)),
            _ => None,
        }
    }

    pub fn context(&self) -> &'static Arc<Context> {
        match self {
            Target::New(output) => output.storage.context(),
            Target::Old(view) => view.storage.context(),
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Target::New(output) => output.dtype,
            Target::Old(view) => view.dtype,
        }
    }

    /// The stride, if the output is C-contiguous.
    #[inline]
    fn stride(&self, group: &Group) -> Option<isize> {
        let stride = match self {
            Target::New(output) if output.line => output.dtype.size() as isize,
            Target::New(output) => stride_of_line(group, output.dtype, &group.strides_of(output))?,
            Target::Old(view) => stride_of_line(group, view.dtype, &view.strides)?,
        };
        match group.size() {
            1 => Some(0),
            _ => Some(stride).filter(|&stride| stride != 0),
        }
    }
}

/// Runs a group whose only operation makes `target`, if all operands are C-contiguous or uniform; otherwise does nothing and
/// returns `None`.
pub(super) fn run(context: &Arc<Context>, group: &Group, target: &Target<'_>) -> Result<Option<Outcome>> {
    let [step] = &group.steps[..] else { return Ok(None) };
    let Some((ufunc, index, _)) = step.call() else { return Ok(None) };
    if ufunc.nout != 1 {
        return Ok(None);
    }
    let size = group.size();
    let mut sources = [Source::Scalar(DType::Bool); MAX_INPUTS];
    let mut lines = [(0, 0); MAX_INPUTS + 1];
    let mut scalars = [Scalar { bytes: [0; 16], dtype: DType::Bool }; MAX_INPUTS];
    let (mut operands, mut constants, mut read) = (0, 0, 0);
    for (position, (source, input)) in sources.iter_mut().zip(step.inputs()).enumerate() {
        *source = match *input {
            Ref::Operand(number) => {
                let view = &group.operands[usize::from(number)];
                let Some(stride) = stride_of_line(group, view.dtype, &view.strides) else { return Ok(None) };
                lines[operands] = (view.ptr(), stride);
                operands += 1;
                read += usize::from(!step.inputs()[..position].contains(input));
                Source::Memory(view.dtype)
            }
            Ref::Scalar(number) => {
                let scalar = group.scalars[usize::from(number)];
                scalars[constants] = scalar;
                constants += 1;
                Source::Scalar(scalar.dtype)
            }
            Ref::Step(_) => return Ok(None),
        };
    }
    // `uniform` may compute this value once.
    if size > 1 && lines[..operands].iter().all(|line| line.1 == 0) && usize::from(ufunc.cost(index)) >= WORTH_ONCE {
        return Ok(None);
    }
    let dtype = target.dtype();
    let Some(stride) = target.stride(group) else { return Ok(None) };
    // `maps` runs fills by the device's own functions.
    if ufunc.id == ufunc::copy().id && matches!(sources[0], Source::Scalar(_)) {
        return Ok(None);
    }
    let buffer = match target {
        Target::New(output) => Some(context.allocate_buffer(output.storage.bytes())?),
        Target::Old(_) => None,
    };
    let ptr = match (target, &buffer) {
        (Target::Old(view), _) => view.ptr(),
        (_, Some(buffer)) => buffer.ptr,
        (Target::New(_), None) => unreachable!("a new array has memory"),
    };
    lines[operands] = (ptr, stride);
    let (sources, lines, scalars) = (&sources[..step.inputs().len()], &lines[..=operands], &scalars[..constants]);
    queue_line(context, (ufunc, index), size, sources, lines, scalars, (step.dtype, dtype))?;
    if let (Target::New(output), Some(buffer)) = (target, buffer) {
        output.storage.provide(buffer);
    }
    let name = Name::Static(ufunc.name);
    Ok(Some(Outcome { tier: Tier::Single, steps: 1, operands: read, stored: 1, name, absorbed: 0 }))
}

/// Queues an operation over `size` elements of one-dimensional operands, of which the last is the output. The operation
/// makes results of the first type, which are stored as the second.
#[inline]
pub(super) fn queue_line(
    context: &Arc<Context>,
    (ufunc, index): (&'static Ufunc, usize),
    size: usize,
    sources: &[Source],
    lines: &[(u64, isize)],
    scalars: &[Scalar],
    (made, dtype): (DType, DType),
) -> Result<()> {
    let target = lines[lines.len() - 1];
    // A copy without a cast needs no kernel.
    if ufunc.id == ufunc::copy().id
        && matches!(sources, [Source::Memory(from)] if *from == dtype && made == dtype)
        && lines[0].1 == target.1
    {
        return move_line(context, target.0, lines[0].0, size * dtype.size());
    }
    let kernel = ufunc::cached_kernel(ufunc, index, sources, &[dtype], false)?;
    dispatch::try_launch_line(context, kernel, size, lines, scalars, Patience::Wait)?;
    Ok(())
}

/// Copies bytes by the device's own functions.
pub(super) fn move_line(context: &Context, to: u64, from: u64, bytes: usize) -> Result<()> {
    if to == from {
        return Ok(());
    }
    let device = context.below();
    // SAFETY: both are dense and of one size; neither a group nor `Line::kind` lets an operation write what it reads in
    // another order.
    context.queue_known(|stream| unsafe { device.copy(stream, to, from, bytes) })?;
    trace::moved(context.index(), to, Some(from), bytes);
    Ok(())
}
