//! What of a kernel decides how it is compiled.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Kernel, Op, Stmt};

use super::math;
use crate::pool;

/// Whether the statements run one after another, so that they can run on several points at once.
pub fn is_straight(kernel: &Kernel) -> bool {
    let mut straight = true;
    kernel.visit(&mut |statement| {
        straight &= !matches!(
            statement,
            Stmt::If { .. } | Stmt::While { .. } | Stmt::Atomic { .. } | Stmt::Fill(..) | Stmt::Put { .. }
        );
    });
    straight
}

/// Whether a block uses a value.
pub(super) fn uses(block: &[Stmt], value: ir::Value) -> bool {
    let mut found = false;
    block.iter().for_each(|statement| statement.each_use(&mut |used| found |= used == value));
    found
}

/// Whether the kernel should have the device to itself: few threads that update memory by locked instructions are
/// slower than one that need not lock, unless there is much else to do. Updates of floats always go in order, since their
/// rounding depends on it.
pub fn runs_alone(kernel: &Kernel) -> bool {
    /// Threads from which sharing the work is faster.
    const MANY: usize = 5;
    let (mut updates, mut rounds, mut light) = (false, false, matches!(kernel.body, ir::Body::Map(_)));
    kernel.visit(&mut |statement| match statement {
        Stmt::Atomic { operand, .. } => {
            updates = true;
            rounds |= kernel.operands[*operand as usize].dtype.is_inexact();
        }
        Stmt::While { .. } => light = false,
        _ => {}
    });
    rounds || updates && light && pool::threads() < MANY
}

/// Whether the kernel, or a function of its own, has loops.
pub fn has_loops(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.visit_all(&mut |statement| found |= matches!(statement, Stmt::While { .. }));
    found
}

/// Whether a loop is among the statements, or in a function that they call.
pub(super) fn loops(kernel: &Kernel, block: &[Stmt]) -> bool {
    block.iter().any(|statement| match statement {
        Stmt::While { .. } => true,
        Stmt::If { then, otherwise, .. } => loops(kernel, then) || loops(kernel, otherwise),
        Stmt::Call { callee, .. } => loops(kernel, &kernel.functions[callee.0 as usize].lambda.body),
        _ => false,
    })
}

/// Whether the kernel calls mathematical functions.
pub fn has_calls(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.visit(&mut |statement| found |= is_call(kernel, statement));
    found
}

/// Whether a statement calls a mathematical function.
pub fn is_call(kernel: &Kernel, statement: &Stmt) -> bool {
    match *statement {
        Stmt::Let(_, Op::Unary(op, a)) => math::unary(op, kernel.dtype(a)).is_some(),
        Stmt::Let(_, Op::Binary(op, a, _)) => math::binary(op, kernel.dtype(a)).is_some(),
        _ => false,
    }
}

/// Points that a vector loop handles at once: the widest values then fill four registers, or eight when the loop itself
/// calls functions, so that the calls are worth their price; else two where points wait for each other in loops, unless
/// values are so narrow that they would fill no register.
pub fn group_size(kernel: &Kernel, may_call: bool) -> usize {
    let (mut widest, mut narrowest, mut waits) = (1, 16, false);
    kernel.visit(&mut |statement| match *statement {
        Stmt::Let(value, op) if !matches!(op, Op::Const(_) | Op::Scalar { .. }) => {
            let dtype = kernel.dtype(value);
            widest = widest.max(dtype.size());
            if dtype != DType::Bool || matches!(op, Op::Load { .. }) {
                narrowest = narrowest.min(dtype.size());
            }
        }
        Stmt::While { .. } => waits = true,
        Stmt::Store { operand, .. } => narrowest = narrowest.min(kernel.operands[operand as usize].dtype.size()),
        _ => {}
    });
    let calls = may_call && has_calls(kernel);
    if waits && !calls && narrowest >= 4 {
        return (16 / widest * 2).max(4);
    }
    let registers = if calls { 8 } else { 4 };
    (16 / widest * registers).max(8)
}
