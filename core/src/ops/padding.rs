//! Arrays that go on beyond their edges.

use cuproxide_hal::ir::{Builder, Kernel};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, Slice};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, value_error};
use crate::layout::{Dims, Order, Strides};
use crate::ops::copy::{aligned, assign};
use crate::ops::gather::{Mode, Selector, launch_gather};
use crate::promotion::Casting;
use crate::routes;
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
/// must not be empty. At most four launches for each axis.
///
/// # Errors
/// `ValueError` if there is not one pair of widths for each axis, or for a constant, which needs no places.
pub fn pad(array: &Array, widths: &[(usize, usize)], boundary: Boundary) -> Result<Array> {
    if widths.len() != array.ndim() || boundary == Boundary::Constant {
        return value_error("pad: needs two widths for each axis, and elements to repeat");
    }
    let context = array.context();
    let lengths = array.shape().iter().zip(widths);
    let shape: Dims = lengths.map(|(&length, &(before, after))| before + length + after).collect();
    let fortran = array.layout().f_contiguous && !array.layout().c_contiguous;
    let out = Array::empty(context, array.dtype(), &shape, if fortran { Order::F } else { Order::C })?;
    if out.size() == 0 {
        return Ok(out);
    }
    let mut axes: SmallVec<[Padded; 4]> = SmallVec::new();
    for (axis, &(before, after)) in widths.iter().enumerate().filter(|(_, width)| **width != (0, 0)) {
        let length = array.shape()[axis];
        if length == 0 {
            return value_error(format!("can't extend empty axis {axis}"));
        }
        let places = Array::empty(context, DType::I64, &[before + length + after], Order::C)?;
        let scalars = [Scalar::i64(before as i64), Scalar::i64(length as i64)];
        let kernel = PLACES.kernel(boundary)?;
        dispatch::launch_map(context, kernel, places.shape(), &mut [Place::of(&places)?], &scalars)?;
        axes.push(Padded { axis, before, after, length, places });
    }
    if axes.is_empty() || !routes::PADDED_COPY.takes(out.size()) || array.size() < out.size() / 4 * 3 {
        gather_along(&aligned(array)?, &axes.iter().collect::<SmallVec<[_; 4]>>(), &out)?;
        return Ok(out);
    }
    let inside = |padded: &Padded, view: &Array| view.slice_axis(padded.axis, part(padded.before, padded.length));
    let interior = axes.iter().fold(out.clone(), |view, padded| inside(padded, &view));
    assign(&interior, array, Casting::No, None)?;
    for (number, padded) in axes.iter().enumerate() {
        // Corners belong to later axes, so each goes on with what the ones before it have filled.
        let region = axes[number + 1..].iter().fold(out.clone(), |view, later| inside(later, &view));
        let source = inside(padded, &region);
        for (start, count) in [(0, padded.before), (padded.before + padded.length, padded.after)] {
            let slice = part(start, count);
            let edge = region.slice_axis(padded.axis, slice);
            if edge.size() > 0 {
                let places = padded.places.slice_axis(0, slice);
                gather_along(&source, &[&Padded { places, ..*padded }], &edge)?;
            }
        }
    }
    Ok(out)
}

/// An axis that becomes longer.
struct Padded {
    axis: usize,
    before: usize,
    after: usize,
    length: usize,
    /// The place of the element that stands at each position of the result.
    places: Array,
}

fn part(start: usize, length: usize) -> Slice {
    Slice { start: start as isize, step: 1, length }
}

/// Gathers from places along some axes of `source`, which has the shape of `out` otherwise.
fn gather_along(source: &Array, axes: &[&Padded], out: &Array) -> Result<()> {
    let mut strides = Strides::from_slice(source.strides());
    let mut selectors: SmallVec<[Selector<'_>; 4]> = SmallVec::new();
    for padded in axes {
        let mut along = Strides::from_elem(0, out.ndim());
        along[padded.axis] = padded.places.strides()[0];
        let stride = std::mem::take(&mut strides[padded.axis]);
        selectors.push(Selector { indices: &padded.places, strides: along, length: padded.length, stride });
    }
    launch_gather(&selectors, Mode::Clip, Place { ptr: source.ptr()?, strides }, out)
}
