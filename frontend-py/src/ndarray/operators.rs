//! Operators and conversions to Python numbers.

use std::sync::LazyLock;

use cuproxide_core::Array;
use cuproxide_core::array::Slice;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::elementwise::{self, Call, Input, Results};
use cuproxide_core::ops::reduction::{self, Reduction};
use cuproxide_core::ops::{creation, products, transfer};
use cuproxide_core::ufunc::{self, Ufunc};
use cuproxide_hal::{DType, Scalar};
use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::{ArrayIterator, NdArray, expected, wrap, wrap_like, wrap_like_at_once, wrap_view};
use crate::arguments::{Argument, is_sequence, unsupported};
use crate::dtypes::Numpy;
use crate::errors::{Result, type_error, value_error};
use crate::scalars::{self, Number};
use crate::traced_number::TracedNumber;
use crate::wait;

/// The ufuncs behind the operators, looked up once.
macro_rules! operators {
    ($($name:ident),* $(,)?) => {
        /// Rows of the ufunc table.
        pub(super) struct Operators { $(pub $name: &'static Ufunc),* }

        pub(super) static OPERATORS: LazyLock<Operators> = LazyLock::new(|| Operators {
            $($name: ufunc::get(stringify!($name)).expect("every operator has a row in the ufunc table")),*
        });
    };
}

operators! {
    add, subtract, multiply, divide, floor_divide, remainder, divmod, power, left_shift, right_shift, bitwise_and,
    bitwise_or, bitwise_xor, negative, positive, absolute, invert, less, less_equal, equal, not_equal, greater,
    greater_equal, square, sqrt, reciprocal,
}

/// Whether a foreign object claims precedence by NumPy's protocols.
fn takes_precedence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    let class = object.get_type();
    if object.is_instance_of::<NdArray>() || Numpy::get(py)?.is_array(object)? {
        return Ok(false);
    }
    if let Some(protocol) = class.getattr_opt(intern!(py, "__array_ufunc__"))? {
        return Ok(protocol.is_none());
    }
    match class.getattr_opt(intern!(py, "__array_priority__"))? {
        Some(priority) => Ok(priority.extract::<f64>().is_ok_and(|priority| priority > 100.0)),
        None => Ok(false),
    }
}

/// The other operand of an operator of `slf`; `None` if that object wants to do the work itself.
fn other<'a>(slf: &Bound<'_, NdArray>, object: &'a Bound<'_, PyAny>) -> Result<Option<Argument<'a>>> {
    if let Some(argument) = Argument::parse(object)? {
        return Ok(Some(argument));
    }
    if takes_precedence(object)? {
        return Ok(None);
    }
    if is_sequence(object) {
        return Argument::operand(object, || Ok(slf.get().read().context().clone())).map(Some);
    }
    let is_container = object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyDict>()
        || Numpy::get(object.py())?.is_array(object)?;
    if is_container { Err(unsupported(object)) } else { Ok(None) }
}

/// The results of a ufunc as objects of the class of `like`; a tuple if there are several.
fn results<'py>(like: &Bound<'py, NdArray>, mut results: Results) -> Result<Bound<'py, PyAny>> {
    if results.len() == 1
        && let Some(only) = results.pop()
    {
        return wrap_like(like, only);
    }
    let all = results.into_iter().map(|array| wrap_like(like, array)).collect::<Result<Vec<_>>>()?;
    Ok(PyTuple::new(like.py(), all)?.into_any())
}

