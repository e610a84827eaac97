//! Reductions and cumulative operations.

use std::sync::Arc;

use cuproxide_hal::ir::cast_scalar;
use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::context::Context;
use crate::dispatch::{self, Patience, Place};
use crate::error::{Error, Result, type_error, value_error};
use crate::fold::{self, Argument, Options, Plan};
use crate::fusion;
use crate::layout::{
    Dims, Layout, Order, Strides, memory_order, normalize_axes, normalize_axis, result_layout, short, show_shape,
};
use crate::ops::copy::{self, reshape};
use crate::ops::elementwise::Input;
use crate::promotion::Casting;
use crate::ufunc::Ufunc;

/// The arguments of a reduction.
#[derive(Clone, Copy, Default)]
pub struct Reduction<'a> {
    /// The axes to reduce; all if `None`.
    pub axes: Option<&'a [isize]>,
    /// Whether reduced axes stay with length 1.
    pub keepdims: bool,
    /// Type of the result.
    pub dtype: Option<DType>,
    /// Where the result goes.
    pub out: Option<&'a Array>,
    /// Value to start from.
    pub initial: Option<Input<'a>>,
    /// NumPy's `where`: the elements that take part.
    pub mask: Option<&'a Array>,
    /// Delta degrees of freedom of `var` and `std`.
    pub ddof: f64,
}

fn row(name: &str) -> Result<&'static fold::Reduction> {
    fold::get(name).ok_or_else(|| Error::Type(format!("there is no reduction {name}")))
}

