//! Calling kernels that Python wrote: arguments become operands, the types of a call find the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_core::array::common_context;
use cuproxide_core::layout::{Dims, Order, broadcast_shapes, checked_size, show_shape};
use cuproxide_core::ops::authored::Operand;
use cuproxide_core::promotion::{self, Casting, can_cast};
use cuproxide_core::{Array, Context};
use cuproxide_hal::{DType, Scalar};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use smallvec::SmallVec;

use crate::arguments::{self, Argument, ArrayRef};
use crate::errors::{Result, type_error, value_error};
use crate::ir_builder::KernelProgram;
use crate::ndarray::wrap;
use crate::scalars::Number;
use crate::wait;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An array; see [`Operand`]. Numbers, too, where all axes are the launch's and nothing is written.
    Array { own_axes: Option<usize>, writes: bool },
    /// A number that is no part of the kernel.
    Number(Kind),
    /// Any object that the kernel depends on.
    Static,
}

/// What a number is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
    Complex,
    /// Nothing else than what it is.
    Any,
}

impl Kind {
    fn dtype(self) -> Option<DType> {
        match self {
            Kind::Bool => Some(DType::Bool),
            Kind::Int => Some(DType::I64),
            Kind::Float => Some(DType::F64),
            Kind::Complex => Some(DType::C128),
            Kind::Any => None,
        }
    }
}

struct Parameter {
    name: String,
    role: Role,
    default: Option<Py<PyAny>>,
}

/// A Python function that is a kernel: written once for the types of its arguments, then launched.
#[pyclass(name = "Kernel", module = "cuproxide._cuproxide", frozen)]
pub struct PyKernel {
    function: Py<PyAny>,
    /// What reads the function: its parameters, and its program for types.
    describe: Py<PyAny>,
    build: Py<PyAny>,
    parameters: PyOnceLock<Vec<Parameter>>,
    /// Programs by the types of a call.
    programs: Py<PyDict>,
    /// Whether the kernel depends on how many axes a launch has.
    by_shape: AtomicBool,
}

/// What a call is made of, as far as it is no array.
#[derive(Default)]
struct Call<'py> {
    /// All that the kernel depends on but the objects in `statics`.
    key: SmallVec<[u8; 48]>,
    scalars: SmallVec<[Scalar; 8]>,
    statics: SmallVec<[Bound<'py, PyAny>; 2]>,
    out: Option<Bound<'py, PyAny>>,
    shape: Option<Dims>,
    /// How many positions the ranges of a fold lie in.
    over: Option<usize>,
}

const ARRAY: u8 = 1;
const NUMBER: u8 = 2;
const RESULT: u8 = 3;
const AXES: u8 = 4;

type Objects<'py> = SmallVec<[Bound<'py, PyAny>; 8]>;

