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

/// The properties of an element type, except its conversions, which are [`Scalar`](crate::Scalar)'s and the legaliser's.
#[derive(Clone, Copy, Debug)]
pub struct DTypeInfo {
    /// The type.
    pub dtype: DType,
    /// Its name in NumPy, or in `ml_dtypes` for what NumPy lacks.
    pub name: &'static str,
    /// Its letter in the types of ufuncs.
    pub letter: char,
    /// Its name in kernels that users write.
    pub kernel_name: &'static str,
    /// Its family.
    pub kind: Kind,
    /// Bytes of an element.
    pub size: usize,
    /// The type of the real part.
    pub real: DType,
    /// The plain machine type that memory holds, once per lane.
    pub storage: DType,
    /// What generated texts call a plain machine scalar of the type, once per lane.
    pub machine_name: &'static str,
    /// What generated texts call a type that is computed in float32, as in `half_to_float`; empty for others.
    pub narrow_name: &'static str,
    /// The bits of an infinite real part; 0 if there is none.
    pub infinity: u64,
    /// Whether NumPy itself has the type.
    pub in_numpy: bool,
    /// DLPack's code, to which the size is added.
    pub dlpack: u8,
}

const COUNT: usize = 15;

/// One row for each type, in the order of the discriminants.
const ROWS: [DTypeInfo; COUNT] = {
    use DType::{BF16, Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

    const fn row(
        dtype: DType,
        name: &'static str,
        letter: char,
        kernel_name: &'static str,
        kind: Kind,
        size: usize,
        machine_name: &'static str,
    ) -> DTypeInfo {
        let dlpack = match kind {
            Kind::Signed => 0,
            Kind::Unsigned => 1,
            Kind::Float => 2,
            Kind::Complex => 5,
            Kind::Bool => 6,
        };
        DTypeInfo {
            dtype,
            name,
            letter,
            kernel_name,
            kind,
            size,
            real: dtype,
            storage: dtype,
            machine_name,
            narrow_name: "",
            infinity: 0,
            in_numpy: true,
            dlpack,
        }
    }
    [
        DTypeInfo { storage: U8, ..row(Bool, "bool", '?', "bool", Kind::Bool, 1, "bool") },
        row(I8, "int8", 'b', "signed char", Kind::Signed, 1, "i8"),
        row(U8, "uint8", 'B', "unsigned char", Kind::Unsigned, 1, "u8"),
        row(I16, "int16", 'h', "short", Kind::Signed, 2, "i16"),
        row(U16, "uint16", 'H', "unsigned short", Kind::Unsigned, 2, "u16"),
        row(I32, "int32", 'i', "int", Kind::Signed, 4, "i32"),
        row(U32, "uint32", 'I', "unsigned int", Kind::Unsigned, 4, "u32"),
        row(I64, "int64", 'l', "long long", Kind::Signed, 8, "i64"),
        row(U64, "uint64", 'L', "unsigned long long", Kind::Unsigned, 8, "u64"),
        DTypeInfo {
            storage: U16,
            narrow_name: "half",
            infinity: 0x7c00,
            ..row(F16, "float16", 'e', "float16", Kind::Float, 2, "u16")
        },
        DTypeInfo {
            storage: U16,
            narrow_name: "bfloat",
            infinity: 0x7f80,
            in_numpy: false,
            dlpack: 4,
            ..row(BF16, "bfloat16", 'E', "bfloat16", Kind::Float, 2, "u16")
        },
        DTypeInfo { infinity: 0x7f80_0000, ..row(F32, "float32", 'f', "float", Kind::Float, 4, "f32") },
        DTypeInfo { infinity: 0x7ff << 52, ..row(F64, "float64", 'd', "double", Kind::Float, 8, "f64") },
        DTypeInfo {
            real: F32,
            storage: F32,
            infinity: 0x7f80_0000,
            ..row(C64, "complex64", 'F', "complex<float>", Kind::Complex, 8, "f32")
        },
        DTypeInfo {
            real: F64,
            storage: F64,
            infinity: 0x7ff << 52,
            ..row(C128, "complex128", 'D', "complex<double>", Kind::Complex, 16, "f64")
        },
    ]
};

const INFO: &[DTypeInfo; COUNT] = &ROWS;

impl DType {
    /// Every element type, in the order of the discriminants.
    pub const ALL: [DType; COUNT] = {
        let mut all = [DType::Bool; COUNT];
        let mut number = 0;
        while number < COUNT {
            all[number] = INFO[number].dtype;
            assert!(all[number] as usize == number);
            number += 1;
        }
        all
    };

    /// The row of the type.
    #[inline]
    pub const fn info(self) -> &'static DTypeInfo {
        &INFO[self as usize]
    }

    /// Size of one stored element in bytes.
    #[inline]
    pub const fn size(self) -> usize {
        self.info().size
    }

    /// Size in bits of one number: half the storage for complex types.
    pub const fn bits(self) -> usize {
        self.real().size() * 8
    }

    /// The family of the type.
    #[inline]
    pub const fn kind(self) -> Kind {
        self.info().kind
    }

    /// NumPy's name of the type.
    pub const fn name(self) -> &'static str {
        self.info().name
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
        self.info().real
    }

    /// The type of double precision that holds numbers of a type of single precision; other types are their own.
    pub const fn doubled(self) -> DType {
        match self {
            DType::F32 => DType::F64,
            DType::C64 => DType::C128,
            other => other,
        }
    }

    /// The plain machine type that memory holds: what a legalised load returns, once per lane.
    #[inline]
    pub const fn storage(self) -> DType {
        self.info().storage
    }

    /// Whether numbers of the type are computed in float32 and rounded.
    pub const fn is_narrow(self) -> bool {
        !self.info().narrow_name.is_empty()
    }

    /// The type that numbers of the type are computed in: float32 for narrow ones, else itself.
    pub const fn computed(self) -> DType {
        if self.is_narrow() { DType::F32 } else { self }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn rows_agree_with_each_other() {
        for (number, dtype) in DType::ALL.into_iter().enumerate() {
            let info = dtype.info();
            assert_eq!((dtype as usize, DType::from_name(info.name)), (number, Some(dtype)));
            assert_eq!(dtype.storage().size() * dtype.lanes(), dtype.size(), "{dtype}");
            assert_eq!(dtype.storage().storage(), dtype.storage(), "{dtype}");
            assert_eq!(dtype.is_narrow(), dtype.is_float() && !dtype.storage().is_float(), "{dtype}");
            assert_eq!(DType::ALL.iter().filter(|other| other.info().letter == info.letter).count(), 1, "{dtype}");
        }
    }

    #[test]
    fn rows_know_the_bits_of_infinities() {
        for dtype in DType::ALL {
            let real = Scalar::real(dtype.real(), f64::INFINITY);
            let bits = u64::from_le_bytes(real.bytes[..8].try_into().expect("eight bytes"));
            assert_eq!(dtype.info().infinity, if dtype.is_inexact() { bits } else { 0 }, "{dtype}");
        }
    }
}
