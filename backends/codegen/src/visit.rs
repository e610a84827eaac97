//! Visiting and weighing the statements of a kernel.

use cuproxide_hal::ir::{Binary, Op, Stmt, Unary};

/// Visits every statement and says whether it lies inside a branch or loop.
pub(crate) fn walk(block: &[Stmt], visit: &mut dyn FnMut(&Stmt, bool)) {
    fn inner(block: &[Stmt], nested: bool, visit: &mut dyn FnMut(&Stmt, bool)) {
        for statement in block {
            visit(statement, nested);
            match statement {
                Stmt::If { then, otherwise, .. } => {
                    inner(then, true, visit);
                    inner(otherwise, true, visit);
                }
                Stmt::While { head, body, .. } => {
                    inner(head, true, visit);
                    inner(body, true, visit);
                }
                _ => {}
            }
        }
    }
    inner(block, false, visit);
}

/// A rough count of instructions: what matters is whether several copies in a row are worth their code.
pub(crate) fn weight(block: &[Stmt]) -> usize {
    let mut total = 0;
    walk(block, &mut |statement, _| {
        total += match statement {
            Stmt::Let(_, Op::Unary(op, _)) if op.is_math() => match op {
                Unary::Sqrt | Unary::SqrtNormal | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Rint => 8,
                _ => 40,
            },
            Stmt::Let(_, Op::Binary(op, ..)) => match op {
                Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Nextafter => 80,
                Binary::Div | Binary::Rem => 16,
                _ => 1,
            },
            Stmt::Let(_, Op::Const(_) | Op::Scalar { .. } | Op::Get(_)) => 0,
            Stmt::While { .. } | Stmt::Call { .. } => 65,
            _ => 1,
        };
    });
    total
}