/// The row that folds a ufunc.
fn row_of(ufunc: &'static Ufunc, method: &str) -> Result<&'static fold::Reduction> {
    if ufunc.nin != 2 {
        return value_error(format!("{method} only supported for binary functions"));
    }
    if ufunc.nout != 1 {
        return value_error(format!("{method} only supported for functions returning a single value"));
    }
    fold::of_ufunc(ufunc.id).ok_or_else(|| Error::Type(format!("{method} is not supported for {}", ufunc.name)))
}

/// Reduces by name: `sum`, `prod`, `min`, `max`, `argmin`, `argmax`, `any`, `all`, `count_nonzero`, `mean`, `var`, `std`
/// and their `nan` forms; see [`fold::table`].
///
/// # Errors
/// As NumPy: bad axes (`AxisError`), an empty reduction without identity (`ValueError`), types without a loop
/// (`TypeError`), an output of the wrong shape or type.
pub fn reduce(name: &str, array: &Array, arguments: &Reduction<'_>) -> Result<Array> {
    reduce_row(row(name)?, name, array, arguments)
}

/// The types of a reduction of elements of type `input`: the one that elements and `initial=` are cast to, and that of
/// the result. `dtype` and `out` are the types of those arguments.
///
/// # Errors
/// As [`reduce`].
pub fn types(name: &str, input: DType, dtype: Option<DType>, out: Option<DType>) -> Result<(DType, DType)> {
    types_of_row(row(name)?, input, dtype, out)
}

/// [`types`] of `ufunc.reduce`.
///
/// # Errors
/// As [`ufunc_reduce`].
pub fn ufunc_types(
    ufunc: &'static Ufunc,
    input: DType,
    dtype: Option<DType>,
    out: Option<DType>,
) -> Result<(DType, DType)> {
    types_of_row(row_of(ufunc, "reduce")?, input, dtype, out)
}

fn types_of_row(
    row: &'static fold::Reduction,
    input: DType,
    dtype: Option<DType>,
    out: Option<DType>,
) -> Result<(DType, DType)> {
    let plan = row.plan(input, dtype.or_else(|| row.dtype_for(input, out)))?;
    Ok((plan.value, plan.outputs[0]))
}

/// `ufunc.reduce`.
///
/// # Errors
/// As [`reduce`]; `ValueError` for ufuncs that are not binary, and for several axes of one that is not reorderable.
pub fn ufunc_reduce(ufunc: &'static Ufunc, array: &Array, arguments: &Reduction<'_>) -> Result<Array> {
    reduce_row(row_of(ufunc, "reduce")?, ufunc.name, array, arguments)
}

fn reduce_row(row: &'static fold::Reduction, name: &str, array: &Array, arguments: &Reduction<'_>) -> Result<Array> {
    if let Some(result) = reduce_line(row, array, arguments)? {
        return Ok(result);
    }
    let context = common_context(name, std::iter::once(array).chain(arguments.out).chain(arguments.mask))?;
    let context = context.expect("one array at least");
    let reduced = match arguments.axes {
        None => (0..array.ndim()).collect(),
        Some(axes) => {
            let mut axes = normalize_axes(axes, array.ndim())?;
            axes.sort_unstable();
            axes
        }
    };
    if !row.is_reorderable() && reduced.len() > 1 {
        return value_error(format!(
            "reduction operation '{name}' is not reorderable, so at most one axis may be specified"
        ));
    }
    let asked = arguments.dtype.or_else(|| row.dtype_for(array.dtype(), arguments.out.map(Array::dtype)));
    let plan = row.plan(array.dtype(), asked)?;
    if arguments.initial.is_some() && !row.accepts_initial() {
        return type_error(format!("{name}() got an unexpected keyword argument 'initial'"));
    }
    let kept: Dims = (0..array.ndim()).filter(|axis| !reduced.contains(axis)).collect();
    let pick = |axes: &[usize]| axes.iter().map(|&axis| array.shape()[axis]).collect::<Dims>();
    let (outer, inner) = (pick(&kept), pick(&reduced));
    let count: usize = inner.iter().product();
    if count == 0 && !row.has_identity && arguments.initial.is_none() {
        return value_error(match name {
            "argmin" | "argmax" => format!("attempt to get {name} of an empty sequence"),
            _ => format!("zero-size array to reduction operation {} which has no identity", public_name(row)),
        });
    }
    if arguments.mask.is_some() && !row.has_identity && arguments.initial.is_none() {
        return value_error(format!(
            "reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'",
            public_name(row)
        ));
    }

    let output = plan.outputs[0];
    if let Some(result) = defer(context, array, arguments, plan, asked, &reduced, &outer, count)? {
        return Ok(if arguments.keepdims { with_axes(&result, array, &reduced, row) } else { result });
    }
    let target = match arguments.out {
        None => {
            let strides: Strides = kept.iter().map(|&axis| array.strides()[axis]).collect();
            let input = Layout::new(short(&outer), short(&strides), array.itemsize());
            let places = [(&input, strides.as_slice())];
            // As NumPy: positions lie in C order, other results as their input does.
            let order = if row.rule == fold::Rule::Index { Order::C } else { Order::of_results() };
            let layout = result_layout(&outer, output.size(), order, places.into_iter());
            Array::with_layout(context, output, layout)?
        }
        Some(out) => {
            let mut full = short(array.shape());
            reduced.iter().for_each(|&axis| full[axis] = 1);
            let expected: &[usize] = if arguments.keepdims { &full } else { &outer };
            if out.shape() != expected {
                return value_error(format!(
                    "output parameter for reduction operation {name} has the wrong shape: {} instead of {}",
                    show_shape(out.shape()),
                    show_shape(expected)
                ));
            }
            plan.check_output(name, out.dtype())?;
            if arguments.keepdims { out.squeeze(Some(&reduced))? } else { out.clone() }
        }
    };
    let copied;
    let mut input = array;
    if array.ndim() > MAX_DIMS {
        // Brings the kept axes to the front and leaves one line each: launches have few dimensions.
        let order: Vec<isize> = kept.iter().chain(&reduced).map(|&axis| axis as isize).collect();
        let dense = copy::copy(&array.transpose(&order)?, Order::C)?;
        let back: Vec<isize> = {
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(position, &axis)| back[axis as usize] = position as isize);
            back
        };
        copied = dense.transpose(&back)?;
        input = &copied;
    } else if arguments.out.is_some() && target.may_share_memory(array) {
        copied = copy::copy(array, Order::K)?;
        input = &copied;
    }
    let job = Job { plan, input, arguments, count };
    if outer.contains(&0) {
        // Nothing is to be done, but a mask that does not fit is no less an error.
        job.mask_strides()?;
    } else if row.is_reorderable() {
        job.fold(&target, (&kept, &outer), (&reduced, &inner))?;
    } else {
        job.walk(&target, &kept, reduced.first().copied())?;
    }
    if let Some(out) = arguments.out {
        return Ok(out.clone());
    }
    Ok(if arguments.keepdims { with_axes(&target, array, &reduced, row) } else { target })
}

