//! Maps: a rectangle of independent points.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cuproxide_hal::ir::{Body, Kernel, Mode, Op, Stmt};
use cuproxide_hal::{Access, Result, Specialization};

use super::Span;
use super::addressing::{Place, Stride};
use super::emit::{Emitter, Position, group_size, has_calls, is_straight};
use super::group::Group;
use super::jit::{Code, Compiler};
use super::scalar;

/// Compiles a legalised map.
pub fn compile_map(kernel: &Kernel, specialization: Specialization) -> Result<Code> {
    let Body::Map(block) = &kernel.body else { unreachable!("the kernel is a map") };
    let mut compiler = Compiler::new(kernel)?;
    let access: Vec<Access> = (0..kernel.operands.len()).map(|operand| specialization.outer_access(operand)).collect();
    let lanes = if is_vectorizable(kernel, &access) { group_size(kernel) } else { 1 };
    compiler.function(|emitter| write_map(emitter, block, &access, lanes))?;
    compiler.finish()
}

/// Whether vector code pays: stores must be to neighbours, and something must be gained.
fn is_vectorizable(kernel: &Kernel, access: &[Access]) -> bool {
    let stores = kernel.operands.iter().zip(access).filter(|(operand, _)| operand.mode != Mode::Read);
    let dense = stores.clone().count() > 0 && stores.into_iter().all(|(_, &access)| access == Access::Unit);
    is_straight(kernel) && !kernel.ordered && dense && !scatters(kernel)
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

/// Whether the points that do not fill a group may run as one group over copies, padded with anything: worth it where
/// functions are called, harmless where no value is an address or a fault.
fn is_padded(kernel: &Kernel, access: &[Access]) -> bool {
    let mut safe = access.iter().all(|&access| access != Access::Strided);
    kernel.visit(&mut |statement| {
        let displaced = matches!(statement, Stmt::Let(_, Op::Load { offset: Some(_), .. }));
        safe &= !displaced && !matches!(statement, Stmt::Require(..));
    });
    safe && has_calls(kernel)
}

unsafe extern "C" fn copy_bytes(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: compiled code passes its own stack and the elements of an operand.
    unsafe { std::ptr::copy_nonoverlapping(from, to, count) };
}

/// Runs the points from `done` to `length`, fewer than a group, on copies of their elements.
fn write_padded(
    e: &mut Emitter<'_, '_>,
    block: &[Stmt],
    access: &[Access],
    lanes: usize,
    bases: &[Value],
    done: Value,
    length: Value,
    row_index: Value,
) {
    let rest = e.b.ins().isub(length, done);
    let copy = copy_bytes as unsafe extern "C" fn(*mut u8, *const u8, usize) as usize;
    let mut copies = vec![];
    e.lanes = lanes;
    for (operand, &base) in bases.iter().enumerate() {
        if access[operand] == Access::Broadcast {
            e.places[operand] = Place::Fixed(base);
            continue;
        }
        let size = e.kernel.operands[operand].dtype.size();
        let place = e.place_at(base, Stride::Elements(size), done);
        let Place::Unit(home) = place else { unreachable!("the operand moves by its size") };
        let bytes = e.b.ins().imul_imm_s(rest, size as i64);
        let slot = e.scratch(lanes * size);
        if e.kernel.operands[operand].mode != Mode::Write {
            scalar::call(&mut e.b, copy, &[slot, home, bytes], None);
        }
        e.places[operand] = Place::Unit(slot);
        copies.push((operand, home, slot, bytes));
    }
    let position = e.b.ins().iadd(row_index, done);
    (e.index, e.outer_index) = (Position::Counting(position), Position::Counting(position));
    e.block(block);
    for (operand, home, slot, bytes) in copies {
        if e.kernel.operands[operand].mode != Mode::Read {
            scalar::call(&mut e.b, copy, &[home, slot, bytes], None);
        }
    }
}

fn write_map(mut e: Emitter<'_, '_>, block: &[Stmt], access: &[Access], lanes: usize) {
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
        let point = |e: &mut Emitter<'_, '_>, lanes: usize, column: Value| {
            e.lanes = lanes;
            for operand in 0..operands {
                e.places[operand] = e.place_at(bases[operand], fast[operand], column);
            }
            let position = e.b.ins().iadd(row_index, column);
            (e.index, e.outer_index) = (Position::Counting(position), Position::Counting(position));
            e.block(block);
        };
        let mut done = zero;
        if lanes > 1 {
            done = e.b.ins().band_imm_s(length, -(lanes as i64));
            e.counted(zero, done, lanes, |e, column| point(e, lanes, column));
        }
        if lanes > 1 && is_padded(e.kernel, access) {
            let some = e.b.create_block();
            let after = e.b.create_block();
            let more = e.b.ins().icmp(IntCC::SignedLessThan, done, length);
            e.b.ins().brif(more, some, &[], after, &[]);
            e.b.switch_to_block(some);
            write_padded(e, block, access, lanes, &bases, done, length, row_index);
            e.b.ins().jump(after, &[]);
            e.b.switch_to_block(after);
        } else {
            e.counted(done, length, 1, |e, column| point(e, 1, column));
        }
    });
    e.finish();
}
