//! Calling ufuncs: types, shapes, outputs, then one launch.

use std::sync::{Arc, LazyLock};

use cuproxide_hal::{DType, Scalar};
use smallvec::{SmallVec, smallvec};

pub use crate::array::Results;
use crate::array::{Array, common_context};
use crate::context::{Context, fault_error};
use crate::dispatch::{self, Place};
use crate::error::{Error, Result, type_error, value_error};
use crate::fusion;
use crate::layout::{Dims, Layout, Order, Strides, broadcast_shapes, result_layout, same_shape, show_shape};
pub use crate::ops::expected::{Expected, follow, follow_into, is_any_expected};
use crate::promotion::{Casting, IntegerOutOfBounds, Operand, can_cast, check_integer, integer_range};
use crate::trace;
use crate::ufunc::{self, ResolveError, Resolved, Signature, Source, Ufunc};

/// An input of a ufunc.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// An array.
    Array(&'a Array),
    /// A Python int: takes the type of the other operands.
    Int(i128),
    /// A Python float: takes the precision of the other operands.
    Float(f64),
    /// A Python complex: takes the precision of the other operands.
    Complex(f64, f64),
    /// A scalar with a type of its own: a NumPy scalar or a Python bool.
    Scalar(Scalar),
}

/// The arguments of a ufunc call.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// One for each input.
    pub inputs: &'a [Input<'a>],
    /// One for each output; may be shorter.
    pub out: &'a [Option<&'a Array>],
    /// NumPy's `where`: positions to compute. New outputs are uninitialised elsewhere.
    pub mask: Option<&'a Array>,
    /// Types asked for: NumPy's `dtype` or `signature`.
    pub signature: Signature<'a>,
    /// Casting rule for inputs (with a signature) and outputs.
    pub casting: Casting,
    /// Memory order of new outputs.
    pub order: Order,
}

impl<'a> Call<'a> {
    /// A call with NumPy's defaults.
    pub fn new(inputs: &'a [Input<'a>]) -> Call<'a> {
        let (signature, casting) = (Signature::None, Casting::SameKind);
        Call { inputs, out: &[], mask: None, signature, casting, order: Order::of_results() }
    }
}

impl Input<'_> {
    /// The operand's part in promotion.
    #[inline]
    pub fn operand(&self) -> Operand {
        match self {
            Input::Array(array) => Operand::Strong(array.dtype()),
            Input::Int(_) => Operand::WeakInt,
            Input::Float(_) => Operand::WeakFloat,
            Input::Complex(..) => Operand::WeakComplex,
            Input::Scalar(scalar) => Operand::Strong(scalar.dtype),
        }
    }

    /// The value of a Python or NumPy scalar as an element of `dtype`; nothing for an array.
    ///
    /// # Errors
    /// `OverflowError` for a Python int that `dtype` cannot hold.
    #[inline]
    pub fn scalar(&self, dtype: DType) -> Result<Option<Scalar>> {
        Ok(Some(match *self {
            Input::Array(_) => return Ok(None),
            // Only truth tests take an int as a bool.
            Input::Int(value) if dtype == DType::Bool => Scalar::integer(dtype, (value != 0).into()),
            Input::Int(value) => {
                check_integer(value, dtype)?;
                Scalar::from_integer(dtype, value)
            }
            Input::Float(value) => Scalar::real(dtype, value),
            Input::Complex(re, im) => Scalar::complex(dtype, re, im),
            Input::Scalar(scalar) => scalar,
        }))
    }
}

impl From<ResolveError> for Error {
    fn from(error: ResolveError) -> Error {
        match error {
            ResolveError::Input { .. } | ResolveError::Output { .. } | ResolveError::NoLoop { .. } => {
                Error::Casting(error.to_string())
            }
            other => Error::Type(other.to_string()),
        }
    }
}

impl From<IntegerOutOfBounds> for Error {
    fn from(error: IntegerOutOfBounds) -> Error {
        Error::Overflow(error.to_string())
    }
}

