//! Integer operations that C leaves undefined for some operands, and the arithmetic of bools.

use crate::DType;
use crate::ir::{Binary, Compare, Literal, Var};

/// A binary operator of integers; `constant` is the second operand where it is known.
pub(super) fn binary<'b>(op: Binary, x: Var<'b>, y: Var<'b>, constant: Option<Literal>) -> Var<'b> {
    let constant = constant.map(|literal| literal.scalar().to_integer());
    match op {
        Binary::Div => divide(x, y, constant),
        Binary::Rem => remainder(x, y, constant),
        Binary::Shl => shift_left(x, y, constant),
        Binary::Shr => shift_right(x, y, constant),
        _ => x.binary(op, y),
    }
}

fn divide<'b>(x: Var<'b>, y: Var<'b>, constant: Option<i128>) -> Var<'b> {
    let (zero, one) = (y.like_integer(0), y.like_integer(1));
    match constant {
        Some(0) => return zero,
        Some(1) => return x,
        Some(-1) => return -x,
        Some(_) => return x / y,
        None => {}
    }
    let by_zero = y.eq(zero);
    if x.dtype().is_signed() {
        let by_minus_one = y.eq(y.like_integer(-1));
        let quotient = x / one.when(by_zero | by_minus_one, y);
        zero.when(by_zero, (-x).when(by_minus_one, quotient))
    } else {
        zero.when(by_zero, x / one.when(by_zero, y))
    }
}

fn remainder<'b>(x: Var<'b>, y: Var<'b>, constant: Option<i128>) -> Var<'b> {
    let one = y.like_integer(1);
    match constant {
        Some(-1..=1) => return y.like_integer(0),
        Some(_) => return x % y,
        None => {}
    }
    let mut trivial = y.eq(y.like_integer(0));
    if x.dtype().is_signed() {
        trivial = trivial | y.eq(y.like_integer(-1));
    }
    x % one.when(trivial, y)
}

/// Whether a shift count lies in 0..bits.
fn in_range(count: Var<'_>) -> Var<'_> {
    let unsigned = match count.dtype() {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    };
    let count = count.cast(unsigned);
    count.lt(count.like_integer(unsigned.bits() as i128))
}

fn shift_left<'b>(x: Var<'b>, y: Var<'b>, constant: Option<i128>) -> Var<'b> {
    let zero = x.like_integer(0);
    match constant {
        Some(count) if (0..x.dtype().bits() as i128).contains(&count) => x << y,
        Some(_) => zero,
        None => {
            let inside = in_range(y);
            (x << y.when(inside, zero)).when(inside, zero)
        }
    }
}

fn shift_right<'b>(x: Var<'b>, y: Var<'b>, constant: Option<i128>) -> Var<'b> {
    let zero = x.like_integer(0);
    let last = x.like_integer(x.dtype().bits() as i128 - 1);
    let inside = match constant {
        Some(count) if (0..x.dtype().bits() as i128).contains(&count) => return x >> y,
        Some(_) if x.dtype().is_signed() => return x >> last,
        Some(_) => return zero,
        None => in_range(y),
    };
    if x.dtype().is_signed() { x >> y.when(inside, last) } else { (x >> y.when(inside, zero)).when(inside, zero) }
}

/// A binary operator of bools.
pub(super) fn bool_binary<'b>(op: Binary, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    match op {
        Binary::Add | Binary::Max => x | y,
        Binary::Mul | Binary::Min => x & y,
        _ => x.binary(op, y),
    }
}

/// A comparison of bools.
pub(super) fn bool_compare<'b>(op: Compare, x: Var<'b>, y: Var<'b>) -> Var<'b> {
    match op {
        Compare::Eq => !(x ^ y),
        Compare::Ne => x ^ y,
        Compare::Lt => !x & y,
        Compare::Le => !x | y,
        Compare::Gt => x & !y,
        Compare::Ge => x | !y,
    }
}
