//! NumPy's warnings about reductions over slices without elements, without numbers, or with too few of them.

use std::ffi::CStr;

use cuproxide_core::Array;
use cuproxide_core::layout::normalize_axes;
use cuproxide_core::ops::elementwise::{self, Input};
use cuproxide_core::ops::reduction::{self, Reduction};
use cuproxide_core::ops::transfer;
use cuproxide_core::ufunc;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use crate::errors::Result;

/// What a named reduction warns of.
struct Warning {
    text: &'static CStr,
    /// Whether NaN are no elements.
    skips_nan: bool,
    /// Whether `ddof` elements are too few as well.
    counts_ddof: bool,
}

impl Warning {
    fn of(name: &str) -> Option<Warning> {
        let (text, counts_ddof) = match name {
            "mean" | "nanmean" => (c"Mean of empty slice", false),
            "var" | "std" => (c"Degrees of freedom <= 0 for slice", true),
            "nanvar" | "nanstd" => (c"Degrees of freedom <= 0 for slice.", true),
            "nanmax" | "nanmin" => (c"All-NaN slice encountered", false),
            _ => return None,
        };
        Some(Warning { text, skips_nan: name.starts_with("nan"), counts_ddof })
    }
}

/// Warns as NumPy does where a slice of `array` that `made` reduces has too few elements.
///
/// Shapes decide it for nothing. Where values do, they are looked at only if a look costs no wait: see
/// [`reads_at_once`](cuproxide_core::Context::reads_at_once).
///
/// # Errors
/// The warning itself, where warnings are errors.
pub fn warn(py: Python<'_>, name: &str, array: &Array, reduction: &Reduction<'_>, made: &Array) -> Result<()> {
    let Some(warning) = Warning::of(name) else { return Ok(()) };
    let axes = match reduction.axes {
        Some(axes) => normalize_axes(axes, array.ndim())?,
        None => (0..array.ndim()).collect(),
    };
    let length: usize = axes.iter().map(|&axis| array.shape()[axis]).product();
    let few = if warning.counts_ddof { reduction.ddof } else { 0.0 };
    let is_too_few = if length as f64 <= few && !matches!(name, "nanmax" | "nanmin") {
        true
    } else if made.size() == 0 || !array.context().reads_at_once() {
        false
    } else if warning.skips_nan {
        array.dtype().is_inexact() && has_nan(made)? && fewest(array, true, reduction)? <= few
    } else {
        fewest(array, false, reduction)? <= few
    };
    if is_too_few {
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), warning.text, 1)?;
    }
    Ok(())
}

fn has_nan(array: &Array) -> Result<bool> {
    let largest = if array.size() == 1 {
        transfer::item(array)?
    } else {
        transfer::item(&reduction::reduce("max", array, &Reduction::default())?)?
    };
    let (re, im) = largest.to_complex();
    Ok(re.is_nan() || im.is_nan())
}

/// The least number of elements in a slice: of those that the mask selects, and that are numbers if NaN do not count.
fn fewest(array: &Array, skips_nan: bool, asked: &Reduction<'_>) -> Result<f64> {
    let call = |name: &str, input: &Array| -> Result<Array> {
        let row = ufunc::get(name).expect("a row of the table");
        Ok(elementwise::call(row, &elementwise::Call::new(&[Input::Array(input)]))?.remove(0))
    };
    let (counted, mask) = match asked.mask {
        _ if skips_nan => (call("logical_not", &call("isnan", array)?)?, asked.mask),
        Some(mask) => (mask.broadcast_to(array.shape())?, None),
        None => return Ok(f64::INFINITY),
    };
    let counts = reduction::reduce("sum", &counted, &Reduction { axes: asked.axes, mask, ..Reduction::default() })?;
    Ok(transfer::item(&reduction::reduce("min", &counts, &Reduction::default())?)?.to_complex().0)
}