/// Calls the ufunc of that name with NumPy's defaults and returns its first result.
pub fn apply(name: &str, inputs: &[Input<'_>]) -> Result<Array> {
    let ufunc = ufunc::get(name).ok_or_else(|| Error::Type(format!("there is no ufunc {name}")))?;
    Ok(call(ufunc, &Call::new(inputs))?.remove(0))
}

/// Calls a ufunc.
///
/// # Errors
/// Those of NumPy: no loop for the types (`TypeError`), shapes that do not broadcast (`ValueError`), an output that
/// does not fit or that the casting rule forbids, a Python int out of range (`OverflowError`); and arrays of two devices.
pub fn call(ufunc: &'static Ufunc, call: &Call<'_>) -> Result<Results> {
    if let Some(results) = call_line(ufunc, call)? {
        return Ok(results);
    }
    let given = call.out.iter().flatten().copied();
    let arrays = call.inputs.iter().filter_map(|input| match input {
        Input::Array(array) => Some(*array),
        _ => None,
    });
    let involved = arrays.chain(given.clone()).chain(call.mask);
    let context = match common_context(ufunc.name, involved.clone())? {
        Some(context) => context.clone(),
        None => Context::current()?,
    };
    let operands: SmallVec<[Operand; 4]> = call.inputs.iter().map(Input::operand).collect();
    let resolved = ufunc::resolve(ufunc, &operands, call.signature, call.casting)?;

    // As NumPy: numbers before types before shapes.
    let constant = constant_comparison(ufunc, call.inputs, &resolved.types.inputs);
    let mut inputs: SmallVec<[fusion::Operand<'_>; 4]> = SmallVec::new();
    if constant.is_none() {
        for (position, (input, &dtype)) in call.inputs.iter().zip(&resolved.types.inputs).enumerate() {
            inputs.push(operand(ufunc, position, input, dtype, &context)?);
        }
    }
    for (position, out) in call.out.iter().enumerate() {
        if let Some(out) = out {
            ufunc::check_output(ufunc, resolved, position, out.dtype(), call.casting)?;
        }
    }
    let shape = broadcast_shapes(involved.map(Array::shape))?;
    for out in given.clone() {
        if out.shape() != shape.as_slice() {
            return value_error(format!(
                "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                show_shape(out.shape()),
                show_shape(&shape)
            ));
        }
    }
    if let Some(mask) = call.mask
        && !can_cast(mask.dtype(), DType::Bool, Casting::Safe)
    {
        return type_error(format!(
            "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
            mask.dtype()
        ));
    }
    if let Some(constant) = constant {
        let out = outputs(&context, call, &shape, &[], &resolved.types.outputs)?;
        let value = Input::Scalar(Scalar::integer(DType::Bool, constant.into()));
        assign_input(&out[0], &value, call.mask)?;
        return Ok(out);
    }

    for dtype in &resolved.types.outputs {
        crate::layout::checked_size(&shape, dtype.size())?;
    }
    let request = fusion::Request {
        context: &context,
        ufunc,
        index: resolved.index,
        inputs: &inputs,
        out: call.out,
        mask: call.mask,
        shape: &shape,
    };
    let given_arrays: SmallVec<[&Array; 4]> = arrays_of(&inputs).collect();
    if let Some(results) = fusion::record(&request, |dtype| new_layout(call, &shape, &given_arrays, dtype))? {
        return Ok(results);
    }

    // An output that partly overlaps an input must not change it while it is read.
    let endangered = |array: &Array| given.clone().any(|out| out.may_share_memory(array) && !same_places(out, array));
    let mut rescued: SmallVec<[Option<Array>; 4]> = SmallVec::new();
    if call.out.iter().any(Option::is_some) {
        for input in call.inputs {
            rescued.push(match *input {
                Input::Array(array) if endangered(array) => Some(copy(array, Order::K)?),
                _ => None,
            });
        }
    }
    let mut arrays: SmallVec<[&Array; 4]> = SmallVec::new();
    let mut sources: SmallVec<[Source; 4]> = SmallVec::new();
    let mut scalars: SmallVec<[Scalar; 4]> = SmallVec::new();
    for (position, input) in inputs.iter().enumerate() {
        match *input {
            fusion::Operand::Array(array) => {
                sources.push(Source::Memory(array.dtype()));
                arrays.push(rescued.get(position).and_then(Option::as_ref).unwrap_or(array));
            }
            fusion::Operand::Scalar(scalar) => {
                sources.push(Source::Scalar(scalar.dtype));
                scalars.push(scalar);
            }
        }
    }
    let out = outputs(&context, call, &shape, &arrays, &resolved.types.outputs)?;
    let size = shape.iter().product::<usize>();
    if size == 0 {
        return Ok(out);
    }

    let types: SmallVec<[DType; 2]> = out.iter().map(Array::dtype).collect();
    let masked = call.mask.is_some();
    let kernel = ufunc::cached_kernel(ufunc, resolved.index, &sources, &types, masked)?;
    let operands: SmallVec<[&Array; 6]> = arrays.iter().copied().chain(&out).chain(call.mask).collect();
    // Arrays that lie alike in memory, or hold one element, need no axes.
    let alike = |test: fn(&Array) -> bool| operands.iter().all(|a| a.size() == 1 || (a.size() == size && test(a)));
    if size > 1 && (alike(|a| a.layout().c_contiguous) || alike(|a| a.layout().f_contiguous)) {
        let mut lines: SmallVec<[(u64, isize); 6]> = SmallVec::new();
        for (position, array) in operands.into_iter().enumerate() {
            let ptr = if position < arrays.len() { array.read_ptr()? } else { array.ptr()? };
            lines.push((ptr, if array.size() == 1 { 0 } else { array.itemsize() as isize }));
        }
        dispatch::launch_line(&context, kernel, size, &lines, &scalars)?;
        return Ok(out);
    }
    let mut places: SmallVec<[Place; 6]> = SmallVec::new();
    for array in operands {
        places.push(Place::stretched(array, &shape)?);
    }
    dispatch::launch_map(&context, kernel, &shape, &mut places, &scalars)?;
    Ok(out)
}

/// Defers the most common calls: one result, no options; C-contiguous arrays of one shape, arrays that broadcast to it, and
/// scalars. `None` for other calls, for calls that cannot be deferred, and if a group has to run first: [`call`] accepts all.
/// This function never waits. It computes only what [`fusion`] runs at once.
///
/// # Errors
/// Those of [`call`].
#[inline]
pub fn defer<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N]) -> Result<Option<Array>> {
    if let Some(fast) = FastCall::of(ufunc, inputs)? {
        return fast.defer();
    }
    let Some((full, whole)) = inputs.iter().find_map(|input| full(input, inputs)) else { return Ok(None) };
    let Some((index, entering)) = enter(ufunc, inputs, full)? else { return Ok(None) };
    let (context, shape) = (full.context(), full.shape());
    fusion::record_line(&fusion::Line { context, ufunc, index, inputs: &entering, whole, shape })
}