pub(super) fn binary<'py>(
    slf: &Bound<'py, NdArray>,
    object: &Bound<'py, PyAny>,
    ufunc: &'static Ufunc,
    reflected: bool,
) -> Result<Bound<'py, PyAny>> {
    let py = slf.py();
    // The most common operands come first.
    let defer = |other: Input<'_>| {
        let own = slf.get().read();
        let own = Input::Array(&own);
        elementwise::defer(ufunc, &if reflected { [other, own] } else { [own, other] })
    };
    let deferred = if let Ok(array) = object.cast_exact::<NdArray>() {
        defer(Input::Array(&array.get().read()))?
    } else if let Ok(number) = object.cast_exact::<PyFloat>() {
        defer(Input::Float(number.value()))?
    } else if object.is_exact_instance_of::<PyInt>()
        && let Ok(number) = object.extract::<i64>()
    {
        defer(Input::Int(number.into()))?
    } else {
        None
    };
    if let Some(array) = deferred {
        return wrap_like_at_once(slf, array);
    }
    if let Ok(number) = object.cast_exact::<TracedNumber>() {
        return number.get().operand(ufunc.name, |value| binary(slf, &PyFloat::new(py, value), ufunc, reflected));
    }
    let Some(operand) = other(slf, object)? else { return Ok(py.NotImplemented().into_bound(py)) };
    let made = {
        let own = slf.get().read();
        let (own_input, operand) = (Input::Array(&own), operand.input(own.dtype().is_inexact())?);
        wait::ufunc(py, ufunc, &if reflected { [operand, own_input] } else { [own_input, operand] })?
    };
    // A subclass on the right gives its class to results, too.
    let like = object.cast::<NdArray>().ok().filter(|_| slf.is_exact_instance_of::<NdArray>());
    results(like.unwrap_or(slf), made)
}

pub(super) fn in_place(slf: &Bound<'_, NdArray>, object: &Bound<'_, PyAny>, ufunc: &'static Ufunc) -> Result<()> {
    if let Ok(number) = object.cast_exact::<TracedNumber>() {
        return number.get().operand(ufunc.name, |value| in_place(slf, &PyFloat::new(slf.py(), value), ufunc));
    }
    let target = slf.get().output()?;
    let operand = Argument::operand(object, || Ok(target.context().clone()))?;
    let inputs = [Input::Array(&target), operand.input(target.dtype().is_inexact())?];
    if elementwise::defer_into(ufunc, &inputs, &target)? {
        return Ok(());
    }
    let out: [Option<&Array>; 1] = [Some(&target)];
    let request = Call { out: &out, ..Call::new(&inputs) };
    wait::operands(slf.py(), &inputs, || elementwise::call(ufunc, &request))?;
    Ok(())
}

fn unary<'py>(slf: &Bound<'py, NdArray>, ufunc: &'static Ufunc) -> Result<Bound<'py, PyAny>> {
    if let Some(made) = expected::follow_call(slf.py(), ufunc, &[slf.as_any()]) {
        return made;
    }
    let made = wait::ufunc(slf.py(), ufunc, &[Input::Array(&slf.get().read())])?;
    results(slf, made)
}

/// The simpler ufunc that NumPy calls for some Python numbers as exponents.
fn simpler_power(slf: &Bound<'_, NdArray>, exponent: &Bound<'_, PyAny>) -> Option<&'static Ufunc> {
    let is_int = exponent.is_exact_instance_of::<PyInt>();
    if !is_int && !exponent.is_exact_instance_of::<PyFloat>() {
        return None;
    }
    let inexact = slf.get().read().dtype().is_inexact();
    let exponent = exponent.extract::<f64>().ok()?;
    match exponent {
        2.0 if inexact || is_int => Some(OPERATORS.square),
        1.0 if inexact => Some(OPERATORS.positive),
        0.5 if inexact => Some(OPERATORS.sqrt),
        -1.0 if inexact => Some(OPERATORS.reciprocal),
        _ => None,
    }
}

/// `numpy.matmul` of two objects of which one is an array.
fn product<'py>(slf: &Bound<'py, NdArray>, object: &Bound<'py, PyAny>, reflected: bool) -> Result<Bound<'py, PyAny>> {
    let py = slf.py();
    match other(slf, object)? {
        None => Ok(py.NotImplemented().into_bound(py)),
        Some(Argument::Number(_)) => Err(scalar_product(usize::from(!reflected))),
        Some(Argument::Array(operand)) => {
            let own = slf.get().snapshot();
            let (left, right): (&Array, &Array) = if reflected { (&operand, &own) } else { (&own, &operand) };
            let operations = left.size().saturating_mul(right.size());
            let made = wait::library_call(py, own.context(), operations, || products::matmul(left, right, None, None))?;
            drop(operand);
            wrap_like(slf, made)
        }
    }
}

