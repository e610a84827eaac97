//! A number that stands for an argument while a function is traced, so that later calls may give another one.

use cuproxide_core::trace::{Origin, Traced};
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple, PyType};

use crate::errors::Result;

/// Ufuncs whose kernels take numbers as they are, whatever their values.
const KERNELS: [&str; 12] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "less",
    "less_equal",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
];

/// A Python float of a traced call. Sums, products and quotients with other numbers are such numbers again, and kernels take them
/// as arguments. For everything else it is its value, and the trace holds for this value only.
#[pyclass(frozen, name = "traced_float", module = "cuproxide")]
pub struct TracedNumber {
    traced: Traced,
    value: f64,
}

impl TracedNumber {
    /// Argument `number` of a trace that has begun.
    pub fn argument(number: usize, value: f64) -> Option<TracedNumber> {
        Some(TracedNumber { traced: Traced::new(Origin::Argument(number), value)?, value })
    }

    /// The value, which the trace depends on from now on.
    pub fn plain(&self) -> f64 {
        self.traced.look_at();
        self.value
    }

    /// Does `work` with the value as an operand of a ufunc, which the trace does not depend on if the kernel takes it.
    pub fn operand<R>(&self, ufunc: &str, work: impl FnOnce(f64) -> R) -> R {
        if KERNELS.contains(&ufunc) { self.traced.with(self.value, || work(self.value)) } else { work(self.plain()) }
    }

    fn float<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyFloat::new(py, self.plain()).into_any()
    }

    /// An operation with another number, in this order or (`reflected`) the other one.
    fn combined<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        name: &str,
        reflected: bool,
        origin: fn(u16, u16) -> Origin,
        compute: fn(f64, f64) -> f64,
    ) -> Result<Bound<'py, PyAny>> {
        let py = other.py();
        if is_array(other) {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let second = if let Ok(number) = other.cast_exact::<TracedNumber>() {
            let number = number.get();
            number.traced.number().map(|own| (own, number.value))
        } else {
            let value = if let Ok(float) = other.cast_exact::<PyFloat>() {
                Some(float.value())
            } else if other.is_exact_instance_of::<PyInt>() {
                // Those that doubles hold exactly.
                other.extract::<i64>().ok().filter(|value| value.unsigned_abs() <= 1 << 53).map(|value| value as f64)
            } else {
                None
            };
            value.and_then(|value| Some((Traced::new(Origin::Constant(value), value)?.number()?, value)))
        };
        if let (Some(own), Some((number, value))) = (self.traced.number(), second) {
            let (a, b) =
                if reflected { ((number, value), (own, self.value)) } else { ((own, self.value), (number, value)) };
            // A division by zero is Python's error.
            if name != "truediv" || b.1 != 0.0 {
                let value = compute(a.1, b.1);
                if let Some(traced) = Traced::new(origin(a.0, b.0), value) {
                    return Ok(Bound::new(py, TracedNumber { traced, value })?.into_any());
                }
            }
        }
        self.as_python(other, name, reflected)
    }

    /// What Python's `operator` gives for the value.
    fn as_python<'py>(&self, other: &Bound<'py, PyAny>, name: &str, reflected: bool) -> Result<Bound<'py, PyAny>> {
        let py = other.py();
        let (own, other) = (self.float(py), without(other)?);
        let operator = py.import("operator")?.getattr(name)?;
        Ok(if reflected { operator.call1((other, own))? } else { operator.call1((own, other))? })
    }

    fn of_float<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
        Ok(self.float(py).call_method0(name)?)
    }
}

/// An object as the program knows it: numbers as Python's, also within tuples, lists and dictionaries.
pub fn without<'py>(object: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let py = object.py();
    if let Ok(number) = object.cast_exact::<TracedNumber>() {
        return Ok(number.get().float(py));
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        let parts = tuple.iter().map(|part| without(&part)).collect::<Result<Vec<_>>>()?;
        let same = parts.iter().zip(tuple.iter()).all(|(a, b)| a.is(&b));
        return Ok(if same { object.clone() } else { PyTuple::new(py, parts)?.into_any() });
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        for (at, part) in list.iter().enumerate() {
            let found = without(&part)?;
            if !found.is(&part) {
                list.set_item(at, found)?;
            }
        }
    } else if let Ok(dict) = object.cast_exact::<PyDict>() {
        let parts: Vec<_> =
            dict.iter().map(|(key, part)| Ok((without(&key)?, without(&part)?))).collect::<Result<_>>()?;
        if parts.iter().zip(dict.iter()).any(|((a, b), (key, part))| !a.is(&key) || !b.is(&part)) {
            // A number that is a key equals its value, so that only a new entry has another key.
            dict.clear();
            for (key, part) in parts {
                dict.set_item(key, part)?;
            }
        }
    }
    Ok(object.clone())
}