/// The most common call: C-contiguous arrays of one shape, and scalars, whose types have been resolved to a loop before. Each
/// input is inspected once.
struct FastCall<'a, const N: usize> {
    ufunc: &'static Ufunc,
    index: usize,
    inputs: [fusion::Operand<'a>; N],
    /// One of the arrays; a deferred one, if there is any.
    full: &'a Array,
    is_deferred: bool,
    /// Which inputs are arrays, as bits.
    whole: u8,
}

impl<'a, const N: usize> FastCall<'a, N> {
    /// Inspects a call; `None` for any other call.
    ///
    /// # Errors
    /// Those of [`call`].
    #[inline]
    fn of(ufunc: &'static Ufunc, inputs: &[Input<'a>; N]) -> Result<Option<FastCall<'a, N>>> {
        let (mut full, mut is_deferred, mut whole, mut combination) = (None, false, 0, 0);
        for (position, input) in inputs.iter().enumerate() {
            let operand = match *input {
                Input::Array(array) => {
                    let storage = array.storage();
                    let is_next = match full {
                        None => array.layout().c_contiguous,
                        Some(other) => is_alike(array, other),
                    };
                    if !is_next || storage.is_exposed() {
                        return Ok(None);
                    }
                    if full.is_none() || storage.writer() != 0 {
                        full = Some(array);
                        is_deferred |= storage.writer() != 0;
                    }
                    whole |= 1 << position;
                    Operand::Strong(array.dtype())
                }
                // See `enter`.
                Input::Int(_) if ufunc.comparison.is_some() => return Ok(None),
                Input::Int(_) => Operand::WeakInt,
                Input::Float(_) => Operand::WeakFloat,
                _ => input.operand(),
            };
            combination = ufunc::add_code(combination, operand);
        }
        let Some(full) = full else { return Ok(None) };
        if fusion::is_eager() || trace::is_on() || ufunc.nout != 1 {
            return Ok(None);
        }
        let known = ufunc::known_loop_of(ufunc, N, combination);
        let Some(index) = known.filter(|&index| !ufunc.may_fault(index)) else { return Ok(None) };
        let types = &ufunc.loops[index].inputs;
        let mut entering = [fusion::Operand::Array(full); N];
        for (position, (entry, input)) in entering.iter_mut().zip(inputs).enumerate() {
            *entry = match *input {
                Input::Array(array) => fusion::Operand::Array(array),
                _ => constant(ufunc, position, input, types[position], full.context())?,
            };
        }
        Ok(Some(FastCall { ufunc, index, inputs: entering, full, is_deferred, whole }))
    }

    /// As [`defer`].
    #[inline]
    fn defer(&self) -> Result<Option<Array>> {
        let FastCall { ufunc, index, ref inputs, full, whole, .. } = *self;
        if self.is_deferred
            && let Some(made) = fusion::record_next(ufunc, index, inputs, full)
        {
            return Ok(Some(made));
        }
        let (context, shape) = (full.context(), full.shape());
        fusion::record_line(&fusion::Line { context, ufunc, index, inputs, whole, shape })
    }
}

