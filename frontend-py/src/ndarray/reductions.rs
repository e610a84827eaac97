//! Methods of `ndarray` that reduce it or accumulate along it.

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use super::NdArray;
use crate::arguments;
use crate::dtypes;
use crate::errors::Result;
use crate::package::{SPREAD_IN_STEPS, package};
use crate::reductions::{Reducer, Request, accumulate, reduce};

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The sections of a docstring on parameters and on the result.
macro_rules! sections {
    ($($name:ident)+) => {
        concat!("\nParameters\n----------", $(sections!(@ $name)),+, "\n\nReturns\n-------\nndarray")
    };
    (@ axis) => { "\naxis : int, optional\n    The axis along which to work." };
    (@ out) => { "\nout : ndarray, optional\n    An array for the result, which is then returned." };
    (@ keepdims) => { "\nkeepdims : bool\n    Whether reduced axes stay, with length 1." };
    (@ where) => { "\nwhere : array_like of bool, optional\n    Which elements count." };
    (@ dtype) => { "\ndtype : dtype, optional\n    The type of elements." };
    (@ initial) => { "\ninitial : scalar, optional\n    The value to begin with." };
    (@ ddof) => { "\nddof : int\n    What is taken from the count before dividing by it." };
    (@ mean) => { "\nmean : ndarray, optional\n    The mean with reduced axes kept, if it is known already." };
}

#[pymethods]
impl NdArray {
    /// Whether all elements are true.
    #[doc = sections!(axis out keepdims where)]
    #[pyo3(signature = (axis=None, out=None, keepdims=false, *, r#where=None))]
    fn all<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("all"), &Request { axis, out, keepdims, mask: r#where, ..Request::default() })
    }

    /// Whether any element is true.
    #[doc = sections!(axis out keepdims where)]
    #[pyo3(signature = (axis=None, out=None, keepdims=false, *, r#where=None))]
    fn any<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("any"), &Request { axis, out, keepdims, mask: r#where, ..Request::default() })
    }

    /// Position of the first largest element.
    #[doc = sections!(axis out dtype keepdims)]
    #[pyo3(signature = (axis=None, out=None, dtype=None, keepdims=false))]
    fn argmax<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("argmax"), &Request { axis, out, dtype, keepdims, ..Request::default() })
    }

    /// Position of the first smallest element.
    #[doc = sections!(axis out dtype keepdims)]
    #[pyo3(signature = (axis=None, out=None, dtype=None, keepdims=false))]
    fn argmin<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("argmin"), &Request { axis, out, dtype, keepdims, ..Request::default() })
    }

    /// Largest element; NaN wins.
    #[doc = sections!(axis out keepdims initial where)]
    #[pyo3(signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn max<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(
            slf,
            Reducer::Named("max"),
            &Request { axis, out, keepdims, initial, mask: r#where, ..Request::default() },
        )
    }

    /// Smallest element; NaN wins.
    #[doc = sections!(axis out keepdims initial where)]
    #[pyo3(signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn min<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(
            slf,
            Reducer::Named("min"),
            &Request { axis, out, keepdims, initial, mask: r#where, ..Request::default() },
        )
    }

    /// Sum of the elements.
    #[doc = sections!(axis dtype out keepdims initial where)]
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn sum<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("sum"), &request)
    }

    /// Product of the elements.
    #[doc = sections!(axis dtype out keepdims initial where)]
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn prod<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("prod"), &request)
    }

    /// Mean of the elements.
    #[doc = sections!(axis dtype out keepdims where)]
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, *, r#where=None))]
    fn mean<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("mean"), &request)
    }

    /// Variance of the elements.
    #[doc = sections!(axis dtype out ddof keepdims where mean)]
    #[pyo3(signature = (axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, mean=None))]
    #[expect(clippy::too_many_arguments, reason = "NumPy's arguments")]
    fn var<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        ddof: f64,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        r#where: Any<'_, 'py>,
        mean: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, ddof, keepdims, mask: r#where, ..Request::default() };
        spread(slf, "var", &request, mean)
    }

    /// Standard deviation of the elements.
    #[doc = sections!(axis dtype out ddof keepdims where mean)]
    #[pyo3(signature = (axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, mean=None))]
    #[expect(clippy::too_many_arguments, reason = "NumPy's arguments")]
    fn std<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        ddof: f64,
        #[pyo3(from_py_with = arguments::keepdims)] keepdims: bool,
        r#where: Any<'_, 'py>,
        mean: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, ddof, keepdims, mask: r#where, ..Request::default() };
        spread(slf, "std", &request, mean)
    }

    /// Running sum, of the flattened array without `axis`.
    #[doc = sections!(axis dtype out)]
    #[pyo3(signature = (axis=None, dtype=None, out=None))]
    fn cumsum<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        accumulate(slf, Reducer::Named("sum"), arguments::axis(axis)?, dtypes::parse_optional(dtype)?, out)
    }

    /// Running product, of the flattened array without `axis`.
    #[doc = sections!(axis dtype out)]
    #[pyo3(signature = (axis=None, dtype=None, out=None))]
    fn cumprod<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        accumulate(slf, Reducer::Named("prod"), arguments::axis(axis)?, dtypes::parse_optional(dtype)?, out)
    }
}

/// A variance or standard deviation. If it is not computed in a floating type, or if the mean is given, it is composed of the
/// same steps as in NumPy.
fn spread<'py>(
    slf: &Bound<'py, NdArray>,
    name: &str,
    request: &Request<'_, 'py>,
    mean: Any<'_, 'py>,
) -> Result<Bound<'py, PyAny>> {
    if let Some(mean) = mean.filter(|mean| !mean.is_none()) {
        let Request { axis, dtype, out, ddof, keepdims, mask, .. } = *request;
        let keywords = [("mean", mean)].into_py_dict(slf.py())?;
        if let Some(mask) = mask {
            keywords.set_item("where", mask)?;
        }
        let function = package(slf.py())?.getattr(name)?;
        return Ok(function.call((slf, axis, dtype, out, ddof, keepdims), Some(&keywords))?);
    }
    match dtypes::parse_optional(request.dtype)? {
        Some(dtype) if !dtype.is_float() => {
            let Request { axis, out, ddof, keepdims, mask, .. } = *request;
            let arguments = (name, slf, axis, dtypes::to_numpy(slf.py(), dtype)?, out, ddof, keepdims, mask);
            Ok(SPREAD_IN_STEPS.call(slf.py(), arguments)?)
        }
        _ => reduce(slf, Reducer::Named(name), request),
    }
}
