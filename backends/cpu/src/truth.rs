//! Bools as memory holds them: bytes, of which any but 0 is true. All flags on the CPU are read as [`Truth`], so that no two
//! places judge a byte differently.

/// A bool in memory.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Truth(u8);

impl Truth {
    /// Whether it is true.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0 != 0
    }

    /// A bool with a byte from memory.
    #[inline(always)]
    pub fn from_byte(byte: u8) -> Truth {
        Truth(byte)
    }
}

impl From<bool> for Truth {
    #[inline(always)]
    fn from(truth: bool) -> Truth {
        Truth(truth.into())
    }
}

impl PartialEq for Truth {
    #[inline(always)]
    fn eq(&self, other: &Truth) -> bool {
        self.holds() == other.holds()
    }
}

impl PartialOrd for Truth {
    #[inline(always)]
    fn partial_cmp(&self, other: &Truth) -> Option<std::cmp::Ordering> {
        self.holds().partial_cmp(&other.holds())
    }
}

/// Bytes that are counted side by side.
const LANES: usize = 64;
/// How often the counter of a byte may grow.
const MOST: usize = 255;

/// How many are true. Inlined, so that it has the vectors of its caller.
#[inline(always)]
pub fn count(truths: &[Truth]) -> usize {
    let (groups, rest) = truths.as_chunks::<LANES>();
    let mut total = rest.iter().filter(|truth| truth.holds()).count();
    for groups in groups.chunks(MOST) {
        let mut counts = [0_u8; LANES];
        for group in groups {
            for (count, truth) in counts.iter_mut().zip(group) {
                *count += u8::from(truth.holds());
            }
        }
        total += counts.iter().map(|&count| usize::from(count)).sum::<usize>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_but_zero_counts() {
        for length in [0, 1, 63, 64, 65, 255, 16_320, 16_321, 70_000] {
            for byte in 0..=255 {
                let expected = if byte == 0 { 0 } else { length };
                assert_eq!(count(&vec![Truth::from_byte(byte); length]), expected);
            }
            let mixed: Vec<Truth> = (0..length).map(|at| Truth::from_byte((at * 7 % 256) as u8)).collect();
            assert_eq!(count(&mixed), length - length.div_ceil(256));
        }
    }
}