/// Whether two arrays have the same device and shape, and both or neither are C-contiguous.
#[inline]
fn is_alike(array: &Array, other: &Array) -> bool {
    std::ptr::eq(array.context(), other.context())
        && (std::ptr::eq(array.layout(), other.layout())
            || (same_shape(array.shape(), other.shape()) && array.layout().c_contiguous == other.layout().c_contiguous))
}

/// [`defer`] with an output array; false if the caller has to use [`call`].
///
/// # Errors
/// Those of [`call`].
#[inline]
pub fn defer_into<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N], out: &Array) -> Result<bool> {
    let Some((_, whole)) = full(&Input::Array(out), inputs) else { return Ok(false) };
    let Some((index, entering)) = enter(ufunc, inputs, out)? else { return Ok(false) };
    let resolved = Resolved { index, types: &ufunc.loops[index] };
    ufunc::check_output(ufunc, resolved, 0, out.dtype(), Casting::SameKind)?;
    let (context, shape) = (out.context(), out.shape());
    fusion::record_line_into(&fusion::Line { context, ufunc, index, inputs: &entering, whole, shape }, out)
}

/// [`defer`] for a copy of a C-contiguous array, cast to a type.
fn defer_copy(array: &Array, dtype: DType) -> Result<Option<Array>> {
    let (context, ufunc, shape) = (array.context(), ufunc::copy(), array.shape());
    if fusion::is_eager() || trace::is_on() {
        return Ok(None);
    }
    let inputs = [fusion::Operand::Array(array)];
    let Some(index) = COPY_LOOPS[dtype as usize] else { return Ok(None) };
    fusion::record_line(&fusion::Line { context, ufunc, index, inputs: &inputs, whole: 1, shape })
}

/// The loop of copies for each type.
static COPY_LOOPS: LazyLock<[Option<usize>; DType::ALL.len()]> =
    LazyLock::new(|| DType::ALL.map(|dtype| ufunc::copy().loop_of(dtype)));

