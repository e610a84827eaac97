//! Straight maps in vectors as wide as the processor's, which Cranelift does not have: x86-64 machine code for AVX-512 or AVX2.
//!
//! [`select`] and [`masks`] make vector instructions of the statements, each a row of [`rows`]; [`allocate`] gives them registers;
//! [`encode`] writes them down. A compiled function runs one of the map's stages over rows; [`program`] calls it, and routines between
//! stages. A kernel with an operation that has no row here is left to Cranelift; the bits are the same.

mod allocate;
mod encode;
mod masks;
mod memory;
pub mod program;
mod rows;
mod select;

use std::sync::OnceLock;

use cuproxide_hal::ir::{self, Kernel, Mode, Stmt};
use cuproxide_hal::{Access, settings};

#[cfg(test)]
use super::OPERANDS;
use super::stages::{self, Stages};
use allocate::{Allocated, Move, Placed, allocate};
pub use encode::Form;
use encode::{Address, Assembler, Instruction, Operand, Row, general};
use memory::{Call, Executable};
use program::{Program, Stage, Strip, StripCall};
use select::{Home, Pool, Selector, Straight};

/// Most instructions of a round of a loop that handles several vectors side by side: more are no faster and take longer to compile.
const MANY: usize = 1200;
/// Vectors side by side, where registers suffice.
const COPIES: [usize; 2] = [4, 2];
/// Bytes of a value that left its register.
const SPILL: usize = 64;

/// The vectors to compile for: the widest that the processor has and `CUPROXIDE_CPU_VECTORS` allows, or `None` for Cranelift's.
pub fn form() -> Option<Form> {
    static FORM: OnceLock<Option<Form>> = OnceLock::new();
    *FORM.get_or_init(|| {
        // The backend has refused a value without a meaning before it came to this.
        let most = settings::CPU_VECTORS.choice().ok().flatten();
        let most = most.and_then(|bits| bits.parse().ok()).unwrap_or(512);
        [(512, Form::Evex), (256, Form::Vex)]
            .into_iter()
            .find(|&(bits, form)| bits <= most && has(form))
            .map(|(_, form)| form)
    })
}

/// Whether the processor has these vectors.
pub fn has(form: Form) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw");
        avx2 && (form == Form::Vex || wide)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = form;
        false
    }
}

/// Bytes of a vector.
const fn width(form: Form) -> usize {
    match form {
        Form::Vex => 32,
        Form::Evex => 64,
    }
}

/// Where parts of the scratch memory begin.
struct Layout {
    spills: usize,
    buffers: usize,
}

/// A map in wide vectors and the scratch memory that it needs, or `None` if it has something that there is no code for.
pub fn compile(kernel: &Kernel, block: &[Stmt], access: &[Access], form: Form) -> Option<(Program, usize)> {
    let stages = Stages::wide(kernel, block, access, form == Form::Evex)?;
    let varies = |statement: &&Stmt| !matches!(statement, Stmt::Let(value, _) if stages.is_uniform(*value));
    let widest = block.iter().filter(varies).map(|statement| select::widest(kernel, statement)).max()?;
    let lanes = width(form) / widest;
    let unit = if form == Form::Evex { 8 } else { width(form) };
    let mut pool = Pool::new(unit);
    let fixed = |operand: usize| access[operand] == Access::Broadcast && kernel.operands[operand].mode == Mode::Read;

    let mut shared = Selector::new(kernel, form, width(form) / 8, &mut pool);
    for statement in &stages.uniform {
        if stages::calls(kernel, statement) {
            return None;
        }
        shared.statement(statement, fixed)?;
    }
    let wanted = stages.wanted_uniform();
    for &value in &wanted {
        shared.leave(value)?;
    }
    let shared = shared.code;
    let mut codes = vec![];
    for stage in 0..stages.stages.len() {
        codes.push(write_stage(&stages, stage, Selector::new(kernel, form, lanes, &mut pool), fixed)?);
    }

    let written = write_code(&shared, &codes, form, lanes, pool.bytes.len());
    let layout = written.layout;
    let code = Executable::new(&written.code)?;
    // SAFETY: functions begin there.
    let routine = |at: usize| unsafe { code.routine(at) };

    let mut bytes = layout.buffers + stages.bytes;
    let sizes: Vec<usize> = kernel.operands.iter().map(|operand| operand.dtype.size()).collect();
    let with = |wanted: Access| (0..sizes.len()).filter(move |&number| access[number] == wanted);
    let dense: Vec<usize> = with(Access::Unit).collect();
    let packed: Vec<(usize, usize)> = with(Access::Strided)
        .map(|number| {
            let at = bytes.next_multiple_of(64);
            bytes = at + stages.strip * sizes[number];
            (number, at)
        })
        .collect();
    let strip = |(home, _): stages::Strip| match home {
        stages::Home::Buffer(at) => Strip::Scratch(layout.buffers + at),
        stages::Home::Operand(operand) => Strip::Operand(operand),
    };
    let calls = |stage: usize| {
        let each = |call: &stages::Call| StripCall {
            routine: call.routine,
            inputs: call.inputs.iter().map(|&input| strip(input)).collect(),
            output: strip(call.output),
        };
        stages.stages[stage].calls.iter().map(each).collect()
    };
    let stage = |(number, start): (usize, &Option<usize>)| Stage { routine: start.map(routine), calls: calls(number) };
    let loops: Vec<Stage> = written.stages.iter().enumerate().map(stage).collect();
    let fills = stages
        .fills
        .iter()
        .map(|&value| {
            let at = stages.buffers[value.0 as usize].expect("it is filled");
            (layout.buffers + at, pool.computed[&value], kernel.dtype(value).size())
        })
        .collect();
    let whole = loops.len() == 1 && packed.is_empty();
    let program = Program {
        lanes,
        strip: if whole { usize::MAX >> 8 } else { stages.strip },
        sizes,
        dense,
        packed,
        unit,
        scalars: std::mem::take(&mut pool.scalars),
        uniform: written.uniform.map(routine),
        once: !shared.values.iter().any(|held| matches!(held.home, Some(Home::Fixed(_)))),
        computed: pool.computed.iter().map(|(&value, &at)| (at, kernel.dtype(value).size())).collect(),
        pool: pool.bytes,
        fills,
        stages: loops,
        code,
    };
    Some((program, bytes + 64))
}

