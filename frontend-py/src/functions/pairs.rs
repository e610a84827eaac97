//! Distances of pairs of rows, by the device's primitive.

use cuproxide_core::ops::pairs;
use cuproxide_hal::libraries::Term;
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::{Result, value_error};
use crate::ndarray::wrap;
use crate::wait;

/// All distances of rows; `None` if the device leaves it to kernels.
#[pyfunction]
pub fn pair_distances<'py>(
    rows: &Bound<'py, PyAny>,
    others: Option<&Bound<'py, PyAny>>,
    weights: Option<&Bound<'py, PyAny>>,
    term: &str,
    root: bool,
    divisor: f64,
) -> Result<Option<Bound<'py, PyAny>>> {
    let term = match term {
        "square" => Term::Square,
        "difference" => Term::Difference,
        "largest" => Term::Largest,
        "ratio" => Term::Ratio,
        "unequal" => Term::Unequal,
        other => return Err(value_error(format!("there are no terms named {other}"))),
    };
    let how = pairs::Distance { term, root, divisor };
    let array = arguments::array(rows)?.clone();
    let others = others.map(|a| Ok::<_, PyErr>(arguments::array(a)?.clone())).transpose()?;
    let weights = weights.map(|a| Ok::<_, PyErr>(arguments::array(a)?.clone())).transpose()?;
    let made = wait::long(rows.py(), || pairs::distances(&array, others.as_ref(), weights.as_ref(), how))?;
    made.map(|made| wrap(rows.py(), made)).transpose()
}

/// The nearest code of each row and its distance; `None` if the device leaves it to kernels.
#[pyfunction]
pub fn nearest_rows<'py>(
    rows: &Bound<'py, PyAny>,
    codes: &Bound<'py, PyAny>,
) -> Result<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let py = rows.py();
    let (rows, codes) = (arguments::array(rows)?.clone(), arguments::array(codes)?.clone());
    let Some((numbers, distances)) = wait::long(py, || pairs::nearest(&rows, &codes))? else { return Ok(None) };
    Ok(Some((wrap(py, numbers)?, wrap(py, distances)?)))
}
