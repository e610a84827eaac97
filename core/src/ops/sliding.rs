//! Sums of products of a line with another one at every shift: convolutions and correlations.

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, Slice, common_context};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, value_error};
use crate::layout::{Dims, Order, Strides};
use crate::ops::copy::{assign, fill};
use crate::ops::products::matmul;
use crate::promotion::Casting;

/// The products of each row of `a` with the row of `v` at every shift of full overlap, `before` more that reach out of
/// the front of `a`, and `after` more that reach out of its end.
///
/// Shifts of full overlap are one matrix product. At the others only elements that meet are multiplied, since padding
/// with zeros would make NaN of infinities.
///
/// # Errors
/// `ValueError` unless both have as many rows and one dtype, and `v` is neither empty, nor longer than `a`, nor shifted
/// out of it.
pub fn sliding_products(a: &Array, v: &Array, before: usize, after: usize) -> Result<Array> {
    let context = common_context("sliding products", [a, v].into_iter())?.expect("two arrays").clone();
    let (rows, n, m) = match (a.shape(), v.shape()) {
        (&[rows, n], &[others, m]) if rows == others && (1..=n).contains(&m) && before.max(after) < m => (rows, n, m),
        _ => return value_error("sliding products need rows of the same number, the second ones no longer"),
    };
    if a.dtype() != v.dtype() {
        return value_error("sliding products need arrays of one dtype");
    }
    let full = n - m + 1;
    let out = Array::empty(&context, a.dtype(), &[rows, before + full + after], Order::C)?;
    let part = |array: &Array, start: usize, length: usize| {
        array.slice_axis(1, Slice { start: start as isize, step: 1, length })
    };
    matmul(&windows(a, full, m)?, &v.insert_axis(2), Some(&part(&out, before, full).insert_axis(2)), None)?;
    for (count, source, empty, place) in
        [(before, 0, 0, 0), (after, full, m - 1, before + full)].into_iter().filter(|edge| edge.0 > 0)
    {
        // The elements that any of these shifts meets, beside as many places that hold none.
        let line = Array::empty(&context, a.dtype(), &[rows, m - 1 + count], Order::C)?;
        let filled = Array::empty(&context, DType::Bool, &[1, m - 1 + count], Order::C)?;
        let taken = if empty == 0 { count } else { 0 };
        fill(&part(&line, empty, count), Scalar::integer(a.dtype(), 0))?;
        assign(&part(&line, taken, m - 1), &part(a, source, m - 1), Casting::No, None)?;
        fill(&part(&filled, empty, count), Scalar::integer(DType::Bool, 0))?;
        fill(&part(&filled, taken, m - 1), Scalar::integer(DType::Bool, 1))?;
        launch(&windows(&line, count, m)?, v, &windows(&filled, count, m)?, &part(&out, place, count))?;
    }
    Ok(out)
}

/// The rows of `length` elements that begin at the first `count` places of each row.
fn windows(a: &Array, count: usize, length: usize) -> Result<Array> {
    let step = a.strides()[1];
    a.as_strided(&[a.shape()[0], count, length], &[a.strides()[0], step, step])
}

/// Adds up the products of the elements that are there.
fn launch(windows: &Array, v: &Array, filled: &Array, out: &Array) -> Result<()> {
    let dtype = out.dtype();
    let kernel = MASKED_PRODUCT.kernel(dtype)?;
    let (w, f) = (windows.strides(), filled.strides());
    let places = [
        (windows, [w[0], w[1], w[2]]),
        (v, [v.strides()[0], 0, v.strides()[1]]),
        (filled, [0, f[1], f[2]]),
        (out, [out.strides()[0], out.strides()[1], 0]),
    ];
    let mut all: SmallVec<[Place; 6]> = SmallVec::new();
    for (array, strides) in places {
        all.push(Place { ptr: array.ptr()?, strides: Strides::from_slice(&strides) });
    }
    let outer = Dims::from_slice(&windows.shape()[..2]);
    dispatch::launch(out.context(), kernel, &outer, &[windows.shape()[2]], &mut all, &[])
}

static MASKED_PRODUCT: Family<DType> = Family::new(|&dtype| masked_product(dtype));

fn masked_product(dtype: DType) -> Kernel {
    let wide = dtype.computed();
    let b = Builder::new(format!("sliding_product_{dtype}"));
    let (left, right) = (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Read));
    let filled = b.operand(DType::Bool, Mode::Read);
    let target = b.operand(dtype, Mode::Write);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(wide, 0)]),
        map: b.lambda(&[], |_| {
            let product = b.load(left).cast(wide) * b.load(right).cast(wide);
            vec![b.select(b.load(filled), product, b.integer(wide, 0))]
        }),
        combine: b.lambda(&[wide, wide], |v| vec![v[0] + v[1]]),
        finish: b.lambda(&[wide], |v| {
            b.store(target, v[0].cast(dtype));
            vec![]
        }),
    };
    b.finish(Body::Reduce(fold))
}
