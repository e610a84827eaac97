//! Sorting of 8- and 16-bit keys by counting how many there are of each.

use std::collections::TryReserveError;

/// Keys few enough to be counted.
pub trait Digits: Copy + Ord {
    /// Bytes of a key.
    const BYTES: usize;
    /// The key as a number.
    fn number(self) -> usize;
    /// The key with a number.
    fn from_number(number: usize) -> Self;
}

impl Digits for u8 {
    const BYTES: usize = 1;
    fn number(self) -> usize {
        self.into()
    }
    fn from_number(number: usize) -> u8 {
        number as u8
    }
}

impl Digits for u16 {
    const BYTES: usize = 2;
    fn number(self) -> usize {
        self.into()
    }
    fn from_number(number: usize) -> u16 {
        number as u16
    }
}

impl Digits for i16 {
    const BYTES: usize = 2;
    fn number(self) -> usize {
        (self as u16 ^ 1 << 15).into()
    }
    fn from_number(number: usize) -> i16 {
        (number as u16 ^ 1 << 15) as i16
    }
}

/// Keys from which counting is quicker than comparing.
const FEW: usize = 256;

/// Sorts keys.
pub fn sort<K: Digits>(keys: &mut [K]) {
    let possible = 1 << (8 * K::BYTES);
    if keys.len() < FEW {
        keys.sort_unstable();
    } else if keys.len() < 4 * possible && K::BYTES > 1 {
        by_bytes(keys);
    } else {
        by_number(keys, possible);
    }
}

/// Counts the keys of each number and writes them again.
fn by_number<K: Digits>(keys: &mut [K], possible: usize) {
    // Neighbours are often equal, so that one table would wait for its own last write.
    let mut counts = [vec![0_usize; possible], vec![0_usize; possible]];
    for pair in keys.chunks(2) {
        for (key, counts) in pair.iter().zip(&mut counts) {
            counts[key.number()] += 1;
        }
    }
    let mut rest = keys;
    for (number, (even, odd)) in counts[0].iter().zip(&counts[1]).enumerate() {
        let (run, others) = rest.split_at_mut(even + odd);
        run.fill(K::from_number(number));
        rest = others;
    }
}

/// Moves the keys by their lower byte, then by their upper one.
fn by_bytes<K: Digits>(keys: &mut [K]) {
    let mut starts = [[0_usize; 256]; 2];
    for key in &*keys {
        starts[0][key.number() & 0xff] += 1;
        starts[1][key.number() >> 8] += 1;
    }
    let mut other = keys.to_vec();
    let mut pass = |from: &[K], to: &mut [K], byte: usize| {
        let mut sum = 0;
        starts[byte].iter_mut().for_each(|start| (*start, sum) = (sum, sum + *start));
        for &key in from {
            let start = &mut starts[byte][key.number() >> (8 * byte) & 0xff];
            to[*start] = key;
            *start += 1;
        }
    };
    pass(keys, &mut other, 0);
    pass(&other, keys, 1);
}

/// Writes the positions of the keys in their stable order, one byte of the key after the other. Fails if there is no
/// memory for the positions between the two.
pub fn argsort<K: Digits>(key: impl Fn(usize) -> K, indices: &mut [i64]) -> Result<(), TryReserveError> {
    let digit = |at: usize, byte: usize| key(at).number() >> (8 * byte) & 0xff;
    let starts = |byte: usize| {
        let mut starts = [0_usize; 256];
        (0..indices.len()).for_each(|at| starts[digit(at, byte)] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| (*start, sum) = (sum, sum + *start));
        starts
    };
    let mut places: Vec<[usize; 256]> = (0..K::BYTES).map(starts).collect();
    let mut put = |to: &mut [i64], at: i64, byte: usize| {
        let place = &mut places[byte][digit(at as usize, byte)];
        to[*place] = at;
        *place += 1;
    };
    if K::BYTES == 1 {
        (0..indices.len() as i64).for_each(|at| put(indices, at, 0));
    } else {
        let mut first = vec![];
        first.try_reserve_exact(indices.len())?;
        first.resize(indices.len(), 0);
        (0..indices.len() as i64).for_each(|at| put(&mut first, at, 0));
        first.iter().for_each(|&at| put(indices, at, 1));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Digits + std::fmt::Debug>(keys: &[K]) {
        let mut expected: Vec<usize> = (0..keys.len()).collect();
        expected.sort_by_key(|&at| keys[at]);
        let mut indices = vec![-1; keys.len()];
        argsort(|at| keys[at], &mut indices).unwrap();
        assert!(indices.iter().zip(&expected).all(|(&one, &other)| one as usize == other));
        let mut sorted = keys.to_vec();
        sort(&mut sorted);
        assert!(sorted.iter().zip(&expected).all(|(one, &at)| *one == keys[at]));
    }

    #[test]
    fn counting_sorts_stably() {
        for length in [0_usize, 1, 2, 31, 32, 255, 8191, 8192, 100_001] {
            let word = |at: usize| (at.wrapping_mul(0x9e37_79b9) >> 7) as u16;
            check(&(0..length).map(word).collect::<Vec<u16>>());
            check(&(0..length).map(|at| word(at) % 3).collect::<Vec<u16>>());
            check(&(0..length).map(|at| word(at) as i16).collect::<Vec<i16>>());
            check(&(0..length).map(|at| word(at) as u8).collect::<Vec<u8>>());
        }
    }
}
