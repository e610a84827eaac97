//! Maps: a rectangle of independent points.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::ir::{Body, Kernel, Mode, Op, Stmt};
use cuproxide_hal::{Access, Result, Specialization};

use super::Span;
use super::emit::{Emitter, Position};
use super::facts::{group_size, is_straight, runs_alone};
use super::group::Group;
use super::jit::{Code, Compiler};
use super::place::{Place, Stride};
use super::ready::{gathers, maps};
use super::stages::{Stages, place_fixed, scratch_memory};
use super::straighten::straighten;
use super::turns;
use super::wide::{self, Form};

/// Compiles a legalised map.
pub fn compile_map(kernel: &Kernel, specialization: Specialization) -> Result<Code> {
    compile_map_for(kernel, specialization, wide::form())
}

/// The same for vectors of this form, or for Cranelift's.
pub(super) fn compile_map_for(kernel: &Kernel, specialization: Specialization, form: Option<Form>) -> Result<Code> {
    let access: Vec<Access> = (0..kernel.operands.len()).map(|operand| specialization.outer_access(operand)).collect();
    let straight = straighten(kernel).filter(|kernel| is_vectorizable(kernel, &access));
    let kernel = straight.as_ref().unwrap_or(kernel);
    let Body::Map(block) = &kernel.body else { unreachable!("the kernel is a map") };
    if let Some(entry) = maps::find(kernel, block, &access).or_else(|| gathers::find(kernel, &access)) {
        return Ok(Code::ready(entry));
    }
    let vectors = straight.is_some() || (is_straight(kernel) && is_vectorizable(kernel, &access));
    if let Some(form) = form.filter(|_| vectors)
        && let Some((program, scratch)) = wide::compile(kernel, block, &access, &[], form)
    {
        return Ok(Code::wide(program, scratch));
    }
    let mut compiler = Compiler::new(kernel)?;
    let (stages, lanes) = if vectors {
        let stages = Stages::new(kernel, block, &[], &access, 1);
        let lanes = group_size(kernel, stages.is_none());
        (stages, lanes)
    } else {
        (None, 1)
    };
    compiler.scratch = stages.as_ref().map_or(0, |stages| stages.bytes);
    compiler.function(|emitter| write_map(emitter, block, &access, lanes, stages.as_ref()))?;
    compiler.finish()
}

/// Whether vector code pays: stores must be to neighbours, and something must be gained.
fn is_vectorizable(kernel: &Kernel, access: &[Access]) -> bool {
    let stores = kernel.operands.iter().zip(access).filter(|(operand, _)| operand.mode != Mode::Read);
    let dense = stores.clone().count() > 0 && stores.into_iter().all(|(_, &access)| access == Access::Unit);
    !kernel.ordered && dense && !scatters(kernel) && !gathers(kernel)
}

/// Whether elements are read at computed places: addresses leave vectors one by one, and are made in none.
fn gathers(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.visit(&mut |statement| found |= matches!(statement, Stmt::Let(_, Op::Load { offset: Some(_), .. })));
    found
}

/// Whether some access is displaced from the current point of an operand that is also written.
fn scatters(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.visit(&mut |statement| {
        found |= match *statement {
            Stmt::Store { offset, .. } => offset.is_some(),
            Stmt::Let(_, Op::Load { operand, offset, .. }) => {
                offset.is_some() && kernel.operands[operand as usize].mode == Mode::Update
            }
            _ => false,
        };
    });
    found
}

/// The displacement class of each operand along level 0.
pub fn strides(e: &mut Emitter<'_, '_>, access: &[Access], level: usize) -> Vec<Stride> {
    let each = |(operand, &access): (usize, &Access)| match access {
        Access::Broadcast => Stride::None,
        Access::Unit => Stride::Elements(e.kernel.operands[operand].dtype.size()),
        _ => Stride::Bytes(e.stride(level, operand)),
    };
    access.iter().enumerate().map(each).collect()
}

/// The operand parts that `block` reads at the current point.
pub fn plain_loads(kernel: &Kernel, block: &[Stmt]) -> Vec<(usize, usize)> {
    let mut found = vec![];
    for statement in block {
        if let Stmt::Let(_, Op::Load { operand, offset: None, lane }) = *statement
            && kernel.operands[operand as usize].mode == Mode::Read
            && !found.contains(&(operand as usize, lane as usize))
        {
            found.push((operand as usize, lane as usize));
        }
    }
    found
}

