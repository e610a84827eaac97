//! Fourier transforms and the cache of their plans.

use cuproxide_core::Array;
use cuproxide_core::ops::fft::{self, Norm};
use cuproxide_core::plans::{self, Plans};
use cuproxide_hal::libraries::{FftDirection, FftKind, FftSpec};
use pyo3::prelude::*;

use super::arrays::Any;
use crate::errors::{Result, value_error};
use crate::ndarray::wrap;
use crate::{arguments, device, wait};

/// The transform of an array along some axes with so many points each, the axis listed last being the real one of a
/// real transform. `kind` is "complex", "real" (to a half spectrum) or "half" (of a half spectrum to real numbers).
#[pyfunction]
#[pyo3(signature = (a, kind, forward, axes, lengths, norm=None, plan=None))]
pub fn fourier_transform<'py>(
    a: &Bound<'py, PyAny>,
    kind: &str,
    forward: bool,
    axes: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    norm: Option<&str>,
    plan: Option<&Bound<'py, FftPlan>>,
) -> Result<Bound<'py, PyAny>> {
    let transform = Transform::parse(a, kind, forward, axes, lengths, norm)?;
    let plans = plan.map(|plan| plan.get().0.clone());
    // Making a plan may take long, so other threads run meanwhile.
    let result = wait::long(a.py(), || match &plans {
        Some(plans) => plans::using(plans, || transform.run()),
        None => transform.run(),
    })?;
    wrap(a.py(), result)
}

/// Plans that a program holds.
#[pyclass(frozen, module = "cuproxide._cuproxide")]
pub struct FftPlan(Plans);

#[pymethods]
impl FftPlan {
    /// Bytes of memory that the plans take, work areas included.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes()
    }

    /// The transforms that the plans are for: kind, real dtype, lengths and batch of each.
    #[getter]
    fn transforms(&self) -> Vec<(String, String, Vec<usize>, usize)> {
        let describe = |spec: &FftSpec| {
            let kind = match spec.kind {
                FftKind::Complex => "complex",
                FftKind::RealToComplex => "real",
                FftKind::ComplexToReal => "half",
            };
            (kind.to_owned(), spec.dtype.to_string(), spec.lengths.clone(), spec.batch)
        };
        self.0.specs().map(describe).collect()
    }
}

/// The plans of a transform of arrays like `a`; the arguments are those of `fourier_transform`.
#[pyfunction]
pub fn make_fft_plan(
    a: &Bound<'_, PyAny>,
    kind: &str,
    axes: &Bound<'_, PyAny>,
    lengths: &Bound<'_, PyAny>,
) -> Result<FftPlan> {
    // A direction needs no plan of its own.
    let transform = Transform::parse(a, kind, true, axes, lengths, None)?;
    Ok(FftPlan(wait::long(a.py(), || plans::collect(|| transform.run()))?))
}

/// The arguments of a transform.
struct Transform {
    array: Array,
    kind: FftKind,
    direction: FftDirection,
    axes: Vec<isize>,
    lengths: Vec<isize>,
    norm: Norm,
}

impl Transform {
    fn run(&self) -> cuproxide_core::Result<Array> {
        fft::transform(&self.array, self.kind, self.direction, &self.axes, &self.lengths, self.norm)
    }

    fn parse(
        a: &Bound<'_, PyAny>,
        kind: &str,
        forward: bool,
        axes: &Bound<'_, PyAny>,
        lengths: &Bound<'_, PyAny>,
        norm: Option<&str>,
    ) -> Result<Transform> {
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
        Ok(Transform { array, kind, direction, axes: axes.to_vec(), lengths: lengths.to_vec(), norm })
    }
}

/// Plans held, most that are held, requests that found one, requests that did not, bytes held, most bytes that are held.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn fft_plan_stats(device: Any<'_, '_>) -> Result<(usize, usize, usize, usize, usize, usize)> {
    let stats = device::parse(device)?.plans::<FftSpec>().stats();
    Ok((stats.size, stats.capacity, stats.hits, stats.misses, stats.bytes, stats.most_bytes))
}

/// Sets how many bytes of plans are held.
#[pyfunction]
#[pyo3(signature = (bytes, device=None))]
pub fn set_fft_plan_bytes(bytes: usize, device: Any<'_, '_>) -> Result<()> {
    device::parse(device)?.plans::<FftSpec>().set_most_bytes(bytes);
    Ok(())
}

/// Sets how many plans are held.
#[pyfunction]
#[pyo3(signature = (size, device=None))]
pub fn set_fft_plan_capacity(size: usize, device: Any<'_, '_>) -> Result<()> {
    device::parse(device)?.plans::<FftSpec>().set_capacity(size);
    Ok(())
}

/// Forgets all plans.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub fn clear_fft_plans(device: Any<'_, '_>) -> Result<()> {
    device::parse(device)?.plans::<FftSpec>().clear();
    Ok(())
}
