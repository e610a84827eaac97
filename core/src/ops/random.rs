//! Draws from the random stream.

use cuproxide_hal::ir::Builder;
use cuproxide_hal::{DType, MAX_DIMS, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::dispatch::{self, Family, KernelKey, Place};
use crate::error::{Result, type_error, value_error};
use crate::random::{self, Stream};

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
    let mut params = (number as u128) << 8 | dtype as u128;
    let mut scalars: SmallVec<[Scalar; 6]> = SmallVec::new();
    scalars.extend(key.map(|word| Scalar::integer(DType::U32, word.into())));
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
                params |= 1 << (16 + bit);
                places.push(Place::of(&array.broadcast_to(out.shape())?)?);
            }
        }
    }
    places.push(Place::of(out)?);
    let kernel = dispatch::kernel(KernelKey { family: Family::Random, params }, || {
        let b = Builder::new(format!("random_{name}_{:x}_{dtype}", params >> 16));
        let stream = Stream::declare(&b, distribution.lanes);
        let declare = |bit: usize| {
            let is_array = params >> (16 + bit) & 1 == 1;
            let declared = distribution.parameter_type;
            if is_array { b.input(declared) } else { b.scalar(declared) }
        };
        let values: Vec<_> = (0..distribution.parameters).map(declare).collect();
        b.output(dtype, distribution.value(&stream, &values));
        b.finish_map()
    })?;
    dispatch::launch_map(out.context(), kernel, out.shape(), &mut places, &scalars)?;
    Ok(distribution.lanes.blocks(out.size()))
}
