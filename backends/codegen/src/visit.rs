//! Visiting the statements of a kernel.

use cuproxide_hal::ir::{Block, Stmt};

/// Visits every statement and says whether it lies inside a branch or loop.
pub(crate) fn walk(block: &Block, visit: &mut dyn FnMut(&Stmt, bool)) {
    fn inner(block: &Block, nested: bool, visit: &mut dyn FnMut(&Stmt, bool)) {
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
