//! Fourier transforms and the cache of their plans.

use cuproxide_core::ops::fft::{self, Norm};
use cuproxide_hal::libraries::{FftDirection, FftKind};
use pyo3::prelude::*;

use super::Any;
use crate::errors::{Result, value_error};
use crate::ndarray::wrap;
use crate::{arguments, device, wait};

/// The transform of an array along some axes with so many points each, the axis listed last being the real one of a
/// real transform. `kind` is "complex", "real" (to a half spectrum) or "half" (of a half spectrum to real numbers).
#[pyfunction]
#[pyo3(signature = (a, kind, forward, axes, lengths, norm=None))]
pub fn fourier_transform<'py>(
    a: &Bound<'py, PyAny>,
    kind: &str,
    forward: bool,
    axes: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    norm: Option<&str>,
) -> Result<Bound<'py, PyAny>> {
    let array = arguments::array(a)?.clone();
    let kind = match kind {
        "complex" => FftKind::Complex,
        "real" => FftKind::RealToComplex,
        "half" => FftKind::ComplexToReal,
        other => return Err(value_error(format!("kind must be 'complex', 'real' or 'half' (got '{other}')"))),
    };
    let direction = if forward { FftDirection::Forward } else { FftDirection::Inverse };
    let norm = norm.map_or(Ok(Norm::Backward), Norm::parse)?;
    let (axes, lengths) = (arguments::integers(axes)?, arguments::integers(lengths)?);
    if axes.len() != lengths.len() {
        return Err(value_error("Shape and axes have different lengths."));
    }
    // Making a plan may take long, so other threads run meanwhile.
    wrap(a.py(), wait::long(a.py(), || fft::transform(&array, kind, direction, &axes, &lengths, norm))?)
}

/// Plans held, most that are held, requests that found one, requests that did not.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn fft_plan_stats(device: Any<'_, '_>) -> Result<(usize, usize, usize, usize)> {
    let stats = device::parse(device)?.fft_plans().stats();
    Ok((stats.size, stats.capacity, stats.hits, stats.misses))
}

/// Sets how many plans are held.
#[pyfunction]
#[pyo3(signature = (size, device=None))]
pub fn set_fft_plan_capacity(size: usize, device: Any<'_, '_>) -> Result<()> {
    device::parse(device)?.fft_plans().set_capacity(size);
    Ok(())
}

/// Forgets all plans.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn clear_fft_plans(device: Any<'_, '_>) -> Result<()> {
    device::parse(device)?.fft_plans().clear();
    Ok(())
}
