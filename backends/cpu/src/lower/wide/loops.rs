//! Machine code of the loops of a stage: over rows, over whole vectors of points, and for the points that are left.

use super::allocate::{Allocated, Move, Placed, allocate};
use super::encode::{Address, Assembler, Form, Instruction, Operand, Row, general};
use super::memory::Call;
use super::rows;
use super::select::{Home, Straight};

/// Most instructions of a round of a loop that handles several vectors side by side: more are no faster and take longer to compile.
pub(super) const MANY: usize = 1200;
/// Vectors side by side, where registers suffice.
const COPIES: [usize; 2] = [4, 2];
/// Points of the shortest vector.
const FEW: usize = 4;
/// Most instructions of code that is also written for shorter vectors.
const LIGHT: usize = 32;
/// Bytes of a value that left its register.
pub(super) const SPILL: usize = 64;

/// Bytes of a vector.
pub(super) const fn width(form: Form) -> usize {
    match form {
        Form::Vex => 32,
        Form::Evex => 64,
    }
}

/// Where parts of the scratch memory begin.
pub(super) struct Layout {
    pub(super) spills: usize,
    pub(super) totals: usize,
    pub(super) buffers: usize,
}

/// The loops of a stage.
pub(super) struct Loops {
    /// For several vectors side by side, if they fit the registers, and for single ones.
    pub(super) whole: Vec<Allocated>,
    /// For the points after the last vector. With masked loads and stores one of them computes all: the first with enough lanes. Else
    /// each computes as many as it can.
    pub(super) rest: Vec<Allocated>,
}

impl Loops {
    pub(super) fn codes(&self) -> impl Iterator<Item = &Allocated> {
        self.whole.iter().chain(&self.rest)
    }
}

/// Chooses the loops of a stage.
pub(super) fn arrange(code: &Straight, form: Form, lanes: usize) -> Loops {
    let place = |lanes: usize, copies: usize, some: bool| allocate(code, form, lanes, copies, some);
    let several = COPIES.into_iter().filter(|copies| copies * code.steps.len() <= MANY);
    let several = several.map(|copies| place(lanes, copies, false)).find(|code| code.spills == 0);
    let rest = match form {
        // A masked vector that crosses a line of the cache takes long, so that few points are worth a shorter one.
        Form::Evex if code.steps.len() <= LIGHT => [4, 2, 1].map(|part| place(lanes / part, 1, true)).into(),
        Form::Evex => vec![place(lanes, 1, true)],
        Form::Vex => {
            let halves = std::iter::successors(Some(lanes / 2), |lanes| Some(lanes / 2));
            halves.take_while(|&lanes| lanes >= FEW).chain([1]).map(|lanes| place(lanes, 1, false)).collect()
        }
    };
    Loops { whole: several.into_iter().chain([place(lanes, 1, false)]).collect(), rest }
}

/// Where a call says how many points a row has.
pub(super) const POINTS: i32 = std::mem::offset_of!(Call, points) as i32;
/// Where it has a bit for each point after the last whole vector.
const REST: i32 = std::mem::offset_of!(Call, rest) as i32;

/// Writes a function that runs each row by the loops of a stage.
pub(super) fn write_function(assembler: &mut Assembler, form: Form, loops: &Loops, layout: &Layout) {
    let frame = Frame::enter(assembler, loops.codes());
    let write = |assembler: &mut Assembler, code: &Allocated| write_moves(assembler, form, code, layout, &frame);
    let masked = loops.rest.iter().any(|code| code.some);
    if let [.., single] = &loops.whole[..]
        && !loops.rest.is_empty()
    {
        // Rows that are shorter than a vector have loops of their own.
        assembler.load(general::LAST, general::CALL, POINTS);
        let long = assembler.jump_if_more(general::LAST, single.lanes as i32 - 1);
        for code in loops.rest.iter().filter(|_| masked) {
            let longer = assembler.jump_if_more(general::LAST, code.lanes as i32);
            load_points(assembler, form);
            write_rows(assembler, loops, &frame, |assembler| {
                assembler.clear(general::POINT);
                write(assembler, code);
            });
            assembler.land(longer, assembler.code.len());
        }
        if !masked {
            write_rows(assembler, loops, &frame, |assembler| write_loops(assembler, loops.rest.iter(), write));
        }
        assembler.land(long, assembler.code.len());
    }
    write_rows(assembler, loops, &frame, |assembler| {
        if !masked {
            return write_loops(assembler, loops.codes(), write);
        }
        write_loops(assembler, loops.whole.iter(), write);
        assembler.load(general::BRIEF, general::CALL, REST);
        let mut ends = vec![assembler.jump_if_zero(general::BRIEF)];
        load_points(assembler, form);
        for (number, code) in loops.rest.iter().enumerate() {
            if number + 1 == loops.rest.len() {
                write(assembler, code);
                break;
            }
            // As a number, the bits of fewer points are less.
            let most = i32::MAX >> 31_usize.saturating_sub(code.lanes);
            let longer = assembler.jump_if_more(general::BRIEF, most);
            write(assembler, code);
            ends.push(assembler.jump_always());
            assembler.land(longer, assembler.code.len());
        }
        ends.into_iter().for_each(|end| assembler.land(end, assembler.code.len()));
    });
}

