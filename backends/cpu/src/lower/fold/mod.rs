//! Reductions and scans: functions that start, extend, join and finish accumulators.
//!
//! Accumulators live in memory between calls, one column for each outer point. A fold extends a block of columns by a
//! rectangle of the inner space. Where neighbouring outer points are neighbours in memory, vectors run over columns and
//! the order of the fold is kept; where the inner space is contiguous and every accumulator is combined by a
//! commutative operator, vectors run along it.

mod accumulators;
mod columns;
mod lanes;
mod parts;
mod picks;
mod plan;
mod segments;
mod strips;
#[cfg(test)]
mod tests;

use cuproxide_hal::ir::{Binary, Body, Fold, Kernel, Op, Stmt};
use cuproxide_hal::{Access, DType, Result, Specialization};

use super::facts::{group_size, is_straight};
use super::jit::{Code, Compiler};
use super::ready::lanes::{DEPTH, LANES};
use super::ready::{self, Ready};
use super::stages::Stages;
use super::wide::{self, Form};
use picks::picks;
use plan::Plan;
pub use plan::{Extend, FoldCode, Layout};
pub use segments::{SegmentsCode, compile_segments};
use strips::Strips;

/// Compiles a legalised reduction or scan.
pub fn compile_fold(kernel: &Kernel, specialization: Specialization) -> Result<FoldCode> {
    compile_fold_for(kernel, specialization, wide::form())
}

/// The same for maps in vectors of this form, or for Cranelift's.
pub(super) fn compile_fold_for(
    kernel: &Kernel,
    specialization: Specialization,
    form: Option<Form>,
) -> Result<FoldCode> {
    let (fold, scan) = match &kernel.body {
        Body::Reduce(fold) => (fold, false),
        Body::Scan(fold) => (fold, true),
        Body::Map(_) | Body::Rows(_) | Body::Segments(_) => unreachable!("the kernel is a reduction or a scan"),
    };
    let plan = Plan::new(kernel, fold, specialization, scan, None);
    let ready = match plan.layout {
        // They borrow elements where they are.
        _ if specialization.unaligned() => None,
        Layout::Lanes | Layout::Picks | Layout::Parts if !scan => {
            ready::find(kernel, fold, &plan.inner, plan.layout == Layout::Lanes)
        }
        Layout::Columns if !scan => ready::find_columns(kernel, fold, &plan.outer),
        _ => None,
    };
    let strips = match (&plan.operators, form) {
        // They borrow elements too.
        (Some(operators), Some(form))
            if plan.layout == Layout::Lanes && !specialization.unaligned() && !scan && ready.is_none() =>
        {
            Strips::new(kernel, fold, operators, &plan.inner, form).map(Box::new)
        }
        _ => None,
    };
    let mut compiler = Compiler::new(kernel)?;
    compiler.scratch = plan.stages.as_ref().map_or(0, |stages| stages.bytes);
    if scan || ready.is_some() {
        compiler.function(|e| plan.write_init(e))?;
        plan.write_extend(&mut compiler, ready.is_some())?;
        compiler.function(|e| plan.write_merge(e))?;
        compiler.function(|e| if scan { plan.write_fold(e, true) } else { plan.write_finish(e) })?;
    } else {
        plan.write_parts_of_reduction(&mut compiler)?;
    }
    Ok(FoldCode { strips, ..plan.code(compiler.finish()?, ready) })
}

/// The operators of a fold that combines every accumulator alone by a commutative operator.
fn commutative(fold: &Fold) -> Option<Vec<Binary>> {
    let count = fold.identity.results.len();
    let operator = |position: usize| {
        let (a, b) = (fold.combine.params[position], fold.combine.params[count + position]);
        let result = fold.combine.results[position];
        fold.combine.body.iter().find_map(|statement| match *statement {
            Stmt::Let(value, Op::Binary(op, x, y))
                if value == result && ((x, y) == (a, b) || (x, y) == (b, a)) && commutes(op) =>
            {
                Some(op)
            }
            _ => None,
        })
    };
    (0..count).map(operator).collect()
}

fn commutes(op: Binary) -> bool {
    matches!(op, Binary::Add | Binary::Mul | Binary::Min | Binary::Max | Binary::And | Binary::Or | Binary::Xor)
}

/// Whether a block reads memory through displacements.
fn gathers(block: &[Stmt]) -> bool {
    block.iter().any(|statement| matches!(statement, Stmt::Let(_, Op::Load { offset: Some(_), .. })))
}

