//! The words of NumPy's bit generators.
//!
//! PCG64 and Philox can start anywhere in their sequence, so each thread jumps to a stretch of its own. SFC64 knows no
//! jumps: one thread goes on from number to number. The Mersenne Twister makes 227 numbers from those before them at a
//! time, a launch each.

use cuproxide_hal::ir::{Builder, Kernel, LocalVar, Mode, OperandVar, Var};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::philox::{keys_of, philox};
use crate::array::Array;
use crate::dispatch::{self, Family, Place};
use crate::error::{Result, type_error, value_error};
use crate::layout::Strides;
use crate::trace;

const PCG_MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;
const CHEAP_MULTIPLIER: u128 = 0xDA94_2042_E4DD_58B5;
/// Numbers that a thread makes after a jump.
const STRETCH: usize = 64;
/// Words of the Mersenne Twister's state, and the distance of the word that is mixed in.
const TWISTER: (usize, usize) = (624, 397);

/// A generator of 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Words {
    /// O'Neill's PCG XSL RR 128/64. State: state and increment, each its lower and its upper half.
    Pcg64,
    /// The same recurrence with a cheaper multiplier and the output function DXSM.
    Pcg64Dxsm,
    /// Philox4x64-10. State: the four words of the counter of the first block, the two of the key, and how many words
    /// of the first block were taken.
    Philox,
}

impl Words {
    /// The generator of this name.
    pub fn parse(name: &str) -> Result<Words> {
        Ok(match name {
            "pcg64" => Words::Pcg64,
            "pcg64dxsm" => Words::Pcg64Dxsm,
            "philox" => Words::Philox,
            other => return value_error(format!("no generator {other:?}")),
        })
    }

    fn state_words(self) -> usize {
        if self == Words::Philox { 7 } else { 4 }
    }
}

static WORDS: Family<Words> = Family::new(|&generator| match generator {
    Words::Philox => philox_kernel(),
    _ => pcg_kernel(generator == Words::Pcg64Dxsm),
});

static SMALL_FAST: Family<()> = Family::new(|()| small_fast_kernel());

/// One step of the Mersenne Twister's recurrence.
static TWIST: Family<()> = Family::new(|()| {
    let b = Builder::new("mt19937");
    let [first, second, mixed] = [0; 3].map(|_| b.input(DType::U32));
    let integer = |value| b.integer(DType::U32, value);
    let joined = (first & integer(0x8000_0000)) | (second & integer(0x7FFF_FFFF));
    let odd = (joined & integer(1)).ne(integer(0));
    b.output(DType::U32, mixed ^ (joined >> integer(1)) ^ integer(0x9908_B0DF).when(odd, integer(0)));
    b.finish_map()
});

/// Fills `out`, dense uint64, with the words that follow a state.
///
/// # Errors
/// `TypeError` and `ValueError` for another kind of `out` or state.
pub fn words(generator: Words, state: &[u64], out: &Array) -> Result<()> {
    trace::refuse("it draws random numbers");
    check(out, DType::U64)?;
    if state.len() != generator.state_words() {
        return value_error(format!("{generator:?} has {} words of state", generator.state_words()));
    }
    let kernel = WORDS.kernel(generator)?;
    let threads = match generator {
        Words::Philox => (out.size() + state[6] as usize).div_ceil(4),
        _ => out.size().div_ceil(STRETCH),
    };
    let mut scalars: SmallVec<[Scalar; 8]> = state.iter().map(|&w| Scalar::integer(DType::U64, w.into())).collect();
    scalars.push(Scalar::i64(out.size() as i64));
    dispatch::launch_map(out.context(), kernel, &[threads], &mut [whole(out)?], &scalars)
}

/// Fills `out`, dense uint64, with the numbers that follow the four words of `state`, which moves on.
///
/// # Errors
/// `TypeError` and `ValueError` for other kinds of arrays.
pub fn sequential(state: &Array, out: &Array) -> Result<()> {
    trace::refuse("it draws random numbers");
    check(out, DType::U64)?;
    check(state, DType::U64)?;
    if state.size() != 4 {
        return value_error(format!("SFC64 has 4 words of state, got {}", state.size()));
    }
    let kernel = SMALL_FAST.kernel(())?;
    let scalars = [Scalar::i64(out.size() as i64)];
    dispatch::launch_map(out.context(), kernel, &[1], &mut [whole(state)?, whole(out)?], &scalars)
}

