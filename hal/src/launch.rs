//! Plain data that describes one kernel launch.

use crate::ir::{Body, Kernel, Mode};
use crate::scalar::Scalar;

/// Most dimensions a launch may have, outer and inner together. `core` merges axes first and loops over what is left.
pub const MAX_DIMS: usize = 8;

/// Most scalars that a launch over `dims` dimensions may have, whatever its operands: on a GPU all of them travel with
/// their strides in the 4 KiB of a kernel's argument.
pub const fn max_scalars(dims: usize) -> usize {
    let operands = Specialization::MAX_OPERANDS;
    (ARGUMENT_WORDS - 16 - operands - dims * (operands + 4)) / 2
}

/// 64-bit words of a kernel's argument.
const ARGUMENT_WORDS: usize = 512;

/// A memory operand: a device address and a stride in bytes for every dimension of the launch (outer, then inner).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Device address of the element at the origin of the iteration space.
    pub ptr: u64,
    /// Strides in bytes. Entries past the launch's dimensions are zero. An operand that is not read or written at a
    /// position of the inner space (the result of a reduction) has zeros there.
    pub strides: [isize; MAX_DIMS],
}

/// One launch of a compiled kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kept dimensions, last fastest; empty for a single point. No entry is zero.
    pub outer: &'a [usize],
    /// The reduced or scanned dimensions, last fastest; empty for a map. Entries may be zero.
    pub inner: &'a [usize],
    /// The operands, in the kernel's order.
    pub operands: &'a [Operand],
    /// The scalars, in the kernel's order.
    pub scalars: &'a [Scalar],
    /// Scratch memory of at least [`CompiledKernel::scratch_bytes`](crate::CompiledKernel::scratch_bytes) bytes, or 0.
    pub scratch: u64,
}

impl Launch<'_> {
    /// Number of points of the outer space.
    pub fn outer_size(&self) -> usize {
        self.outer.iter().product()
    }

    /// Number of points of the inner space.
    pub fn inner_size(&self) -> usize {
        self.inner.iter().product()
    }
}

/// How an operand moves along the fastest dimension of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Access {
    /// By one element: neighbours are neighbours in memory.
    Unit = 0,
    /// Not at all: one value serves the whole line.
    Broadcast = 1,
    /// By some other distance.
    Strided = 2,
}

/// What a kernel may be compiled for, beyond its IR: everything about a launch that is worth another machine-code
/// version, and nothing else. It is packed into one word so that a kernel cache can use it as a key.
///
/// | bits | meaning |
/// | --- | --- |
/// | 0-3 | number of outer dimensions |
/// | 4-7 | number of inner dimensions |
/// | 8 | 32-bit offsets suffice for every operand and index |
/// | 9 | every `Unit` operand is aligned to 16 bytes and, with more than one dimension, so is every line of it |
/// | 10-121 | two bits of [`Access`] an operand, along the fastest outer dimension; then two bits an operand along the fastest inner one |
/// | 122 | elements of some operand lie at addresses that are no multiples of their size, or of a part's if they are complex |
/// | 123 | bit 9 holds for stored elements of the reduction, and operands that it is computed from may lie otherwise |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Specialization(pub u128);

impl Specialization {
    const ACCESS: u32 = 10;
    const UNALIGNED: u32 = 122;
    const SHIFTED: u32 = 123;
    /// Most operands a kernel may have.
    pub const MAX_OPERANDS: usize = 28;

    /// The version that serves `launch`.
    pub fn of(kernel: &Kernel, launch: &Launch<'_>) -> Specialization {
        match (launch.outer, launch.inner) {
            ([], []) => Specialization::of_line(kernel, launch, 1),
            (&[length], []) => Specialization::of_line(kernel, launch, length),
            _ => Specialization::of_any(kernel, launch),
        }
    }

    /// [`Specialization::of`] for one line of points, or a single one, which is what most launches are.
    fn of_line(kernel: &Kernel, launch: &Launch<'_>, length: usize) -> Specialization {
        let (dims, steps) = (launch.outer.len(), length.saturating_sub(1));
        let mut narrow = length <= i32::MAX as usize;
        let (mut aligned, mut unaligned, mut along) = (true, false, 0_u64);
        for (position, (operand, declared)) in launch.operands.iter().zip(&kernel.operands).enumerate() {
            let size = declared.dtype.size();
            let stride = if dims == 0 { 0 } else { operand.strides[0] };
            narrow &= size.saturating_add(steps.saturating_mul(stride.unsigned_abs())) <= i32::MAX as usize;
            unaligned |= (operand.ptr | stride as u64) & (declared.dtype.alignment() as u64 - 1) != 0;
            let access = if stride == 0 {
                Access::Broadcast
            } else if stride == size as isize {
                aligned &= operand.ptr & 15 == 0;
                Access::Unit
            } else {
                Access::Strided
            };
            along |= (access as u64) << (2 * position);
        }
        let flags = dims | usize::from(narrow) << 8 | usize::from(aligned && !unaligned) << 9;
        let access = u128::from(along) << Self::ACCESS;
        Specialization(flags as u128 | access | u128::from(unaligned) << Self::UNALIGNED)
    }