/// How often the statements for one point are written in a row: where they are few, counting costs as much.
fn copies(kernel: &Kernel) -> usize {
    const FEW: usize = 32;
    let mut statements = 0;
    kernel.visit(&mut |_| statements += 1);
    if is_straight(kernel) && statements <= FEW { 4 } else { 1 }
}

/// Goes on to the next point, in scalar code.
fn next_point(e: &mut Emitter<'_, '_>) {
    for operand in 0..e.places.len() {
        let size = e.kernel.operands[operand].dtype.size() as i64;
        e.places[operand] = match e.places[operand] {
            Place::Unit(base) => Place::Unit(e.b.ins().iadd_imm_s(base, size)),
            Place::Strided(base, stride) => Place::Strided(e.b.ins().iadd(base, stride), stride),
            fixed @ Place::Fixed(_) => fixed,
        };
    }
    if let Position::Counting(position) = e.index {
        let position = Position::Counting(e.b.ins().iadd_imm_s(position, 1));
        (e.index, e.outer_index) = (position, position);
    }
}

fn write_map(mut e: Emitter<'_, '_>, block: &[Stmt], access: &[Access], lanes: usize, stages: Option<&Stages<'_>>) {
    e.alone = runs_alone(e.kernel);
    e.ends_early = true;
    e.note_failed();
    e.scratch_memory = scratch_memory(&mut e);
    let operands = access.len();
    let (length, rows) = (e.count(0), e.count(1));
    let index = e.span_field(std::mem::offset_of!(Span, index));
    let index_step = e.span_field(std::mem::offset_of!(Span, index_step));
    let pointers: Vec<Value> = (0..operands).map(|operand| e.pointer(operand)).collect();
    let steps: Vec<Value> = (0..operands).map(|operand| e.stride(1, operand)).collect();
    let fast = strides(&mut e, access, 0);
    let fixed: Vec<(usize, usize)> =
        plain_loads(e.kernel, block).into_iter().filter(|&(operand, _)| access[operand] == Access::Broadcast).collect();
    let zero = e.b.ins().iconst(types::I64, 0);
    e.counted(zero, rows, 1, |e, row| {
        let distance = |e: &mut Emitter<'_, '_>, step: Value| e.b.ins().imul(row, step);
        let bases: Vec<Value> = (0..operands)
            .map(|operand| {
                let bytes = distance(e, steps[operand]);
                e.b.ins().iadd(pointers[operand], bytes)
            })
            .collect();
        let row_index = distance(e, index_step);
        let row_index = e.b.ins().iadd(index, row_index);
        e.hoisted.fill([None; 2]);
        for &(operand, part) in &fixed {
            e.lanes = 1;
            e.places[operand] = Place::Fixed(bases[operand]);
            let Group::One(value) = e.load(operand, None, part) else { unreachable!("scalar code") };
            e.hoisted[operand][part] = Some(value);
        }
        let place = |e: &mut Emitter<'_, '_>, column: Value| {
            for operand in 0..operands {
                e.places[operand] = e.place_at(bases[operand], fast[operand], column);
            }
            let position = e.b.ins().iadd(row_index, column);
            (e.index, e.outer_index) = (Position::Counting(position), Position::Counting(position));
        };
        if let Some(stages) = stages {
            place_fixed(e, access, &bases, row_index);
            stages.write_uniform(e, lanes, length);
            stages.each_strip(e, lanes, length, &bases, &place, &mut |e, start, points| {
                stages.write_loop(e, stages.last(), lanes, start, points, &place);
            });
            return;
        }
        let pieces = turns::pieces(e.kernel, block);
        let copies = if lanes == 1 { copies(e.kernel) } else { 1 };
        let done = e.b.ins().band_imm_s(length, -((lanes * copies) as i64));
        for (from, to, lanes, copies) in [(zero, done, lanes, copies), (done, length, 1, 1)] {
            e.counted(from, to, lanes * copies, |e, column| {
                e.lanes = lanes;
                place(e, column);
                if lanes > 1 {
                    e.block_in_pieces(block, &pieces);
                } else {
                    e.block(block);
                }
                for _ in 1..copies {
                    next_point(e);
                    e.block(block);
                }
            });
            if lanes * copies == 1 {
                break;
            }
        }
    });
    e.finish();
}
