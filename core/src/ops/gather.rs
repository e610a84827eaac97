//! Kernels that read and write through arrays of indices.

use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::ir::{Atomic, Builder, Kernel, Mode as Use, Var};
use cuproxide_hal::{DType, Fault, Scalar, settings};
use once_cell::sync::Lazy;
use smallvec::SmallVec;

use crate::array::Array;
use crate::dispatch::{self, Family, Place};
use crate::error::Result;
use crate::layout::Strides;

pub(crate) mod runs;

/// What happens to an index outside its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Negative ones count from the end; others are an `IndexError`.
    Raise,
    /// Wraps around.
    Wrap,
    /// Becomes the nearest valid index; negative ones become 0.
    Clip,
}

/// Whether indices that would be an error wrap around.
static LENIENT: AtomicBool = AtomicBool::new(false);

/// Makes indices out of bounds wrap around throughout the process instead of being an error, or no longer; returns what
/// held before. For programs written for libraries that do not check.
pub fn set_wrapping(wrapping: bool) -> bool {
    LENIENT.swap(wrapping, Ordering::Relaxed)
}

/// Whether indices out of bounds wrap around throughout the process.
pub fn is_wrapping() -> bool {
    LENIENT.load(Ordering::Relaxed)
}

/// Whether updates through repeated indices go in order on every device.
static DETERMINISTIC: Lazy<AtomicBool> = Lazy::new(|| AtomicBool::new(settings::DETERMINISTIC.is_on()));

/// Whether updates through repeated indices give the same bits at every call on devices whose threads race, too.
pub fn is_deterministic() -> bool {
    DETERMINISTIC.load(Ordering::Relaxed)
}

/// Makes updates through repeated indices go in order on every device, or no longer; returns what held before.
pub fn set_deterministic(deterministic: bool) -> bool {
    DETERMINISTIC.swap(deterministic, Ordering::Relaxed)
}

impl Mode {
    /// What happens where nothing else was asked for.
    pub fn checked() -> Mode {
        if LENIENT.load(Ordering::Relaxed) { Mode::Wrap } else { Mode::Raise }
    }

    /// Parses NumPy's names.
    pub fn parse(text: &str) -> Result<Mode> {
        match text {
            "raise" => Ok(Mode::checked()),
            "wrap" => Ok(Mode::Wrap),
            "clip" => Ok(Mode::Clip),
            other => {
                crate::error::value_error(format!("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{other}')"))
            }
        }
    }
}

/// How scattered values meet the old content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Replaces it; the last of several values for one place wins on a CPU, any of them on a GPU.
    Replace,
    /// Combines with it, atomically.
    Combine(Atomic),
}

impl Write {
    /// Whether the order of values for one place changes the result.
    pub fn depends_on_order(self, dtype: DType) -> bool {
        self == Write::Replace || dtype.is_inexact()
    }

    /// What an index out of bounds is reported as.
    fn fault(self) -> Fault {
        match self {
            Write::Replace => Fault::AssignmentOutOfBounds,
            Write::Combine(_) => Fault::UpdateOutOfBounds,
        }
    }
}

/// An index array together with the axis that it selects from.
pub struct Selector<'a> {
    /// Integer array.
    pub indices: &'a Array,
    /// Its strides over the shape of the launch.
    pub strides: Strides,
    /// Length of the axis.
    pub length: usize,
    /// Stride of the axis in bytes.
    pub stride: isize,
}

/// Bytes from the origin of the indexed array: the sum over all selectors of index x stride.
fn byte_offset<'b>(b: &'b Builder, types: &[DType], mode: Mode, fault: Fault) -> Var<'b> {
    let mut total = b.integer(DType::I64, 0);
    for &dtype in types {
        let index = b.input(dtype).cast(DType::I64);
        let (length, stride) = (b.scalar(DType::I64), b.scalar(DType::I64));
        let (zero, one) = (b.integer(DType::I64, 0), b.integer(DType::I64, 1));
        let position = match mode {
            Mode::Wrap => {
                let rest = index % length;
                (rest + length).when(rest.lt(zero), rest)
            }
            Mode::Clip => index.max(zero).min(length - one),
            Mode::Raise => {
                let wrapped = (index + length).when(index.lt(zero), index);
                // What is still negative is large as an unsigned number.
                let inside = wrapped.cast(DType::U64).lt(length.cast(DType::U64));
                b.require(inside, fault);
                wrapped.when(inside, zero)
            }
        };
        total = total + position * stride;
    }
    total
}

/// The types of index arrays.
type Types = SmallVec<[DType; 8]>;

/// What a gather depends on: the types of the indices, what becomes of those outside, and the type of the elements. The
/// CPU backend has a compiled loop for one checked index (`lower/ready/gathers.rs`). It recognises this kernel by equality: change
/// both together.
static GATHER: Family<(Types, Mode, DType)> = Family::new(|(types, mode, dtype)| {
    let b = Builder::new(format!("gather{}_{dtype}", types.len()));
    let offset = byte_offset(&b, types, *mode, Fault::IndexOutOfBounds);
    let source = b.operand(*dtype, Use::Read);
    b.output(*dtype, b.load_at(source, offset));
    b.finish_map()
});

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ScatterKey {
    indices: Types,
    mode: Mode,
    from: DType,
    to: DType,
    write: Write,
}

