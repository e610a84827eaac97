//! Numbers: Python's, NumPy's scalars, and elements of arrays.

use cuproxide_core::ops::elementwise::Input;
use cuproxide_core::promotion::{Operand, integer_range};
use cuproxide_hal::ir::cast_scalar;
use cuproxide_hal::{DType, Kind, Scalar};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyComplexMethods, PyFloat, PyInt};

use crate::dtypes::{self, Numpy};
use crate::errors::{Result, overflow_error, type_error, value_error};
use crate::traced_number::TracedNumber;

/// A number from Python. Python's own numbers are weak in promotion, NumPy's scalars (and bools) carry a type.
#[derive(Clone, Debug)]
pub enum Number {
    /// A Python int.
    Int(i128),
    /// A Python int that not even 128 bits hold: its digits and nearest float.
    Huge(String, f64),
    /// A Python float.
    Float(f64),
    /// A Python complex.
    Complex(f64, f64),
    /// A NumPy scalar or a Python bool.
    Typed(Scalar),
}

impl Number {
    /// The number that an object is, if it is one.
    pub fn parse(object: &Bound<'_, PyAny>) -> Result<Option<Number>> {
        if let Ok(float) = object.cast_exact::<PyFloat>() {
            return Ok(Some(Number::Float(float.value())));
        }
        if object.is_exact_instance_of::<PyInt>() {
            return integer(object).map(Some);
        }
        if let Ok(truth) = object.cast_exact::<PyBool>() {
            return Ok(Some(Number::Typed(Scalar::integer(DType::Bool, truth.is_true().into()))));
        }
        if let Ok(complex) = object.cast_exact::<PyComplex>() {
            return Ok(Some(Number::Complex(complex.real(), complex.imag())));
        }
        if let Ok(number) = object.cast_exact::<TracedNumber>() {
            return Ok(Some(Number::Float(number.get().plain())));
        }
        slow(object)
    }

