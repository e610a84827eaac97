//! Draws from the random stream, and the words of the sequences that vendors' libraries have.

use cuproxide_hal::ir::{Builder, Kernel, Var};
use cuproxide_hal::libraries::{Libraries, Sequence, SequenceSpec};
use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, type_error, value_error};
use crate::memory::capture;
use crate::ops::library::library;
use crate::plans::Key;
use crate::random::{self, Distribution, Lanes, Stream};
use crate::routes;
use crate::timeline::{self, Work};
use crate::trace;

/// A parameter of a distribution.
pub enum Parameter<'a> {
    /// One for all elements, of the distribution's type.
    Number(Scalar),
    /// One for each element: an array of the distribution's type that broadcasts to the result.
    Array(&'a Array),
}

/// Fills `out` with a draw of the named distribution and tells how many blocks of the stream it took.
///
/// # Errors
/// `ValueError` for an unknown name, a wrong number of parameters or shapes that do not fit, `TypeError` for parameters
/// of another type.
pub fn draw(name: &str, key: [u32; 2], position: u64, parameters: &[Parameter<'_>], out: &Array) -> Result<u64> {
    trace::refuse("it draws random numbers");
    let Some(number) = random::find(name) else { return value_error(format!("no distribution {name:?}")) };
    let distribution = &random::DISTRIBUTIONS[number];
    if parameters.len() != distribution.parameters {
        return value_error(format!("{name} has {} parameters, got {}", distribution.parameters, parameters.len()));
    }
    // The index of an element counts over one launch only.
    if out.ndim() > MAX_DIMS {
        return value_error(format!("draws have at most {MAX_DIMS} dimensions, got {}", out.ndim()));
    }
    let arrays = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Number(_) => None,
        Parameter::Array(array) => Some(*array),
    });
    common_context(name, arrays.chain([out]))?;
    let dtype = out.dtype();
    let mut arrays = 0;
    let mut scalars: SmallVec<[Scalar; 24]> = random::key_scalars(key).collect();
    let after = scalars.len();
    scalars.push(Scalar::integer(DType::U64, position.into()));
    let mut places: SmallVec<[Place; 4]> = SmallVec::new();
    for (bit, parameter) in parameters.iter().enumerate() {
        let given = match parameter {
            Parameter::Number(scalar) => scalar.dtype,
            Parameter::Array(array) => array.dtype(),
        };
        if given != distribution.parameter_type {
            return type_error(format!("parameters of {name} are {}, got {given}", distribution.parameter_type));
        }
        match parameter {
            Parameter::Number(scalar) => scalars.push(*scalar),
            Parameter::Array(array) => {
                arrays |= 1 << bit;
                places.push(Place::of(&array.broadcast_to(out.shape())?)?);
            }
        }
    }
    let blocks = if places.is_empty() { whole_blocks(distribution.lanes, out)? } else { 0 };
    if blocks > 0 {
        let bytes = distribution.lanes.count() * dtype.size();
        let written = bytes == BLOCK && write_words(key, position, blocks, out)?;
        let kernel = BLOCK_DRAWS.kernel((number, dtype, written))?;
        let at = |at: usize| Ok((out.ptr()? + at as u64, bytes as isize));
        let mut words: SmallVec<[(u64, isize); 2]> = (0..bytes).step_by(BLOCK).map(at).collect::<Result<_>>()?;
        if written {
            words.push(words[0]);
        }
        dispatch::launch_line(out.context(), kernel, blocks, &words, &scalars)?;
    }
    let done = blocks * distribution.lanes.count();
    if done < out.size() {
        let kernel = DRAWS.kernel((number, dtype, arrays))?;
        if done > 0 {
            scalars[after] = Scalar::integer(DType::U64, i128::from(position) + blocks as i128);
            let rest = (out.ptr()? + (done * dtype.size()) as u64, dtype.size() as isize);
            dispatch::launch_line(out.context(), kernel, out.size() - done, &[rest], &scalars)?;
        } else {
            places.push(Place::of(out)?);
            dispatch::launch_map(out.context(), kernel, out.shape(), &mut places, &scalars)?;
        }
    }
    Ok(distribution.lanes.blocks(out.size()))
}

/// Bytes of a block, which is as wide as the widest element that a kernel stores.
const BLOCK: usize = 16;

/// How many blocks of the stream `out` takes whole, if a thread can store the elements of one at once.
fn whole_blocks(lanes: Lanes, out: &Array) -> Result<usize> {
    let dtype = out.dtype();
    let bytes = lanes.count() * dtype.size();
    let plain = matches!(dtype, DType::F32 | DType::F64) || dtype.is_integer();
    let dense = out.layout().c_contiguous && lanes != Lanes::One && plain;
    if !dense || !routes::DRAWN_BLOCKS.takes(out.size()) || !out.ptr()?.is_multiple_of(bytes.min(BLOCK) as u64) {
        return Ok(0);
    }
    Ok(out.size() / lanes.count())
}