impl<'k> Plan<'k> {
    /// `varying` says of a fold of ranges whether those of neighbours along the fastest outer dimension differ.
    fn new(
        kernel: &'k Kernel,
        fold: &'k Fold,
        specialization: Specialization,
        scan: bool,
        varying: Option<bool>,
    ) -> Plan<'k> {
        let operands = kernel.operands.len();
        let outer: Vec<Access> = (0..operands).map(|operand| specialization.outer_access(operand)).collect();
        let inner: Vec<Access> = (0..operands).map(|operand| specialization.inner_access(operand, operands)).collect();
        let loads = |operand: usize| {
            let reads = |statement: &Stmt| matches!(*statement, Stmt::Let(_, Op::Load { operand: o, .. }) if o as usize == operand);
            fold.map.body.iter().any(reads)
        };
        let loaded: Vec<usize> = (0..operands).filter(|&operand| loads(operand)).collect();
        let dense = |access: &[Access]| {
            loaded.iter().all(|&operand| access[operand] != Access::Strided)
                && loaded.iter().any(|&operand| access[operand] == Access::Unit)
        };
        let straight = is_straight(kernel) && !gathers(&fold.map.body);
        let operators = commutative(fold);
        let layout = if straight && operators.is_some() && dense(&inner) {
            Layout::Lanes
        } else if let Some(varying) = varying {
            // Neighbours that share a range may gather.
            let together = is_straight(kernel) && !varying && dense(&outer);
            if together { Layout::Columns } else { Layout::Points }
        } else if straight && dense(&inner) && !scan && picks(kernel, fold) {
            Layout::Picks
        } else if straight && dense(&outer) {
            Layout::Columns
        } else if straight && dense(&inner) {
            Layout::Parts
        } else {
            Layout::Points
        };
        let types: Vec<DType> = fold.identity.results.iter().map(|&value| kernel.dtype(value)).collect();
        // How floats are grouped decides how they round, so it must not depend on what is folded.
        let floats = types.iter().filter(|dtype| dtype.is_float()).map(|dtype| dtype.size()).max();
        let aligned = floats.map_or(1, |size| DEPTH * LANES / size);
        let stages = match layout {
            Layout::Lanes => Stages::new(kernel, &fold.map.body, &fold.map.results, &inner, aligned),
            _ => None,
        };
        let group = group_size(kernel, stages.is_none());
        let lanes = match layout {
            Layout::Picks => 64 / types[0].size(),
            _ => floats.map_or(2 * group, |size| LANES / size),
        };
        Plan {
            fold,
            types,
            columns: if layout == Layout::Columns { if scan { group } else { 2 * group } } else { 1 },
            lanes,
            stages,
            outer,
            inner,
            operators,
            layout,
            range: None,
        }
    }

    /// The four functions of a reduction.
    fn write_parts_of_reduction(&self, compiler: &mut Compiler<'k>) -> Result<()> {
        compiler.function(|e| self.write_init(e))?;
        self.write_extend(compiler, false)?;
        compiler.function(|e| self.write_merge(e))?;
        compiler.function(|e| self.write_finish(e))
    }

    /// The function that extends accumulators; `unused` if nobody calls it.
    fn write_extend(&self, compiler: &mut Compiler<'k>, unused: bool) -> Result<()> {
        match self.layout {
            _ if unused => compiler.function(|e| self.write_init(e)),
            Layout::Lanes => compiler.function(|e| self.write_lanes(e)),
            Layout::Picks => compiler.function(|e| self.write_picks(e)),
            Layout::Parts => compiler.function(|e| self.write_parts(e)),
            Layout::Columns | Layout::Points => compiler.function(|e| self.write_fold(e, false)),
        }
    }

    fn code(&self, code: Code, ready: Option<Ready>) -> FoldCode {
        let sizes = self.types.iter().map(|dtype| dtype.size()).collect();
        let absorbing = match (self.operators.as_deref(), &self.types[..]) {
            (Some([Binary::Or]), [DType::Bool]) => Some(true),
            (Some([Binary::And]), [DType::Bool]) => Some(false),
            _ => None,
        };
        let first = ready.and_then(|ready| ready.ends_at);
        FoldCode { code, ready, strips: None, layout: self.layout, sizes, absorbing, first }
    }
}