/// The short way for what programs do most: all elements of an array that lies in memory in C order, to one result. `None`
/// where the call is of another form.
fn reduce_line(row: &'static fold::Reduction, array: &Array, arguments: &Reduction<'_>) -> Result<Option<Array>> {
    let Reduction { axes, keepdims, dtype, out, initial, mask, ddof: _ } = *arguments;
    let is_plain = axes.is_none() && !keepdims && out.is_none() && initial.is_none() && mask.is_none();
    let is_line = array.layout().c_contiguous && array.size() != 0 && array.storage().is_ready();
    if !is_plain || !is_line || !row.is_reorderable() {
        return Ok(None);
    }
    let plan = row.plan(array.dtype(), dtype.or_else(|| row.dtype_for(array.dtype(), None)))?;
    let (context, output) = (array.context(), plan.outputs[0]);
    let job = Job { plan, input: array, arguments, count: array.size() };
    let scalars = job.scalars(&plan.arguments(Options::default()), [0; 3])?;
    let target = Array::with_layout(context, output, Layout::contiguous(&[], output.size(), false))?;
    let kernel = fold::REDUCE.kernel(job.key(output))?;
    let input = (array.read_ptr()?, array.itemsize() as isize);
    dispatch::launch_fold_of_line(context, kernel, array.size(), input, target.ptr()?, &scalars)?;
    Ok(Some(target))
}

/// A result with its reduced axes, of length 1.
///
/// As in NumPy they lie among the others as in the input, or in C order where results do.
fn with_axes(result: &Array, input: &Array, reduced: &[usize], row: &fold::Reduction) -> Array {
    let (mut shape, mut strides) = (Dims::from_slice(result.shape()), Strides::from_slice(result.strides()));
    let mut axes = Dims::from_slice(reduced);
    axes.sort_unstable();
    for &axis in &axes {
        shape.insert(axis, 1);
        strides.insert(axis, 0);
    }
    let order = match row.rule {
        fold::Rule::Index => (0..shape.len()).rev().collect(),
        _ if Order::of_results() == Order::C => (0..shape.len()).rev().collect(),
        _ => {
            // Without those of axes of length 1, which have no say.
            let strides = input.layout().broadcast_strides(input.shape()).expect("its own shape");
            memory_order(shape.len(), std::iter::once(strides.as_slice()))
        }
    };
    let mut step = result.itemsize() as isize;
    for axis in order {
        if shape[axis] == 1 {
            strides[axis] = step;
        } else {
            step = strides[axis] * shape[axis].max(1) as isize;
        }
    }
    result.view(shape, strides, 0)
}

/// Leaves a reduction to the fuser, if it is one that may wait.
#[expect(clippy::too_many_arguments, reason = "what a reduction has worked out")]
fn defer(
    context: &Arc<Context>,
    array: &Array,
    arguments: &Reduction<'_>,
    plan: &Plan,
    asked: Option<DType>,
    reduced: &[usize],
    outer: &[usize],
    count: usize,
) -> Result<Option<Array>> {
    let plain = arguments.out.is_none() && arguments.mask.is_none() && arguments.initial.is_none();
    if !plain || reduced.is_empty() || !fusion::may_wait(array, reduced) || !plan.is_plain() {
        return Ok(None);
    }
    let job = Job { plan, input: array, arguments, count };
    let folding = fusion::Folding { row: plan.row.id, input: plan.input, asked };
    let scalars = job.scalars(&plan.arguments(Options::default()), [0; 3])?;
    let dtype = plan.outputs[0];
    let layout = Layout::contiguous(outer, dtype.size(), false);
    fusion::record_fold(&fusion::FoldRequest {
        context,
        array,
        reduced,
        folding,
        plan,
        arguments: &scalars,
        dtype,
        layout,
    })
}

/// NumPy names the ufunc in messages about identities.
fn public_name(row: &fold::Reduction) -> &'static str {
    row.ufunc().map_or(row.name, |ufunc| ufunc.name)
}

/// One planned reduction.
struct Job<'a> {
    plan: &'a Plan,
    input: &'a Array,
    arguments: &'a Reduction<'a>,
    count: usize,
}

