//! Draws from the random stream.

use cuproxide_hal::ir::{Builder, Kernel, Var};
use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, type_error, value_error};
use crate::random::{self, Distribution, Lanes, Stream};

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
/// Elements below which a draw is not worth a second kernel for what its blocks leave over.
const SHORT: usize = 256;

/// How many blocks of the stream `out` takes whole, if a thread can store the elements of one at once.
fn whole_blocks(lanes: Lanes, out: &Array) -> Result<usize> {
    let dtype = out.dtype();
    let bytes = lanes.count() * dtype.size();
    let plain = matches!(dtype, DType::F32 | DType::F64) || dtype.is_integer();
    let dense = out.layout().c_contiguous && lanes != Lanes::One && plain;
    if !dense || out.size() < SHORT || !out.ptr()?.is_multiple_of(bytes.min(BLOCK) as u64) {
        return Ok(0);
    }
    Ok(out.size() / lanes.count())
}

/// Fills `out` with the words of its blocks, if the device has a primitive for it; whether it has.
fn write_words(key: [u32; 2], position: u64, blocks: usize, out: &Array) -> Result<bool> {
    let context = out.context();
    let Some(words) = context.device().primitives().ok().and_then(|primitives| primitives.random_words()) else {
        return Ok(false);
    };
    let target = out.ptr()?;
    // SAFETY: the array is dense, has the bytes of so many blocks and is aligned to one.
    context.queue(|stream| unsafe { words.philox(stream, key, position, blocks, target) })?;
    Ok(true)
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