impl PyKernel {
    fn parameters(&self, py: Python<'_>) -> Result<&[Parameter]> {
        let read = || -> Result<Vec<Parameter>> {
            let described = self.describe.bind(py).call1((&self.function,))?;
            let mut parameters = vec![];
            for entry in described.try_iter()? {
                type Entry<'py> = (String, String, Option<usize>, Option<Bound<'py, PyTuple>>);
                let (name, role, own_axes, default): Entry<'_> = entry?.extract()?;
                let role = match role.as_str() {
                    "read" => Role::Array { own_axes, writes: false },
                    "write" => Role::Array { own_axes, writes: true },
                    "bool" => Role::Number(Kind::Bool),
                    "int" => Role::Number(Kind::Int),
                    "float" => Role::Number(Kind::Float),
                    "complex" => Role::Number(Kind::Complex),
                    "number" => Role::Number(Kind::Any),
                    _ => Role::Static,
                };
                let default = default.map(|boxed| boxed.get_item(0).map(Bound::unbind)).transpose()?;
                parameters.push(Parameter { name, role, default });
            }
            Ok(parameters)
        };
        Ok(self.parameters.get_or_try_init(py, read)?)
    }

    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.function.bind(py).getattr("__name__")?.extract()
    }

    /// The argument of each parameter, by Python's rules; parameters that only change the kernel go by keyword.
    fn bind<'py>(
        &self,
        parameters: &[Parameter],
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
        call: &mut Call<'py>,
    ) -> Result<Objects<'py>> {
        let py = arguments.py();
        let by_position = parameters.iter().filter(|parameter| parameter.role != Role::Static).count();
        if arguments.len() > by_position {
            return Err(arguments::wrong_count(&self.name(py)?, by_position, by_position, arguments.len()).into());
        }
        let mut found: SmallVec<[Option<Bound<'py, PyAny>>; 8]> = arguments.iter().map(Some).collect();
        found.resize(parameters.len(), None);
        for (key, value) in keywords.into_iter().flatten() {
            let key = key.cast_into::<PyString>()?;
            let key = key.to_str()?;
            if let Some(position) = parameters.iter().position(|parameter| parameter.name == key) {
                if found[position].replace(value).is_some() {
                    return Err(type_error(format!("{}() got multiple values for argument '{key}'", self.name(py)?)));
                }
                continue;
            }
            match key {
                "out" => call.out = Some(value).filter(|value| !value.is_none()),
                "shape" => call.shape = Some(arguments::shape(&value)?),
                "over" => call.over = Some(value.extract()?),
                _ => {
                    let name = self.name(py)?;
                    return Err(type_error(format!("{name}() got an unexpected keyword argument '{key}'")));
                }
            }
        }
        let mut objects = Objects::new();
        for (parameter, object) in parameters.iter().zip(found) {
            match (object, &parameter.default) {
                (Some(object), _) => objects.push(object),
                (None, Some(default)) => objects.push(default.bind(py).clone()),
                (None, None) => {
                    let name = self.name(py)?;
                    return Err(type_error(format!("{name}() is missing an argument: '{}'", parameter.name)));
                }
            }
        }
        Ok(objects)
    }

    /// What a call has besides arrays, and its arrays in the order of the parameters.
    fn parse<'a, 'py>(
        &self,
        parameters: &[Parameter],
        objects: &'a Objects<'py>,
        call: &mut Call<'py>,
    ) -> Result<SmallVec<[(ArrayRef<'a>, Option<usize>); 8]>> {
        let mut arrays = SmallVec::new();
        for (parameter, object) in parameters.iter().zip(objects) {
            let complain = |what: &str| -> Result<()> {
                let (name, class) = (self.name(object.py())?, object.get_type());
                Err(type_error(format!("{name}(): '{}' takes {what}, not {class}", parameter.name)))
            };
            match parameter.role {
                Role::Static => call.statics.push(object.clone()),
                Role::Number(kind) => match Number::parse(object)? {
                    Some(number) => {
                        let is_fit = match kind {
                            Kind::Int => !number.dtype().is_inexact(),
                            Kind::Float => !number.dtype().is_complex(),
                            _ => true,
                        };
                        if !is_fit {
                            complain(if kind == Kind::Int { "an integer" } else { "a real number" })?;
                        }
                        push_number(&number, kind, call)?;
                    }
                    None => complain("a number")?,
                },
                Role::Array { own_axes, writes: true } => match arguments::out(Some(object))? {
                    Some(array) => push_array(&parameter.name, array, own_axes, call, &mut arrays)?,
                    None => complain("an array")?,
                },
                Role::Array { own_axes, writes: false } => match Argument::parse(object)? {
                    Some(Argument::Array(array)) => push_array(&parameter.name, array, own_axes, call, &mut arrays)?,
                    Some(Argument::Number(number)) if own_axes == Some(0) => push_number(&number, Kind::Any, call)?,
                    Some(Argument::Number(_)) => complain("an array")?,
                    None => return Err(arguments::unsupported(object)),
                },
            }
        }
        Ok(arrays)
    }

    /// The program for a call, written at the first one of its types. Where it asks for coordinates, there is one for each number
    /// of axes, and for few points one that divides numbers of 32 bits.
    fn program<'py>(
        &self,
        py: Python<'py>,
        parameters: &[Parameter],
        call: &mut Call<'py>,
        shape: &[usize],
    ) -> Result<Py<KernelProgram>> {
        let typed = call.key.len();
        let axes = shape.len();
        let is_narrow = shape.iter().product::<usize>() <= u32::MAX as usize;
        let by_shape = [AXES, axes as u8, is_narrow.into()];
        if self.by_shape.load(Ordering::Relaxed) {
            call.key.extend(by_shape);
        }
        if let Some(found) = self.programs.bind(py).get_item(key(py, call)?)? {
            return Ok(found.cast_into::<KernelProgram>()?.unbind());
        }
        let (described, results) = describe_call(py, parameters, call, typed)?;
        let made = self
            .build
            .bind(py)
            .call1((&self.function, described, results, axes, is_narrow))?
            .cast_into::<KernelProgram>()?;
        if made.get().uses_shape && !self.by_shape.swap(true, Ordering::Relaxed) {
            call.key.extend(by_shape);
        }
        self.programs.bind(py).set_item(key(py, call)?, &made)?;
        Ok(made.unbind())
    }

    fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let parameters = self.parameters(py)?;
        let mut call = Call::default();
        let objects = self.bind(parameters, arguments, keywords, &mut call)?;
        let given = results_given(call.out.as_ref())?;
        let made = {
            let arrays = self.parse(parameters, &objects, &mut call)?;
            let targets: SmallVec<[Option<ArrayRef<'_>>; 2]> =
                given.iter().map(|object| arguments::out(object.as_ref())).collect::<Result<_>>()?;
            for target in &targets {
                call.key.extend([RESULT, target.as_ref().map_or(0, |array| 1 + array.dtype() as u8)]);
            }
            let operands: SmallVec<[Operand<'_>; 8]> =
                arrays.iter().map(|(array, own_axes)| Operand { array, own_axes: *own_axes }).collect();
            let shape = self.shape(py, &operands, call.shape.as_deref())?;
            let involved = operands.iter().map(|operand| operand.array).chain(targets.iter().flatten().map(|a| &**a));
            let context = match common_context("kernel", involved)? {
                Some(context) => context.clone(),
                None => Context::current()?,
            };
            let program = self.program(py, parameters, &mut call, &shape)?;
            let program = program.get();
            let made = results(&context, program, &targets, &shape)?;
            let mut scalars = call.scalars;
            if program.uses_shape {
                scalars.extend(shape.iter().map(|&length| Scalar::i64(length as i64)));
            }
            if program.is_segmented != call.over.is_some() {
                let verb = if program.is_segmented { "needs" } else { "takes no" };
                return Err(type_error(format!("{}() {verb} over=", self.name(py)?)));
            }
            launch(py, &context, program, &shape, call.over, &operands, &made, &scalars)?;
            made
        };
        let mut wrapped = made.into_iter().enumerate().map(|(position, array)| match given.get(position) {
            Some(Some(out)) => Ok(out.clone()),
            _ => wrap(py, array),
        });
        match (wrapped.len(), wrapped.next()) {
            (_, None) => Ok(py.None().into_bound(py)),
            (1, Some(only)) => only,
            (_, first) => {
                let all = first.into_iter().chain(wrapped).collect::<Result<Vec<_>>>()?;
                Ok(PyTuple::new(py, all)?.into_any())
            }
        }
    }

    /// The shape of a launch: what its operands are stretched to.
    fn shape(&self, py: Python<'_>, operands: &[Operand<'_>], asked: Option<&[usize]>) -> Result<Dims> {
        let batches = operands.iter().map(|operand| &operand.array.shape()[..operand.batch_axes()]);
        let shape = broadcast_shapes(batches.chain(asked))?;
        match asked {
            Some(asked) if asked != shape.as_slice() => Err(value_error(format!(
                "{}(): operands have shape {}, not the shape {} that was asked for",
                self.name(py)?,
                show_shape(&shape),
                show_shape(asked)
            ))),
            _ => Ok(shape),
        }
    }
}

