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

#[pymethods]
impl NdArray {
    /// Whether all elements are true.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, out=None, keepdims=false, *, r#where=None))]
    fn all<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("all"), &Request { axis, out, keepdims, mask: r#where, ..Request::default() })
    }

    /// Whether any element is true.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, out=None, keepdims=false, *, r#where=None))]
    fn any<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        reduce(slf, Reducer::Named("any"), &Request { axis, out, keepdims, mask: r#where, ..Request::default() })
    }

    /// Position of the first largest element.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    ///
    /// Returns
    /// -------
    /// ndarray
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
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    ///
    /// Returns
    /// -------
    /// ndarray
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
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// initial : scalar, optional
    ///     The value to begin with.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn max<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
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
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// initial : scalar, optional
    ///     The value to begin with.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn min<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
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
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// initial : scalar, optional
    ///     The value to begin with.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn sum<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("sum"), &request)
    }

    /// Product of the elements.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// initial : scalar, optional
    ///     The value to begin with.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, initial=None, r#where=None))]
    fn prod<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        initial: Any<'_, 'py>,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, initial, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("prod"), &request)
    }

    /// Mean of the elements.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// where : array_like of bool, optional
    ///     Which elements count.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, dtype=None, out=None, keepdims=false, *, r#where=None))]
    fn mean<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        r#where: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, keepdims, mask: r#where, ..Request::default() };
        reduce(slf, Reducer::Named("mean"), &request)
    }

    /// Variance of the elements.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// ddof : int
    ///     What is taken from the count before dividing by it.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// where : array_like of bool, optional
    ///     Which elements count.
    /// mean : ndarray, optional
    ///     The mean with reduced axes kept, if it is known already.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, mean=None))]
    #[expect(clippy::too_many_arguments, reason = "NumPy's arguments")]
    fn var<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        ddof: f64,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        r#where: Any<'_, 'py>,
        mean: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, ddof, keepdims, mask: r#where, ..Request::default() };
        spread(slf, "var", &request, mean)
    }

    /// Standard deviation of the elements.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    /// ddof : int
    ///     What is taken from the count before dividing by it.
    /// keepdims : bool
    ///     Whether reduced axes stay, with length 1.
    /// where : array_like of bool, optional
    ///     Which elements count.
    /// mean : ndarray, optional
    ///     The mean with reduced axes kept, if it is known already.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (axis=None, dtype=None, out=None, ddof=0.0, keepdims=false, *, r#where=None, mean=None))]
    #[expect(clippy::too_many_arguments, reason = "NumPy's arguments")]
    fn std<'py>(
        slf: &Bound<'py, Self>,
        axis: Any<'_, 'py>,
        dtype: Any<'_, 'py>,
        out: Any<'_, 'py>,
        ddof: f64,
        #[pyo3(from_py_with = arguments::flag)] keepdims: bool,
        r#where: Any<'_, 'py>,
        mean: Any<'_, 'py>,
    ) -> Result<Bound<'py, PyAny>> {
        let request = Request { axis, dtype, out, ddof, keepdims, mask: r#where, ..Request::default() };
        spread(slf, "std", &request, mean)
    }

    /// Running sum, of the flattened array without `axis`.
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    ///
    /// Returns
    /// -------
    /// ndarray
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
    ///
    /// Parameters
    /// ----------
    /// axis : int, optional
    ///     The axis along which to work.
    /// dtype : dtype, optional
    ///     The type of elements.
    /// out : ndarray, optional
    ///     An array for the result, which is then what is returned.
    ///
    /// Returns
    /// -------
    /// ndarray
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

/// A variance or deviation; those that are not computed in a floating type, or about a given mean, are composed of the same
/// steps as in NumPy.
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