/// Fills `buffer`, dense uint32, from its first 624 words on with the Mersenne Twister's recurrence.
///
/// # Errors
/// `TypeError` and `ValueError` for other kinds of arrays.
pub fn twist(buffer: &Array) -> Result<()> {
    trace::refuse("it draws random numbers");
    check(buffer, DType::U32)?;
    let (length, middle) = TWISTER;
    if buffer.size() < length {
        return value_error(format!("MT19937 has {length} words of state, got {}", buffer.size()));
    }
    let kernel = TWIST.kernel(())?;
    let start = buffer.ptr()?;
    let at = |word: usize| (start + 4 * word as u64, 4);
    let mut done = 0;
    while done + length < buffer.size() {
        let count = (buffer.size() - length - done).min(length - middle);
        let operands = [at(done), at(done + 1), at(done + middle), at(done + length)];
        dispatch::launch_line(buffer.context(), kernel, count, &operands, &[])?;
        done += count;
    }
    Ok(())
}

fn check(array: &Array, dtype: DType) -> Result<()> {
    if array.dtype() != dtype {
        return type_error(format!("words are {dtype}, got {}", array.dtype()));
    }
    if array.ndim() != 1 || !array.layout().c_contiguous {
        return value_error("words are a dense line");
    }
    Ok(())
}

/// An operand that kernels address by themselves.
fn whole(array: &Array) -> Result<Place> {
    Ok(Place { ptr: array.ptr()?, strides: Strides::from_elem(0, 1) })
}

/// An unsigned integer of 128 bits.
#[derive(Clone, Copy)]
struct Wide<'b> {
    low: Var<'b>,
    high: Var<'b>,
}

impl<'b> Wide<'b> {
    fn of(b: &'b Builder, value: u128) -> Wide<'b> {
        let word = |part: u128| b.integer(DType::U64, (part as u64).into());
        Wide { low: word(value), high: word(value >> 64) }
    }

    fn add(self, other: Wide<'b>) -> Wide<'b> {
        let low = self.low + other.low;
        let carry = low.like_integer(1).when(low.lt(self.low), low.like_integer(0));
        Wide { low, high: self.high + other.high + carry }
    }

    fn mul(self, other: Wide<'b>) -> Wide<'b> {
        let high = self.low.mul_high(other.low) + self.low * other.high + self.high * other.low;
        Wide { low: self.low * other.low, high }
    }
}

/// A local variable of 128 bits.
#[derive(Clone, Copy)]
struct WideLocal<'b> {
    low: LocalVar<'b>,
    high: LocalVar<'b>,
}

impl<'b> WideLocal<'b> {
    fn new(b: &'b Builder, value: Wide<'b>) -> WideLocal<'b> {
        WideLocal { low: b.local(value.low), high: b.local(value.high) }
    }

    fn get(self) -> Wide<'b> {
        Wide { low: self.low.get(), high: self.high.get() }
    }

    fn set(self, value: Wide<'b>) {
        self.low.set(value.low);
        self.high.set(value.high);
    }
}

fn rotate_right<'b>(word: Var<'b>, by: Var<'b>) -> Var<'b> {
    let left = (by.like_integer(64) - by) & by.like_integer(63);
    (word >> by) | (word << left)
}

fn store_word(b: &Builder, out: OperandVar, position: Var<'_>, word: Var<'_>) {
    b.store_at(out, position * position.like_integer(8), word);
}

/// Runs `body` for the numbers from `start` to below `end`.
fn count<'b>(b: &'b Builder, start: Var<'b>, end: Var<'b>, body: impl FnOnce(Var<'b>)) {
    let position = b.local(start);
    b.repeat(
        || position.get().lt(end),
        || {
            let now = position.get();
            body(now);
            position.set(now + now.like_integer(1));
        },
    );
}