/// Machine code, and where its functions begin: those that have something to do.
struct Written {
    code: Vec<u8>,
    /// Computes what all points share.
    uniform: Option<usize>,
    stages: Vec<Option<usize>>,
    layout: Layout,
}

/// Writes the functions of a map whose pool has so many bytes.
fn write_code(shared: &Straight, codes: &[Straight], form: Form, lanes: usize, pool: usize) -> Written {
    let widest = width(form) / 8;
    let uniform = vec![allocate(shared, form, widest, 1, false)];
    let loops: Vec<Vec<Allocated>> = codes.iter().map(|code| arrange(code, form, lanes)).collect();
    let spills = loops.iter().flatten().chain(&uniform).map(|code| code.spills).max().unwrap_or(0);
    let end = pool.next_multiple_of(64);
    let layout = Layout { spills: end, buffers: end + SPILL * spills };
    let mut assembler = Assembler::default();
    let mut write = |codes: &[Allocated]| {
        if codes.iter().all(|code| code.moves.is_empty()) {
            return None;
        }
        assembler.align(64);
        let start = assembler.code.len();
        write_function(&mut assembler, form, codes, &layout);
        Some(start)
    };
    let uniform = write(&uniform);
    let stages = loops.iter().map(|codes| write(codes)).collect();
    Written { code: assembler.code, uniform, stages, layout }
}

/// The code of a stage.
fn write_stage(
    stages: &Stages<'_>,
    stage: usize,
    mut selector: Selector<'_, '_>,
    fixed: impl Fn(usize) -> bool + Copy,
) -> Option<Straight> {
    let fetch = |selector: &mut Selector<'_, '_>, value: ir::Value| {
        if selector.is_bound(value) {
            return Some(());
        }
        match stages.source(value) {
            stages::Source::Uniform(Some(constant)) => selector.statement(constant, fixed)?,
            stages::Source::Uniform(None) => selector.bind_computed(value),
            stages::Source::Repeated(statement) => selector.statement(statement, fixed)?,
            stages::Source::Buffer(at) => selector.bind(value, Home::Buffer(at)),
        }
        Some(())
    };
    for &statement in &stages.stages[stage].statements {
        for used in stages::uses(statement) {
            fetch(&mut selector, used)?;
        }
        selector.statement(statement, fixed)?;
        if let Stmt::Let(value, _) = statement
            && let Some(at) = stages.buffers[value.0 as usize]
        {
            selector.keep(*value, Home::Buffer(at))?;
        }
    }
    if stage == 0 {
        for &value in &stages.moved {
            fetch(&mut selector, value)?;
            selector.keep(value, Home::Buffer(stages.buffers[value.0 as usize]?))?;
        }
    }
    Some(selector.code)
}