/// Writes loops over the points of a row, each of which leaves fewer than it computes at once.
fn write_loops<'c>(
    assembler: &mut Assembler,
    codes: impl Iterator<Item = &'c Allocated>,
    write: impl Fn(&mut Assembler, &Allocated),
) {
    assembler.clear(general::POINT);
    assembler.load(general::LAST, general::CALL, POINTS);
    let mut beyond = 0;
    for code in codes {
        let points = (code.copies * code.lanes) as i32;
        assembler.add(general::LAST, beyond - points);
        beyond = points;
        let end = assembler.jump(true);
        assembler.align(32);
        let top = assembler.code.len();
        write(assembler, code);
        assembler.add(general::POINT, points);
        let again = assembler.jump(false);
        assembler.land(again, top);
        assembler.land(end, assembler.code.len());
    }
}

/// Writes a loop over rows, and the end of the function.
fn write_rows(assembler: &mut Assembler, loops: &Loops, frame: &Frame, row: impl FnOnce(&mut Assembler)) {
    assembler.align(32);
    let top = assembler.code.len();
    row(assembler);
    next_row(assembler, loops.codes(), frame);
    let again = assembler.count_down(general::ROWS);
    assembler.land(again, top);
    frame.leave(assembler);
}

/// What general registers hold in a function.
pub(super) struct Frame {
    /// Operands whose addresses it needs, and the registers that those of the first are in.
    operands: Vec<usize>,
    held: Vec<(usize, u8)>,
    /// Registers that the caller expects back.
    saved: Vec<u8>,
}

impl Frame {
    /// Writes the beginning of a function.
    pub(super) fn enter<'c>(assembler: &mut Assembler, codes: impl Iterator<Item = &'c Allocated>) -> Frame {
        let mut operands: Vec<usize> = codes.flat_map(|code| &code.moves).filter_map(pointer).collect();
        operands.sort_unstable();
        operands.dedup();
        let held: Vec<(usize, u8)> = operands.iter().copied().zip(general::OPERANDS).collect();
        let saved: Vec<u8> = held.iter().skip(general::FREE).map(|&(_, register)| register).collect();
        saved.iter().for_each(|&register| assembler.push(register));
        assembler.load(general::ROWS, general::CALL, std::mem::offset_of!(Call, rows) as i32);
        assembler.load(general::SCRATCH, general::CALL, std::mem::offset_of!(Call, scratch) as i32);
        for &(operand, register) in &held {
            assembler.load(register, general::CALL, pointer_field(operand) as i32);
        }
        Frame { operands, held, saved }
    }

    /// Writes the end of the function.
    pub(super) fn leave(&self, assembler: &mut Assembler) {
        self.saved.iter().rev().for_each(|&register| assembler.pop(register));
        assembler.leave();
    }
}

/// Goes on to the next row.
fn next_row<'c>(
    assembler: &mut Assembler,
    mut codes: impl Iterator<Item = &'c Allocated>,
    Frame { operands, held, .. }: &Frame,
) {
    let step = |operand: usize| (std::mem::offset_of!(Call, steps) + 8 * operand) as i32;
    for &(operand, register) in held {
        assembler.add_from(register, general::CALL, step(operand));
    }
    for &operand in &operands[held.len()..] {
        assembler.load(general::BRIEF, general::CALL, step(operand));
        assembler.add_into(general::CALL, pointer_field(operand) as i32, general::BRIEF);
    }
    if codes.any(|code| code.moves.iter().any(|step| step.row.is_none())) {
        assembler.load(general::BRIEF, general::CALL, std::mem::offset_of!(Call, index_step) as i32);
        assembler.add_into(general::CALL, std::mem::offset_of!(Call, index) as i32, general::BRIEF);
    }
}

