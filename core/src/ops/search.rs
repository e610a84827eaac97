//! Searching sorted arrays.

use cuproxide_hal::ir::{Builder, Kernel, Mode, Var};
use cuproxide_hal::libraries::Search;
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, value_error};
use crate::layout::{Order, Strides};
use crate::ops::copy::{aligned, fill};
use crate::routes;

/// How many elements of sorted one-dimensional `sorted` belong before each of `values`, which is of the same type:
/// those that are less, and with `right` the equal ones too. NaN is greatest. The result is int64.
///
/// # Errors
/// `ValueError` for other shapes and for types that differ.
pub fn searchsorted(sorted: &Array, values: &Array, right: bool) -> Result<Array> {
    common_context("searchsorted", [sorted, values].into_iter())?;
    if sorted.ndim() != 1 || sorted.dtype() != values.dtype() {
        return value_error("searchsorted: needs one sorted axis, and values of the same type");
    }
    let out = values.empty_like(DType::I64, Order::C)?;
    if sorted.size() == 0 {
        fill(&out, Scalar::i64(0))?;
        return Ok(out);
    }
    if search_at_once(sorted, values, right, &out)? {
        return Ok(out);
    }
    let sorted = aligned(sorted)?;
    let dtype = sorted.dtype();
    let kernel = SEARCH.kernel((dtype, right))?;
    let mut places: SmallVec<[Place; 6]> = SmallVec::new();
    places.push(Place { ptr: sorted.read_ptr()?, strides: Strides::from_elem(0, values.ndim()) });
    places.push(Place::of(values)?);
    places.push(Place::of(&out)?);
    let scalars = [Scalar::i64(sorted.size() as i64), Scalar::i64(sorted.strides()[0] as i64)];
    dispatch::launch_map(values.context(), kernel, values.shape(), &mut places, &scalars)?;
    Ok(out)
}

/// Searches for many contiguous values by the device's primitive; whether that was possible.
fn search_at_once(sorted: &Array, values: &Array, right: bool, out: &Array) -> Result<bool> {
    let dense = |array: &Array| array.layout().c_contiguous && array.is_aligned();
    if !routes::SEARCH.takes(values.size()) || sorted.dtype().is_complex() || !dense(sorted) || !dense(values) {
        return Ok(false);
    }
    let context = values.context();
    let Some(searching) = context.device().libraries().searching.find()? else { return Ok(false) };
    let search = Search {
        dtype: sorted.dtype(),
        sorted: sorted.read_ptr()?,
        length: sorted.size(),
        values: values.read_ptr()?,
        count: values.size(),
        right,
        out: out.ptr()?,
    };
    // SAFETY: all three are contiguous, the values of one type, the result just made, for as many.
    context.queue(|stream| unsafe { searching.search(stream, &search) })?;
    Ok(true)
}

/// By the type of the elements, and whether equal ones count.
static SEARCH: Family<(DType, bool)> = Family::new(|&(dtype, right)| search_kernel(dtype, right));

/// Halves what is left of the sorted array, for every value equally often.
fn search_kernel(dtype: DType, right: bool) -> Kernel {
    let b = Builder::new(format!("search_{dtype}_{}", if right { "right" } else { "left" }));
    let sorted = b.operand(dtype, Mode::Read);
    let value = b.input(dtype);
    let (length, stride) = (b.scalar(DType::I64), b.scalar(DType::I64));
    let (zero, one) = (b.integer(DType::I64, 0), b.integer(DType::I64, 1));
    let before = |position: Var<'_>| {
        let element = b.load_at(sorted, position * stride);
        if right { !less(value, element) } else { less(element, value) }
    };
    let (found, left) = (b.local(zero), b.local(length));
    b.repeat(
        || left.get().gt(one),
        || {
            let half = left.get() >> one;
            let further = found.get() + half;
            found.set(further.when(before(further - one), found.get()));
            left.set(left.get() - half);
        },
    );
    let last = found.get();
    b.output(DType::I64, (last + one).when(before(last), last));
    b.finish_map()
}

/// NumPy's order: NaN last; complex numbers by their real, then by their imaginary parts.
fn less<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    if !x.dtype().is_complex() {
        return real_less(x, y);
    }
    let (xr, xi, yr, yi) = (x.re(), x.im(), y.re(), y.im());
    // A number with NaN comes after those without, one with a NaN real part after those with a NaN imaginary one.
    let class = |re: Var<'b>, im: Var<'b>| {
        let number = |flag: Var<'b>, value: i128| {
            let builder = flag.builder();
            builder.integer(DType::I32, value).when(flag, builder.integer(DType::I32, 0))
        };
        number(re.is_nan(), 2) + number(im.is_nan(), 1)
    };
    let (cx, cy) = (class(xr, xi), class(yr, yi));
    let same_real = xr.eq(yr) | (xr.is_nan() & yr.is_nan());
    let by_parts = real_less(xr, yr) | (same_real & real_less(xi, yi));
    cx.lt(cy) | (cx.eq(cy) & by_parts)
}

fn real_less<'b>(x: Var<'b>, y: Var<'b>) -> Var<'b> {
    if x.dtype().is_inexact() { x.lt(y) | (y.is_nan() & !x.is_nan()) } else { x.lt(y) }
}
