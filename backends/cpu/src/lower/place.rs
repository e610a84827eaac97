//! Where an operand's elements lie around the current point.

use cranelift_codegen::ir::Value;

/// Where the elements of an operand lie for the points of the current group.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// One after another, from this address.
    Unit(Value),
    /// At an address and multiples of a stride.
    Strided(Value, Value),
    /// All at this address.
    Fixed(Value),
}

impl Place {
    pub(super) fn base(self) -> Value {
        match self {
            Place::Unit(base) | Place::Strided(base, _) | Place::Fixed(base) => base,
        }
    }
}

/// How an operand moves along a dimension.
#[derive(Clone, Copy, Debug)]
pub enum Stride {
    /// Not at all.
    None,
    /// By its size, a power of two.
    Elements(usize),
    /// By this many bytes.
    Bytes(Value),
}
