//! Philox4x32-10 and Philox4x64-10 (Salmon, Moraes, Dror and Shaw, 2011) as kernels, and how elements take their words
//! from the former.
//!
//! The counter of a block is, from its lowest word: the 64-bit number of the block, the attempt of a method that
//! rejects, and zero. A draw at position `p` gives its element `i` a share of block `p + i / lanes`.

use std::cell::Cell;

use cuproxide_hal::ir::{Builder, LocalVar, Var};
use cuproxide_hal::{DType, Scalar};

/// Multipliers and steps of the key, for words of 32 bits and of 64.
const MULTIPLIERS: [[i128; 2]; 2] = [[0xD251_1F53, 0xCD9E_8D57], [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157]];
const WEYL: [[i128; 2]; 2] = [[0x9E37_79B9, 0xBB67_AE85], [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B]];
const ROUNDS: usize = 10;

/// The keys of all rounds, as many as [`ROUNDS`] (which the compiler cannot take within a closure's type).
type Keys<'b> = [[Var<'b>; 2]; 10];

/// The keys of all rounds from the first, by additions in the kernel.
pub(super) fn keys_of(mut key: [Var<'_>; 2]) -> Keys<'_> {
    let width = usize::from(key[0].dtype() == DType::U64);
    let weyl = WEYL[width].map(|step| key[0].like_integer(step));
    std::array::from_fn(|round| {
        if round > 0 {
            key = [key[0] + weyl[0], key[1] + weyl[1]];
        }
        key
    })
}

/// The same as the scalars that a [`Stream`] declares: every element would add the same.
pub fn key_scalars(key: [u32; 2]) -> impl Iterator<Item = Scalar> {
    let step = |word: usize| WEYL[0][word] as u32;
    let word = move |round: usize, word: usize| key[word].wrapping_add(step(word).wrapping_mul(round as u32));
    (0..2 * ROUNDS).map(move |number| Scalar::integer(DType::U32, word(number / 2, number % 2).into()))
}

/// The four words of the block with this counter; all words are uint32, or all uint64.
pub(super) fn philox<'b>(mut counter: [Var<'b>; 4], keys: &Keys<'b>) -> [Var<'b>; 4] {
    let width = usize::from(counter[0].dtype() == DType::U64);
    let [m0, m1] = MULTIPLIERS[width].map(|multiplier| counter[0].like_integer(multiplier));
    for key in keys {
        let [c0, c1, c2, c3] = counter;
        counter = [m1.mul_high(c2) ^ c1 ^ key[0], m1 * c2, m0.mul_high(c0) ^ c3 ^ key[1], m0 * c0];
    }
    counter
}

/// How many elements share a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Each takes one word.
    Four,
    /// Each takes two words.
    Two,
    /// Each has blocks of its own.
    One,
}

impl Lanes {
    /// Elements of a block.
    pub const fn count(self) -> usize {
        1 << self.shift()
    }

    const fn shift(self) -> u32 {
        match self {
            Lanes::Four => 2,
            Lanes::Two => 1,
            Lanes::One => 0,
        }
    }

    /// Number of blocks that a draw of `size` elements takes.
    pub const fn blocks(self, size: usize) -> u64 {
        (size as u64).div_ceil(self.count() as u64)
    }
}

/// Which of the elements of a block is meant.
#[derive(Clone, Copy)]
enum Lane<'b> {
    /// The one with this number, known when the kernel runs.
    Computed(Var<'b>),
    /// The one with this number.
    Fixed(usize),
}

/// The words of one element.
pub struct Stream<'b> {
    builder: &'b Builder,
    keys: Keys<'b>,
    position: Var<'b>,
    block: [Var<'b>; 2],
    lane: Lane<'b>,
    attempt: LocalVar<'b>,
    /// The first block, until the element takes it, where several elements share its computation.
    ready: Cell<Option<Block<'b>>>,
}

