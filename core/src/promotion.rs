//! NumPy's rules of type promotion and casting, over the element types of the library.
//!
//! Promotion finds the smallest type that holds both operands ([`promote`]); Python scalars are *weak* and only lend
//! their kind (NEP 50, [`result_type`]). bfloat16 follows `ml_dtypes`: 8-bit integers fit into it, with float16 it
//! meets in float32, and wider integers promote it as they promote float16.

use cuproxide_hal::{DType, Kind};
pub use cuproxide_ufuncs::integer_range;
use thiserror::Error;

/// Which conversions an operation may make on its own: NumPy's `casting=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Casting {
    /// None at all.
    No,
    /// Changes of byte order only; the same as `No` here.
    Equiv,
    /// Those that keep every value.
    Safe,
    /// Safe ones, and those to a smaller type of the same kind.
    SameKind,
    /// Any.
    Unsafe,
}

/// A `casting=` argument that NumPy does not know.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{0}')")]
pub struct UnknownCasting(pub String);

impl Casting {
    /// NumPy's word for the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Casting::No => "no",
            Casting::Equiv => "equiv",
            Casting::Safe => "safe",
            Casting::SameKind => "same_kind",
            Casting::Unsafe => "unsafe",
        }
    }
}

impl std::str::FromStr for Casting {
    type Err = UnknownCasting;

    fn from_str(name: &str) -> Result<Casting, UnknownCasting> {
        let all = [Casting::No, Casting::Equiv, Casting::Safe, Casting::SameKind, Casting::Unsafe];
        all.into_iter().find(|casting| casting.name() == name).ok_or_else(|| UnknownCasting(name.to_owned()))
    }
}

/// What takes part in promotion: an array or NumPy scalar, or a Python scalar. A Python bool is a strong bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Something with an element type.
    Strong(DType),
    /// A Python int.
    WeakInt,
    /// A Python float.
    WeakFloat,
    /// A Python complex.
    WeakComplex,
}

impl Operand {
    /// The type a value has when nothing else decides.
    pub const fn default_dtype(self) -> DType {
        match self {
            Operand::Strong(dtype) => dtype,
            Operand::WeakInt => DType::I64,
            Operand::WeakFloat => DType::F64,
            Operand::WeakComplex => DType::C128,
        }
    }

    /// Whether this is a Python scalar.
    pub const fn is_weak(self) -> bool {
        !matches!(self, Operand::Strong(_))
    }
}

impl From<DType> for Operand {
    fn from(dtype: DType) -> Operand {
        Operand::Strong(dtype)
    }
}

const COUNT: usize = DType::ALL.len();

static PROMOTED: [[DType; COUNT]; COUNT] = {
    let mut table = [[DType::Bool; COUNT]; COUNT];
    let mut a = 0;
    while a < COUNT {
        let mut b = 0;
        while b < COUNT {
            table[a][b] = smallest_common(DType::ALL[a], DType::ALL[b]);
            b += 1;
        }
        a += 1;
    }
    table
};

/// The first type, from small to large, that both cast to safely.
const fn smallest_common(a: DType, b: DType) -> DType {
    let mut candidate = 0;
    while candidate < COUNT {
        let dtype = DType::ALL[candidate];
        if is_safe(a, dtype) && is_safe(b, dtype) {
            return dtype;
        }
        candidate += 1;
    }
    DType::C128
}

/// Whether every value of `from` survives in `to` by NumPy's reckoning (which lets 64-bit integers become float64).
const fn is_safe(from: DType, to: DType) -> bool {
    let (source, target) = (from.bits(), to.bits());
    match (from.kind(), to.kind()) {
        (Kind::Bool, _) => true,
        (_, Kind::Bool) => false,
        (Kind::Unsigned, Kind::Unsigned) | (Kind::Signed, Kind::Signed) => source <= target,
        (Kind::Unsigned, Kind::Signed) => source < target,
        (Kind::Signed, Kind::Unsigned) => false,
        (Kind::Unsigned | Kind::Signed, Kind::Float | Kind::Complex) => source < target || target == 64,
        (Kind::Float, Kind::Float) => from as u8 == to as u8 || source < target,
        (Kind::Float, Kind::Complex) | (Kind::Complex, Kind::Complex) => source <= target,
        (Kind::Float | Kind::Complex, _) => false,
    }
}

/// The smallest type that both types cast to safely.
pub fn promote(a: DType, b: DType) -> DType {
    PROMOTED[a as usize][b as usize]
}

/// Whether `casting` allows a conversion.
pub fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    match casting {
        Casting::No | Casting::Equiv => from == to,
        Casting::Safe => is_safe(from, to),
        Casting::SameKind => is_safe(from, to) || from.kind() <= to.kind(),
        Casting::Unsafe => true,
    }
}

