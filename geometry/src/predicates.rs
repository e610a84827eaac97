//! Signs of determinants, exactly.
//!
//! In two and three dimensions by Shewchuk's adaptive predicates (crate `robust`), in more by a floating point filter and
//! integers of any length.

use std::cmp::Ordering;

use num_bigint::BigInt;
use robust::{Coord, Coord3D, incircle, insphere, orient2d, orient3d};

use crate::points::Points;

/// The largest matrix: a sphere in nine dimensions.
const MOST: usize = 11;
const EPSILON: f64 = f64::EPSILON / 2.0;

/// The sign of a number.
#[inline(always)]
fn sign(value: f64) -> Ordering {
    value.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

#[inline(always)]
fn two(p: &[f64]) -> Coord<f64> {
    Coord { x: p[0], y: p[1] }
}

#[inline(always)]
fn three(p: &[f64]) -> Coord3D<f64> {
    Coord3D { x: p[0], y: p[1], z: p[2] }
}

impl Points {
    /// The orientation of as many points as a simplex has vertices: the sign of the determinant of their coordinates with
    /// a column of ones.
    #[inline(always)]
    pub fn orientation(&self, simplex: &[u32]) -> Ordering {
        if let Some(base) = &self.base {
            // The same determinant, after columns are subtracted from one another.
            return base.in_sphere(simplex);
        }
        let p = |i: usize| self.at(simplex[i]);
        match (self.dimension, self.is_wide) {
            (2, false) => sign(orient2d(two(p(0)), two(p(1)), two(p(2)))),
            (3, false) => sign(orient3d(three(p(0)), three(p(1)), three(p(2)), three(p(3)))),
            _ => self.general(simplex, false),
        }
    }

    /// Whether the last of the points is inside (`Greater`) or outside the sphere through the others, which are a simplex
    /// of positive orientation.
    #[inline(always)]
    pub fn in_sphere(&self, points: &[u32]) -> Ordering {
        let p = |i: usize| self.at(points[i]);
        match (self.dimension, self.is_wide) {
            (2, false) => sign(incircle(two(p(0)), two(p(1)), two(p(2)), two(p(3)))),
            (3, false) => sign(insphere(three(p(0)), three(p(1)), three(p(2)), three(p(3)), three(p(4)))),
            _ => self.general(points, true),
        }
    }

    /// The sign of the determinant of differences to the last point, with a column of their squares if `lifted`.
    fn general(&self, points: &[u32], lifted: bool) -> Ordering {
        let (size, dimension) = (points.len() - 1, self.dimension);
        let last = self.at(points[size]);
        if !self.is_wide {
            let mut matrix = [[0.0; MOST]; MOST];
            for (row, point) in matrix.iter_mut().zip(&points[..size]) {
                for (d, (x, base)) in self.at(*point).iter().zip(last).enumerate() {
                    row[d] = x - base;
                    if lifted {
                        row[dimension] += row[d] * row[d];
                    }
                }
            }
            let (value, bound) = filtered(&matrix, size);
            if value.abs() > bound {
                return sign(value);
            }
        }
        let low = points.iter().flat_map(|point| self.at(*point)).map(|x| parts(*x).1).min().unwrap_or(0);
        let whole = |x: &f64| {
            let (mantissa, exponent) = parts(*x);
            if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - low) as usize }
        };
        let base: Vec<BigInt> = last.iter().map(whole).collect();
        let matrix: Vec<Vec<BigInt>> = points[..size]
            .iter()
            .map(|point| {
                let mut row: Vec<BigInt> = self.at(*point).iter().zip(&base).map(|(x, base)| whole(x) - base).collect();
                if lifted {
                    row.push(row.iter().map(|x| x * x).sum());
                }
                row
            })
            .collect();
        determinant(&matrix).cmp(&BigInt::ZERO)
    }
}

/// A number as an integer times a power of two; zero has the largest power, which no minimum is.
fn parts(x: f64) -> (i64, i32) {
    if x == 0.0 {
        return (0, i32::MAX);
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// A determinant, and a bound of its rounding error: the permanent of the absolute values, times roundings.
///
/// Both are expanded along rows, over all sets of columns.
fn filtered(matrix: &[[f64; MOST]; MOST], size: usize) -> (f64, f64) {
    let mut minors = [(0.0, 0.0); 1 << MOST];
    minors[0] = (1.0, 1.0);
    for set in 1_usize..1 << size {
        let row = &matrix[set.count_ones() as usize - 1];
        let (mut value, mut size_of) = (0.0, 0.0);
        let mut left = set;
        while left != 0 {
            let column = left.trailing_zeros() as usize;
            left &= left - 1;
            let (minor, most) = minors[set & !(1 << column)];
            let term = row[column] * minor;
            // Columns of the set behind this one decide on the sign.
            value += if left.count_ones() % 2 == 1 { -term } else { term };
            size_of += row[column].abs() * most;
        }
        minors[set] = (value, size_of);
    }
    let (value, permanent) = minors[(1 << size) - 1];
    let roundings = (size * size + 6 * size + 16) as f64;
    (value, roundings * EPSILON * permanent)
}

/// The same determinant of integers.
fn determinant(matrix: &[Vec<BigInt>]) -> BigInt {
    let size = matrix.len();
    let mut minors = vec![BigInt::ZERO; 1 << size];
    minors[0] = BigInt::from(1);
    for set in 1_usize..1 << size {
        let row = &matrix[set.count_ones() as usize - 1];
        let mut value = BigInt::ZERO;
        let mut left = set;
        while left != 0 {
            let column = left.trailing_zeros() as usize;
            left &= left - 1;
            let term = &row[column] * &minors[set & !(1 << column)];
            if left.count_ones() % 2 == 1 {
                value -= term;
            } else {
                value += term;
            }
        }
        minors[set] = value;
    }
    minors.pop().unwrap_or_default()
}
