//! Which float16 elements of a fold may be widened by the hardware, which makes every NaN the same one.

use std::collections::BTreeSet;

use cuproxide_hal::ir::{Binary, Fold, Lambda, Op, Stmt, Unary, Value};

use crate::analysis::walk;

/// The halves that the map of a fold widens for arithmetic, which gives a NaN of its own, or for comparisons: nobody sees
/// the sign and payload of a NaN among them, and keeping those takes more instructions than adding the elements up.
pub(crate) fn plain_halves(fold: &Fold) -> BTreeSet<Value> {
    let mut plain = BTreeSet::new();
    walk(&fold.map.body, &mut |statement, _| {
        if let Stmt::Let(value, Op::Unary(Unary::HalfToFloat, _)) = statement
            && is_hidden(&fold.map, *value, &|place| is_hidden_accumulator(fold, place))
        {
            plain.insert(*value);
        }
    });
    plain
}

/// Whether nobody sees a NaN's bits that an element brings to the accumulator of that place.
fn is_hidden_accumulator(fold: &Fold, place: usize) -> bool {
    let Fold { combine, finish, .. } = fold;
    let (earlier, later) = (combine.params[place], combine.params[combine.params.len() / 2 + place]);
    // Where `combine` chooses between accumulators, the chosen ones go on.
    let stays = |at: usize| at == place;
    let unread = || is_hidden(combine, earlier, &stays) && is_hidden(finish, finish.params[place], &|_| false);
    is_hidden(combine, later, &|at| stays(at) && unread())
}

/// Whether nobody sees a NaN's bits of a value of a lambda, where `result` says so for the lambda's results.
fn is_hidden(lambda: &Lambda, value: Value, result: &dyn Fn(usize) -> bool) -> bool {
    let mut hidden = lambda.results.iter().enumerate().all(|(at, &own)| own != value || result(at));
    walk(&lambda.body, &mut |statement, _| {
        hidden &= match statement {
            Stmt::Let(to, op) => match *op {
                Op::Compare(..)
                | Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, ..)
                | Op::Fma(..)
                | Op::Const(_)
                | Op::Scalar { .. }
                | Op::Index
                | Op::OuterIndex
                | Op::Load { .. }
                | Op::Get(_)
                | Op::Element(..) => true,
                Op::Select(_, yes, no) => (yes != value && no != value) || is_hidden(lambda, *to, result),
                Op::Binary(_, a, b) | Op::Complex(a, b) => a != value && b != value,
                Op::Unary(_, a) | Op::Cast(a) | Op::Bitcast(a) => a != value,
            },
            Stmt::Set(_, stored)
            | Stmt::Fill(_, stored)
            | Stmt::Put { value: stored, .. }
            | Stmt::Store { value: stored, .. }
            | Stmt::Atomic { value: stored, .. } => *stored != value,
            Stmt::Call { arguments, .. } => !arguments.contains(&value),
            Stmt::If { .. } | Stmt::While { .. } | Stmt::Require(..) => true,
        };
    });
    hidden
}