/// The type of a result of all operands: strong ones are promoted together, then the weak ones lift its kind.
/// Without operands it is float64.
pub fn result_type(operands: &[Operand]) -> DType {
    let strong = operands.iter().filter(|operand| !operand.is_weak());
    let strong = strong.map(|operand| operand.default_dtype()).reduce(promote);
    let weak = operands.iter().filter(|operand| operand.is_weak());
    match (strong, weak.copied().max_by_key(|operand| operand.default_dtype())) {
        (Some(strong), Some(weak)) => with_weak(strong, weak),
        (Some(strong), None) => strong,
        (None, Some(weak)) => weak.default_dtype(),
        (None, None) => DType::F64,
    }
}

fn with_weak(strong: DType, weak: Operand) -> DType {
    match (weak, strong.kind()) {
        (Operand::WeakInt, Kind::Bool) => DType::I64,
        (Operand::WeakFloat, Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::F64,
        (Operand::WeakComplex, Kind::Bool | Kind::Unsigned | Kind::Signed) => DType::C128,
        (Operand::WeakComplex, Kind::Float) => promote(strong, DType::C64),
        _ => strong,
    }
}

/// A Python int that its type cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Python integer {value} out of bounds for {dtype}")]
pub struct IntegerOutOfBounds {
    /// The number, as Python writes it.
    pub value: String,
    /// The type it was to become.
    pub dtype: DType,
}

/// Whether a Python int may become an element of `dtype`: always for floating types, where it rounds.
///
/// # Errors
/// [`IntegerOutOfBounds`], Python's `OverflowError`.
pub fn check_integer(value: i128, dtype: DType) -> Result<(), IntegerOutOfBounds> {
    match integer_range(dtype) {
        Some((low, high)) if value < low || value > high => Err(IntegerOutOfBounds { value: value.to_string(), dtype }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    #[test]
    fn spot_checks_of_numpy() {
        for (a, b, expected) in [
            (Bool, Bool, Bool),
            (I8, U8, I16),
            (I32, U32, I64),
            (I64, U64, F64),
            (I8, F16, F16),
            (I16, F16, F32),
            (I32, F32, F64),
            (U8, BF16, BF16),
            (I16, BF16, F32),
            (I64, BF16, F64),
            (F16, BF16, F32),
            (BF16, F32, F32),
            (I16, C64, C64),
            (I32, C64, C128),
            (F64, C64, C128),
        ] {
            assert_eq!(promote(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn promotion_is_commutative_and_safe() {
        for a in DType::ALL {
            assert_eq!(promote(a, a), a);
            for b in DType::ALL {
                let common = promote(a, b);
                assert_eq!(common, promote(b, a));
                assert!(can_cast(a, common, Casting::Safe) && can_cast(b, common, Casting::Safe));
            }
        }
    }

    #[test]
    fn casts() {
        assert!(can_cast(I64, F16, Casting::SameKind) && !can_cast(I64, F16, Casting::Safe));
        assert!(can_cast(U64, I8, Casting::SameKind) && !can_cast(I8, U64, Casting::SameKind));
        assert!(!can_cast(F32, I64, Casting::SameKind) && can_cast(F32, I64, Casting::Unsafe));
        assert!(can_cast(F16, BF16, Casting::SameKind) && !can_cast(F16, BF16, Casting::Safe));
        assert!(!can_cast(I8, Bool, Casting::SameKind) && can_cast(Bool, I8, Casting::Safe));
        assert_eq!("same_kind".parse(), Ok(Casting::SameKind));
        assert!("samekind".parse::<Casting>().is_err());
    }

    #[test]
    fn weak_scalars() {
        let of = |strong: DType, weak| result_type(&[Operand::Strong(strong), weak]);
        assert_eq!(of(U8, Operand::WeakInt), U8);
        assert_eq!(of(Bool, Operand::WeakInt), I64);
        assert_eq!(of(I8, Operand::WeakFloat), F64);
        assert_eq!(of(F16, Operand::WeakFloat), F16);
        assert_eq!(of(BF16, Operand::WeakFloat), BF16);
        assert_eq!(of(F16, Operand::WeakComplex), C64);
        assert_eq!(of(I8, Operand::WeakComplex), C128);
        assert_eq!(result_type(&[Operand::WeakInt, Operand::WeakFloat]), F64);
        assert_eq!(result_type(&[Operand::WeakInt]), I64);
        assert_eq!(result_type(&[]), F64);
    }

    #[test]
    fn integers_out_of_bounds() {
        let error = check_integer(300, U8).unwrap_err();
        assert_eq!(error.to_string(), "Python integer 300 out of bounds for uint8");
        assert!(check_integer(-1, U64).is_err() && check_integer(u64::MAX.into(), U64).is_ok());
        assert!(check_integer(i128::MAX, F16).is_ok());
    }
}