static SCATTER: Family<ScatterKey> = Family::new(scatter_kernel);

fn scatter_kernel(key: &ScatterKey) -> Kernel {
    let ScatterKey { indices, mode, from, to, write } = key;
    let b = Builder::new(format!("scatter{}_{from}_{to}", indices.len()));
    // Repeated indices must leave the last value, as assignment in NumPy does, and add up to NumPy's bits.
    b.set_ordered(write.depends_on_order(*to));
    let offset = byte_offset(&b, indices, *mode, write.fault());
    let value = b.input(*from).cast(*to);
    let target = b.operand(*to, Use::Update);
    match *write {
        Write::Replace => b.store_at(target, offset, value),
        Write::Combine(op) => b.atomic(target, Some(offset), op, value),
    }
    b.finish_map()
}

fn types_of(selectors: &[Selector<'_>]) -> Types {
    selectors.iter().map(|selector| selector.indices.dtype()).collect()
}

fn index_scalars(selectors: &[Selector<'_>]) -> SmallVec<[Scalar; 8]> {
    let pairs = selectors.iter().map(|s| [Scalar::i64(s.length as i64), Scalar::i64(s.stride as i64)]);
    pairs.flatten().collect()
}

fn index_places(selectors: &[Selector<'_>]) -> Result<SmallVec<[Place; 6]>> {
    selectors.iter().map(|s| Ok(Place { ptr: s.indices.read_ptr()?, strides: s.strides.clone() })).collect()
}

/// Queues `out[p] = source[p + offset(p)]`; `source` has zero strides along the selected axes.
pub fn launch_gather(selectors: &[Selector<'_>], mode: Mode, source: Place, out: &Array) -> Result<()> {
    let kernel = GATHER.kernel((types_of(selectors), mode, out.dtype()))?;
    let mut places = index_places(selectors)?;
    places.push(source);
    places.push(Place::of(out)?);
    dispatch::launch_map(out.context(), kernel, out.shape(), &mut places, &index_scalars(selectors))
}

/// Queues `target[p + offset(p)] = value[p]` over `shape`; `target` has zero strides along the selected axes.
pub fn launch_scatter(
    selectors: &[Selector<'_>],
    mode: Mode,
    shape: &[usize],
    value: &Array,
    target: Place,
    dtype: DType,
    write: Write,
) -> Result<()> {
    let key = ScatterKey { indices: types_of(selectors), mode, from: value.dtype(), to: dtype, write };
    let kernel = SCATTER.kernel(key)?;
    let mut places = index_places(selectors)?;
    places.push(Place::stretched(value, shape)?);
    places.push(target);
    dispatch::launch_map(value.context(), kernel, shape, &mut places, &index_scalars(selectors))
}

static COMPACT: Family<()> = Family::new(|()| {
    let b = Builder::new("compact");
    let (flag, rank) = (b.input(DType::Bool), b.input(DType::I64));
    let target = b.operand(DType::I64, Use::Update);
    let position = b.index();
    b.branch(
        flag,
        || b.store_at(target, (rank - b.integer(DType::I64, 1)) * b.integer(DType::I64, 8), position),
        || {},
    );
    b.finish_map()
});

/// Queues writing the linear positions of true flags to `out`, in order; `ranks` is the inclusive count of true flags.
pub fn launch_compact(flags: &Array, ranks: &Array, out: &Array) -> Result<()> {
    let kernel = COMPACT.kernel(())?;
    let mut places: SmallVec<[Place; 6]> = SmallVec::new();
    places.push(Place::of(flags)?);
    places.push(Place::of(ranks)?);
    places.push(Place { ptr: out.ptr()?, strides: Strides::from_elem(0, 1) });
    dispatch::launch_map(flags.context(), kernel, flags.shape(), &mut places, &[])
}

/// By the type that the division is done in.
static UNRAVEL: Family<DType> = Family::new(|&dtype| {
    let b = Builder::new(format!("unravel_{dtype}"));
    let position = b.input(DType::I64).cast(dtype);
    let length = b.scalar(dtype);
    let before = position / length;
    b.output(DType::I64, before.cast(DType::I64));
    b.output(DType::I64, (position - before * length).cast(DType::I64));
    b.finish_map()
});

/// Divides int64 positions, none of them negative or beyond `last`, by the length of an axis: what is left for the axes
/// before it, and the coordinate along it.
pub fn launch_unravel(positions: &Array, last: usize, length: usize, before: &Array, along: &Array) -> Result<()> {
    // Narrow divisions take half the time.
    let dtype = if u32::try_from(last.max(length)).is_ok() { DType::U32 } else { DType::U64 };
    let kernel = UNRAVEL.kernel(dtype)?;
    let mut places: SmallVec<[Place; 6]> = SmallVec::new();
    for array in [positions, before, along] {
        places.push(Place::of(array)?);
    }
    let scalars = [Scalar::integer(dtype, length as i128)];
    dispatch::launch_map(positions.context(), kernel, positions.shape(), &mut places, &scalars)
}