/// The loops of a stage: one for several vectors side by side, if they fit the registers, one for single ones, and
/// code for the points after the last vector.
fn arrange(code: &Straight, form: Form, lanes: usize) -> Vec<Allocated> {
    let several = COPIES.into_iter().filter(|copies| copies * code.steps.len() <= MANY);
    let fits = several.map(|copies| allocate(code, form, lanes, copies, false)).find(|code| code.spills == 0);
    // Without masked loads and stores, the last points are computed one by one.
    let rest = match form {
        Form::Evex => allocate(code, form, lanes, 1, true),
        Form::Vex => allocate(code, form, 1, 1, false),
    };
    fits.into_iter().chain([allocate(code, form, lanes, 1, false), rest]).collect()
}

/// Writes a function that runs for each row loops over whole groups of points, each for as long as it can, and then code for the
/// points that are left, if there is some.
fn write_function(assembler: &mut Assembler, form: Form, codes: &[Allocated], layout: &Layout) {
    let mut operands: Vec<usize> = codes.iter().flat_map(|code| &code.moves).filter_map(pointer).collect();
    operands.sort_unstable();
    operands.dedup();
    let held: Vec<(usize, u8)> = operands.iter().copied().zip(general::OPERANDS).collect();
    let saved: Vec<u8> = held.iter().skip(general::FREE).map(|&(_, register)| register).collect();
    saved.iter().for_each(|&register| assembler.push(register));
    let field = |offset: usize| offset as i32;
    assembler.load(general::ROWS, general::CALL, field(std::mem::offset_of!(Call, rows)));
    assembler.load(general::SCRATCH, general::CALL, field(std::mem::offset_of!(Call, scratch)));
    for &(operand, register) in &held {
        assembler.load(register, general::CALL, field(pointer_field(operand)));
    }
    let row = assembler.code.len();
    assembler.clear(general::POINT);
    let points_field = field(std::mem::offset_of!(Call, points));
    assembler.load(general::LAST, general::CALL, points_field);
    // Short rows have no whole vector.
    let whole = codes.len().checked_sub(2).map(|single| codes[single].lanes as i32);
    let short = whole.map(|lanes| assembler.jump_if_less(general::LAST, lanes));
    let mut beyond = 0;
    for (number, code) in codes.iter().enumerate() {
        if let Some(short) = short.filter(|_| number == codes.len() - 1) {
            assembler.land(short, assembler.code.len());
            assembler.load(general::LAST, general::CALL, points_field);
            beyond = 0;
        }
        let write = |assembler: &mut Assembler| {
            for step in &code.moves {
                write_move(assembler, form, step, code.lanes, layout, &held);
            }
        };
        if code.some {
            let rest = std::mem::offset_of!(Call, rest);
            assembler.load(general::BRIEF, general::CALL, field(rest));
            let end = assembler.jump_if_zero(general::BRIEF);
            load_points(assembler, form, rest);
            write(assembler);
            assembler.land(end, assembler.code.len());
            continue;
        }
        let points = (code.copies * code.lanes) as i32;
        assembler.add(general::LAST, beyond - points);
        beyond = points;
        let end = assembler.jump(true);
        assembler.align(32);
        let top = assembler.code.len();
        write(assembler);
        assembler.add(general::POINT, points);
        let again = assembler.jump(false);
        assembler.land(again, top);
        assembler.land(end, assembler.code.len());
    }
    next_row(assembler, codes, &operands, &held);
    let again = assembler.count_down(general::ROWS);
    assembler.land(again, row);
    saved.iter().rev().for_each(|&register| assembler.pop(register));
    assembler.leave();
}

/// Goes on to the next row.
fn next_row(assembler: &mut Assembler, codes: &[Allocated], operands: &[usize], held: &[(usize, u8)]) {
    let step = |operand: usize| (std::mem::offset_of!(Call, steps) + 8 * operand) as i32;
    for &(operand, register) in held {
        assembler.add_from(register, general::CALL, step(operand));
    }
    for &operand in &operands[held.len()..] {
        assembler.load(general::BRIEF, general::CALL, step(operand));
        assembler.add_into(general::CALL, pointer_field(operand) as i32, general::BRIEF);
    }
    if codes.iter().flat_map(|code| &code.moves).any(|step| step.row.is_none()) {
        assembler.load(general::BRIEF, general::CALL, std::mem::offset_of!(Call, index_step) as i32);
        assembler.add_into(general::CALL, std::mem::offset_of!(Call, index) as i32, general::BRIEF);
    }
}

/// Loads the mask of the points that are in memory from a field of the call.
fn load_points(assembler: &mut Assembler, form: Form, field: usize) {
    let address = Address { base: general::CALL, scale: None, offset: field as i32 };
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

#[cfg(test)]
mod tests;