impl Job<'_> {
    fn options(&self) -> Options {
        Options { masked: self.arguments.mask.is_some(), initial: self.arguments.initial.is_some() }
    }

    fn initial(&self, dtype: DType) -> Result<Scalar> {
        let initial = self.arguments.initial.as_ref();
        let scalar = initial.map(|input| input.scalar(dtype)).transpose()?.flatten();
        Ok(scalar.map_or(Scalar::integer(dtype, 0), |scalar| cast_scalar(scalar, dtype)))
    }

    fn mask_strides(&self) -> Result<Option<Strides>> {
        let Some(mask) = self.arguments.mask else { return Ok(None) };
        if mask.dtype() != DType::Bool {
            return type_error(format!(
                "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
                mask.dtype()
            ));
        }
        match mask.layout().broadcast_strides(self.input.shape()) {
            Some(strides) => Ok(Some(strides)),
            None => value_error(format!(
                "operands could not be broadcast together with shapes {} {}",
                show_shape(self.input.shape()),
                show_shape(mask.shape())
            )),
        }
    }

    /// Regrouped: a reduction kernel over all reduced axes. Axes come with their lengths.
    fn fold(
        &self,
        target: &Array,
        (kept, outer): (&[usize], &[usize]),
        (reduced, inner): (&[usize], &[usize]),
    ) -> Result<()> {
        let options = self.options();
        let key = self.key(target.dtype());
        let arguments = self.scalars(&self.plan.arguments(options), [0; 3])?;
        let order = |strides: &[isize]| kept.iter().chain(reduced).map(|&axis| strides[axis]).collect::<Strides>();
        let mut strides = Strides::from_slice(target.strides());
        strides.resize(kept.len() + reduced.len(), 0);
        let mut written: SmallVec<[Place; 2]> = SmallVec::from_elem(Place { ptr: target.ptr()?, strides }, 1);
        if let (Some(mask), Some(strides)) = (self.arguments.mask, self.mask_strides()?) {
            written.push(Place { ptr: mask.read_ptr()?, strides: order(&strides) });
        }
        let context = target.context();
        // A deferred input is computed within the reduction if that is as fast.
        let absorbed = fusion::absorb(self.input, |value| {
            let mut places = value.places();
            places.iter_mut().for_each(|place| place.strides = order(&place.strides));
            let input = order(self.input.strides());
            let kernel = value.fold_kernel(&key)?;
            // Beside a mask in another order, the number of operands may decide how a kernel walks.
            let size = self.input.itemsize() as isize;
            let lengths = || outer.iter().chain(inner);
            let lies_alike = |mask: &Place| {
                let strides = || lengths().zip(mask.strides.iter().zip(&input)).filter(|(length, _)| **length != 1);
                strides().all(|(_, (&stride, _))| stride == 0)
                    || strides().all(|(_, (&stride, &stored))| stride * size == stored)
            };
            let lies_alike = written.get(1).is_none_or(lies_alike);
            let alike = || lies_alike && value.groups_alike(&kernel, self.input, outer, inner, input.clone(), &places);
            if !self.plan.row.is_exact(self.plan) && !alike() {
                return Ok(false);
            }
            places.extend(written.iter().cloned());
            let mut scalars = value.scalars();
            scalars.extend(arguments.iter().copied());
            let patience = Patience::Background.sparing(context, self.input.nbytes());
            dispatch::try_launch(context, &kernel, outer, inner, &mut places, &scalars, patience)
        })?;
        if absorbed {
            return Ok(());
        }
        let kernel = fold::REDUCE.kernel(key)?;
        let mut places: SmallVec<[Place; 6]> = SmallVec::new();
        places.push(Place { ptr: self.input.read_ptr()?, strides: order(self.input.strides()) });
        places.extend(written);
        dispatch::launch(context, kernel, outer, inner, &mut places, &arguments)
    }

    /// Strictly from left to right along one axis.
    fn walk(&self, target: &Array, kept: &[usize], axis: Option<usize>) -> Result<()> {
        self.launch_ordered(target, kept, axis, false, 0)
    }

    fn launch_ordered(
        &self,
        target: &Array,
        kept: &[usize],
        axis: Option<usize>,
        accumulate: bool,
        output_stride: isize,
    ) -> Result<()> {
        let options = self.options();
        let input = copy::aligned(self.input)?;
        let kernel = fold::ORDERED.kernel((self.key(target.dtype()), accumulate))?;
        let along = |strides: &[isize]| axis.map_or(0, |axis| strides[axis]);
        let across = |strides: &[isize]| kept.iter().map(|&axis| strides[axis]).collect::<Strides>();
        let mask_strides = self.mask_strides()?;
        let steps = [along(input.strides()), output_stride, mask_strides.as_ref().map_or(0, |s| along(s))];
        let scalars = self.scalars(&self.plan.ordered_arguments(accumulate, options), steps)?;
        let mut places: SmallVec<[Place; 6]> = SmallVec::new();
        places.push(Place { ptr: input.read_ptr()?, strides: across(input.strides()) });
        let strides = if accumulate { across(target.strides()) } else { Strides::from_slice(target.strides()) };
        places.push(Place { ptr: target.ptr()?, strides });
        if let (Some(mask), Some(strides)) = (self.arguments.mask, &mask_strides) {
            places.push(Place { ptr: mask.ptr()?, strides: across(strides) });
        }
        let shape: Dims = kept.iter().map(|&axis| input.shape()[axis]).collect();
        dispatch::launch_map(target.context(), kernel, &shape, &mut places, &scalars)
    }

    fn scalars(&self, wanted: &[(Argument, DType)], steps: [isize; 3]) -> Result<SmallVec<[Scalar; 5]>> {
        let value = |&(argument, dtype): &(Argument, DType)| {
            Ok(match argument {
                Argument::Count => Scalar::real(dtype, self.count as f64),
                Argument::Correction => Scalar::real(dtype, self.arguments.ddof),
                Argument::Initial => self.initial(dtype)?,
                Argument::Length => Scalar::integer(dtype, self.count as i128),
                Argument::InputStride => Scalar::integer(dtype, steps[0] as i128),
                Argument::OutputStride => Scalar::integer(dtype, steps[1] as i128),
                Argument::MaskStride => Scalar::integer(dtype, steps[2] as i128),
            })
        };
        wanted.iter().map(value).collect()
    }

    fn key(&self, stored: DType) -> fold::Key {
        fold::Key { plan: self.plan.clone(), stored, options: self.options() }
    }
}

