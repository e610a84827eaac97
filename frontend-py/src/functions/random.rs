//! Draws from the random stream; `cuproxide.random` makes generators of them.

use cuproxide_core::ops::random::{self, Parameter};
use cuproxide_core::random::words::{self, Words};
use cuproxide_core::random::{DISTRIBUTIONS, find};
use cuproxide_hal::libraries::{SequenceKind, SequenceSpec};
use cuproxide_hal::{DType, Scalar};
use pyo3::prelude::*;
use smallvec::SmallVec;

use crate::arguments::{self, ArrayRef};
use crate::errors::{Result, value_error};
use crate::ndarray::NdArray;
use crate::wait;

enum Given<'a> {
    Array(ArrayRef<'a>),
    Number(Scalar),
}

/// Fills `out` with a draw of the named distribution and returns how many blocks of the stream it took. Parameters are
/// numbers, or arrays of the distribution's type that broadcast to `out`.
#[pyfunction]
pub fn random_draw(
    name: &str,
    key: u64,
    position: u64,
    parameters: Vec<Bound<'_, PyAny>>,
    out: &Bound<'_, PyAny>,
) -> Result<u64> {
    let number = find(name).ok_or_else(|| value_error(format!("no distribution {name:?}")))?;
    let integral = DISTRIBUTIONS[number].parameter_type == DType::U64;
    let given: SmallVec<[Given<'_>; 3]> = parameters
        .iter()
        .map(|parameter| {
            Ok(match parameter.cast::<NdArray>() {
                Ok(array) => Given::Array(ArrayRef::Borrowed(array.get().read())),
                Err(_) if integral => Given::Number(Scalar::integer(DType::U64, parameter.extract::<u64>()?.into())),
                Err(_) => Given::Number(Scalar::real(DType::F64, parameter.extract::<f64>()?)),
            })
        })
        .collect::<Result<_>>()?;
    let parameters: SmallVec<[Parameter<'_>; 3]> = given
        .iter()
        .map(|given| match given {
            Given::Array(array) => Parameter::Array(array),
            Given::Number(scalar) => Parameter::Number(*scalar),
        })
        .collect();
    let out = arguments::array(out)?;
    Ok(random::draw(name, [key as u32, (key >> 32) as u32], position, &parameters, &out)?)
}

/// Fills `out`, a dense line of uint64, with the words of a generator of NumPy that follow a state.
#[pyfunction]
pub fn random_words(generator: &str, state: Vec<u64>, out: &Bound<'_, PyAny>) -> Result<()> {
    Ok(words::words(Words::parse(generator)?, &state, &*arguments::array(out)?)?)
}

/// Fills `out` with the words of SFC64 that follow the four words of `state`, which moves on.
#[pyfunction]
pub fn random_sequential(state: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> Result<()> {
    Ok(words::sequential(&*arguments::array(state)?, &*arguments::array(out)?)?)
}

/// Fills a dense line of uint32 from its first 624 words on by the recurrence of the Mersenne Twister.
#[pyfunction]
pub fn random_twist(buffer: &Bound<'_, PyAny>) -> Result<()> {
    Ok(words::twist(&*arguments::array(buffer)?)?)
}

/// Fills `out`, a dense line of uint32 (of uint64 where words are as wide), with the words from `first` on of a sequence of
/// the device's library.
#[pyfunction]
pub fn random_sequence(kind: &str, seed: u64, dimensions: u32, first: u64, out: &Bound<'_, PyAny>) -> Result<()> {
    let kind = match kind {
        "xorwow" => SequenceKind::Xorwow,
        "mrg32k3a" => SequenceKind::Mrg32k3a,
        "scrambled_sobol32" => SequenceKind::ScrambledSobol32,
        "scrambled_sobol64" => SequenceKind::ScrambledSobol64,
        other => return Err(value_error(format!("no sequence {other:?}"))),
    };
    let spec = SequenceSpec { kind, seed, dimensions };
    let array = arguments::array(out)?.clone();
    // The first words take a while: the library is opened and finds its states.
    wait::long(out.py(), || random::sequence_words(&spec, first, &array))
}
