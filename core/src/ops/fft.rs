//! Fourier transforms along any axes.
//!
//! A device's library transforms contiguous trailing axes, up to three at once, and mostly leading ones too. So axes are
//! taken in groups; for each group they are brought to the end unless they lead, cropped or padded with zeros and cast, all
//! by one copy, and by none where the array already lies that way.

use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftDirection, FftKind, FftPlan, FftSpec, Libraries};
use cuproxide_hal::{self as hal, DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, Slice};
use crate::error::{Error, Result, type_error, value_error};
use crate::layout::{Dims, Order, normalize_axis};
use crate::memory::{Block, capture, quiet};
use crate::ops::copy::{ascontiguous, assign, astype, copy, dense, fill};
use crate::ops::elementwise::{Call, Input, call};
use crate::ops::library::library;
use crate::plans;
use crate::promotion::Casting;
use crate::timeline::{self, Work};
use crate::ufunc;

/// A library that makes plans while nothing captures: it copies tables on the default stream.
struct InQuiet<'l>(&'l dyn Fft);

impl Fft for InQuiet<'_> {
    fn plan(&self, spec: &FftSpec) -> hal::Result<Arc<dyn FftPlan>> {
        let _quiet = quiet::soon();
        self.0.plan(spec)
    }
}

/// Axes that a library transforms at once.
const TOGETHER: usize = 3;

/// How transforms are normalised, as `numpy.fft` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Inverse transforms are divided by the length.
    Backward,
    /// Both directions are divided by the square root of the length.
    Ortho,
    /// Forward transforms are divided by the length.
    Forward,
}

impl Norm {
    /// Parses NumPy's names.
    pub fn parse(text: &str) -> Result<Norm> {
        match text {
            "backward" => Ok(Norm::Backward),
            "ortho" => Ok(Norm::Ortho),
            "forward" => Ok(Norm::Forward),
            other => {
                value_error(format!("Invalid norm value {other}; should be \"backward\",\"ortho\" or \"forward\"."))
            }
        }
    }

    /// The factor of a transform of `count` points in all.
    fn factor(self, direction: FftDirection, count: f64) -> f64 {
        match (self, direction) {
            (Norm::Ortho, _) => 1.0 / count.sqrt(),
            (Norm::Backward, FftDirection::Inverse) | (Norm::Forward, FftDirection::Forward) => 1.0 / count,
            _ => 1.0,
        }
    }
}

/// The transform of `array` along `axes` with `lengths` points, one axis after another. A real transform is along the
/// axis listed last: first of all for `RealToComplex`, after all others for `ComplexToReal`.
///
/// # Errors
/// `ValueError` for a length of 0, `numpy.exceptions.AxisError` for an axis that does not exist, `TypeError` for
/// `RealToComplex` of complex numbers.
pub fn transform(
    array: &Array,
    kind: FftKind,
    direction: FftDirection,
    axes: &[isize],
    lengths: &[isize],
    norm: Norm,
) -> Result<Array> {
    let source = array.dtype();
    if kind == FftKind::RealToComplex && source.is_complex() {
        return type_error(format!("a transform of real numbers cannot take {source}"));
    }
    let mut passes: SmallVec<[(usize, usize); 4]> = SmallVec::new();
    for (&axis, &length) in axes.iter().zip(lengths) {
        let Some(points) = usize::try_from(length).ok().filter(|&points| points > 0) else {
            return value_error(format!("Invalid number of FFT data points ({length}) specified."));
        };
        passes.push((normalize_axis(axis, array.ndim())?, points));
    }
    let single = source.computed().real() == DType::F32;
    let real = if single { DType::F32 } else { DType::F64 };
    if kind == FftKind::ComplexToReal {
        // As NumPy: first axis first, the real one last.
        let mut result = array.clone();
        let last = tail(&passes, kind);
        let (complex, together) = passes.split_at(passes.len() - last);
        for group in groups(complex, false) {
            result = pass(&result, FftKind::Complex, direction, real, &group)?;
        }
        result = pass(&result, kind, direction, real, together)?;
        let result = scaled(array, result, norm, direction, &passes)?;
        // As NumPy: after complex passes the result is in the precision that they had.
        let narrow = passes.len() == 1 && source.is_narrow();
        return if narrow { astype(&result, source, Order::C) } else { Ok(result) };
    }
    // As NumPy: last axis first.
    let last = if kind == FftKind::RealToComplex { tail(&passes, kind) } else { 0 };
    let (complex, together) = passes.split_at(passes.len() - last);
    let mut result = array.clone();
    if !together.is_empty() {
        result = pass(&result, kind, direction, real, together)?;
    }
    for group in groups(complex, true) {
        result = pass(&result, FftKind::Complex, direction, real, &group)?;
    }
    if result.dtype() != complex_of(real) {
        // No axis was transformed.
        result = astype(&result, complex_of(real), Order::C)?;
    }
    scaled(array, result, norm, direction, &passes)
}

