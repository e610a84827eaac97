//! Launches: a kernel's machine code is run over the whole iteration space, on several threads when that pays.

mod fold;
mod map;
mod rows;
mod segments;
mod walk;

use std::cell::Cell;
use std::sync::Arc;

use cuproxide_hal::ir::{Body, Kernel, Mode};
use cuproxide_hal::{CompiledKernel, Launch, Result, Specialization, Stream, interrupt};
use parking_lot::Mutex;

use crate::graph::{self, OwnedLaunch};
use crate::lower::{
    Code, FoldCode, OPERANDS, RowsCode, SegmentsCode, Span, compile_fold, compile_map, compile_rows, compile_segments,
    has_loops, runs_alone,
};
use crate::pool;

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
        Ok(CpuKernel(Arc::new(Compiled { program, ordered: kernel.ordered || alone, alone, held, written })))
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

/// A piece of scratch memory, aligned to the widest registers.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "compiled code uses the memory")] [u8; 64]);

/// Bytes of scratch memory that a thread keeps for later work.
const KEPT: usize = 64 << 20;

/// Gives `work` this much scratch memory of the thread.
pub(crate) fn with_scratch(bytes: usize, work: impl FnOnce(*mut u8)) {
    thread_local! {
        static SCRATCH: Cell<Vec<Line>> = const { Cell::new(vec![]) };
    }
    if bytes == 0 {
        return work(std::ptr::null_mut());
    }
    // Taken out, so that a launch within a launch would get memory of its own.
    let mut lines = SCRATCH.take();
    lines.resize(lines.len().max(bytes.div_ceil(size_of::<Line>())), Line([0; 64]));
    work(lines.as_mut_ptr().cast());
    if size_of_val(&lines[..]) <= KEPT {
        SCRATCH.set(lines);
    }
}

/// A span for a launch whose pointers, strides and counts are still to be set.
fn span(launch: &Launch<'_>) -> Span {
    Span {
        counts: [1; 3],
        scalars: launch.scalars.as_ptr(),
        index: 0,
        index_step: 0,
        outer_index: 0,
        scratch: std::ptr::null_mut(),
        accumulators: std::ptr::null_mut(),
        others: std::ptr::null(),
        bounds: std::ptr::null_mut(),
        capacity: 0,
        pointers: [0; OPERANDS],
        strides: [[0; OPERANDS]; 3],
    }
}

/// Sets the strides of one level to those along `axis`, or to zero.
fn set_strides(span: &mut Span, launch: &Launch<'_>, level: usize, axis: Option<usize>) {
    for (position, operand) in launch.operands.iter().enumerate() {
        span.strides[level][position] = axis.map_or(0, |axis| operand.strides[axis]);
    }
}

/// Bytes from which a copy is split over threads, and the size of the pieces.
const COPY_PIECE: usize = 1 << 20;

/// Copies memory.
///
/// # Safety
/// `src` is readable and `dst` writable for `bytes`; they do not overlap.
pub unsafe fn copy(dst: *mut u8, src: *const u8, bytes: usize) {
    let (dst, src) = (dst as usize, src as usize);
    let one = |piece: usize| {
        let at = piece * COPY_PIECE;
        // SAFETY: the pieces are disjoint parts of the caller's ranges.
        unsafe {
            std::ptr::copy_nonoverlapping((src + at) as *const u8, (dst + at) as *mut u8, COPY_PIECE.min(bytes - at));
        }
    };
    interrupt::held(|| pool::run(bytes.div_ceil(COPY_PIECE), one));
}

/// Sets memory.
///
/// # Safety
/// `dst` is writable for `bytes`.
pub unsafe fn fill(dst: *mut u8, value: u8, bytes: usize) {
    let dst = dst as usize;
    let one = |piece: usize| {
        let at = piece * COPY_PIECE;
        // SAFETY: the pieces are disjoint parts of the caller's range.
        unsafe { std::ptr::write_bytes((dst + at) as *mut u8, value, COPY_PIECE.min(bytes - at)) };
    };
    interrupt::held(|| pool::run(bytes.div_ceil(COPY_PIECE), one));
}
