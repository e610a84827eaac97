//! Functions over ranges and at repeated places, and arrays that go on beyond their edges.

use cuproxide_core::ops::{padding, segments, updates};
use cuproxide_core::ufunc::{self, Ufunc};
use cuproxide_core::window::boundary::Boundary;
use pyo3::prelude::*;

use crate::arguments;
use crate::dtypes;
use crate::errors::{Failure, Result, value_error};
use crate::ndarray::wrap;
use crate::wait;

fn row(name: &str) -> Result<&'static Ufunc> {
    ufunc::get(name).ok_or_else(|| value_error(format!("no ufunc {name:?}")))
}

/// The ranges of an axis from each start to the next, reduced by a ufunc.
#[pyfunction]
#[pyo3(signature = (name, a, starts, axis, dtype=None))]
pub fn reduceat<'py>(
    name: &str,
    a: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    axis: isize,
    dtype: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let (array, starts) = (arguments::array(a)?.clone(), arguments::array(starts)?.clone());
    let (ufunc, dtype) = (row(name)?, dtypes::parse_optional(dtype)?);
    let made = wait::operation(a.py(), array.context(), array.size(), || {
        segments::reduceat(ufunc, &array, &starts, axis, dtype)
    })?;
    wrap(a.py(), made)
}

/// Applies a ufunc in place at places that may repeat, given in the order that sorts them.
#[pyfunction]
#[pyo3(signature = (name, target, places, order, values=None))]
pub fn update_at(
    name: &str,
    target: &Bound<'_, PyAny>,
    places: &Bound<'_, PyAny>,
    order: &Bound<'_, PyAny>,
    values: Option<&Bound<'_, PyAny>>,
) -> Result<()> {
    let array = arguments::owner(target)?.get().target()?;
    let (places, order) = (arguments::array(places)?.clone(), arguments::array(order)?.clone());
    let values = values.map(|values| Ok::<_, Failure>(arguments::array(values)?.clone())).transpose()?;
    let ufunc = row(name)?;
    wait::operation(target.py(), array.context(), places.size(), || {
        updates::update_at(ufunc, &array, &places, &order, values.as_ref())
    })?;
    Ok(())
}

/// A copy that goes on beyond its edges.
#[pyfunction]
pub fn pad_edges<'py>(a: &Bound<'py, PyAny>, widths: Vec<(usize, usize)>, boundary: &str) -> Result<Bound<'py, PyAny>> {
    let array = arguments::array(a)?.clone();
    let boundary = Boundary::parse(boundary)?;
    let made = wait::operation(a.py(), array.context(), array.size(), || padding::pad(&array, &widths, boundary))?;
    wrap(a.py(), made)
}
