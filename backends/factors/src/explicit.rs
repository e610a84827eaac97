//! LU factors column by column (Gilbert and Peierls 1988), with thresholds for pivots and for what is dropped.

use std::ops::{Mul, SubAssign};

use cuproxide_hal::interrupt;
use cuproxide_hal::libraries::{ExplicitLu, LuParts, SparsePattern, SparseTriangle};
use faer::c64;

const NONE: usize = usize::MAX;

/// Numbers that matrices are made of.
pub(crate) trait Number: Copy + Mul<Output = Self> + SubAssign {
    const ZERO: Self;
    const ONE: Self;
    fn size(self) -> f64;
    /// The quotient, which neither overflows nor loses digits on the way.
    fn over(self, divisor: Self) -> Self;
    /// Whether an element is kept: not zero, and not below `least`; NaN stays.
    fn counts(self, least: f64) -> bool {
        let size = self.size();
        size.is_nan() || (size != 0.0 && size >= least)
    }
    fn store(self, parts: &mut Vec<f64>);
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn size(self) -> f64 {
        self.abs()
    }

    fn over(self, divisor: f64) -> f64 {
        self / divisor
    }

    fn store(self, parts: &mut Vec<f64>) {
        parts.push(self);
    }
}

impl Number for c64 {
    const ZERO: c64 = c64::new(0.0, 0.0);
    const ONE: c64 = c64::new(1.0, 0.0);

    fn size(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn over(self, divisor: c64) -> c64 {
        // Smith 1962, on a divisor whose size is near 1: squares of large and of small numbers are no numbers.
        let largest = divisor.re.abs().max(divisor.im.abs());
        let exponent = if largest > 0.0 && largest.is_finite() { -(largest.log2().floor() as i32) } else { 0 };
        let near = |number: f64| scaled(number, exponent);
        let (re, im) = (near(divisor.re), near(divisor.im));
        let quotient = if re.abs() >= im.abs() {
            let (ratio, bottom) = (im / re, re + im * (im / re));
            c64::new((self.re + self.im * ratio) / bottom, (self.im - self.re * ratio) / bottom)
        } else {
            let (ratio, bottom) = (re / im, im + re * (re / im));
            c64::new((self.re * ratio + self.im) / bottom, (self.im * ratio - self.re) / bottom)
        };
        c64::new(near(quotient.re), near(quotient.im))
    }

    fn store(self, parts: &mut Vec<f64>) {
        parts.extend([self.re, self.im]);
    }
}

/// A number times a power of two, in two steps: the power alone may be too large or too small.
fn scaled(number: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    number * 2f64.powi(half) * 2f64.powi(exponent - half)
}

/// The columns of a triangle that are finished.
struct Columns<T> {
    offsets: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<T>,
}

impl<T: Number> Columns<T> {
    fn new() -> Columns<T> {
        Columns { offsets: vec![0], rows: vec![], values: vec![] }
    }

    fn of(&self, column: usize) -> std::ops::Range<usize> {
        self.offsets[column]..self.offsets[column + 1]
    }

    fn finish(&mut self, column: &[(usize, T)]) {
        self.rows.extend(column.iter().map(|&(row, _)| row));
        self.values.extend(column.iter().map(|&(_, value)| value));
        self.offsets.push(self.rows.len());
    }

    /// With rows renumbered and sorted.
    fn sorted(self, number: impl Fn(usize) -> usize) -> SparseTriangle {
        let mut triangle = SparseTriangle { offsets: self.offsets, rows: vec![], values: vec![] };
        let mut column = Vec::new();
        for ends in triangle.offsets.windows(2) {
            column.clear();
            column.extend((ends[0]..ends[1]).map(|at| (number(self.rows[at]), self.values[at])));
            column.sort_unstable_by_key(|&(row, _)| row);
            triangle.rows.extend(column.iter().map(|&(row, _)| row));
            column.iter().for_each(|&(_, value)| value.store(&mut triangle.values));
        }
        triangle
    }
}

/// Depth-first search through the columns of L, for the rows that a column of the matrix reaches.
struct Reach {
    /// The column in which a row was last seen.
    seen: Vec<usize>,
    /// Rows that are being visited, with how far.
    path: Vec<(usize, usize)>,
    /// The rows found, each after those that it leads to.
    found: Vec<usize>,
}

impl Reach {
    fn from<T: Number>(&mut self, row: usize, column: usize, lower: &Columns<T>, pivots: &[usize]) {
        if self.seen[row] == column {
            return;
        }
        self.enter(row, column, lower, pivots);
        while let Some((row, next)) = self.path.last_mut() {
            let end = if pivots[*row] == NONE { *next } else { lower.of(pivots[*row]).end };
            if *next < end {
                let child = lower.rows[*next];
                *next += 1;
                if self.seen[child] != column {
                    self.enter(child, column, lower, pivots);
                }
            } else {
                self.found.push(*row);
                self.path.pop();
            }
        }
    }

