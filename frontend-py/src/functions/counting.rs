//! Functions that count and search.

use cuproxide_core::ops::{binning, ranking, search, select};
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
