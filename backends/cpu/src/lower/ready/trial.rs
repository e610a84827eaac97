//! What a fold keeps of its elements, found out by trying it on a few: one that only compares and chooses treats all
//! others alike.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Binary, Compare, Fold, Kernel, Op, Stmt, Unary};
use smallvec::SmallVec;

/// A search for an extremum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// For the largest element, or for the smallest one.
    pub max: bool,
    /// With the position of the first one that is as large.
    pub located: bool,
    /// NaN loses; otherwise it wins.
    pub skips_nan: bool,
}

impl Search {
    /// The search that a fold is, if it is one.
    pub fn of(kernel: &Kernel, fold: &Fold) -> Option<Search> {
        let located = match fold.combine.results[..] {
            [_] => false,
            [_, _] => true,
            _ => return None,
        };
        let numbers: &[f64] = match kernel.dtype(fold.map.results[0]) {
            DType::Bool => &[0.0, 1.0],
            dtype if dtype.is_float() => &[1.0, 2.0, f64::NAN],
            _ => &[1.0, 2.0],
        };
        let searches = [(true, false), (false, false), (true, true), (false, true)];
        searches
            .into_iter()
            .map(|(max, skips_nan)| Search { max, located, skips_nan })
            .filter(|search| !(search.located && search.skips_nan))
            .find(|search| numbers.iter().all(|&x| numbers.iter().all(|&y| search.explains(kernel, fold, x, y))))
    }

    /// Whether a fold keeps of `x` and the later `y` what the search keeps.
    fn explains(self, kernel: &Kernel, fold: &Fold, x: f64, y: f64) -> bool {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        let better = if self.max { y > x } else { y < x };
        let nan_decides = if self.skips_nan { x.is_nan() } else { y.is_nan() && !x.is_nan() };
        let takes = better || nan_decides;
        if !self.located {
            let kept = attempt(kernel, fold, &[x, y]);
            return kept.is_some_and(|kept| same(kept[0], if takes { y } else { x }));
        }
        [(3.0, 5.0), (5.0, 3.0)].into_iter().all(|(i, j)| {
            let chosen = if takes || (same(x, y) && j < i) { (y, j) } else { (x, i) };
            attempt(kernel, fold, &[x, i, y, j]).is_some_and(|kept| same(kept[0], chosen.0) && kept[1] == chosen.1)
        })
    }
}

/// What a name of a fold stands for during a trial.
#[derive(Clone, Copy, Debug)]
enum Trial {
    Truth(bool),
    Number(f64),
}

/// Evaluates the combination of earlier accumulators and later ones.
fn attempt(kernel: &Kernel, fold: &Fold, arguments: &[f64]) -> Option<SmallVec<[f64; 2]>> {
    let given = fold.combine.params.iter().zip(arguments);
    let trial = |param: ir::Value, number: f64| match kernel.dtype(param) {
        DType::Bool => Trial::Truth(number != 0.0),
        _ => Trial::Number(number),
    };
    let mut known: Vec<(ir::Value, Trial)> = given.map(|(&param, &number)| (param, trial(param, number))).collect();
    fn find(known: &[(ir::Value, Trial)], value: ir::Value) -> Option<Trial> {
        known.iter().find(|(name, _)| *name == value).map(|&(_, trial)| trial)
    }
    for statement in &fold.combine.body {
        let Stmt::Let(value, op) = statement else { return None };
        let get = |value| find(&known, value);
        let trial = match *op {
            Op::Const(literal) if literal.dtype == DType::Bool => Trial::Truth(literal.bytes[0] != 0),
            Op::Compare(op, x, y) => {
                let (Trial::Number(x), Trial::Number(y)) = (get(x)?, get(y)?) else { return None };
                Trial::Truth(match op {
                    Compare::Eq => x == y,
                    Compare::Ne => x != y,
                    Compare::Lt => x < y,
                    Compare::Le => x <= y,
                    Compare::Gt => x > y,
                    Compare::Ge => x >= y,
                })
            }
            Op::Unary(Unary::Not, x) => {
                let Trial::Truth(x) = get(x)? else { return None };
                Trial::Truth(!x)
            }
            Op::Binary(op, x, y) => match (op, get(x)?, get(y)?) {
                (Binary::And, Trial::Truth(x), Trial::Truth(y)) => Trial::Truth(x & y),
                (Binary::Or, Trial::Truth(x), Trial::Truth(y)) => Trial::Truth(x | y),
                (Binary::Xor, Trial::Truth(x), Trial::Truth(y)) => Trial::Truth(x ^ y),
                (Binary::Max | Binary::Min, Trial::Number(x), Trial::Number(y)) => {
                    let first = x.is_nan() || if op == Binary::Max { x > y } else { x < y };
                    Trial::Number(if first { x } else { y })
                }
                _ => return None,
            },
            Op::Select(cond, yes, no) => {
                let Trial::Truth(cond) = get(cond)? else { return None };
                get(if cond { yes } else { no })?
            }
            _ => return None,
        };
        known.push((*value, trial));
    }
    let number = |value: &ir::Value| {
        find(&known, *value).map(|trial| match trial {
            Trial::Number(number) => number,
            Trial::Truth(truth) => truth.into(),
        })
    };
    fold.combine.results.iter().map(number).collect()
}
