//! Branches, loops and demands.

use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use cuproxide_hal::ir::{self, Stmt};
use cuproxide_hal::{Fault, interrupt};

use super::convert;
use super::emit::Emitter;
use super::facts::{loops, uses};
use super::group::{Group, scalar_type};
use super::{scalar, simd};
use crate::fault::record_fault;

/// Rounds of a loop after which compiled code looks for Ctrl-C.
const ROUNDS: i64 = 256;

/// Whether the program is to stop, for compiled code.
extern "C" fn is_interrupted() -> u8 {
    u8::from(interrupt::requested())
}

impl Emitter<'_, '_> {
    pub(super) fn branch(&mut self, cond: ir::Value, then: &[Stmt], otherwise: &[Stmt]) {
        let cond = self.single(cond);
        let [yes, no, after] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(cond, yes, &[], no, &[]);
        for (block, statements) in [(yes, then), (no, otherwise)] {
            self.b.switch_to_block(block);
            self.block(statements);
            self.b.ins().jump(after, &[]);
        }
        self.b.switch_to_block(after);
    }

    pub(super) fn repeat(&mut self, head: &[Stmt], cond: ir::Value, body: &[Stmt]) {
        /// Statements of a condition that is written down twice, so that a round takes one jump.
        const TWICE: usize = 8;
        let twice = head.len() <= TWICE && head.iter().all(|statement| matches!(statement, Stmt::Let(..)));
        let [top, inside, after] = [(); 3].map(|()| self.b.create_block());
        // Loops within loops may take long, those within them hardly.
        let left = (self.ends_early && loops(self.kernel, body)).then(|| {
            let left = self.b.declare_var(types::I32);
            let most = self.b.ins().iconst(types::I32, ROUNDS);
            self.b.def_var(left, most);
            left
        });
        self.b.ins().jump(top, &[]);
        self.b.switch_to_block(top);
        self.block(head);
        // What a round takes over from the condition comes from either copy.
        let mut shared: Vec<(ir::Value, Variable)> = vec![];
        for statement in head {
            if let &Stmt::Let(value, _) = statement
                && twice
                && uses(body, value)
            {
                let variable = self.b.declare_var(scalar_type(self.kernel.dtype(value)));
                shared.push((value, variable));
            }
        }
        self.go_round(cond, &shared, inside, after);
        self.b.switch_to_block(inside);
        if let Some(left) = left {
            self.look(left);
        }
        for &(value, variable) in &shared {
            let single = self.b.use_var(variable);
            self.bind(value, Group::One(single));
        }
        self.block(body);
        if twice {
            self.block(head);
            self.go_round(cond, &shared, inside, after);
        } else {
            self.b.ins().jump(top, &[]);
        }
        self.b.switch_to_block(after);
    }

    /// Returns from the function if the program is to stop, which is asked once in `ROUNDS` rounds of a loop.
    pub(super) fn look(&mut self, left: Variable) {
        let [ask, ends, reset, after] = [(); 4].map(|()| self.b.create_block());
        self.b.set_cold_block(ask);
        self.b.set_cold_block(ends);
        self.b.set_cold_block(reset);
        let count = self.b.use_var(left);
        let count = self.b.ins().iadd_imm_s(count, -1);
        self.b.def_var(left, count);
        self.b.ins().brif(count, after, &[], ask, &[]);
        self.b.switch_to_block(ask);
        let address = is_interrupted as extern "C" fn() -> u8 as usize;
        let stops = scalar::call(&mut self.b, address, &[], Some(types::I8)).expect("the call has a result");
        self.b.ins().brif(stops, ends, &[], reset, &[]);
        self.b.switch_to_block(ends);
        self.b.ins().return_(&[]);
        self.b.switch_to_block(reset);
        let most = self.b.ins().iconst(types::I32, ROUNDS);
        self.b.def_var(left, most);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }

