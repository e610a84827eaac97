//! Launches: a kernel's machine code is run over the whole iteration space, on several threads when that pays.

mod fold;
mod map;
mod rows;
mod segments;
mod spans;
mod walk;

use std::sync::Arc;

use cuproxide_hal::ir::{Body, Kernel, Mode};
use cuproxide_hal::{CompiledKernel, Launch, Result, Specialization, Stream, interrupt};
use parking_lot::Mutex;

use crate::graph::{self, OwnedLaunch};
use crate::lower::{
    Code, FoldCode, RowsCode, SegmentsCode, compile_fold, compile_map, compile_rows, compile_segments, has_loops,
    runs_alone,
};

/// A compiled kernel.
pub struct CpuKernel(Arc<Compiled>);

struct Compiled {
    program: Program,
    ordered: bool,
    alone: bool,
    /// Whether it must not end early: it changes memory in passes that are over soon anyway.
    held: bool,
    /// The operands that it writes.
    written: Vec<usize>,
    /// Points up to which a launch is over in a moment, in the calling thread.
    brief: usize,
}

/// Held by the launches of kernels that must run alone.
static ALONE: Mutex<()> = Mutex::new(());

enum Program {
    Map(Code, usize),
    Reduce(FoldCode),
    Scan(FoldCode),
    Rows(RowsCode),
    Segments(SegmentsCode),
}

impl CpuKernel {
    /// Compiles a legalised kernel.
    pub fn new(kernel: &Kernel, specialization: Specialization) -> Result<CpuKernel> {
        let program = match kernel.body {
            Body::Map(_) => Program::Map(compile_map(kernel, specialization)?, map::grain(kernel)),
            Body::Reduce(_) => Program::Reduce(compile_fold(kernel, specialization)?),
            Body::Scan(_) => Program::Scan(compile_fold(kernel, specialization)?),
            Body::Rows(_) => Program::Rows(compile_rows(kernel, specialization)?),
            Body::Segments(_) => Program::Segments(compile_segments(kernel, specialization)?),
        };
        let alone = runs_alone(kernel);
        let held = alone || updates(kernel) && !has_loops(kernel);
        let writes = |operand: &usize| kernel.operands[*operand].mode != Mode::Read;
        let written = (0..kernel.operands.len()).filter(writes).collect();
        let brief = match program {
            Program::Map(_, grain) if !alone && !has_loops(kernel) => grain,
            _ => 0,
        };
        let ordered = kernel.ordered || alone;
        Ok(CpuKernel(Arc::new(Compiled { program, ordered, alone, held, written, brief })))
    }
}

/// Whether a kernel reads and writes one operand.
fn updates(kernel: &Kernel) -> bool {
    kernel.operands.iter().any(|operand| operand.mode == Mode::Update)
}

impl Compiled {
    /// Whether a launch writes to where it reads.
    fn is_in_place(&self, launch: &Launch<'_>) -> bool {
        let shares = |written: usize| {
            let places = launch.operands.iter().filter(|place| place.ptr == launch.operands[written].ptr);
            places.count() > 1
        };
        self.written.iter().copied().any(shares)
    }

    /// # Safety
    /// The launch fits the kernel.
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        // SAFETY: the caller's promise.
        let run = || unsafe { self.run(launch) };
        if launch.outer_size() <= self.brief {
            run();
            if !interrupt::is_turn() || self.held || self.is_in_place(launch) {
                return Ok(());
            }
            return interrupt::caught(|| {
                interrupt::point();
                Ok(())
            });
        }
        if self.held || self.is_in_place(launch) {
            interrupt::held(run);
            return Ok(());
        }
        interrupt::caught(|| {
            run();
            interrupt::point();
            Ok(())
        })
    }

    /// # Safety
    /// The launch fits the kernel.
    unsafe fn run(&self, launch: &Launch<'_>) {
        let _alone = self.alone.then(|| ALONE.lock());
        // SAFETY: the caller's promise.
        unsafe {
            match &self.program {
                Program::Map(code, grain) => {
                    map::launch(code, launch, if self.ordered { usize::MAX } else { *grain });
                }
                Program::Reduce(code) => fold::reduce(code, launch, self.ordered),
                Program::Scan(code) => fold::scan(code, launch, self.ordered),
                Program::Rows(code) => rows::launch(code, launch),
                Program::Segments(code) => segments::launch(code, launch, self.ordered),
            }
        }
    }
}

impl CompiledKernel for CpuKernel {
    unsafe fn launch(&self, stream: &dyn Stream, launch: &Launch<'_>) -> Result<()> {
        if let Some(capture) = graph::capture_of(stream) {
            let (compiled, launch) = (self.0.clone(), OwnedLaunch::new(launch));
            capture.push("kernel", move || {
                // SAFETY: the caller's promise that the launch fits the kernel.
                unsafe { compiled.launch(&launch.borrow()) }
            });
            return Ok(());
        }
        // SAFETY: the caller's promise that the launch fits the kernel.
        unsafe { self.0.launch(launch) }
    }
}