/// A block as its words, or as two uint64 of two words each.
#[derive(Clone, Copy)]
enum Block<'b> {
    Words([Var<'b>; 4]),
    Pairs([Var<'b>; 2]),
}

impl<'b> Stream<'b> {
    /// The stream of the element at the current point; declares the scalars of [`key_scalars`] and the position (uint64).
    pub fn declare(b: &'b Builder, lanes: Lanes) -> Stream<'b> {
        let index = |b: &'b Builder| b.index().cast(DType::U64);
        let mut stream = Stream::at(b, |b| index(b) >> b.integer(DType::U64, lanes.shift().into()));
        if lanes != Lanes::One {
            let lane = index(b).cast(DType::U32) & b.integer(DType::U32, lanes.count() as i128 - 1);
            stream.lane = Lane::Computed(lane);
        }
        stream
    }

    /// The streams of the elements that share the block of the current point, which is computed once, or read from an
    /// operand of complex128 if it is `written` already. None of them may take its first block in a loop. Declares what
    /// [`Stream::declare`] does.
    pub fn declare_block(b: &'b Builder, lanes: Lanes, written: bool) -> Vec<Stream<'b>> {
        let whole = Stream::at(b, |b| b.index().cast(DType::U64));
        let first = if written {
            let bits = b.input(DType::C128);
            Block::Pairs([bits.re(), bits.im()].map(|pair| pair.bitcast(DType::U64)))
        } else {
            let zero = b.integer(DType::U32, 0);
            Block::Words(philox([whole.block[0], whole.block[1], zero, zero], &whole.keys))
        };
        let element = |lane| Stream {
            lane: Lane::Fixed(lane),
            attempt: b.local(b.integer(DType::U32, 1)),
            ready: Cell::new(Some(first)),
            ..whole
        };
        (0..lanes.count()).map(element).collect()
    }

    fn at(b: &'b Builder, block: impl FnOnce(&'b Builder) -> Var<'b>) -> Stream<'b> {
        let keys = std::array::from_fn(|_| [b.scalar(DType::U32), b.scalar(DType::U32)]);
        let position = b.scalar(DType::U64);
        let number = position + block(b);
        Stream {
            builder: b,
            keys,
            position,
            block: split(number),
            lane: Lane::Fixed(0),
            attempt: b.local(b.integer(DType::U32, 0)),
            ready: Cell::new(None),
        }
    }

    /// The builder of the kernel.
    pub fn builder(&self) -> &'b Builder {
        self.builder
    }

    /// The first value for even elements of a block, the second for odd ones.
    pub fn by_parity(&self, even: Var<'b>, odd: Var<'b>) -> Var<'b> {
        match self.lane {
            Lane::Computed(lane) => odd.when((lane & lane.like_integer(1)).ne(lane.like_integer(0)), even),
            Lane::Fixed(lane) => [even, odd][lane % 2],
        }
    }

    /// The element's own of the values of a block of two.
    pub fn own(&self, [even, odd]: [Var<'b>; 2]) -> Var<'b> {
        self.by_parity(even, odd)
    }

    /// The first value for the lower half of a block of four, the second for the upper one.
    pub fn by_half(&self, lower: Var<'b>, upper: Var<'b>) -> Var<'b> {
        match self.lane {
            Lane::Computed(lane) => upper.when(lane.ge(lane.like_integer(2)), lower),
            Lane::Fixed(lane) => [lower, upper][lane / 2],
        }
    }

    /// How many blocks the element has taken so far.
    pub fn taken(&self) -> Var<'b> {
        self.attempt.get()
    }

    /// The next block of the element (or of those that share it).
    pub fn block(&self) -> [Var<'b>; 4] {
        match self.next() {
            Block::Words(words) => words,
            Block::Pairs(pairs) => {
                let [low, high] = pairs.map(split);
                [low[0], low[1], high[0], high[1]]
            }
        }
    }

    fn next(&self) -> Block<'b> {
        if let Some(first) = self.ready.take() {
            return first;
        }
        let attempt = self.attempt.get();
        self.attempt.set(attempt + attempt.like_integer(1));
        Block::Words(philox([self.block[0], self.block[1], attempt, attempt.like_integer(0)], &self.keys))
    }

    /// A block that all elements of the draw share, and no element takes.
    pub fn shared(&self) -> [Var<'b>; 4] {
        let [low, high] = split(self.position);
        philox([low, high, low.like_integer(0), low.like_integer(1)], &self.keys)
    }

    /// A block beside those of the attempts, which the same elements share, as two uint64.
    pub fn spare(&self) -> [Var<'b>; 2] {
        let zero = self.block[0].like_integer(0);
        let [w0, w1, w2, w3] = philox([self.block[0], self.block[1], zero, zero.like_integer(2)], &self.keys);
        [join(w0, w1), join(w2, w3)]
    }

    /// The next block as two uint64.
    pub fn pair(&self) -> [Var<'b>; 2] {
        match self.next() {
            Block::Words([w0, w1, w2, w3]) => [join(w0, w1), join(w2, w3)],
            Block::Pairs(pairs) => pairs,
        }
    }

    /// The element's own word where four share a block.
    pub fn word(&self) -> Var<'b> {
        let [w0, w1, w2, w3] = self.block();
        self.by_half(self.by_parity(w0, w1), self.by_parity(w2, w3))
    }

    /// The element's own uint64 where two share a block.
    pub fn wide(&self) -> Var<'b> {
        self.own(self.pair())
    }

    /// Two float64 of a block: the first in the open interval (0, 1), the other in [0, 1).
    pub fn uniforms(&self) -> [Var<'b>; 2] {
        let [first, second] = self.pair();
        [open_unit(first), unit(second)]
    }
}