/// Fills `out` with the words of its blocks, if the device is faster so; whether it is.
fn write_words(key: [u32; 2], position: u64, blocks: usize, out: &Array) -> Result<bool> {
    let context = out.context();
    let Some(rng) = routes::words_first(context)? else { return Ok(false) };
    let target = out.ptr()?;
    // SAFETY: the array is dense, has the bytes of so many blocks and is aligned to one.
    context.queue(|stream| unsafe { rng.philox(stream, key, position, blocks, target) })?;
    Ok(true)
}

/// A sequence of one stream: what a library's generator knows of its place is the business of one stream.
#[derive(Clone, PartialEq)]
struct SequenceKey {
    spec: SequenceSpec,
    stream: u64,
}

impl Key for SequenceKey {
    type Plan = dyn Sequence;

    /// The states of some thousand lanes.
    fn bytes(&self, _: &dyn Sequence) -> usize {
        1 << 18
    }
}

/// Fills `out`, dense uint32 or uint64 as the words are, with the words from `first` on of a sequence that the device's
/// library has. Of points `first` is the number of one, and `out` has the first coordinates of all, then the second ones and
/// so on.
///
/// # Errors
/// `TypeError` and `ValueError` for another kind of `out`, a missing library, a device without the sequence.
pub fn sequence_words(spec: &SequenceSpec, first: u64, out: &Array) -> Result<()> {
    trace::refuse("it draws random numbers");
    let wanted = if spec.kind.word_bytes() == 8 { DType::U64 } else { DType::U32 };
    if out.dtype() != wanted {
        return type_error(format!("words of {:?} are {wanted}, got {}", spec.kind, out.dtype()));
    }
    if out.ndim() != 1 || !out.layout().c_contiguous {
        return value_error("words are a dense line");
    }
    if spec.dimensions == 0 || !out.size().is_multiple_of(spec.dimensions as usize) {
        return value_error(format!("{} words are not points of {} dimensions", out.size(), spec.dimensions));
    }
    let context = out.context();
    let library = library(context, Libraries::rng)?;
    let key = SequenceKey { spec: *spec, stream: context.stream().id() };
    let sequence = context.plans().get(&key, || library.sequence(spec))?;
    if out.size() == 0 {
        return Ok(());
    }
    capture::keep(context, || sequence.clone());
    let target = out.ptr()?;
    let _span = timeline::queued(Work::Library, "random words", context, || out.nbytes());
    // SAFETY: the array is dense and of the words' type, whose multiples its address is one of.
    context.queue(|stream| unsafe { sequence.fill(stream, first, target, out.size()) })?;
    Ok(())
}
/// By the number of the distribution, the type of the elements and the parameters that are arrays.
static DRAWS: Family<(usize, DType, u32)> =
    Family::new(|&(number, dtype, arrays)| element_kernel(&random::DISTRIBUTIONS[number], dtype, arrays));

/// By the number of the distribution, the type of the elements and whether the words lie there already.
static BLOCK_DRAWS: Family<(usize, DType, bool)> =
    Family::new(|&(number, dtype, written)| block_kernel(&random::DISTRIBUTIONS[number], dtype, written));

/// The kernel of one element; `arrays` has a bit for each parameter that is one.
fn element_kernel(distribution: &Distribution, dtype: DType, arrays: u32) -> Kernel {
    let b = Builder::new(format!("random_{}_{arrays:x}_{dtype}", distribution.name));
    let stream = Stream::declare(&b, distribution.lanes);
    let declare = |bit: usize| {
        let declared = distribution.parameter_type;
        if arrays >> bit & 1 == 1 { b.input(declared) } else { b.scalar(declared) }
    };
    let values: Vec<_> = (0..distribution.parameters).map(declare).collect();
    b.output(dtype, distribution.value(&stream, &values));
    b.finish_map()
}

/// The kernel of all elements of a block, which lie beside each other: they are stored as the bits of complex128, or of
/// less where they take less. The words of the blocks are computed, or lie there already.
fn block_kernel(distribution: &Distribution, dtype: DType, written: bool) -> Kernel {
    let how = if written { "written" } else { "block" };
    let b = Builder::new(format!("random_{}_{how}_{dtype}", distribution.name));
    let streams = Stream::declare_block(&b, distribution.lanes, written);
    let values: Vec<_> = (0..distribution.parameters).map(|_| b.scalar(distribution.parameter_type)).collect();
    let mut words = vec![];
    for stream in &streams {
        words.push(raw(distribution.value(stream, &values).cast(dtype)));
    }
    while words.len() > 1 && words[0].dtype().size() < 8 {
        words = words.chunks(2).map(|pair| random::join(pair[0], pair[1])).collect();
    }
    if words.len() == 1 {
        b.output(words[0].dtype(), words[0]);
    }
    for pair in words.chunks_exact(2) {
        b.output(DType::C128, b.complex(pair[0].bitcast(DType::F64), pair[1].bitcast(DType::F64)));
    }
    b.finish_map()
}

/// The bits of a number as an unsigned integer.
fn raw(value: Var<'_>) -> Var<'_> {
    match value.dtype().size() {
        1 => value.bitcast(DType::U8),
        2 => value.bitcast(DType::U16),
        4 => value.bitcast(DType::U32),
        _ => value.bitcast(DType::U64),
    }
}