/// The loop of a call with NumPy's defaults, and its inputs as they enter the loop; `None` if the call has no fast path.
#[inline]
fn enter<'a, const N: usize>(
    ufunc: &'static Ufunc,
    inputs: &[Input<'a>; N],
    full: &'a Array,
) -> Result<Option<(usize, [fusion::Operand<'a>; N])>> {
    // A trace marks each number of the function once, so it allows only `call`.
    if fusion::is_eager() || trace::is_on() || ufunc.nout != 1 {
        return Ok(None);
    }
    let mut operands = [Operand::WeakInt; N];
    for (operand, input) in operands.iter_mut().zip(inputs) {
        // The int may be out of range of the other type, which decides the result.
        if matches!(input, Input::Int(_)) && ufunc.comparison.is_some() {
            return Ok(None);
        }
        *operand = input.operand();
    }
    let index = match ufunc::known_loop(ufunc, &operands) {
        Some(index) => index,
        None => ufunc::resolve(ufunc, &operands, Signature::None, Casting::SameKind)?.index,
    };
    let types = &ufunc.loops[index].inputs;
    let mut entering = [fusion::Operand::Array(full); N];
    for (position, (entry, input)) in entering.iter_mut().zip(inputs).enumerate() {
        *entry = operand(ufunc, position, input, types[position], full.context())?;
    }
    Ok(Some((index, entering)))
}

/// The array of an input, if it is C-contiguous and all arrays of the call are on its device and broadcast to its shape; and the
/// inputs that have its shape and are C-contiguous, as bits.
#[inline]
fn full<'a>(input: &Input<'a>, inputs: &[Input<'_>]) -> Option<(&'a Array, u8)> {
    let Input::Array(array) = *input else { return None };
    if !array.layout().c_contiguous {
        return None;
    }
    let mut whole = 0;
    for (position, other) in inputs.iter().enumerate() {
        let Input::Array(other) = *other else { continue };
        let is_alike = std::ptr::eq(other, array)
            || (other.context() == array.context() && same_shape(other.shape(), array.shape()));
        if is_alike {
            whole |= u8::from(other.layout().c_contiguous) << position;
        } else if !(other.context() == array.context() && other.stretches_to(array.shape())) {
            return None;
        }
    }
    Some((array, whole))
}

/// The fast path of [`call`] for the most common calls: one result, no options, C-contiguous arrays of one shape, and scalars.
/// `None` for all other calls.
fn call_line(ufunc: &'static Ufunc, call: &Call<'_>) -> Result<Option<Results>> {
    let target = match call.out {
        [] => None,
        [Some(out)] => Some(*out),
        _ => return Ok(None),
    };
    if ufunc.nout != 1 || call.mask.is_some() || call.signature != Signature::None {
        return Ok(None);
    }
    // Results of C-contiguous arrays lie in C order by both.
    if !matches!(call.order, Order::C | Order::K) {
        return Ok(None);
    }
    let first = call.inputs.iter().find_map(|input| if let Input::Array(array) = input { Some(*array) } else { None });
    let Some(first) = first.or(target) else { return Ok(None) };
    let (context, size) = (first.context(), first.size());
    let lies_alike = |array: &Array| {
        array.layout().c_contiguous && same_shape(array.shape(), first.shape()) && array.context() == context
    };
    let fits = |input: &Input<'_>| match input {
        // An output may be an input, but must not overlap one otherwise.
        Input::Array(array) => {
            lies_alike(array) && target.is_none_or(|out| same_places(out, array) || !out.may_share_memory(array))
        }
        Input::Int(_) => ufunc.comparison.is_none(),
        _ => true,
    };
    if size == 0 || !target.is_none_or(lies_alike) || !call.inputs.iter().all(fits) {
        return Ok(None);
    }
    let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
    for input in call.inputs {
        operands.push(input.operand());
    }
    let resolved = ufunc::resolve(ufunc, &operands, call.signature, call.casting)?;
    // As NumPy: numbers before types.
    let mut inputs: SmallVec<[fusion::Operand<'_>; 4]> = SmallVec::new();
    for (position, (input, &dtype)) in call.inputs.iter().zip(&resolved.types.inputs).enumerate() {
        inputs.push(operand(ufunc, position, input, dtype, context)?);
    }
    if let Some(out) = target {
        ufunc::check_output(ufunc, resolved, 0, out.dtype(), call.casting)?;
    }
    let shape = first.shape();
    let (index, inputs) = (resolved.index, &inputs[..]);
    let request = fusion::Request { context, ufunc, index, inputs, out: call.out, mask: None, shape };
    let layout = |dtype: DType| Layout::contiguous(shape, dtype.size(), false);
    if let Some(results) = fusion::record(&request, layout)? {
        return Ok(Some(results));
    }
    let mut sources: SmallVec<[Source; 4]> = SmallVec::new();
    let mut scalars: SmallVec<[Scalar; 4]> = SmallVec::new();
    let mut lines: SmallVec<[(u64, isize); 4]> = SmallVec::new();
    for input in inputs {
        match *input {
            fusion::Operand::Array(array) => {
                sources.push(Source::Memory(array.dtype()));
                lines.push((array.read_ptr()?, array.itemsize() as isize));
            }
            fusion::Operand::Scalar(scalar) => {
                sources.push(Source::Scalar(scalar.dtype));
                scalars.push(scalar);
            }
        }
    }
    let types = [target.map_or(resolved.types.outputs[0], Array::dtype)];
    let kernel = ufunc::cached_kernel(ufunc, resolved.index, &sources, &types, false)?;
    let out = match target {
        Some(out) => out.clone(),
        None => Array::empty(context, types[0], first.shape(), Order::C)?,
    };
    lines.push((out.ptr()?, types[0].size() as isize));
    dispatch::launch_line(context, kernel, size, &lines, &scalars)?;
    Ok(Some(smallvec![out]))
}

/// An input as it enters a loop that takes `dtype` there.
#[inline]
fn operand<'a>(
    ufunc: &Ufunc,
    position: usize,
    input: &Input<'a>,
    dtype: DType,
    context: &Context,
) -> Result<fusion::Operand<'a>> {
    match *input {
        Input::Array(array) => Ok(fusion::Operand::Array(array)),
        _ => constant(ufunc, position, input, dtype, context),
    }
}