fn pcg_kernel(dxsm: bool) -> Kernel {
    let b = Builder::new(if dxsm { "pcg64dxsm" } else { "pcg64" });
    let out = b.operand(DType::U64, Mode::Update);
    let [low, high, step_low, step_high] = [0; 4].map(|_| b.scalar(DType::U64));
    let size = b.scalar(DType::I64);
    let step = Wide { low: step_low, high: step_high };
    let one = Wide::of(&b, 1);
    let factor = Wide::of(&b, if dxsm { CHEAP_MULTIPLIER } else { PCG_MULTIPLIER });
    let start = b.index() * b.integer(DType::I64, STRETCH as i128);
    let stretch_end = start + b.integer(DType::I64, STRETCH as i128);

    // Brown's method: the recurrence n times over, in log n steps.
    let left = b.local(start);
    let (product, sum) = (WideLocal::new(&b, one), WideLocal::new(&b, Wide::of(&b, 0)));
    let (factors, steps) = (WideLocal::new(&b, factor), WideLocal::new(&b, step));
    b.repeat(
        || left.get().gt(b.integer(DType::I64, 0)),
        || {
            let bit = left.get() & b.integer(DType::I64, 1);
            let (f, s) = (factors.get(), steps.get());
            b.branch(
                bit.ne(b.integer(DType::I64, 0)),
                || {
                    sum.set(sum.get().mul(f).add(s));
                    product.set(product.get().mul(f));
                },
                || {},
            );
            steps.set(f.add(one).mul(s));
            factors.set(f.mul(f));
            left.set(left.get() >> b.integer(DType::I64, 1));
        },
    );
    let state = WideLocal::new(&b, product.get().mul(Wide { low, high }).add(sum.get()));
    count(&b, start, stretch_end.min(size), |position| {
        let before = state.get();
        let after = before.mul(factor).add(step);
        state.set(after);
        let by = |places: i128| b.integer(DType::U64, places);
        let word = if dxsm {
            let cheap = b.integer(DType::U64, CHEAP_MULTIPLIER as i128);
            let mut word = before.high ^ (before.high >> by(32));
            word = word * cheap;
            word = word ^ (word >> by(48));
            word * (before.low | by(1))
        } else {
            rotate_right(after.high ^ after.low, after.high >> by(58))
        };
        store_word(&b, out, position, word);
    });
    b.finish_map()
}

fn philox_kernel() -> Kernel {
    let b = Builder::new("philox4x64");
    let out = b.operand(DType::U64, Mode::Update);
    let mut counter = [0; 4].map(|_| b.scalar(DType::U64));
    let key = [0; 2].map(|_| b.scalar(DType::U64));
    let taken = b.scalar(DType::U64).cast(DType::I64);
    let size = b.scalar(DType::I64);
    // The number of the block is added with its carries.
    let mut rest = b.index().cast(DType::U64);
    for word in &mut counter {
        *word = *word + rest;
        rest = rest.like_integer(1).when(word.lt(rest), rest.like_integer(0));
    }
    let first = b.index() * b.integer(DType::I64, 4) - taken;
    for (lane, word) in philox(counter, &keys_of(key)).into_iter().enumerate() {
        let position = first + b.integer(DType::I64, lane as i128);
        let inside = position.ge(b.integer(DType::I64, 0)) & position.lt(size);
        b.branch(inside, || store_word(&b, out, position, word), || {});
    }
    b.finish_map()
}

fn small_fast_kernel() -> Kernel {
    let b = Builder::new("sfc64");
    let held = b.operand(DType::U64, Mode::Update);
    let out = b.operand(DType::U64, Mode::Update);
    let size = b.scalar(DType::I64);
    let at = |word: i128| b.integer(DType::I64, 8 * word);
    let state = [0, 1, 2, 3].map(|word| b.local(b.load_at(held, at(word))));
    count(&b, b.integer(DType::I64, 0), size, |position| {
        let [x, y, z, counter] = state.map(LocalVar::get);
        let shift = |by| x.like_integer(by);
        let word = x + y + counter;
        state[0].set(y ^ (y >> shift(11)));
        state[1].set(z + (z << shift(3)));
        state[2].set(rotate_right(z, shift(40)) + word);
        state[3].set(counter + shift(1));
        store_word(&b, out, position, word);
    });
    for (word, local) in state.iter().enumerate() {
        b.store_at(held, at(word as i128), local.get());
    }
    b.finish_map()
}