    fn of_any(kernel: &Kernel, launch: &Launch<'_>) -> Specialization {
        let (outer, inner) = (launch.outer.len(), launch.inner.len());
        let mut narrow = launch.outer_size().max(launch.inner_size()) <= i32::MAX as usize;
        // Of the operands that elements are computed from, and of the others: results, then what goes with elements.
        let computed_from = kernel.operands.iter().take_while(|operand| operand.mode == Mode::Read).count();
        let (mut aligned, mut unaligned) = ([true; 2], false);
        // Two bits for each operand: along the fastest outer, and along the fastest inner axis.
        let mut along = [0_u64; 2];
        for (position, (operand, declared)) in launch.operands.iter().zip(&kernel.operands).enumerate() {
            let size = declared.dtype.size();
            let (mut reach, mut distances) = (size, operand.ptr);
            let mut step = |(&length, &stride): (&usize, &isize)| {
                reach = reach.saturating_add(length.saturating_sub(1).saturating_mul(stride.unsigned_abs()));
                distances |= stride as u64;
            };
            let (outer_strides, inner_strides) = operand.strides.split_at(outer);
            launch.outer.iter().zip(outer_strides).for_each(&mut step);
            launch.inner.iter().zip(inner_strides).for_each(&mut step);
            unaligned |= !distances.is_multiple_of(declared.dtype.alignment() as u64);
            narrow &= reach <= i32::MAX as usize;
            let mut access = |fastest: Option<usize>| {
                let stride = fastest.map_or(0, |axis| operand.strides[axis]);
                if stride == 0 {
                    return Access::Broadcast as u64;
                }
                if stride != size as isize {
                    return Access::Strided as u64;
                }
                let lines = operand.strides[..outer + inner].iter().enumerate();
                aligned[usize::from(position >= computed_from)] &= operand.ptr.is_multiple_of(16)
                    && lines.filter(|(axis, _)| Some(*axis) != fastest).all(|(_, s)| s % 16 == 0);
                Access::Unit as u64
            };
            along[0] |= access(outer.checked_sub(1)) << (2 * position);
            if inner > 0 {
                along[1] |= access(Some(outer + inner - 1)) << (2 * position);
            }
        }
        let [sources, others] = aligned;
        let (mut aligned, mut shifted) = (sources && others && !unaligned, false);
        if let (Some(grouping), Body::Reduce(_)) = (kernel.grouped_as, &kernel.body)
            && !unaligned
        {
            let stored = stored_lines_are_aligned(launch, grouping.element.size(), along[1], computed_from);
            aligned = others && stored;
            shifted = aligned && !sources;
        }
        debug_assert!(matches!(kernel.body, Body::Map(_)) || inner > 0);
        let flags = outer | inner << 4 | usize::from(narrow) << 8 | usize::from(aligned) << 9;
        let [outer, inner] = along.map(u128::from);
        let access = outer | inner << (2 * launch.operands.len());
        let marks = u128::from(unaligned) << Self::UNALIGNED | u128::from(shifted) << Self::SHIFTED;
        Specialization(flags as u128 | access << Self::ACCESS | marks)
    }

    /// The version for this many dimensions, with the way each operand moves along the fastest outer and inner one;
    /// `narrow`, `aligned`, `shifted` and `unaligned` as those of another version.
    pub fn derive(self, outer: usize, inner: usize, access: &[(Access, Access)]) -> Specialization {
        let mut word = (outer | inner << 4) as u128 | (self.0 & (3 << 8 | 3 << Self::UNALIGNED));
        for (position, &(along_outer, along_inner)) in access.iter().enumerate() {
            word |= (along_outer as u128) << (Self::ACCESS as usize + 2 * position);
            if inner > 0 {
                word |= (along_inner as u128) << (Self::ACCESS as usize + 2 * (access.len() + position));
            }
        }
        Specialization(word)
    }

    /// Number of outer dimensions.
    pub fn outer(self) -> usize {
        (self.0 & 0xf) as usize
    }

    /// Number of inner dimensions.
    pub fn inner(self) -> usize {
        (self.0 >> 4 & 0xf) as usize
    }