/// The error for a product with a number.
pub fn scalar_product(position: usize) -> crate::errors::Failure {
    value_error(format!(
        "matmul: Input operand {position} does not have enough dimensions (has 0, gufunc core with signature \
         (n?,k),(k,m?)->(n?,m?) requires 1)"
    ))
}

/// The single element of an array, for a conversion to a Python number.
fn single(array: &NdArray, py: Python<'_>) -> Result<Scalar> {
    let array = array.read();
    if array.ndim() != 0 {
        return Err(type_error("only 0-dimensional arrays can be converted to Python scalars"));
    }
    wait::item(py, &array)
}

#[pymethods]
impl NdArray {
    fn __divmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        binary(slf, other, OPERATORS.divmod, false)
    }

    fn __rdivmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        binary(slf, other, OPERATORS.divmod, true)
    }

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        match modulo {
            None => match simpler_power(slf, other) {
                Some(ufunc) => unary(slf, ufunc),
                None => binary(slf, other, OPERATORS.power, false),
            },
            Some(_) => Ok(slf.py().NotImplemented().into_bound(slf.py())),
        }
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        match modulo {
            None => binary(slf, other, OPERATORS.power, true),
            Some(_) => Ok(slf.py().NotImplemented().into_bound(slf.py())),
        }
    }

    fn __ipow__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> Result<()> {
        in_place(slf, other, OPERATORS.power)
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        product(slf, other, false)
    }

    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        product(slf, other, true)
    }

    fn __imatmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> Result<()> {
        let target = slf.get().output()?.clone();
        match Argument::operand(other, || Ok(target.context().clone()))? {
            Argument::Number(_) => Err(scalar_product(1)),
            Argument::Array(operand) => {
                let operand: &Array = &operand;
                wait::long(slf.py(), || products::matmul(&target, operand, Some(&target), None))?;
                Ok(())
            }
        }
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        unary(slf, OPERATORS.negative)
    }

    fn __pos__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        unary(slf, OPERATORS.positive)
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        unary(slf, OPERATORS.absolute)
    }

    fn __invert__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        unary(slf, OPERATORS.invert)
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> Result<Bound<'py, PyAny>> {
        let py = slf.py();
        let ufunc = match operator {
            CompareOp::Lt => OPERATORS.less,
            CompareOp::Le => OPERATORS.less_equal,
            CompareOp::Eq => OPERATORS.equal,
            CompareOp::Ne => OPERATORS.not_equal,
            CompareOp::Gt => OPERATORS.greater,
            CompareOp::Ge => OPERATORS.greater_equal,
        };
        if let Some(made) = expected::follow_call(py, ufunc, &[slf.as_any(), object]) {
            return made;
        }
        let equality = matches!(operator, CompareOp::Eq | CompareOp::Ne);
        let everywhere = |truth: bool| {
            let array = slf.get().snapshot();
            let value = Scalar::integer(DType::Bool, truth.into());
            wrap(py, creation::full(array.context(), DType::Bool, array.shape(), Order::C, value)?)
        };
        if let Ok(number) = object.cast_exact::<TracedNumber>() {
            return number.get().operand(ufunc.name, |value| binary(slf, &PyFloat::new(py, value), ufunc, false));
        }
        let other = Argument::parse(object)?;
        if let Some(Argument::Number(Number::Huge(_, value))) = &other
            && !slf.get().read().dtype().is_inexact()
        {
            // Every integer of an array is nearer to zero.
            return everywhere(operator.matches(0.0_f64.total_cmp(value)));
        }
        if other.is_none() && !is_sequence(object) {
            if takes_precedence(object)? {
                return Ok(py.NotImplemented().into_bound(py));
            }
            // Text and objects that compare by identity (`None`, `...`) equal no element.
            let plain = py.get_type::<PyAny>().getattr(intern!(py, "__eq__"))?;
            let is_other =
                object.is_none() || object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
            if equality && (is_other || object.get_type().getattr(intern!(py, "__eq__"))?.is(&plain)) {
                return everywhere(matches!(operator, CompareOp::Ne));
            }
            return Err(unsupported(object));
        }
        binary(slf, object, ufunc, false)
    }

    fn __bool__(&self, py: Python<'_>) -> Result<bool> {
        let array = self.snapshot();
        match array.size() {
            1 => {
                let scalar = wait::item(py, &array)?;
                Ok(scalar.to_complex() != (0.0, 0.0) || (!scalar.dtype.is_inexact() && scalar.to_integer() != 0))
            }
            0 => Err(value_error(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not \
                 empty.",
            )),
            _ => Err(value_error(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }

    fn __int__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let number = scalars::to_python(py, single(self, py)?)?;
        Ok(py.get_type::<PyInt>().call1((number,))?)
    }

    fn __float__(&self, py: Python<'_>) -> Result<f64> {
        let scalar = single(self, py)?;
        if scalar.dtype.is_complex() {
            return Err(type_error("float() argument must be a string or a real number, not 'complex'"));
        }
        Ok(scalar.to_complex().0)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let (re, im) = single(self, py)?.to_complex();
        Ok(pyo3::types::PyComplex::from_doubles(py, re, im).into_any())
    }

    fn __index__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let array = self.snapshot();
        if array.ndim() != 0 || !array.dtype().is_integer() {
            return Err(type_error("only integer scalar arrays can be converted to a scalar index"));
        }
        scalars::to_python(py, single(self, py)?)
    }

    /// The nearest integer, or a 0-dimensional array rounded to `ndigits` decimals. Both round half to even.
    #[pyo3(signature = (ndigits=None))]
    fn __round__<'py>(slf: &Bound<'py, Self>, ndigits: Option<&Bound<'py, PyAny>>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        if array.ndim() != 0 || array.dtype().is_complex() {
            return Err(type_error("only 0-dimensional arrays of real numbers have a __round__: use round(decimals)"));
        }
        let py = slf.py();
        match ndigits {
            Some(digits) if !digits.is_none() => Ok(slf.call_method1(intern!(py, "round"), (digits,))?),
            _ => Ok(scalars::to_python(py, single(slf.get(), py)?)?.call_method0(intern!(py, "__round__"))?),
        }
    }

    fn __len__(&self) -> Result<usize> {
        self.read().shape().first().copied().ok_or_else(|| type_error("len() of unsized object"))
    }

    fn __iter__(slf: &Bound<'_, Self>) -> Result<ArrayIterator> {
        if slf.get().read().ndim() == 0 {
            return Err(type_error("iteration over a 0-d array"));
        }
        Ok(ArrayIterator::new(slf))
    }

    fn __reversed__(slf: &Bound<'_, Self>) -> Result<ArrayIterator> {
        let array = slf.get().snapshot();
        let Some(&length) = array.shape().first() else { return Err(type_error("len() of unsized object")) };
        let backwards = Slice { start: length as isize - 1, step: -1, length };
        Ok(ArrayIterator::new(wrap_view(slf, array.slice_axis(0, backwards))?.cast()?))
    }

    fn __contains__(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> Result<bool> {
        let equal = slf.rich_compare(value, CompareOp::Eq)?;
        let Ok(equal) = equal.cast::<NdArray>() else { return Ok(equal.is_truthy()?) };
        let equal = equal.get().snapshot();
        let any = wait::long(slf.py(), || {
            reduction::reduce("any", &equal, &Reduction::default()).and_then(|found| transfer::item(&found))
        })?;
        Ok(any.to_integer() != 0)
    }
}
