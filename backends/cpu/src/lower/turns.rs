//! Long chains of operations on several registers, a piece of the chain for each register in turn.
//!
//! Cranelift places an operation where its result is needed, and so finishes the results of one register before it begins with
//! the next. A processor looks some hundred operations ahead: in a chain that is longer it finds nothing that does not wait
//! for the operation before. Storing what is needed later brings all registers to the same point of the chain.

use cranelift_codegen::ir::{InstBuilder, StackSlot, StackSlotData, StackSlotKind};
use cuproxide_hal::ir::{self, Kernel, Op, Stmt};

use super::emit::Emitter;
use super::group::Group;
use super::host::POINTER;

/// Operations from which a chain may be longer than a processor looks ahead.
const LONG: usize = 64;
/// Operations side by side from which one chain keeps a processor busy: two start in a cycle and take four.
const BUSY: usize = 6;
/// Operations of a piece.
const PIECE: usize = 16;

/// After which statements of a straight block a piece ends, and the values of the piece that later ones use. There are none
/// where chains are short or enough operations are independent.
pub fn pieces(kernel: &Kernel, block: &[Stmt]) -> Vec<(usize, Vec<ir::Value>)> {
    // How many operations lie one after the other up to a value; none for what is loaded or the same at all points.
    let mut depths = vec![0; kernel.values.len()];
    let mut last = vec![0; kernel.values.len()];
    let mut varies = vec![false; kernel.values.len()];
    let (mut operations, mut longest) = (0, 0);
    for (at, statement) in block.iter().enumerate() {
        statement.each_use(&mut |value| last[value.0 as usize] = at);
        match *statement {
            Stmt::Let(value, Op::Load { .. } | Op::Index | Op::OuterIndex) => varies[value.0 as usize] = true,
            Stmt::Let(value, op) => {
                let (mut depth, mut differs) = (0, false);
                op.each_operand(&mut |operand| {
                    depth = depth.max(depths[operand.0 as usize]);
                    differs |= varies[operand.0 as usize];
                });
                if differs {
                    operations += 1;
                    (depths[value.0 as usize], varies[value.0 as usize]) = (depth + 1, true);
                    longest = longest.max(depth + 1);
                }
            }
            Stmt::Store { .. } => {}
            _ => return vec![],
        }
    }
    if operations < LONG || operations >= BUSY * longest {
        return vec![];
    }
    let (mut pieces, mut piece) = (vec![], vec![]);
    let mut length = 0;
    for (at, statement) in block.iter().enumerate() {
        let &Stmt::Let(value, _) = statement else { continue };
        if depths[value.0 as usize] == 0 {
            continue;
        }
        piece.push(value);
        length += 1;
        if length == PIECE {
            piece.retain(|value| last[value.0 as usize] > at);
            pieces.push((at, std::mem::take(&mut piece)));
            length = 0;
        }
    }
    pieces
}

impl Emitter<'_, '_> {
    /// Writes a block in [`pieces`].
    pub fn block_in_pieces(&mut self, block: &[Stmt], pieces: &[(usize, Vec<ir::Value>)]) {
        let mut done = 0;
        let mut slot = None;
        for (end, values) in pieces {
            self.block(&block[done..=*end]);
            self.keep(values, &mut slot);
            done = end + 1;
        }
        self.block(&block[done..]);
    }

    /// Stores values, those of one register before those of the next. They are never read there: the stores fix the order.
    fn keep(&mut self, values: &[ir::Value], slot: &mut Option<StackSlot>) {
        let slot = *slot.get_or_insert_with(|| {
            self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 4))
        });
        let groups: Vec<Group> = values.iter().map(|&value| self.value(value)).collect();
        let registers = |group: &Group| if let Group::Many(registers) = group { registers.len() } else { 0 };
        let most = groups.iter().map(registers).max().unwrap_or(0);
        for register in 0..most {
            for group in &groups {
                if let Group::Many(registers) = group
                    && let Some(&value) = registers.get(register)
                {
                    self.b.ins().stack_store(POINTER, value, slot, 0);
                }
            }
        }
    }
}