/// Two unsigned integers as one of twice the width.
pub fn join<'b>(low: Var<'b>, high: Var<'b>) -> Var<'b> {
    let (wide, shift) = match low.dtype() {
        DType::U8 => (DType::U16, 8),
        DType::U16 => (DType::U32, 16),
        _ => (DType::U64, 32),
    };
    let high = high.cast(wide);
    low.cast(wide) | high << high.like_integer(shift)
}

/// The words of a uint64, the lower one first.
fn split(pair: Var<'_>) -> [Var<'_>; 2] {
    [pair.cast(DType::U32), (pair >> pair.like_integer(32)).cast(DType::U32)]
}

/// All bits but the lowest `spare` as a number. Of 32 bits by way of the signed type, whose conversion is cheaper.
fn number(bits: Var<'_>, spare: i128) -> Var<'_> {
    let kept = bits >> bits.like_integer(spare);
    if bits.dtype() == DType::U64 { kept.cast(DType::F64) } else { kept.cast(DType::I32).cast(DType::F32) }
}

/// Bits as a number in [0, 1), as NumPy maps them: uint64 to float64, uint32 to float32.
pub(super) fn unit(bits: Var<'_>) -> Var<'_> {
    let double = bits.dtype() == DType::U64;
    let (spare, scale) = if double { (11, -53) } else { (8, -24) };
    let number = number(bits, spare);
    number * number.like(f64::exp2(scale.into()))
}

/// Bits as a number in (0, 1), one bit coarser than [`unit`].
pub(super) fn open_unit(bits: Var<'_>) -> Var<'_> {
    if bits.dtype() == DType::U64 {
        // The mantissa of a number in [1, 2), of which the subtraction leaves the middle of its interval.
        let number = leading(bits >> bits.like_integer(12), 1.0);
        return number - number.like(1.0 - f64::exp2(-53.0));
    }
    let number = number(bits, 9);
    (number + number.like(0.5)) * number.like(f64::exp2(-23.0))
}

/// The lower half of a uint64 as a number in (0, 1).
pub(super) fn lower_open_unit(pair: Var<'_>) -> Var<'_> {
    // The unit of this number is 2^-32.
    let whole = f64::exp2(20.0);
    let number = leading(pair & pair.like_integer(u32::MAX.into()), whole);
    number - number.like(whole - f64::exp2(-33.0))
}

/// The float64 with the mantissa of a uint64, and the exponent of a power of two.
fn leading(mantissa: Var<'_>, power: f64) -> Var<'_> {
    (mantissa | mantissa.like_integer(power.to_bits().into())).bitcast(DType::F64)
}
