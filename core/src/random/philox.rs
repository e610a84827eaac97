//! Philox4x32-10 and Philox4x64-10 (Salmon, Moraes, Dror and Shaw, 2011) as kernels, and how elements take their words
//! from the former.
//!
//! The counter of a block is, from its lowest word: the 64-bit number of the block, the attempt of a method that
//! rejects, and zero. A draw at position `p` gives its element `i` a share of block `p + i / lanes`.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, LocalVar, Var};

/// Multipliers and steps of the key, for words of 32 bits and of 64.
const MULTIPLIERS: [[i128; 2]; 2] = [[0xD251_1F53, 0xCD9E_8D57], [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157]];
const WEYL: [[i128; 2]; 2] = [[0x9E37_79B9, 0xBB67_AE85], [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B]];
const ROUNDS: usize = 10;

/// The four words of the block with this counter; all words are uint32, or all uint64.
pub(super) fn philox<'b>(mut counter: [Var<'b>; 4], mut key: [Var<'b>; 2]) -> [Var<'b>; 4] {
    let width = usize::from(key[0].dtype() == DType::U64);
    let [m0, m1] = MULTIPLIERS[width].map(|multiplier| key[0].like_integer(multiplier));
    let weyl = WEYL[width].map(|step| key[0].like_integer(step));
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0] + weyl[0], key[1] + weyl[1]];
        }
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
    const fn shift(self) -> u32 {
        match self {
            Lanes::Four => 2,
            Lanes::Two => 1,
            Lanes::One => 0,
        }
    }

    /// Number of blocks that a draw of `size` elements takes.
    pub const fn blocks(self, size: usize) -> u64 {
        (size as u64).div_ceil(1 << self.shift())
    }
}

/// The words of one element.
pub struct Stream<'b> {
    builder: &'b Builder,
    key: [Var<'b>; 2],
    position: Var<'b>,
    block: [Var<'b>; 2],
    lane: Var<'b>,
    attempt: LocalVar<'b>,
}

impl<'b> Stream<'b> {
    /// The stream of the current point; declares the scalars key (two uint32) and position (uint64).
    pub fn declare(b: &'b Builder, lanes: Lanes) -> Stream<'b> {
        let key = [b.scalar(DType::U32), b.scalar(DType::U32)];
        let position = b.scalar(DType::U64);
        let index = b.index().cast(DType::U64);
        let number = position + (index >> index.like_integer(lanes.shift().into()));
        let block = [number.cast(DType::U32), (number >> number.like_integer(32)).cast(DType::U32)];
        let lane = index.cast(DType::U32) & b.integer(DType::U32, (1 << lanes.shift()) - 1);
        Stream { builder: b, key, position, block, lane, attempt: b.local(b.integer(DType::U32, 0)) }
    }

    /// The builder of the kernel.
    pub fn builder(&self) -> &'b Builder {
        self.builder
    }

    /// Whether the element is an odd one of its block.
    pub fn is_odd(&self) -> Var<'b> {
        (self.lane & self.lane.like_integer(1)).ne(self.lane.like_integer(0))
    }

    /// Whether the element belongs to the upper half of a block of four.
    pub fn is_upper(&self) -> Var<'b> {
        self.lane.ge(self.lane.like_integer(2))
    }

    /// How many blocks the element has taken so far.
    pub fn taken(&self) -> Var<'b> {
        self.attempt.get()
    }

    /// The next block of the element (or of those that share it).
    pub fn block(&self) -> [Var<'b>; 4] {
        let attempt = self.attempt.get();
        self.attempt.set(attempt + attempt.like_integer(1));
        philox([self.block[0], self.block[1], attempt, attempt.like_integer(0)], self.key)
    }

    /// A block that all elements of the draw share, and no element takes.
    pub fn shared(&self) -> [Var<'b>; 4] {
        let low = self.position.cast(DType::U32);
        let high = (self.position >> self.position.like_integer(32)).cast(DType::U32);
        philox([low, high, low.like_integer(0), low.like_integer(1)], self.key)
    }

    /// The next block as two uint64.
    pub fn pair(&self) -> [Var<'b>; 2] {
        let [w0, w1, w2, w3] = self.block();
        [join(w0, w1), join(w2, w3)]
    }

    /// The element's own word where four share a block.
    pub fn word(&self) -> Var<'b> {
        let [w0, w1, w2, w3] = self.block();
        let odd = self.is_odd();
        w3.when(odd, w2).when(self.is_upper(), w1.when(odd, w0))
    }

    /// The element's own uint64 where two share a block.
    pub fn wide(&self) -> Var<'b> {
        let [low, high] = self.pair();
        high.when(self.is_odd(), low)
    }

    /// Two float64 of a block: the first in the open interval (0, 1), the other in [0, 1).
    pub fn uniforms(&self) -> [Var<'b>; 2] {
        let [first, second] = self.pair();
        [open_unit(first), unit(second)]
    }
}

fn join<'b>(low: Var<'b>, high: Var<'b>) -> Var<'b> {
    let high = high.cast(DType::U64);
    low.cast(DType::U64) | high << high.like_integer(32)
}

/// Bits as a number in [0, 1), as NumPy maps them: uint64 to float64, uint32 to float32.
pub(super) fn unit(bits: Var<'_>) -> Var<'_> {
    let (dtype, spare, scale) = if bits.dtype() == DType::U64 { (DType::F64, 11, -53) } else { (DType::F32, 8, -24) };
    let number = (bits >> bits.like_integer(spare)).cast(dtype);
    number * number.like(f64::exp2(scale.into()))
}

/// Bits as a number in (0, 1), one bit coarser than [`unit`].
pub(super) fn open_unit(bits: Var<'_>) -> Var<'_> {
    let (dtype, spare, scale) = if bits.dtype() == DType::U64 { (DType::F64, 12, -52) } else { (DType::F32, 9, -23) };
    let number = (bits >> bits.like_integer(spare)).cast(dtype);
    (number + number.like(0.5)) * number.like(f64::exp2(scale.into()))
}
