//! New arrays.

use std::sync::Arc;

use cuproxide_hal::ir::{Builder, Kernel, cast_scalar};
use cuproxide_hal::{DType, Scalar};

use crate::array::Array;
use crate::context::Context;
use crate::dispatch::{self, Family, Place};
use crate::error::Result;
use crate::layout::Order;
use crate::ops::copy::fill;

/// An array with every element set to `value`, cast to `dtype`.
pub fn full(context: &Arc<Context>, dtype: DType, shape: &[usize], order: Order, value: Scalar) -> Result<Array> {
    let out = Array::empty(context, dtype, shape, order)?;
    fill(&out, value)?;
    Ok(out)
}

/// The type that a progression of elements of a type is computed in.
fn computed_type(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::I64 } else { dtype.computed() }
}

static ARANGE: Family<DType> = Family::new(arange_kernel);

fn arange_kernel(&dtype: &DType) -> Kernel {
    let computed = computed_type(dtype);
    let b = Builder::new(format!("arange_{dtype}"));
    let (start, step) = (b.scalar(computed), b.scalar(computed));
    b.output(dtype, start + b.index().cast(computed) * step);
    b.finish_map()
}

/// `start + i * step` for `i` in `0..length`, computed in `dtype` (float16 and bfloat16 in float32).
pub fn arange(context: &Arc<Context>, dtype: DType, start: Scalar, step: Scalar, length: usize) -> Result<Array> {
    let out = Array::empty(context, dtype, &[length], Order::C)?;
    let computed = computed_type(dtype);
    let kernel = ARANGE.kernel(dtype)?;
    let scalars = [cast_scalar(start, computed), cast_scalar(step, computed)];
    dispatch::launch_map(context, kernel, &[length], &mut [Place::of(&out)?], &scalars)?;
    Ok(out)
}