    /// Whether 32-bit byte offsets and indices suffice.
    pub fn narrow(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    /// Whether lines of `Unit` operands start at multiples of 16 bytes.
    pub fn aligned(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    /// Whether elements may lie at any address, so that they are moved byte by byte where a device demands more.
    pub fn unaligned(self) -> bool {
        self.0 >> Self::UNALIGNED & 1 == 1
    }

    /// Whether operands that a reduction is computed from may lie at any element, though it groups elements like one of
    /// stored elements in lines that start at multiples of 16 bytes.
    pub fn shifted(self) -> bool {
        self.0 >> Self::SHIFTED & 1 == 1
    }

    fn access(self, position: usize) -> Access {
        match self.0 >> (Self::ACCESS as usize + 2 * position) & 3 {
            0 => Access::Unit,
            1 => Access::Broadcast,
            _ => Access::Strided,
        }
    }

    /// How operand `position` moves along the fastest outer dimension (`Broadcast` if there is none).
    pub fn outer_access(self, position: usize) -> Access {
        self.access(position)
    }

    /// How operand `position` of `operands` moves along the fastest inner dimension.
    pub fn inner_access(self, position: usize, operands: usize) -> Access {
        self.access(operands + position)
    }
}

/// Whether lines of an array in C order over the shape of a reduction start at multiples of 16 bytes. `along` says how the
/// operands that it is computed from move along the fastest inner dimension, which is the array's if they allow it.
fn stored_lines_are_aligned(launch: &Launch<'_>, size: usize, along: u64, computed_from: usize) -> bool {
    let access = (0..computed_from).map(|position| along >> (2 * position) & 3);
    let rows = access.clone().all(|access| access != Access::Strided as u64)
        && access.into_iter().any(|access| access == Access::Unit as u64);
    let fastest = if rows { launch.inner.last() } else { launch.outer.last() };
    launch.outer.len() + launch.inner.len() <= 1 || fastest.is_some_and(|length| (length * size).is_multiple_of(16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;
    use crate::ir::{Builder, Mode};

    #[test]
    fn numbers_of_16_bits_are_rounded_once() {
        // Just above and at the middle between two neighbours; the greatest, the least, and what lies beyond them.
        let middle = |bits: i32| 1.0 + (-f64::from(bits) - 1.0).exp2();
        let tiny = (-40f64).exp2();
        let half =
            |value: f64| half::f16::from_le_bytes(Scalar::real(DType::F16, value).bytes[..2].try_into().unwrap());
        assert_eq!(half(middle(10) + tiny).to_f64(), 1.0 + (-10f64).exp2());
        assert_eq!(half(middle(10)).to_f64(), 1.0);
        assert_eq!(half(65_519.999_999_999).to_f64(), 65504.0);
        assert!(half(65520.0).is_infinite() && half(f64::MAX).is_infinite() && half(f64::NAN).is_nan());
        assert_eq!(half((-25f64).exp2() + (-70f64).exp2()).to_f64(), (-24f64).exp2());
        assert_eq!(half(-f64::MIN_POSITIVE).to_bits(), 0x8000);
        let brain =
            |value: f64| half::bf16::from_le_bytes(Scalar::real(DType::BF16, value).bytes[..2].try_into().unwrap());
        assert_eq!(brain(middle(7) + tiny).to_f64(), 1.0 + (-7f64).exp2());
        assert_eq!(brain(-middle(7)).to_f64(), -1.0);
        assert!(brain(f64::MAX).is_infinite() && brain(f64::NEG_INFINITY).is_infinite());
    }

    #[test]
    fn a_line_has_the_version_that_the_general_way_finds() {
        let builder = Builder::new("moves");
        let dtypes = [DType::F64, DType::F32, DType::C128, DType::U8];
        dtypes.iter().for_each(|&dtype| _ = builder.operand(dtype, Mode::Read));
        let kernel = builder.finish_map();
        let strides = |distance: isize| dtypes.map(|dtype| dtype.size() as isize * distance);
        for (outer, distance) in [(&[][..], 0), (&[1], 1), (&[7], 1), (&[7], 0), (&[7], -2), (&[1 << 28], 1)] {
            for start in [4096, 4104, 4100, 4097] {
                let operand = |stride: isize| {
                    let mut strides = [0; MAX_DIMS];
                    strides[0] = stride;
                    Operand { ptr: start, strides }
                };
                let operands = strides(distance).map(operand);
                let launch = Launch { outer, inner: &[], operands: &operands, scalars: &[], scratch: 0 };
                let expected = Specialization::of_any(&kernel, &launch);
                assert_eq!(Specialization::of(&kernel, &launch), expected, "{outer:?} {distance} {start}");
            }
        }
    }
}
