//! A group of one operation, which is what runs where a program looks at every result: straight to the operator's kernel.

use std::sync::Arc;

use cuproxide_hal::{DType, Scalar};

use super::execute::is_line;
use super::group::{Group, Output};
use super::log::{Name, Outcome, Tier};
use super::program::{MAX_INPUTS, Ref};
use crate::context::Context;
use crate::dispatch::{self, Patience};
use crate::error::Result;
use crate::ufunc::{self, Source};

/// Runs a group whose only operation makes `output`, if all that it reads and writes lies in one line; nothing is done else.
pub(super) fn run(context: &Arc<Context>, group: &Group, output: &Output) -> Result<Option<Outcome>> {
    let [step] = &group.steps[..] else { return Ok(None) };
    let Some((ufunc, index, _)) = step.call() else { return Ok(None) };
    // Copies and fills have ways of their own.
    if ufunc.nout != 1 || ufunc.name == "copy" || output.row {
        return Ok(None);
    }
    let size = group.size();
    let stride = |dtype: DType, strides: &[isize]| -> Option<isize> {
        if size == 1 {
            return Some(0);
        }
        if is_line(&group.shape, dtype, strides) {
            return Some(dtype.size() as isize);
        }
        let moves = group.shape.iter().zip(strides).any(|(&length, &stride)| length != 1 && stride != 0);
        (!moves).then_some(0)
    };
    let mut sources = [Source::Scalar(DType::Bool); MAX_INPUTS];
    let mut lines = [(0, 0); MAX_INPUTS + 1];
    let mut scalars = [Scalar { bytes: [0; 16], dtype: DType::Bool }; MAX_INPUTS];
    let (mut operands, mut constants, mut read) = (0, 0, 0);
    for (position, (source, input)) in sources.iter_mut().zip(step.inputs()).enumerate() {
        *source = match *input {
            Ref::Operand(number) => {
                let view = &group.operands[usize::from(number)];
                let Some(stride) = stride(view.dtype, &view.strides) else { return Ok(None) };
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
    let target = match output.line {
        true if size == 1 => 0,
        true => output.dtype.size() as isize,
        false => match stride(output.dtype, &group.strides_of(output)) {
            Some(target) => target,
            None => return Ok(None),
        },
    };
    let kernel = ufunc::cached_kernel(ufunc, index, &sources[..step.inputs().len()], &[output.dtype], false)?;
    let buffer = context.allocate_buffer(output.storage.bytes())?;
    lines[operands] = (buffer.ptr, target);
    dispatch::try_launch_line(context, kernel, size, &lines[..=operands], &scalars[..constants], Patience::Wait)?;
    output.storage.provide(buffer);
    let name = Name::Static(ufunc.name);
    Ok(Some(Outcome { tier: Tier::Single, steps: 1, operands: read, stored: 1, name, absorbed: 0 }))
}