/// A scalar as it enters a loop that takes `dtype` there.
#[inline]
pub(super) fn constant<'a>(
    ufunc: &Ufunc,
    position: usize,
    input: &Input<'a>,
    dtype: DType,
    context: &Context,
) -> Result<fusion::Operand<'a>> {
    let scalar = input.scalar(dtype)?.expect("what is not an array is a scalar");
    match ufunc.scalar_fault(position, dtype, &scalar) {
        Some(fault) => Err(fault_error(fault, context.info())),
        None => Ok(fusion::Operand::Scalar(match *input {
            Input::Float(value) if trace::is_on() => trace::tag(scalar, value),
            _ => scalar,
        })),
    }
}

fn arrays_of<'a>(inputs: &[fusion::Operand<'a>]) -> impl Iterator<Item = &'a Array> {
    inputs.iter().filter_map(|input| match *input {
        fusion::Operand::Array(array) => Some(array),
        fusion::Operand::Scalar(_) => None,
    })
}

/// Whether writing `out` element by element cannot touch an element of `input` that is still to be read.
pub(crate) fn same_places(out: &Array, input: &Array) -> bool {
    out.shape() == input.shape()
        && out.strides() == input.strides()
        && out.itemsize() == input.itemsize()
        && match (out.storage().peek(), input.storage().peek()) {
            _ if Arc::ptr_eq(out.storage(), input.storage()) => out.offset() == input.offset(),
            (Some(a), Some(b)) => a.ptr + out.offset() as u64 == b.ptr + input.offset() as u64,
            _ => false,
        }
}

fn outputs(
    context: &Arc<Context>,
    call: &Call<'_>,
    shape: &Dims,
    inputs: &[&Array],
    types: &[DType],
) -> Result<Results> {
    let output = |(position, &dtype): (usize, &DType)| {
        if let Some(Some(out)) = call.out.get(position) {
            return Ok((*out).clone());
        }
        Array::with_layout(context, dtype, new_layout(call, shape, inputs, dtype))
    };
    types.iter().enumerate().map(output).collect()
}

