//! Element types.

use std::fmt;

/// The element type of an array, of a kernel operand and of an IR value.
///
/// The discriminants are stable: they index tables and appear in cache keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum DType {
    /// Truth value of one byte: 0 is false and is written so, true is written as 1 and read from any other byte.
    Bool = 0,
    /// Signed 8-bit integer.
    I8 = 1,
    /// Unsigned 8-bit integer.
    U8 = 2,
    /// Signed 16-bit integer.
    I16 = 3,
    /// Unsigned 16-bit integer.
    U16 = 4,
    /// Signed 32-bit integer.
    I32 = 5,
    /// Unsigned 32-bit integer.
    U32 = 6,
    /// Signed 64-bit integer.
    I64 = 7,
    /// Unsigned 64-bit integer.
    U64 = 8,
    /// IEEE binary16.
    F16 = 9,
    /// bfloat16: the upper half of a binary32.
    BF16 = 10,
    /// IEEE binary32.
    F32 = 11,
    /// IEEE binary64.
    F64 = 12,
    /// Complex number of two binary32.
    C64 = 13,
    /// Complex number of two binary64.
    C128 = 14,
}

/// The family an element type belongs to, in NumPy's order of promotion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
    /// Real floating point.
    Float,
    /// Complex floating point.
    Complex,
}

impl DType {
    /// Every element type, in the order of the discriminants.
    pub const ALL: [DType; 15] = [
        DType::Bool,
        DType::I8,
        DType::U8,
        DType::I16,
        DType::U16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// Size of one stored element in bytes.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// Size in bits of one number: half the storage for complex types.
    pub const fn bits(self) -> usize {
        self.real().size() * 8
    }

    /// The family of the type.
    #[inline]
    pub const fn kind(self) -> Kind {
        match self {
            DType::Bool => Kind::Bool,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Kind::Unsigned,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Kind::Signed,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Kind::Float,
            DType::C64 | DType::C128 => Kind::Complex,
        }
    }

    /// NumPy's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "int8",
            DType::U8 => "uint8",
            DType::I16 => "int16",
            DType::U16 => "uint16",
            DType::I32 => "int32",
            DType::U32 => "uint32",
            DType::I64 => "int64",
            DType::U64 => "uint64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// The type with the given NumPy name.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Whether the type is a signed or unsigned integer (bool is not).
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether the type is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), Kind::Signed)
    }

    /// Whether the type is real floating point.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Whether the type is complex.
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// Whether the type is floating point, real or complex.
    #[inline]
    pub const fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }

    /// The type of the real part: the type itself unless it is complex.
    #[inline]
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The plain machine type that memory holds: what a legalised load returns, once per lane.
    #[inline]
    pub const fn storage(self) -> DType {
        match self {
            DType::Bool => DType::U8,
            DType::F16 | DType::BF16 => DType::U16,
            other => other.real(),
        }
    }

    /// Bytes to which a device that demands alignment wants an element's address aligned.
    #[inline]
    pub const fn alignment(self) -> usize {
        self.storage().size()
    }

    /// Number of storage values in an element: 2 for complex types, else 1.
    pub const fn lanes(self) -> usize {
        if self.is_complex() { 2 } else { 1 }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