    /// The number as an operand; a huge int counts as a float where the other operands are floating.
    ///
    /// # Errors
    /// `OverflowError` for a huge int among integers.
    pub fn input(&self, among_floats: bool) -> Result<Input<'static>> {
        Ok(match self {
            Number::Int(value) => Input::Int(*value),
            Number::Huge(_, value) if among_floats => Input::Float(finite(*value)?),
            Number::Huge(..) => return Err(overflow_error("Python int too large to convert to C long")),
            Number::Float(value) => Input::Float(*value),
            Number::Complex(re, im) => Input::Complex(*re, *im),
            Number::Typed(scalar) => Input::Scalar(*scalar),
        })
    }

    /// The number's part in promotion.
    pub fn operand(&self) -> Operand {
        match self {
            Number::Int(_) | Number::Huge(..) => Operand::WeakInt,
            Number::Float(_) => Operand::WeakFloat,
            Number::Complex(..) => Operand::WeakComplex,
            Number::Typed(scalar) => Operand::Strong(scalar.dtype),
        }
    }

    /// The type that the number has on its own.
    pub fn dtype(&self) -> DType {
        match self {
            Number::Int(value) if i64::try_from(*value).is_err() && u64::try_from(*value).is_ok() => DType::U64,
            Number::Int(_) | Number::Huge(..) => DType::I64,
            Number::Float(_) => DType::F64,
            Number::Complex(..) => DType::C128,
            Number::Typed(scalar) => scalar.dtype,
        }
    }

    /// The number as an element of its own type.
    pub fn natural(&self) -> Result<Scalar> {
        self.element(self.dtype())
    }

    /// The number as an element of an array of `dtype`, as NumPy assigns it.
    ///
    /// # Errors
    /// Those of NumPy: an int out of range, NaN or infinity among integers, a complex number among real ones.
    pub fn element(&self, dtype: DType) -> Result<Scalar> {
        let integral = dtype.is_integer();
        match self {
            Number::Int(value) if dtype == DType::Bool => Ok(Scalar::integer(dtype, (*value != 0).into())),
            Number::Int(value) if integral => in_range(*value, dtype),
            Number::Int(value) => Ok(Scalar::from_integer(dtype, *value)),
            Number::Huge(..) if dtype == DType::Bool => Ok(Scalar::integer(dtype, 1)),
            Number::Huge(digits, _) if integral => Err(out_of_bounds(digits, dtype)),
            Number::Huge(_, value) => Ok(Scalar::real(dtype, finite(*value)?)),
            Number::Float(value) if integral => {
                if value.is_nan() {
                    return Err(value_error("cannot convert float NaN to integer"));
                }
                if value.is_infinite() {
                    return Err(overflow_error("cannot convert float infinity to integer"));
                }
                in_range(*value as i128, dtype)
            }
            Number::Float(value) => Ok(Scalar::real(dtype, *value)),
            Number::Complex(re, im) if dtype.is_complex() => Ok(Scalar::complex(dtype, *re, *im)),
            Number::Complex(re, im) if dtype == DType::Bool => Ok(Scalar::complex(dtype, *re, *im)),
            Number::Complex(..) => Err(type_error(if integral {
                "int() argument must be a string, a bytes-like object or a real number, not 'complex'"
            } else {
                "float() argument must be a string or a real number, not 'complex'"
            })),
            Number::Typed(scalar) => Ok(cast_scalar(*scalar, dtype)),
        }
    }

    /// [`Number::element`], with a warning where a NumPy scalar loses its imaginary part.
    ///
    /// # Errors
    /// Those of [`Number::element`], and the warning.
    pub fn converted(&self, py: Python<'_>, dtype: DType) -> Result<Scalar> {
        if let Number::Typed(scalar) = self {
            dtypes::warn_of_lost_parts(py, scalar.dtype, dtype)?;
        }
        self.element(dtype)
    }

    /// The number as an element of `dtype` where NumPy makes an array of it first and casts that: ints must be in range,
    /// of other numbers is lost what is lost.
    ///
    /// # Errors
    /// Those of [`Number::element`] for ints.
    pub fn cast(&self, py: Python<'_>, dtype: DType) -> Result<Scalar> {
        let value = match self {
            Number::Int(_) | Number::Huge(..) => return self.element(dtype),
            Number::Float(_) | Number::Complex(..) => self.natural()?,
            Number::Typed(scalar) => *scalar,
        };
        dtypes::warn_of_lost_parts(py, value.dtype, dtype)?;
        Ok(cast_scalar(value, dtype))
    }

    /// What `object`, which is this number, becomes where NumPy sets an element: its scalars count as Python's numbers,
    /// which must be in range, while arrays without axes are cast; so is everything that becomes unsigned.
    ///
    /// # Errors
    /// Those of [`Number::element`].
    pub fn assigned(&self, object: &Bound<'_, PyAny>, dtype: DType) -> Result<Scalar> {
        let Number::Typed(scalar) = self else { return self.element(dtype) };
        let py = object.py();
        dtypes::warn_of_lost_parts(py, scalar.dtype, dtype)?;
        if dtype.kind() != Kind::Signed || Numpy::get(py)?.is_array(object)? {
            return self.element(dtype);
        }
        match scalar.dtype.kind() {
            Kind::Bool => self.element(dtype),
            Kind::Signed | Kind::Unsigned => in_range(scalar.to_integer(), dtype),
            Kind::Float | Kind::Complex => Number::Float(scalar.to_complex().0).element(dtype),
        }
    }
}

/// The nearest float of an int, if there is one.
fn finite(value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(overflow_error("int too large to convert to float")) }
}

fn out_of_bounds(digits: &str, dtype: DType) -> crate::errors::Failure {
    overflow_error(format!("Python integer {digits} out of bounds for {dtype}"))
}

fn in_range(value: i128, dtype: DType) -> Result<Scalar> {
    match integer_range(dtype) {
        Some((low, high)) if value < low || value > high => Err(out_of_bounds(&value.to_string(), dtype)),
        _ => Ok(Scalar::integer(dtype, value)),
    }
}

