//! Functions that count, search and pack.

use cuproxide_core::ops::{binning, packing, ranking, search, select};
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::Result;
use crate::ndarray::wrap;
use crate::wait;

/// How often each integer below `bins` appears.
#[pyfunction]
pub fn bincount<'py>(a: &Bound<'py, PyAny>, bins: usize) -> Result<Bound<'py, PyAny>> {
    let array = arguments::array(a)?.clone();
    let made = wait::operation(a.py(), array.context(), array.size(), || binning::bincount(&array, bins))?;
    wrap(a.py(), made)
}

/// How many elements fall between neighbours of ascending edges; `None` if the device leaves it to other ways.
#[pyfunction]
pub fn histogram<'py>(
    a: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    uniform: bool,
) -> Result<Option<Bound<'py, PyAny>>> {
    let (array, edges) = (arguments::array(a)?.clone(), arguments::array(edges)?.clone());
    let made = wait::operation(a.py(), array.context(), array.size(), || binning::histogram(&array, &edges, uniform))?;
    made.map(|made| wrap(a.py(), made)).transpose()
}

/// The first ones of equal neighbours in a sorted array; `None` if the device leaves it to other ways.
#[pyfunction]
pub fn distinct<'py>(
    a: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::flag)] equal_nan: bool,
) -> Result<Option<Bound<'py, PyAny>>> {
    let sorted = arguments::array(a)?.clone();
    let made = wait::long(a.py(), || select::distinct(&sorted, equal_nan))?;
    made.map(|made| wrap(a.py(), made)).transpose()
}

/// The element of a rank in each rectangle of the last two of three axes; `None` if the device leaves it to other ways.
#[pyfunction]
pub fn window_ranks<'py>(
    a: &Bound<'py, PyAny>,
    rows: usize,
    columns: usize,
    rank: usize,
) -> Result<Option<Bound<'py, PyAny>>> {
    let wide = arguments::array(a)?.clone();
    let made = wait::operation(a.py(), wide.context(), wide.size(), || ranking::ranks(&wide, [rows, columns], rank))?;
    made.map(|made| wrap(a.py(), made)).transpose()
}

/// How many elements of a sorted array belong before each value of the same type.
#[pyfunction]
pub fn searchsorted<'py>(a: &Bound<'py, PyAny>, v: &Bound<'py, PyAny>, right: bool) -> Result<Bound<'py, PyAny>> {
    let (sorted, values) = (arguments::array(a)?.clone(), arguments::array(v)?.clone());
    let made =
        wait::operation(a.py(), values.context(), values.size(), || search::searchsorted(&sorted, &values, right))?;
    wrap(a.py(), made)
}

/// Packs the truth values along the last axis into bits.
#[pyfunction]
pub fn pack_bits<'py>(a: &Bound<'py, PyAny>, big: bool) -> Result<Bound<'py, PyAny>> {
    let truths = arguments::array(a)?.clone();
    let made = wait::operation(a.py(), truths.context(), truths.size(), || packing::pack(&truths, big))?;
    wrap(a.py(), made)
}

/// The first bits of the bytes along the last axis, as bytes of 0 and 1.
#[pyfunction]
pub fn unpack_bits<'py>(a: &Bound<'py, PyAny>, length: usize, big: bool) -> Result<Bound<'py, PyAny>> {
    let bits = arguments::array(a)?.clone();
    let made = wait::operation(a.py(), bits.context(), 8 * bits.size(), || packing::unpack(&bits, length, big))?;
    wrap(a.py(), made)
}