/// The layout of a new result.
fn new_layout(call: &Call<'_>, shape: &[usize], inputs: &[&Array], dtype: DType) -> Layout {
    // One full C-contiguous input decides: C order wins over every other.
    let full = |a: &Array| a.layout().c_contiguous && a.shape() == shape;
    if call.order == Order::K && inputs.iter().any(|&a| full(a)) {
        return Layout::contiguous(shape, dtype.size(), false);
    }
    let mut with_axes = inputs.iter().filter(|a| a.ndim() > 0).peekable();
    if call.order == Order::K
        && with_axes.peek().is_some()
        && with_axes.all(|a| a.layout().f_contiguous && a.shape() == shape)
    {
        return Layout::contiguous(shape, dtype.size(), true);
    }
    let stretch = |a: &Array| a.layout().broadcast_strides(shape).expect("shapes were broadcast together");
    let strides: SmallVec<[Strides; 4]> = inputs.iter().map(|&a| stretch(a)).collect();
    let places = inputs.iter().zip(&strides).map(|(a, s)| (a.layout(), s.as_slice()));
    result_layout(shape, dtype.size(), call.order, places)
}

/// The answer of a comparison with a Python int that the other operand's type cannot hold.
fn constant_comparison(ufunc: &Ufunc, inputs: &[Input<'_>], types: &[DType]) -> Option<bool> {
    ufunc.comparison?;
    inputs.iter().zip(types).enumerate().find_map(|(position, (input, &dtype))| {
        let (Input::Int(value), (low, high)) = (input, integer_range(dtype)?) else { return None };
        let outside = *value < low || *value > high;
        outside.then(|| ufunc.out_of_range_comparison(position, *value > high)).flatten()
    })
}

/// A copy with another element type; `order` as for [`Array::empty_like`].
pub fn astype(array: &Array, dtype: DType, order: Order) -> Result<Array> {
    if matches!(order, Order::C | Order::K)
        && array.layout().c_contiguous
        && let Some(deferred) = defer_copy(array, dtype)?
    {
        return Ok(deferred);
    }
    // Functions leave open where broadcast axes and those of length 1 lie, copies of arrays with gaps do not.
    let has_gaps = !array.layout().c_contiguous && !array.layout().f_contiguous;
    let is_open = order == Order::K && has_gaps && (array.is_broadcast() || array.shape().contains(&1));
    if !fusion::is_eager() && !array.storage().is_exposed() && array.size() != 0 && !is_open {
        let inputs = [Input::Array(array)];
        let signature = Signature::Output(dtype);
        let request = Call { signature, casting: Casting::Unsafe, order, ..Call::new(&inputs) };
        return Ok(call(ufunc::copy(), &request)?.remove(0));
    }
    let out = array.empty_like(dtype, order)?;
    write(&out, array, None)?;
    Ok(out)
}

/// A copy.
pub fn copy(array: &Array, order: Order) -> Result<Array> {
    astype(array, array.dtype(), order)
}

/// Writes elements, bytes where both lie alike.
pub(super) fn write(target: &Array, source: &Array, mask: Option<&Array>) -> Result<()> {
    let (from, to) = (source.layout(), target.layout());
    let dense = (from.c_contiguous && to.c_contiguous) || (from.f_contiguous && to.f_contiguous);
    let at_once = fusion::is_eager() || source.storage().is_exposed() || target.storage().is_exposed();
    if at_once && mask.is_none() && source.dtype() == target.dtype() && source.shape() == target.shape() && dense {
        if target.size() == 0 {
            return Ok(());
        }
        if !source.may_share_memory(target) {
            let context = target.context();
            let (dst, src) = (target.ptr()?, source.read_ptr()?);
            // SAFETY: both arrays are dense, of the same device and size, and do not overlap.
            context.queue_known(|stream| unsafe { context.below().copy(stream, dst, src, target.nbytes()) })?;
            trace::moved(context.index(), dst, Some(src), target.nbytes());
            return Ok(());
        }
    }
    assign_input(target, &Input::Array(source), mask)
}

/// Writes an array or a scalar into `target` with any cast.
pub fn assign_input(target: &Array, source: &Input<'_>, mask: Option<&Array>) -> Result<()> {
    let copy = ufunc::copy();
    let out = [Some(target)];
    let mut arguments = Call::new(std::slice::from_ref(source));
    arguments.out = &out;
    arguments.mask = mask;
    arguments.casting = Casting::Unsafe;
    call(copy, &arguments).map(drop)
}
