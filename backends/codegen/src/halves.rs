//! Which float16 elements of a fold may be widened by the hardware, which makes every NaN the same one.

use std::collections::BTreeMap;

use cuproxide_hal::ir::{Binary, Fold, Lambda, Op, Stmt, Unary, Value};

use crate::visit::walk;

/// What turns a half into a float where nobody sees the sign and payload of a NaN, which take more instructions to keep than
/// the elements to add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Widening {
    /// The half goes into arithmetic, which gives a NaN of its own, or is compared.
    Arithmetic,
    /// It may also go into `minimum` and `maximum`, which give a NaN of their own on some devices.
    Extrema,
}

impl Widening {
    /// The function's name.
    pub fn function(self) -> &'static str {
        match self {
            Widening::Arithmetic => "widen_half",
            Widening::Extrema => "widen_for_extrema",
        }
    }

    fn hides(self, op: Binary) -> bool {
        match op {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => true,
            Binary::Min | Binary::Max => self == Widening::Extrema,
            _ => false,
        }
    }
}

/// The halves that the map of a fold may widen in these ways.
pub(crate) fn plain_halves(fold: &Fold) -> BTreeMap<Value, Widening> {
    let mut plain = BTreeMap::new();
    walk(&fold.map.body, &mut |statement, _| {
        if let Stmt::Let(value, Op::Unary(Unary::HalfToFloat, _)) = statement {
            let hidden = |widening: &Widening| {
                is_hidden(&fold.map, *value, *widening, &|place| is_hidden_accumulator(fold, place, *widening))
            };
            let widening = [Widening::Arithmetic, Widening::Extrema].into_iter().find(hidden);
            plain.extend(widening.map(|widening| (*value, widening)));
        }
    });
    plain
}

/// Whether nobody sees a NaN's bits that an element brings to the accumulator of that place.
fn is_hidden_accumulator(fold: &Fold, place: usize, widening: Widening) -> bool {
    let Fold { combine, finish, .. } = fold;
    let (earlier, later) = (combine.params[place], combine.params[combine.params.len() / 2 + place]);
    // Where `combine` chooses between accumulators, the chosen ones go on.
    let stays = |at: usize| at == place;
    let unread = || {
        is_hidden(combine, earlier, widening, &stays) && is_hidden(finish, finish.params[place], widening, &|_| false)
    };
    is_hidden(combine, later, widening, &|at| stays(at) && unread())
}

/// Whether nobody sees a NaN's bits of a value of a lambda, where `result` says so for the lambda's results.
fn is_hidden(lambda: &Lambda, value: Value, widening: Widening, result: &dyn Fn(usize) -> bool) -> bool {
    let mut hidden = lambda.results.iter().enumerate().all(|(at, &own)| own != value || result(at));
    walk(&lambda.body, &mut |statement, _| {
        hidden &= match statement {
            Stmt::Let(to, op) => match *op {
                Op::Compare(..)
                | Op::Fma(..)
                | Op::Const(_)
                | Op::Scalar { .. }
                | Op::Index
                | Op::OuterIndex
                | Op::Load { .. }
                | Op::Get(_)
                | Op::Element(..) => true,
                Op::Select(_, yes, no) => (yes != value && no != value) || is_hidden(lambda, *to, widening, result),
                Op::Binary(op, ..) if widening.hides(op) => true,
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
