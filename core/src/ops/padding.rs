//! Arrays that go on beyond their edges.

use cuproxide_hal::ir::{Builder, Kernel};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::Array;
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, value_error};
use crate::layout::{Dims, Order, Strides};
use crate::ops::copy::aligned;
use crate::ops::gather::{Mode, Selector, launch_gather};
use crate::window::boundary::Boundary;

/// The place on an axis for each of the positions from one before it on.
static PLACES: Family<Boundary> = Family::new(places_kernel);

fn places_kernel(boundary: &Boundary) -> Kernel {
    let b = Builder::new(format!("places_{boundary:?}").to_lowercase());
    let (before, length) = (b.scalar(DType::I64), b.scalar(DType::I64));
    let place = boundary.function(&b).call(&[b.index() - before, length])[0];
    b.output(DType::I64, place);
    b.finish_map()
}

/// A copy with `widths` elements more before and after each axis, which go on as `boundary` says. Axes that become longer
/// must not be empty. A launch for each of them, and one for the elements.
///
/// # Errors
/// `ValueError` if there is not one pair of widths for each axis, or for a constant, which needs no places.
pub fn pad(array: &Array, widths: &[(usize, usize)], boundary: Boundary) -> Result<Array> {
    if widths.len() != array.ndim() || boundary == Boundary::Constant {
        return value_error("pad: needs two widths for each axis, and elements to go on with");
    }
    let context = array.context();
    let lengths = array.shape().iter().zip(widths);
    let shape: Dims = lengths.map(|(&length, &(before, after))| before + length + after).collect();
    let fortran = array.layout().f_contiguous && !array.layout().c_contiguous;
    let out = Array::empty(context, array.dtype(), &shape, if fortran { Order::F } else { Order::C })?;
    if out.size() == 0 {
        return Ok(out);
    }
    let source = aligned(array)?;
    let mut strides = Strides::from_slice(source.strides());
    let mut places: SmallVec<[(usize, isize, Array); 4]> = SmallVec::new();
    for (axis, &(before, after)) in widths.iter().enumerate().filter(|(_, width)| **width != (0, 0)) {
        let length = source.shape()[axis];
        if length == 0 {
            return value_error(format!("can't extend empty axis {axis}"));
        }
        let made = Array::empty(context, DType::I64, &[before + length + after], Order::C)?;
        let scalars = [Scalar::i64(before as i64), Scalar::i64(length as i64)];
        let kernel = PLACES.kernel(boundary)?;
        dispatch::launch_map(context, kernel, made.shape(), &mut [Place::of(&made)?], &scalars)?;
        places.push((axis, std::mem::take(&mut strides[axis]), made));
    }
    let selectors: SmallVec<[Selector<'_>; 4]> = places
        .iter()
        .map(|&(axis, stride, ref indices)| {
            let mut along = Strides::from_elem(0, shape.len());
            along[axis] = 8;
            Selector { indices, strides: along, length: source.shape()[axis], stride }
        })
        .collect();
    launch_gather(&selectors, Mode::Clip, Place { ptr: source.read_ptr()?, strides }, &out)?;
    Ok(out)
}
