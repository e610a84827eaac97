//! Moves expensive operations that only one side of a selection needs into a branch.
//!
//! A selection computes both sides, as CPU vectors must. On a GPU, the threads of a warp skip a side that none of them takes,
//! such as the reflection of a gamma function, or the formula for large arguments.

use std::collections::BTreeMap;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Block, Body, Kernel, Local, Op, Stmt, Value};

use crate::visit::weight;

/// Work, in the units of [`weight`], from which a side is worth a branch: that of a mathematical function.
const LEAST: usize = 40;
/// The same for results other than float64: functions of float32 take a quarter of the instructions.
const LEAST_NARROW: usize = 4 * LEAST;

/// Transforms a map; other kernels stay as they are.
pub(crate) fn branch(kernel: &mut Kernel) {
    if let Body::Map(block) = &mut kernel.body {
        let found = Sides { values: &kernel.values, locals: &mut kernel.locals }.block(std::mem::take(block));
        *block = found;
    }
}

struct Sides<'k> {
    values: &'k [DType],
    locals: &'k mut Vec<DType>,
}

/// The statements that only one side of a selection needs, for both sides, by number.
struct Branch {
    sides: [Vec<usize>; 2],
}

impl Sides<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut users: BTreeMap<Value, Vec<usize>> = BTreeMap::new();
        for (at, statement) in block.iter().enumerate() {
            statement.each_use(&mut |value| users.entry(value).or_default().push(at));
        }
        let is_given = |value: Value| {
            let bound = |statement: &&Stmt| matches!(statement, Stmt::Let(other, _) if *other == value);
            let given = |op: &Op| matches!(op, Op::Const(_) | Op::Scalar { .. } | Op::Load { .. });
            block.iter().find(bound).is_some_and(|found| matches!(found, Stmt::Let(_, op) if given(op)))
        };
        let mut moved = vec![false; block.len()];
        let mut branches = BTreeMap::new();
        // From last to first: the recursion over a branch's block handles the selections within a side.
        for at in (0..block.len()).rev() {
            let Stmt::Let(value, Op::Select(cond, yes, no)) = block[at] else { continue };
            // A selection between a result and an input is a mask, which is true at most points.
            if moved[at] || is_given(yes) || is_given(no) {
                continue;
            }
            let side = |root, others: [Value; 2]| {
                if others.contains(&root) || users[&root] != [at] {
                    vec![]
                } else {
                    only_for(&block, &users, &moved, at, root)
                }
            };
            let sides = [side(yes, [cond, no]), side(no, [cond, yes])];
            let work = |side: &Vec<usize>| -> usize { side.iter().map(|&n| weight(&block[n..=n])).sum() };
            let least = if self.values[value.0 as usize] == DType::F64 { LEAST } else { LEAST_NARROW };
            if sides.iter().any(|side| work(side) >= least) {
                sides.iter().flatten().for_each(|&number| moved[number] = true);
                branches.insert(at, Branch { sides });
            }
        }
        let mut statements: Vec<Option<Stmt>> = block.into_iter().map(Some).collect();
        let mut out = vec![];
        for at in 0..statements.len() {
            match branches.remove(&at) {
                Some(Branch { sides }) => {
                    let Some(Stmt::Let(value, Op::Select(cond, yes, no))) = statements[at] else { continue };
                    let local = Local(self.locals.len() as u32);
                    self.locals.push(self.values[value.0 as usize]);
                    let [then, otherwise] =
                        sides.map(|side| side.iter().filter_map(|&n| statements[n].take()).collect());
                    let then = self.side(then, local, yes);
                    let otherwise = self.side(otherwise, local, no);
                    out.push(Stmt::If { cond, then, otherwise });
                    out.push(Stmt::Let(value, Op::Get(local)));
                }
                None if !moved[at] => out.extend(statements[at].take().map(|statement| self.nested(statement))),
                None => {}
            }
        }
        out
    }

    /// One side of a branch, which sets a local variable to its result.
    fn side(&mut self, mut block: Block, local: Local, result: Value) -> Block {
        block.push(Stmt::Set(local, result));
        self.block(block)
    }

    /// Transforms the blocks of the kernel's own branches.
    fn nested(&mut self, statement: Stmt) -> Stmt {
        match statement {
            Stmt::If { cond, then, otherwise } => {
                Stmt::If { cond, then: self.block(then), otherwise: self.block(otherwise) }
            }
            other => other,
        }
    }
}

/// The statements, in order, that only the value `root` needs, which is one side of selection `at`.
fn only_for(block: &[Stmt], users: &BTreeMap<Value, Vec<usize>>, moved: &[bool], at: usize, root: Value) -> Vec<usize> {
    let mut found = vec![];
    let mut inside = vec![false; at + 1];
    for number in (0..at).rev() {
        let Stmt::Let(value, op) = &block[number] else { continue };
        let by_side = |user: usize| user <= at && (inside[user] || (user == at && *value == root));
        let is_own = || users.get(value).is_some_and(|users| users.iter().all(|&user| by_side(user)));
        if !moved[number] && is_movable(op) && is_own() {
            inside[number] = true;
            found.push(number);
        }
    }
    found.reverse();
    found
}

/// Whether an operation may be delayed. Loads and reads of variables may not, because statements in between may change what they
/// read. Array elements may not, because their loads would begin later.
fn is_movable(op: &Op) -> bool {
    !matches!(op, Op::Load { .. } | Op::Get(_) | Op::Element(..))
}