    fn enter<T: Number>(&mut self, row: usize, column: usize, lower: &Columns<T>, pivots: &[usize]) {
        self.seen[row] = column;
        let start = if pivots[row] == NONE { 0 } else { lower.of(pivots[row]).start };
        self.path.push((row, start));
    }
}

/// Keeps the `most` largest of a column's elements.
fn limit<T: Number>(column: &mut Vec<(usize, T)>, most: usize) {
    if column.len() > most {
        column.select_nth_unstable_by(most, |a, b| b.1.size().total_cmp(&a.1.size()));
        column.truncate(most);
    }
}

/// The factors; `None` if a column has no pivot.
pub(crate) fn factor<T: Number>(
    pattern: &SparsePattern<'_>,
    values: &[T],
    columns: Vec<usize>,
    options: &ExplicitLu,
) -> Option<LuParts> {
    let order = pattern.order;
    let average = pattern.rows.len() as f64 / order.max(1) as f64;
    let most = (options.fill * average).max(1.0).min(order as f64) as usize;
    // The diagonal of L is one and not stored until the end.
    let (mut lower, mut upper) = (Columns::new(), Columns::new());
    let mut pivots = vec![NONE; order];
    let mut x = vec![T::ZERO; order];
    let mut reach = Reach { seen: vec![NONE; order], path: vec![], found: vec![] };
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (number, &column) in columns.iter().enumerate() {
        interrupt::point();
        reach.found.clear();
        let mut largest = 0.0f64;
        for at in pattern.offsets[column]..pattern.offsets[column + 1] {
            reach.from(pattern.rows[at], number, &lower, &pivots);
            x[pattern.rows[at]] = values[at];
            largest = largest.max(values[at].size());
        }
        let least = options.drop * largest;
        above.clear();
        below.clear();
        for &row in reach.found.iter().rev() {
            let value = std::mem::replace(&mut x[row], T::ZERO);
            let pivot = pivots[row];
            if pivot == NONE {
                below.push((row, value));
            } else if value.counts(least) {
                for at in lower.of(pivot) {
                    x[lower.rows[at]] -= lower.values[at] * value;
                }
                above.push((pivot, value));
            }
        }
        // NaN counts as the largest, so that it is not lost.
        let chosen =
            below.iter().copied().reduce(|a, b| if b.1.size() > a.1.size() || b.1.size().is_nan() { b } else { a });
        let (mut row, mut pivot) = chosen.filter(|(_, value)| value.size() != 0.0)?;
        if let Some(&own) = below.iter().find(|(row, _)| *row == column)
            && own.1.size() != 0.0
            && own.1.size() >= options.threshold * pivot.size()
        {
            (row, pivot) = own;
        }
        pivots[row] = number;
        below.retain(|&(other, value)| other != row && value.counts(least));
        below.iter_mut().for_each(|(_, value)| *value = value.over(pivot));
        if options.fill.is_finite() {
            limit(&mut above, most);
            limit(&mut below, most);
        }
        above.push((number, pivot));
        upper.finish(&above);
        lower.finish(&below);
    }
    let mut rows = vec![0; order];
    for (row, &pivot) in pivots.iter().enumerate() {
        rows[pivot] = row;
    }
    let mut whole = Columns::new();
    for (number, &row) in rows.iter().enumerate() {
        below.clear();
        below.push((row, T::ONE));
        below.extend(lower.of(number).map(|at| (lower.rows[at], lower.values[at])));
        whole.finish(&below);
    }
    Some(LuParts { lower: whole.sorted(|row| pivots[row]), upper: upper.sorted(|row| row), rows, columns })
}