fn launch(
    py: Python<'_>,
    context: &Arc<Context>,
    program: &KernelProgram,
    shape: &[usize],
    over: Option<usize>,
    operands: &[Operand<'_>],
    results: &[Array],
    scalars: &[Scalar],
) -> Result<()> {
    let written = results.iter().map(|array| Operand { array, own_axes: Some(0) });
    let read = operands.iter().map(|&Operand { array, own_axes }| Operand { array, own_axes });
    let all: SmallVec<[Operand<'_>; 8]> = read.chain(written).collect();
    let elements = all.iter().map(|operand| operand.array.size()).chain(over).max().unwrap_or(0);
    wait::operation(py, context, elements, || program.authored.launch(context, shape, over, &all, scalars))
}

fn push_array<'a>(
    name: &str,
    array: ArrayRef<'a>,
    own_axes: Option<usize>,
    call: &mut Call<'_>,
    arrays: &mut SmallVec<[(ArrayRef<'a>, Option<usize>); 8]>,
) -> Result<()> {
    let own = own_axes.unwrap_or(array.ndim());
    if own > array.ndim() {
        return Err(value_error(format!("'{name}' needs {own} axes, it has {}", array.ndim())));
    }
    // Whether neighbours along the last axis are neighbours in memory: their addresses then take no multiplication.
    let is_dense = own > 0
        && (array.shape()[array.ndim() - 1] < 2 || array.strides()[array.ndim() - 1] == array.dtype().size() as isize);
    call.key.extend([ARRAY, array.dtype() as u8, own as u8, u8::from(is_dense)]);
    arrays.push((array, own_axes));
    Ok(())
}

fn push_number(number: &Number, kind: Kind, call: &mut Call<'_>) -> Result<()> {
    // A number of NumPy's has a type that counts, one of Python's takes that of what it meets.
    let is_weak = kind != Kind::Any || !matches!(number.operand(), promotion::Operand::Strong(_));
    let scalar = number.element(kind.dtype().unwrap_or_else(|| number.dtype()))?;
    call.key.extend([NUMBER, scalar.dtype as u8, u8::from(is_weak)]);
    call.scalars.push(scalar);
    Ok(())
}

/// The arrays that an `out=` names.
fn results_given<'py>(out: Option<&Bound<'py, PyAny>>) -> Result<SmallVec<[Option<Bound<'py, PyAny>>; 2]>> {
    let Some(out) = out else { return Ok(SmallVec::new()) };
    Ok(match out.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().map(|object| Some(object).filter(|object| !object.is_none())).collect(),
        Err(_) => smallvec::smallvec![Some(out.clone())],
    })
}

/// The results of a call: those given, and new ones in C order.
fn results(
    context: &Arc<Context>,
    program: &KernelProgram,
    targets: &[Option<ArrayRef<'_>>],
    shape: &[usize],
) -> Result<SmallVec<[Array; 2]>> {
    if targets.len() > program.outputs.len() {
        let (given, count) = (targets.len(), program.outputs.len());
        return Err(value_error(format!(
            "out has {given} arrays, the kernel {} has {count} results",
            program.authored.name()
        )));
    }
    let mut made = SmallVec::new();
    for (position, &dtype) in program.outputs.iter().enumerate() {
        match targets.get(position) {
            Some(Some(target)) if target.shape() != shape => {
                return Err(value_error(format!(
                    "out has shape {}, the result of {} has shape {}",
                    show_shape(target.shape()),
                    program.authored.name(),
                    show_shape(shape)
                )));
            }
            Some(Some(target)) => made.push((**target).clone()),
            _ => {
                checked_size(shape, dtype.size())?;
                made.push(Array::empty(context, dtype, shape, Order::C)?);
            }
        }
    }
    Ok(made)
}

/// What finds the program of a call.
fn key<'py>(py: Python<'py>, call: &Call<'py>) -> Result<Bound<'py, PyAny>> {
    let types = PyBytes::new(py, &call.key).into_any();
    if call.statics.is_empty() {
        return Ok(types);
    }
    // Objects of different classes may be equal, as 1 and True are.
    let classes = call.statics.iter().map(|object| object.get_type().into_any());
    let parts = [types].into_iter().chain(call.statics.iter().cloned()).chain(classes);
    Ok(PyTuple::new(py, parts.collect::<Vec<_>>())?.into_any())
}

/// The arguments and results of a call as the builder wants them: the types of arrays and numbers, and static objects.
fn describe_call<'py>(
    py: Python<'py>,
    parameters: &[Parameter],
    call: &Call<'py>,
    end: usize,
) -> Result<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
    let mut words = call.key[..end].iter().copied().map(usize::from);
    let mut statics = call.statics.iter();
    let mut described = vec![];
    for parameter in parameters {
        let name = &parameter.name;
        described.push(match parameter.role {
            Role::Static => (name, "static", statics.next()).into_bound_py_any(py)?,
            role => {
                let mut next = || words.next().expect("the key names every argument");
                let (tag, dtype, detail) = (next(), DType::ALL[next()].name(), next());
                let kind = match role {
                    _ if tag == usize::from(NUMBER) => "number",
                    Role::Array { writes: true, .. } => "write",
                    _ => "read",
                };
                let is_elementwise = matches!(role, Role::Array { own_axes: Some(0), .. });
                let is_dense = tag == usize::from(ARRAY) && next() != 0;
                (name, kind, dtype, detail, is_elementwise, is_dense).into_bound_py_any(py)?
            }
        });
    }
    let rest: SmallVec<[usize; 4]> = words.collect();
    // Pairs of a tag and a type, 0 where no array is given.
    let given = rest.chunks(2).map(|pair| pair[1].checked_sub(1).map(|code| DType::ALL[code].name()));
    Ok((PyTuple::new(py, described)?, PyTuple::new(py, given.collect::<Vec<_>>())?))
}

/// Whether a result may be stored as another type: NumPy's `same_kind`.
#[pyfunction]
pub fn kernel_stores(from_: &str, to: &str) -> bool {
    match (DType::from_name(from_), DType::from_name(to)) {
        (Some(from), Some(to)) => can_cast(from, to, Casting::SameKind),
        _ => false,
    }
}

#[pymethods]
impl PyKernel {
    #[new]
    fn __new__(py: Python<'_>, function: Py<PyAny>, describe: Py<PyAny>, build: Py<PyAny>) -> PyKernel {
        PyKernel {
            function,
            describe,
            build,
            parameters: PyOnceLock::new(),
            programs: PyDict::new(py).unbind(),
            by_shape: AtomicBool::new(false),
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        self.call(args.py(), args, kwargs)
    }

    /// The function that was decorated.
    #[getter]
    fn function(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    /// The programs written so far, one for each combination of types and static arguments.
    #[getter]
    fn programs<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        self.programs.bind(py).values().iter().collect()
    }
}
