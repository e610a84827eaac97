//! Runs groups: computes the results that are still wanted, by as few kernels as possible.

use std::sync::Arc;

use smallvec::SmallVec;

use super::folds;
use super::group::{Effect, Group, GroupBox, Output};
use super::log::Outcome;
use super::maps;
use super::operators;
use super::places::place_of;
use super::run::{Failed, Made, Run, Target};
use super::single;
use super::step::{MAX_INPUTS, Ref, Step, Work};
use super::uniform;
use super::view::View;
use crate::context::Context;
use crate::dispatch::Place;
use crate::error::Result;
use crate::memory::{Buffer, Owner};
use crate::storage::Storage;
use crate::ufunc;

/// Computes the results of a group that are still wanted, and gives new arrays their memory; with `rows`, only the results of
/// folds.
///
/// The group runs completely or not at all, apart from new arrays that nobody has seen. It first allocates all memory. Then
/// at most one launch changes existing memory, and copies change the rest. If a copy fails, the remaining copies become a
/// group of their own.
pub(super) fn run(group: &Group, rows: bool) -> Result<Outcome, Failed> {
    if let Some(target) = single::Target::of(group).filter(|_| !rows) {
        let context = target.context();
        if let Some(outcome) = context.on_stream(group.stream(), || single::run(context, group, &target))? {
            return Ok(outcome);
        }
    }
    let (mut outputs, mut effects) = (SmallVec::<[&Output; 8]>::new(), SmallVec::<[(usize, &Effect); 8]>::new());
    for output in &group.outputs {
        if !output.done && (output.row || !rows) && group.is_wanted(&output.storage) {
            outputs.push(output);
        }
    }
    for (number, effect) in group.effects.iter().enumerate() {
        if !rows && group.is_wanted(&effect.view.storage) {
            effects.push((number, effect));
        }
    }
    let first = outputs.first().map(|output| &output.storage);
    let Some(storage) = first.or(effects.first().map(|(_, effect)| &effect.view.storage)) else {
        return Ok(Outcome::default());
    };
    let context = storage.context();
    context.on_stream(group.stream(), || {
        // Allocations come first: if one fails, no memory has been changed.
        let mut buffers: SmallVec<[Buffer; 2]> = SmallVec::new();
        let mut targets: SmallVec<[Target; 2]> = SmallVec::new();
        for output in &outputs {
            let buffer = context.allocate_buffer(output.storage.bytes())?;
            let place = Place { ptr: buffer.ptr, strides: group.strides_of(output) };
            targets.push(Target { step: output.step, dtype: output.dtype, place, row: output.row, effect: None });
            buffers.push(buffer);
        }
        for &(number, Effect { view, step }) in &effects {
            let place = place_of(view);
            targets.push(Target { step: *step, dtype: view.dtype, place, row: false, effect: Some(number) });
        }
        let mut run = Run::new(context, group);
        let before = uniform::compute(&mut run, &targets)?;
        let outcome = before.and(match group.reduced {
            0 => maps::compute(&run, &targets, outputs.len())?,
            _ => folds::compute(&mut run, targets.into_vec(), outputs.len())?,
        });
        for (output, buffer) in outputs.iter().zip(buffers) {
            output.storage.provide(buffer);
        }
        let copies = run.copies.take();
        if copies.is_empty() { Ok(outcome) } else { copy_all(&run, &copies).map(|()| outcome) }
    })
}

/// Copies values to the memory that the group changes.
#[cold]
#[inline(never)]
fn copy_all(run: &Run<'_>, copies: &[(usize, Made)]) -> Result<(), Failed> {
    for (position, (effect, made)) in copies.iter().enumerate() {
        let Effect { view, step } = &run.group.effects[*effect];
        let (dtype, place) = (view.dtype, place_of(view));
        let target = Target { step: *step, dtype, place, row: false, effect: Some(*effect) };
        if let Err(error) = operators::copy_made(run, made, &target) {
            return Err(Failed { error, rest: Some(rest(run.context, run.group, &copies[position..])) });
        }
    }
    Ok(())
}

/// A group of the remaining copies.
fn rest(context: &Arc<Context>, group: &Group, copies: &[(usize, Made)]) -> GroupBox {
    let mut rest = GroupBox::new(group.serial, group.stream().clone(), &group.shape);
    rest.sealed = true;
    rest.label.clone_from(&group.label);
    let copy = ufunc::copy();
    for (effect, made) in copies {
        let view = &group.effects[*effect].view;
        let of = |output: &&Output| output.storage.peek().is_some_and(|buffer| buffer.ptr == made.place.ptr);
        let storage = match (&made.buffer, group.outputs.iter().find(of)) {
            (None, Some(output)) => output.storage.clone(),
            (buffer, _) => {
                let (ptr, owner) = (made.place.ptr, Owner::Foreign(Arc::new(buffer.clone())));
                // Values take no memory along axes of stride 0.
                let axes = group.shape.iter().zip(made.place.strides.iter());
                let count: usize = axes.filter(|(_, stride)| **stride != 0).map(|(length, _)| *length).product();
                Storage::ready(context, Buffer { ptr, bytes: count * made.dtype.size(), owner })
            }
        };
        let strides = made.place.strides.clone();
        let operand = rest.operand(View { storage, offset: 0, dtype: made.dtype, strides });
        let index = copy.loop_of(made.dtype).expect("every type can be copied") as u8;
        let work = Work::Call { ufunc: copy.id, index, part: 0 };
        let inputs = [Ref::Operand(operand); MAX_INPUTS];
        let step = rest.step(Step { work, dtype: view.dtype, row: false, count: 1, inputs });
        rest.effects.push(Effect { view: view.clone(), step });
    }
    rest
}