fn complex_of(real: DType) -> DType {
    if real == DType::F32 { DType::C64 } else { DType::C128 }
}

/// How many of the last axes go with a real transform.
fn tail(passes: &[(usize, usize)], kind: FftKind) -> usize {
    let Some(&(axis, length)) = passes.last() else { return 0 };
    // One point is no transform: the library is left out.
    if length == 1 && kind != FftKind::Complex {
        return 1;
    }
    let mut seen: SmallVec<[usize; TOGETHER]> = smallvec::smallvec![axis];
    for &(axis, _) in passes.iter().rev().skip(1) {
        if seen.len() == TOGETHER || seen.contains(&axis) {
            break;
        }
        seen.push(axis);
    }
    seen.len()
}

type Group = SmallVec<[(usize, usize); TOGETHER]>;

/// Cuts complex passes into groups of different axes, in their order or from the last to the first.
fn groups(passes: &[(usize, usize)], backwards: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![];
    let mut add = |pass: (usize, usize)| match groups.last_mut() {
        Some(group) if group.len() < TOGETHER && group.iter().all(|(axis, _)| *axis != pass.0) => group.push(pass),
        _ => groups.push(smallvec::smallvec![pass]),
    };
    if backwards {
        passes.iter().rev().copied().for_each(&mut add);
    } else {
        passes.iter().copied().for_each(&mut add);
    }
    // The order within a group is free: that of the axes needs the fewest copies.
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// Transforms different axes at once, not normalised; for real kinds the last one is the real one.
fn pass(array: &Array, kind: FftKind, direction: FftDirection, real: DType, group: &[(usize, usize)]) -> Result<Array> {
    let context = array.context().clone();
    let complex = complex_of(real);
    let mut group = Group::from_slice(group);
    if let Some((_, outer)) = group.split_last_mut() {
        outer.sort_unstable();
    }
    let kept = (0..array.ndim()).filter(|axis| group.iter().all(|(other, _)| other != axis));
    let mut order: SmallVec<[isize; 8]> =
        kept.chain(group.iter().map(|(axis, _)| *axis)).map(|axis| axis as isize).collect();
    let mut turned = array.transpose(&order)?;
    // Leading axes may stay where they are, unless the others already come first in memory.
    let leads = kind == FftKind::Complex && group.iter().enumerate().all(|(place, (axis, _))| place == *axis);
    let beside: usize = array.shape()[group.len()..].iter().product();
    let is_any = beside > 0 && group.iter().any(|(_, length)| *length > 1);
    let stays = leads && is_any && !turned.layout().c_contiguous && !plans::are_held();
    let lengths: Dims = group.iter().map(|(_, length)| *length).collect();
    let interleaved = stays && library(&context, Libraries::fft)?.interleaves(&lengths, beside);
    if interleaved {
        order.sort_unstable();
        turned = array.clone();
    }

    // What goes in and what comes out along the axes of the group.
    let first = if interleaved { 0 } else { array.ndim() - group.len() };
    let mut wanted = Dims::from_slice(turned.shape());
    wanted[first..first + group.len()].copy_from_slice(&lengths);
    let mut made = wanted.clone();
    let last = array.ndim() - 1;
    let (input_type, output_type) = match kind {
        FftKind::Complex => (complex, complex),
        FftKind::RealToComplex => {
            made[last] = wanted[last] / 2 + 1;
            (real, complex)
        }
        FftKind::ComplexToReal => {
            wanted[last] = made[last] / 2 + 1;
            (complex, real)
        }
    };
    let mut input = Prepared::new(&turned, input_type, &wanted, complex.size())?;
    let batch = if interleaved { beside } else { wanted[..first].iter().product() };
    // Transforms of one point are none; memory looks the same without such axes.
    let points: Vec<usize> = match kind {
        FftKind::Complex => lengths.iter().copied().filter(|&n| n > 1).collect(),
        _ if lengths[lengths.len() - 1] > 1 => lengths.to_vec(),
        _ => vec![],
    };
    let result = if batch == 0 || points.is_empty() {
        match kind {
            FftKind::Complex => input.array,
            FftKind::RealToComplex if batch > 0 => astype(&input.array, complex, Order::C)?,
            FftKind::ComplexToReal if batch > 0 => dense(&input.array.part(false), false)?,
            _ => Array::empty(&context, output_type, &made, Order::C)?,
        }
    } else {
        let spec = FftSpec { kind, dtype: real, lengths: points, batch, interleaved };
        let library = library(&context, Libraries::fft)?;
        let plan = plans::fft_plan(&context.plans(), &InQuiet(library), &spec)?;
        capture::keep(&context, || plan.clone());
        if plan.overwrites_input() {
            input.own()?;
        }
        let output = match kind {
            FftKind::Complex if input.owned => input.array.clone(),
            _ => Array::empty(&context, output_type, &made, Order::C)?,
        };
        // Given back after the transform is queued: stream order protects it from the next user.
        let scratch = match plan.scratch_bytes() {
            0 => None,
            bytes => Some(scratch(&input.array, bytes)?),
        };
        let (from, to) = (input.array.ptr()?, output.ptr()?);
        let held = scratch.as_ref().map_or(0, |block| block.ptr);
        let bytes = || input.array.nbytes() + output.nbytes();
        let _span = timeline::queued(Work::Library, "Fourier transform", &context, bytes);
        // SAFETY: both arrays are contiguous and of the sizes and types of the plan, new memory is aligned and `Prepared`
        // sees to the input; scratch is as large as asked for.
        context.queue(|stream| unsafe { plan.execute(stream, direction, from, to, held) })?;
        output
    };
    let mut back: SmallVec<[isize; 8]> = SmallVec::from_elem(0, order.len());
    order.iter().enumerate().for_each(|(position, &axis)| back[axis as usize] = position as isize);
    result.transpose(&back)
}

/// Scratch memory; plans that are cached give way if there is none.
pub(super) fn scratch(array: &Array, bytes: usize) -> Result<Block> {
    let context = array.context();
    match context.allocate(bytes) {
        Err(Error::OutOfMemory(_)) if context.clear_plans() => context.allocate(bytes),
        other => other,
    }
}

/// Input of a library: contiguous and aligned.
struct Prepared {
    array: Array,
    /// Whether the memory was made for it, so that it may be written.
    owned: bool,
}

impl Prepared {
    /// `array` with the wanted type and shape: longer axes are cropped, shorter ones end in zeros.
    fn new(array: &Array, dtype: DType, shape: &[usize], alignment: usize) -> Result<Prepared> {
        let mut cropped = array.clone();
        for (axis, &length) in shape.iter().enumerate() {
            if length < cropped.shape()[axis] {
                cropped = cropped.slice_axis(axis, Slice { start: 0, step: 1, length });
            }
        }
        let fits = cropped.shape() == shape;
        if fits && cropped.dtype() == dtype && cropped.layout().c_contiguous {
            let aligned = cropped.size() == 0 || cropped.ptr()?.is_multiple_of(alignment as u64);
            if aligned {
                return Ok(Prepared { array: cropped, owned: false });
            }
        }
        let made = Array::empty(array.context(), dtype, shape, Order::C)?;
        let mut target = made.clone();
        if !fits {
            fill(&made, Scalar::integer(dtype, 0))?;
            for (axis, &length) in cropped.shape().iter().enumerate() {
                target = target.slice_axis(axis, Slice { start: 0, step: 1, length });
            }
        }
        if cropped.size() > 0 {
            assign(&target, &cropped, Casting::Unsafe, None)?;
        }
        Ok(Prepared { array: made, owned: true })
    }

    /// Copies what belongs to the caller.
    fn own(&mut self) -> Result<()> {
        if !self.owned {
            self.array = copy(&self.array, Order::C)?;
            self.owned = true;
        }
        Ok(())
    }
}

/// The normalised result of all passes, in C order and in memory of its own, which `array` does not share.
fn scaled(
    array: &Array,
    result: Array,
    norm: Norm,
    direction: FftDirection,
    passes: &[(usize, usize)],
) -> Result<Array> {
    let factor = norm.factor(direction, passes.iter().map(|(_, length)| *length as f64).product());
    // A transform of one point is the caller's own array so far.
    let shared = Arc::ptr_eq(result.storage(), array.storage());
    let result = if shared { copy(&result, Order::C)? } else { ascontiguous(&result, false)? };
    if factor == 1.0 || result.size() == 0 {
        return Ok(result);
    }
    // A real factor scales both parts of a complex number alike, whatever they are.
    let flat = result.reshape_view(&[result.size()], false).unwrap_or_else(|| result.clone());
    let parts = if result.dtype().is_complex() { flat.view_dtype(result.dtype().real())? } else { flat };
    let multiply = ufunc::get("multiply").expect("the table has a row for products");
    let inputs = [Input::Array(&parts), Input::Float(factor)];
    let out = [Some(&parts)];
    call(multiply, &Call { out: &out, ..Call::new(&inputs) })?;
    Ok(result)
}