/// A cumulative operation by name (`sum`, `prod` or a ufunc's) along an axis of an array with at least one.
///
/// # Errors
/// As [`reduce`].
pub fn accumulate(name: &str, array: &Array, axis: isize, dtype: Option<DType>, out: Option<&Array>) -> Result<Array> {
    accumulate_row(row(name)?, name, array, axis, dtype, out)
}

/// `ufunc.accumulate`.
///
/// # Errors
/// As [`reduce`]; `ValueError` for ufuncs that are not binary.
pub fn ufunc_accumulate(
    ufunc: &'static Ufunc,
    array: &Array,
    axis: isize,
    dtype: Option<DType>,
    out: Option<&Array>,
) -> Result<Array> {
    if array.ndim() == 0 {
        return type_error("cannot accumulate on a scalar");
    }
    accumulate_row(row_of(ufunc, "accumulate")?, ufunc.name, array, axis, dtype, out)
}

fn accumulate_row(
    row: &'static fold::Reduction,
    name: &str,
    array: &Array,
    axis: isize,
    dtype: Option<DType>,
    out: Option<&Array>,
) -> Result<Array> {
    let context = common_context(name, std::iter::once(array).chain(out))?.expect("one array at least").clone();
    let array = if array.ndim() == 0 { reshape(array, &[1], Order::C)? } else { array.clone() };
    let axis = normalize_axis(axis, array.ndim())?;
    let plan = row.plan(array.dtype(), dtype.or_else(|| row.dtype_for(array.dtype(), out.map(Array::dtype))))?;
    let output = plan.outputs[0];
    let target = match out {
        None => {
            let inputs = [(array.layout(), array.strides())];
            let layout = result_layout(array.shape(), output.size(), Order::of_results(), inputs.into_iter());
            Array::with_layout(&context, output, layout)?
        }
        Some(out) => {
            if out.shape() != array.shape() {
                return value_error(format!(
                    "provided out is the wrong size for the accumulation: {} instead of {}",
                    show_shape(out.shape()),
                    show_shape(array.shape())
                ));
            }
            plan.check_output(name, out.dtype())?;
            out.clone()
        }
    };
    if array.size() == 0 {
        return Ok(target);
    }
    let input = if target.may_share_memory(&array) { copy::copy(&array, Order::K)? } else { array };
    let kept: Dims = (0..input.ndim()).filter(|&other| other != axis).collect();
    let arguments = Reduction::default();
    let job = Job { plan, input: &input, arguments: &arguments, count: input.shape()[axis] };
    if !row.is_scannable() {
        let made = copy::aligned(&target)?;
        job.launch_ordered(&made, &kept, Some(axis), true, made.strides()[axis])?;
        if !target.is_aligned() {
            copy::assign(&target, &made, Casting::No, None)?;
        }
        return Ok(target);
    }
    let options = Options::default();
    let kernel = fold::SCAN.kernel(job.key(target.dtype()))?;
    let scalars = job.scalars(&plan.arguments(options), [0; 3])?;
    let order = |strides: &[isize]| kept.iter().chain([&axis]).map(|&axis| strides[axis]).collect::<Strides>();
    let mut places: SmallVec<[Place; 6]> = SmallVec::new();
    places.push(Place { ptr: input.read_ptr()?, strides: order(input.strides()) });
    places.push(Place { ptr: target.ptr()?, strides: order(target.strides()) });
    let outer: Dims = kept.iter().map(|&axis| input.shape()[axis]).collect();
    dispatch::launch(&context, kernel, &outer, &[input.shape()[axis]], &mut places, &scalars)?;
    Ok(target)
}
