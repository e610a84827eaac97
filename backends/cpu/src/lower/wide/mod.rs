//! Straight maps in vectors as wide as the processor's, which Cranelift does not have: x86-64 machine code for AVX-512 or AVX2.
//!
//! [`select`] and [`masks`] make vector instructions of the statements, each a row of [`rows`]; [`allocate`] gives them registers;
//! [`encode`] writes them down. A compiled function runs one of the map's stages over rows ([`loops`]); [`program`] calls it, and
//! routines between stages. [`fold`] extends accumulators by the values of a map. A kernel with an operation that has no row here is
//! left to Cranelift; the bits are the same.

mod allocate;
mod encode;
mod fold;
mod loops;
mod masks;
pub mod memory;
pub mod program;
mod rows;
mod select;

use std::sync::OnceLock;

use cuproxide_hal::ir::{Kernel, Mode, Stmt};
use cuproxide_hal::{Access, settings};

#[cfg(test)]
use super::OPERANDS;
use super::stages::{self, Stages};
use allocate::allocate;
use encode::Assembler;
pub use encode::Form;
use fold::Fold;
pub use fold::Folded;
use loops::{Layout, Loops, SPILL, arrange, width, write_function};
use memory::Executable;
use program::{Folding, Program, Stage, Strip, StripCall};
use select::{Home, Pool, Selector, Straight};

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

/// A map in wide vectors and the scratch memory that it needs, or `None` if it has something that there is no code for. It also folds
/// values in registers, if some are given and registers suffice.
pub fn compile(
    kernel: &Kernel,
    block: &[Stmt],
    access: &[Access],
    folds: &[Folded],
    form: Form,
) -> Option<(Program, usize)> {
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

    // Strided operands are packed strip by strip, which the loop of a fold does not do.
    let fold = if access.contains(&Access::Strided) {
        None
    } else {
        Fold::new(kernel, &stages, folds, (form, lanes), &mut pool, fixed)
    };

    let written = write_code(&shared, &codes, fold.as_ref(), form, lanes, pool.bytes.len());
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
    let folding = |(fold, start): (&Fold, usize)| Folding {
        routine: routine(start),
        group: fold.group,
        totals: fold.totals.iter().map(|at| layout.totals + at).collect(),
    };
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
        fold: fold.as_ref().zip(written.fold).map(folding),
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
    fold: Option<usize>,
    layout: Layout,
}

/// Writes the functions of a map whose pool has so many bytes.
fn write_code(
    shared: &Straight,
    codes: &[Straight],
    fold: Option<&Fold>,
    form: Form,
    lanes: usize,
    pool: usize,
) -> Written {
    let widest = width(form) / 8;
    let uniform = Loops { whole: vec![allocate(shared, form, widest, 1, false)], rest: vec![] };
    let loops: Vec<Loops> = codes.iter().map(|code| arrange(code, form, lanes)).collect();
    let spills = loops.iter().chain([&uniform]).flat_map(Loops::codes).map(|code| code.spills).max().unwrap_or(0);
    let end = pool.next_multiple_of(64);
    let totals = end + SPILL * spills;
    let layout = Layout { spills: end, totals, buffers: totals + fold.map_or(0, |fold| fold.bytes) };
    let mut assembler = Assembler::default();
    let mut write = |loops: &Loops| {
        if loops.codes().all(|code| code.moves.is_empty()) {
            return None;
        }
        assembler.align(64);
        let start = assembler.code.len();
        write_function(&mut assembler, form, loops, &layout);
        Some(start)
    };
    let uniform = write(&uniform);
    let stages = loops.iter().map(&mut write).collect();
    let fold = fold.map(|fold| {
        assembler.align(64);
        let start = assembler.code.len();
        fold.write(&mut assembler, form, &layout);
        start
    });
    Written { code: assembler.code, uniform, stages, fold, layout }
}

/// The code of a stage.
fn write_stage(
    stages: &Stages<'_>,
    stage: usize,
    mut selector: Selector<'_, '_>,
    fixed: impl Fn(usize) -> bool + Copy,
) -> Option<Straight> {
    for &statement in &stages.stages[stage].statements {
        selector.bring(stages, statement, fixed)?;
        selector.statement(statement, fixed)?;
        if let Stmt::Let(value, _) = statement
            && let Some(at) = stages.buffers[value.0 as usize]
        {
            selector.keep(*value, Home::Buffer(at))?;
        }
    }
    if stage == 0 {
        for &value in &stages.moved {
            selector.fetch(stages, value, fixed)?;
            selector.keep(value, Home::Buffer(stages.buffers[value.0 as usize]?))?;
        }
    }
    Some(selector.code)
}

#[cfg(test)]
mod tests;