    /// Sets the registers of a local.
    pub(super) fn set_vector(&mut self, local: ir::Local, group: &Group) {
        let regs = self.parts(group, self.kernel.locals[local.0 as usize]);
        if self.vector_locals[local.0 as usize].is_empty() {
            let declare = |&reg: &Value| self.b.declare_var(self.b.func.dfg.value_type(reg));
            self.vector_locals[local.0 as usize] = regs.iter().map(declare).collect();
        }
        for (position, reg) in regs.into_iter().enumerate() {
            self.b.def_var(self.vector_locals[local.0 as usize][position], reg);
        }
    }

    /// A loop that goes on while any point of the group does; the statements leave the others as they are.
    pub(super) fn rounds(&mut self, head: &[Stmt], cond: ir::Value, body: &[Stmt]) {
        let [top, inside, after] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().jump(top, &[]);
        self.b.switch_to_block(top);
        self.block(head);
        let any = match self.value(cond) {
            Group::One(value) => value,
            Group::Many(regs) => {
                // Registers that are full: what else lies in one is nobody's truth.
                let regs = convert::mask_to(&mut self.b, &regs, self.lanes, (16 / self.lanes).max(1));
                let any = regs.into_iter().reduce(|x, y| self.b.ins().bor(x, y)).expect("a group has registers");
                let bytes = simd::recast(&mut self.b, types::I8X16, any);
                self.b.ins().vany_true(bytes)
            }
        };
        self.b.ins().brif(any, inside, &[], after, &[]);
        self.b.switch_to_block(inside);
        self.block(body);
        self.b.ins().jump(top, &[]);
        self.b.switch_to_block(after);
    }

    /// The jump at the end of a condition.
    pub(super) fn go_round(&mut self, cond: ir::Value, shared: &[(ir::Value, Variable)], inside: Block, after: Block) {
        for &(value, variable) in shared {
            let single = self.single(value);
            self.b.def_var(variable, single);
        }
        let cond = self.single(cond);
        self.b.ins().brif(cond, inside, &[], after, &[]);
    }

    /// Prepares for noting demands that do not hold instead of branching at each, if the kernel has one kind of them.
    pub(super) fn note_failed(&mut self) {
        let mut faults = vec![];
        self.kernel.visit(&mut |statement| {
            if let Stmt::Require(_, fault) = *statement {
                faults.push(fault);
            }
        });
        let Some(&first) = faults.first() else { return };
        if faults.iter().all(|&fault| fault == first) {
            let failed = self.b.declare_var(types::I32);
            let none = self.b.ins().iconst(types::I32, 0);
            self.b.def_var(failed, none);
            self.failed = Some((failed, first));
        }
    }

    /// Records the fault that was noted, at the end of a function.
    pub(super) fn report_failed(&mut self) {
        let Some((failed, _)) = self.failed else { return };
        let code = self.b.use_var(failed);
        let [report, after] = [(); 2].map(|()| self.b.create_block());
        self.b.set_cold_block(report);
        self.b.ins().brif(code, report, &[], after, &[]);
        self.b.switch_to_block(report);
        scalar::call(&mut self.b, record_fault as extern "C" fn(u32) as usize, &[code], None);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }

    pub(super) fn require(&mut self, cond: ir::Value, fault: Fault) {
        let holds = self.value(cond);
        if let (&Group::One(holds), Some((failed, _))) = (&holds, self.failed) {
            let before = self.b.use_var(failed);
            let code = self.b.ins().iconst(types::I32, i64::from(fault as u32));
            let now = self.b.ins().select(holds, before, code);
            self.b.def_var(failed, now);
            return;
        }
        let holds = match holds {
            Group::One(value) => value,
            Group::Many(regs) => {
                let all = regs.iter().copied().reduce(|x, y| self.b.ins().band(x, y)).expect("a group has registers");
                let bytes = simd::recast(&mut self.b, types::I8X16, all);
                self.b.ins().vall_true(bytes)
            }
        };
        let (failed, after) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(failed);
        self.b.ins().brif(holds, after, &[], failed, &[]);
        self.b.switch_to_block(failed);
        let code = self.b.ins().iconst(types::I32, i64::from(fault as u32));
        scalar::call(&mut self.b, record_fault as extern "C" fn(u32) as usize, &[code], None);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }
}