/// Takes such numbers out of an exception and out of those that it came from.
pub fn restore_exception(exception: &Bound<'_, PyAny>) -> Result<()> {
    let py = exception.py();
    let mut next = exception.clone();
    // Chains of exceptions may be long, and closed by hand.
    for _ in 0..64 {
        for name in [intern!(py, "args"), intern!(py, "value"), intern!(py, "code"), intern!(py, "obj")] {
            let Some(held) = next.getattr_opt(name)? else { continue };
            let found = without(&held)?;
            if !found.is(&held) {
                next.setattr(name, found)?;
            }
        }
        without(&next.getattr(intern!(py, "__dict__"))?)?;
        let cause = next.getattr(intern!(py, "__cause__"))?;
        let came = if cause.is_none() { next.getattr(intern!(py, "__context__"))? } else { cause };
        if came.is_none() {
            break;
        }
        next = came;
    }
    Ok(())
}

/// Whether an object is an array of this package, whose operators take such numbers.
fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let priority = object.get_type().getattr(intern!(object.py(), "__array_priority__"));
    priority.and_then(|priority| priority.extract::<f64>()).is_ok_and(|priority| priority >= 100.0)
}

#[pymethods]
impl TracedNumber {
    /// NumPy's arrays leave operators to this class.
    #[classattr]
    fn __array_ufunc__() -> Option<bool> {
        None
    }

    #[getter(__class__)]
    fn class<'py>(&self, py: Python<'py>) -> Bound<'py, PyType> {
        py.get_type::<PyFloat>()
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "add", false, Origin::Sum, |a, b| a + b)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "add", true, Origin::Sum, |a, b| a + b)
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "sub", false, Origin::Difference, |a, b| a - b)
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "sub", true, Origin::Difference, |a, b| a - b)
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "mul", false, Origin::Product, |a, b| a * b)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "mul", true, Origin::Product, |a, b| a * b)
    }

    fn __truediv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "truediv", false, Origin::Quotient, |a, b| a / b)
    }

    fn __rtruediv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.combined(other, "truediv", true, Origin::Quotient, |a, b| a / b)
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let value = -self.value;
        match self.traced.number().and_then(|own| Traced::new(Origin::Negative(own), value)) {
            Some(traced) => Ok(Bound::new(py, TracedNumber { traced, value })?.into_any()),
            None => self.of_float(py, "__neg__"),
        }
    }

    fn __pos__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        slf.clone().into_any()
    }

    fn __pow__<'py>(&self, other: &Bound<'py, PyAny>, _modulus: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "pow", false)
    }

    fn __rpow__<'py>(&self, other: &Bound<'py, PyAny>, _modulus: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "pow", true)
    }

    fn __mod__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "mod", false)
    }

    fn __rmod__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "mod", true)
    }

    fn __floordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "floordiv", false)
    }

    fn __rfloordiv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.as_python(other, "floordiv", true)
    }

    fn __divmod__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let builtin = other.py().import("builtins")?.getattr("divmod")?;
        Ok(builtin.call1((self.float(other.py()), without(other)?))?)
    }

    fn __rdivmod__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let builtin = other.py().import("builtins")?.getattr("divmod")?;
        Ok(builtin.call1((without(other)?, self.float(other.py())))?)
    }

    fn __abs__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__abs__")
    }

    fn __float__(&self) -> f64 {
        self.plain()
    }

    fn __int__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__int__")
    }

    fn __trunc__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__trunc__")
    }

    fn __floor__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__floor__")
    }

    fn __ceil__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__ceil__")
    }

    #[pyo3(signature = (digits=None))]
    fn __round__<'py>(&self, py: Python<'py>, digits: Option<&Bound<'py, PyAny>>) -> Result<Bound<'py, PyAny>> {
        Ok(self.float(py).call_method1("__round__", (digits,))?)
    }

    fn __bool__(&self) -> bool {
        self.plain() != 0.0
    }

    fn __hash__(&self, py: Python<'_>) -> Result<isize> {
        Ok(self.float(py).hash()?)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.of_float(py, "__repr__")
    }

    fn __format__<'py>(&self, py: Python<'py>, format: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Ok(self.float(py).call_method1("__format__", (format,))?)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let _ = copy;
        Ok(py.import("numpy")?.call_method1("asarray", (self.float(py), dtype))?)
    }

    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, operator: CompareOp) -> Result<Bound<'py, PyAny>> {
        let py = other.py();
        if is_array(other) {
            return Ok(py.NotImplemented().into_bound(py));
        }
        Ok(self.float(py).rich_compare(without(other)?, operator)?)
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
        if name.starts_with("__") {
            return Err(PyAttributeError::new_err(format!("'float' object has no attribute '{name}'")).into());
        }
        Ok(self.float(py).getattr(name)?)
    }
}