fn integer(object: &Bound<'_, PyAny>) -> Result<Number> {
    if let Ok(value) = object.extract::<i64>() {
        return Ok(Number::Int(value.into()));
    }
    if let Ok(value) = object.extract::<i128>() {
        return Ok(Number::Int(value));
    }
    let negative = object.lt(0)?;
    let value = object.extract::<f64>().unwrap_or(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    Ok(Number::Huge(object.str()?.to_string(), value))
}

/// NumPy's scalars, arrays of no dimensions, and subclasses of Python's numbers.
fn slow(object: &Bound<'_, PyAny>) -> Result<Option<Number>> {
    let numpy = Numpy::get(object.py())?;
    if let Some(dtype) = numpy.of_scalar_type(&object.get_type()) {
        return typed(object, dtype).map(Some);
    }
    if object.is_instance(numpy.generic.bind(object.py()))? {
        return typed(object, dtypes::parse(&object.getattr("dtype")?)?).map(Some);
    }
    if numpy.is_array(object)? {
        if object.getattr("ndim")?.extract::<usize>()? == 0 {
            return typed(object, dtypes::parse(&object.getattr("dtype")?)?).map(Some);
        }
        return Ok(None);
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Ok(float) = object.cast::<PyFloat>() {
        return Ok(Some(Number::Float(float.value())));
    }
    if let Ok(complex) = object.cast::<PyComplex>() {
        return Ok(Some(Number::Complex(complex.real(), complex.imag())));
    }
    Ok(None)
}

fn typed(object: &Bound<'_, PyAny>, dtype: DType) -> Result<Number> {
    Ok(Number::Typed(match dtype.kind() {
        Kind::Bool => Scalar::integer(dtype, object.is_truthy()?.into()),
        Kind::Signed | Kind::Unsigned => {
            let int = object.py().get_type::<PyInt>().call1((object,))?;
            Scalar::integer(dtype, int.extract::<i128>()?)
        }
        Kind::Float => match object.extract::<f64>()? {
            value if value.is_nan() => with_its_bits(object, dtype)?,
            value => Scalar::real(dtype, value),
        },
        Kind::Complex => {
            let complex = object.py().get_type::<PyComplex>().call1((object,))?.cast_into::<PyComplex>()?;
            if complex.real().is_nan() || complex.imag().is_nan() {
                return Ok(Number::Typed(with_its_bits(object, dtype)?));
            }
            Scalar::complex(dtype, complex.real(), complex.imag())
        }
    }))
}

/// A NumPy scalar that is NaN, with the payload that a conversion to float64 may change.
fn with_its_bits(object: &Bound<'_, PyAny>, dtype: DType) -> Result<Scalar> {
    let given: Vec<u8> = object.call_method0(intern!(object.py(), "tobytes"))?.extract()?;
    let mut bytes = [0; 16];
    let Some(own) = bytes.get_mut(..given.len()).filter(|own| own.len() == dtype.size()) else {
        return Err(value_error(format!("a scalar of {} bytes is no {dtype}", given.len())));
    };
    own.copy_from_slice(&given);
    Ok(Scalar { dtype, bytes })
}

/// The Python number that an element is: what `item()` gives.
pub fn to_python(py: Python<'_>, scalar: Scalar) -> Result<Bound<'_, PyAny>> {
    Ok(match scalar.dtype.kind() {
        Kind::Bool => (scalar.to_integer() != 0).into_bound_py_any(py)?,
        Kind::Signed => (scalar.to_integer() as i64).into_bound_py_any(py)?,
        Kind::Unsigned => (scalar.to_integer() as u64).into_bound_py_any(py)?,
        Kind::Float => scalar.to_complex().0.into_bound_py_any(py)?,
        Kind::Complex => {
            let (re, im) = scalar.to_complex();
            PyComplex::from_doubles(py, re, im).into_any()
        }
    })
}