/// Loads the mask of the points that are left.
fn load_points(assembler: &mut Assembler, form: Form) {
    let address = Address { base: general::CALL, scale: None, offset: REST };
    let operand = Operand::Memory(address, 8, false);
    let (row, register) = (rows::MASK_LOAD, general::POINTS);
    assembler.vector(form, &Instruction { row, register, source: 0, operand, mask: 0, immediate: None, bytes: 8 });
}

/// Where a call says where an operand is.
fn pointer_field(operand: usize) -> usize {
    std::mem::offset_of!(Call, pointers) + 8 * operand
}

/// The operand whose address an instruction needs.
fn pointer(step: &Move) -> Option<usize> {
    match step.operand {
        Placed::Memory(Home::Element(operand) | Home::Fixed(operand), _) => Some(operand),
        _ => None,
    }
}

pub(super) fn write_moves(assembler: &mut Assembler, form: Form, code: &Allocated, layout: &Layout, frame: &Frame) {
    for step in &code.moves {
        write_move(assembler, form, step, code.lanes, layout, &frame.held);
    }
}

fn write_move(assembler: &mut Assembler, form: Form, step: &Move, lanes: usize, layout: &Layout, held: &[(usize, u8)]) {
    let Some(row) = step.row else {
        return write_position(assembler, form, step, lanes);
    };
    let mut bytes = if row == rows::UPPER_HALF { width(form) } else { lanes * step.size };
    let operand = match step.operand {
        Placed::Register(register) => Operand::Register(register),
        Placed::Memory(home, size) => {
            let base = pointer(step).map_or(general::SCRATCH, |operand| {
                let known = held.iter().find(|(number, _)| *number == operand);
                known.map_or_else(
                    || {
                        assembler.load(general::BRIEF, general::CALL, pointer_field(operand) as i32);
                        general::BRIEF
                    },
                    |&(_, register)| register,
                )
            });
            let here = step.copy * lanes * size;
            let scale = Some(size as u8);
            let (scale, offset) = match home {
                Home::Uniform(at) | Home::Whole(at) => (None, at),
                Home::Spill(slot) => (None, layout.spills + SPILL * slot),
                Home::Total(at) => (None, layout.totals + at + here),
                Home::Element(_) => (scale, here),
                Home::Fixed(_) => (None, 0),
                Home::Buffer(at) => (scale, layout.buffers + at + here),
            };
            let spread = match home {
                Home::Uniform(_) => form == Form::Evex,
                Home::Fixed(_) => true,
                _ => false,
            };
            let stored = row.reversed && matches!(home, Home::Uniform(_));
            if stored {
                // One element is.
                bytes = 8;
            }
            let there = match () {
                () if stored => 8,
                () if row.single => size,
                // A masked instruction counts in whole registers.
                () if matches!(home, Home::Element(_)) && step.mask == general::POINTS => (lanes * size).max(16),
                () => lanes * size,
            };
            Operand::Memory(Address { base, scale, offset: offset as i32 }, there, spread && !row.reversed)
        }
    };
    let Move { register, source, mask, immediate, .. } = *step;
    assembler.vector(form, &Instruction { row, register, source, operand, mask, immediate, bytes });
}

/// The position of the first point in all lanes.
fn write_position(assembler: &mut Assembler, form: Form, step: &Move, lanes: usize) {
    assembler.load(general::BRIEF, general::CALL, std::mem::offset_of!(Call, index) as i32);
    assembler.add_point(general::BRIEF, (step.copy * lanes) as i32);
    let register = step.register;
    let mut write = |row: Row, from: u8, bytes: usize| {
        let operand = Operand::Register(from);
        assembler.vector(form, &Instruction { row, register, source: 0, operand, mask: 0, immediate: None, bytes });
    };
    if form == Form::Evex {
        return write(rows::BROADCAST_GENERAL, general::BRIEF, 8 * lanes);
    }
    write(rows::MOVE_GENERAL, general::BRIEF, 8);
    write(rows::broadcast(8), register, 8 * lanes);
}
