//! Distances of pairs of rows, in tiles: a few rows by as many others as fill a few vectors.
//!
//! What is called for each coordinate is a plain function or loop, since closures would not be compiled for the wider
//! vectors.

use std::slice;

use cuproxide_hal::libraries::{Distances, Nearest, Pairs, Term};
use cuproxide_hal::{DType, Error, Result, Stream};
use pulp::{Arch, Simd, WithSimd};

use crate::{graph, pool};

/// Rows of a tile.
const HIGH: usize = 4;
/// Vectors of a row of it.
const WIDE: usize = 2;
/// The most lanes of [`WIDE`] vectors: of float32, in the widest registers.
const MOST_LANES: usize = 32;
/// Rows and panels of a task, which stay in the first cache.
const TASK_ROWS: usize = 32;
const TASK_PANELS: usize = 32;
/// Rows of a task that looks for codes.
const TASK_SEARCHES: usize = 1024;

/// Distances by vectors.
pub struct CpuPairs;

impl Pairs for CpuPairs {
    unsafe fn distances(&self, stream: &dyn Stream, distances: &Distances) -> Result<()> {
        if distances.term == Term::Largest && distances.weights.is_some() {
            return Err(Error::unsupported("cpu", "the largest of terms with weights"));
        }
        let distances = *distances;
        graph::run_or_record(stream, "distances", move || {
            // SAFETY: the caller's promise.
            unsafe { all_distances(&distances) };
            Ok(())
        })
    }

    unsafe fn nearest(&self, stream: &dyn Stream, nearest: &Nearest) -> Result<()> {
        let run: unsafe fn(&Nearest) = match nearest.dtype {
            DType::F32 => all_nearest::<f32>,
            DType::F64 => all_nearest::<f64>,
            other => return Err(Error::unsupported("cpu", format!("the nearest codes of {other}"))),
        };
        let nearest = *nearest;
        graph::run_or_record(stream, "nearest", move || {
            // SAFETY: the caller's promise.
            unsafe { run(&nearest) };
            Ok(())
        })
    }
}

/// Elements in vectors.
trait Real: Copy + Sync + Send {
    type Vector<S: Simd>: Copy;
    /// Unsigned integers in as many lanes.
    type Numbers<S: Simd>: Copy;
    const ZERO: Self;
    const INFINITY: Self;

    fn root(self) -> Self;
    fn vectors<S: Simd>(elements: &[Self]) -> &[Self::Vector<S>];
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    fn number<S: Simd>(simd: S, value: u32) -> Self::Numbers<S>;
    fn add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// The smaller of two with its number; the first one of equal ones and where the second one is NaN.
    fn nearer<S: Simd>(
        simd: S,
        best: (Self::Vector<S>, Self::Numbers<S>),
        other: (Self::Vector<S>, Self::Numbers<S>),
    ) -> (Self::Vector<S>, Self::Numbers<S>);
    fn stored<S: Simd>(simd: S, vector: Self::Vector<S>, out: &mut [Self]);
    fn stored_numbers<S: Simd>(simd: S, numbers: Self::Numbers<S>, out: &mut [i32]);
}

macro_rules! reals {
    ($($type:ty: $vector:ident, $numbers:ident, $word:ty, $vectors:ident, $words_mut:ident, $splat:ident, $number:ident,
        $add:ident, $sub:ident, $mul:ident, $less:ident, $select:ident, $select_number:ident, $store:ident;)*) => {
        $(impl Real for $type {
            type Vector<S: Simd> = S::$vector;
            type Numbers<S: Simd> = S::$numbers;
            const ZERO: Self = 0.0;
            const INFINITY: Self = <$type>::INFINITY;

            #[inline(always)]
            fn root(self) -> Self { self.sqrt() }

            #[inline(always)]
            fn vectors<S: Simd>(elements: &[Self]) -> &[S::$vector] { S::$vectors(elements).0 }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector { simd.$splat(value) }

            #[inline(always)]
            fn number<S: Simd>(simd: S, value: u32) -> S::$numbers { simd.$number(value.into()) }

            #[inline(always)]
            fn add<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector { simd.$add(a, b) }

            #[inline(always)]
            fn sub<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector { simd.$sub(a, b) }

            #[inline(always)]
            fn mul<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector { simd.$mul(a, b) }

            #[inline(always)]
            fn nearer<S: Simd>(
                simd: S,
                best: (S::$vector, S::$numbers),
                other: (S::$vector, S::$numbers),
            ) -> (S::$vector, S::$numbers) {
                let takes = simd.$less(other.0, best.0);
                (simd.$select(takes, other.0, best.0), simd.$select_number(takes, other.1, best.1))
            }

            #[inline(always)]
            fn stored<S: Simd>(simd: S, vector: S::$vector, out: &mut [Self]) { simd.$store(out, vector) }

            #[inline(always)]
            fn stored_numbers<S: Simd>(_: S, numbers: S::$numbers, out: &mut [i32]) {
                let mut words = [0 as $word; MOST_LANES];
                S::$words_mut(&mut words).0[0] = numbers;
                for (out, word) in out.iter_mut().zip(words) {
                    *out = word as i32;
                }
            }
        })*
    };
}

reals! {
    f32: f32s, u32s, u32, as_simd_f32s, as_mut_simd_u32s, splat_f32s, splat_u32s, add_f32s, sub_f32s, mul_f32s,
        less_than_f32s, select_f32s, select_u32s, partial_store_f32s;
    f64: f64s, u64s, u64, as_simd_f64s, as_mut_simd_u64s, splat_f64s, splat_u64s, add_f64s, sub_f64s, mul_f64s,
        less_than_f64s, select_f64s, select_u64s, partial_store_f64s;
}

/// Lanes of a tile.
#[inline(always)]
fn lanes<S: Simd, T: Real>() -> usize {
    WIDE * size_of::<T::Vector<S>>() / size_of::<T>()
}

/// A few rows, coordinate after coordinate, side by side; the last one is repeated where there are not so many.
#[inline(always)]
fn pack<T: Real>(rows: &[T], dimension: usize, lanes: usize, panel: &mut [T]) {
    let last = rows.len() / dimension - 1;
    for lane in 0..lanes {
        let row = &rows[lane.min(last) * dimension..][..dimension];
        for (place, x) in panel[lane..].iter_mut().step_by(lanes).zip(row) {
            *place = *x;
        }
    }
}

/// How terms come about and are joined.
trait Joined<T: Real> {
    /// The total of a pair with the term of another coordinate.
    fn joined<S: Simd>(
        simd: S,
        total: T::Vector<S>,
        x: T::Vector<S>,
        y: T::Vector<S>,
        weight: Option<T>,
    ) -> T::Vector<S>;
}

macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident: |$simd:ident, $x:ident, $y:ident| $term:expr;)*) => {
        $($(#[$doc])* struct $name;

        impl Joined<f64> for $name {
            #[inline(always)]
            fn joined<S: Simd>($simd: S, total: S::f64s, $x: S::f64s, $y: S::f64s, weight: Option<f64>) -> S::f64s {
                let term = $term;
                let term = match weight {
                    None => term,
                    Some(weight) => $simd.mul_f64s($simd.splat_f64s(weight), term),
                };
                $simd.add_f64s(total, term)
            }
        })*
    };
}

terms! {
    Difference: |simd, x, y| simd.abs_f64s(simd.sub_f64s(x, y));
    Ratio: |simd, x, y| {
        let sum = simd.add_f64s(simd.abs_f64s(x), simd.abs_f64s(y));
        let zero = simd.splat_f64s(0.0);
        simd.select_f64s(simd.equal_f64s(sum, zero), zero, simd.div_f64s(simd.abs_f64s(simd.sub_f64s(x, y)), sum))
    };
    Unequal: |simd, x, y| simd.select_f64s(simd.equal_f64s(x, y), simd.splat_f64s(0.0), simd.splat_f64s(1.0));
}

struct Square;

impl<T: Real> Joined<T> for Square {
    #[inline(always)]
    fn joined<S: Simd>(
        simd: S,
        total: T::Vector<S>,
        x: T::Vector<S>,
        y: T::Vector<S>,
        weight: Option<T>,
    ) -> T::Vector<S> {
        let difference = T::sub(simd, x, y);
        let term = T::mul(simd, difference, difference);
        match weight {
            None => T::add(simd, total, term),
            Some(weight) => T::add(simd, total, T::mul(simd, T::splat(simd, weight), term)),
        }
    }
}

/// The largest difference; `ANY` where some may be NaN, which stays.
struct Largest<const ANY: bool>;

impl<const ANY: bool> Joined<f64> for Largest<ANY> {
    #[inline(always)]
    fn joined<S: Simd>(simd: S, total: S::f64s, x: S::f64s, y: S::f64s, _: Option<f64>) -> S::f64s {
        let term = simd.abs_f64s(simd.sub_f64s(x, y));
        let larger = simd.max_f64s(term, total);
        if !ANY {
            return larger;
        }
        let some = simd.and_m64s(simd.equal_f64s(term, term), simd.equal_f64s(total, total));
        simd.select_f64s(some, larger, simd.add_f64s(term, total))
    }
}

/// The totals of a few rows with those of a panel.
#[inline(always)]
fn tile<S: Simd, T: Real, J: Joined<T>>(
    simd: S,
    rows: [&[T]; HIGH],
    panel: &[T::Vector<S>],
    weights: Option<&[T]>,
) -> [[T::Vector<S>; WIDE]; HIGH] {
    let mut totals = [[T::splat(simd, T::ZERO); WIDE]; HIGH];
    for (d, others) in panel.chunks_exact(WIDE).enumerate() {
        let mut weight = None;
        if let Some(weights) = weights {
            // SAFETY: there are as many weights as coordinates.
            weight = Some(unsafe { *weights.get_unchecked(d) });
        }
        for (totals, row) in totals.iter_mut().zip(&rows) {
            // SAFETY: rows have as many coordinates as the panel.
            let x = T::splat(simd, unsafe { *row.get_unchecked(d) });
            for (total, other) in totals.iter_mut().zip(others) {
                *total = J::joined(simd, *total, x, *other, weight);
            }
        }
    }
    totals
}

/// The rows of a tile; the last one is repeated where there are not so many.
#[inline(always)]
fn rows_from<T>(rows: &[T], dimension: usize, first: usize) -> [&[T]; HIGH] {
    let last = rows.len() / dimension - 1;
    let mut found = [&rows[..0]; HIGH];
    for (number, row) in found.iter_mut().enumerate() {
        *row = &rows[(first + number).min(last) * dimension..][..dimension];
    }
    found
}

/// # Safety
/// As for [`Pairs::distances`].
unsafe fn all_distances(work: &Distances) {
    if work.row_count == 0 || work.other_count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let (rows, others, weights) = unsafe {
        (
            slice::from_raw_parts(work.rows as *const f64, work.row_count * work.dimension),
            slice::from_raw_parts(work.others as *const f64, work.other_count * work.dimension),
            work.weights.map(|weights| slice::from_raw_parts(weights as *const f64, work.dimension)),
        )
    };
    if work.dimension == 0 {
        // A coordinate that all of them share adds nothing.
        let none = Distances { dimension: 1, weights: None, term: Term::Difference, ..*work };
        let zeros = vec![0.0; work.row_count.max(work.other_count)];
        return by_term::<Difference>(&none, &zeros[..work.row_count], &zeros[..work.other_count], None);
    }
    match work.term {
        Term::Square => by_term::<Square>(work, rows, others, weights),
        Term::Difference => by_term::<Difference>(work, rows, others, weights),
        Term::Ratio => by_term::<Ratio>(work, rows, others, weights),
        Term::Unequal => by_term::<Unequal>(work, rows, others, weights),
        Term::Largest if [rows, others].iter().all(|x| x.iter().all(|x| x.is_finite())) => {
            by_term::<Largest<false>>(work, rows, others, None);
        }
        Term::Largest => by_term::<Largest<true>>(work, rows, others, None),
    }
}

fn by_term<J: Joined<f64>>(work: &Distances, rows: &[f64], others: &[f64], weights: Option<&[f64]>) {
    Arch::new().dispatch(ByTerm::<J> { work, rows, others, weights, join: std::marker::PhantomData });
}

struct ByTerm<'a, J> {
    work: &'a Distances,
    rows: &'a [f64],
    others: &'a [f64],
    weights: Option<&'a [f64]>,
    join: std::marker::PhantomData<fn() -> J>,
}

impl<J: Joined<f64>> WithSimd for ByTerm<'_, J> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Distances { row_count, other_count, dimension, condensed, .. } = *self.work;
        let lanes = lanes::<S, f64>();
        let panel = lanes * dimension;
        let panels = other_count.div_ceil(lanes);
        let mut packed = vec![0.0; panels * panel];
        for (number, place) in packed.chunks_exact_mut(panel).enumerate() {
            pack(&self.others[number * panel..others_end(self.others, number * panel, panel)], dimension, lanes, place);
        }
        let (down, across) = (row_count.div_ceil(TASK_ROWS), panels.div_ceil(TASK_PANELS));
        pool::run(down * across, |task| {
            let (from_row, from_panel) = (task / across * TASK_ROWS, task % across * TASK_PANELS);
            let to_row = (from_row + TASK_ROWS).min(row_count);
            for number in from_panel..(from_panel + TASK_PANELS).min(panels) {
                let columns = number * lanes..((number + 1) * lanes).min(other_count);
                if condensed && columns.end <= from_row + 1 {
                    continue;
                }
                let panel = &packed[number * panel..][..panel];
                let part = Part { task: &self, panel, columns, from_row, to_row };
                Arch::new().dispatch(part);
            }
        });
    }
}

/// Where a panel ends of rows that may be fewer.
#[inline(always)]
fn others_end(others: &[f64], start: usize, panel: usize) -> usize {
    (start + panel).min(others.len())
}

/// Some rows with a panel of others.
struct Part<'a, J> {
    task: &'a ByTerm<'a, J>,
    panel: &'a [f64],
    columns: std::ops::Range<usize>,
    from_row: usize,
    to_row: usize,
}

impl<J: Joined<f64>> WithSimd for Part<'_, J> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ByTerm { work, rows, weights, .. } = *self.task;
        let panel = f64::vectors::<S>(self.panel);
        let mut found = [0.0; MOST_LANES];
        let lanes = lanes::<S, f64>() / WIDE;
        let mut first = self.from_row;
        while first < self.to_row {
            let chosen = rows_from(rows, work.dimension, first);
            // Apart, so that the loop does not ask.
            let totals = match weights {
                None => tile::<S, f64, J>(simd, chosen, panel, None),
                Some(weights) => tile::<S, f64, J>(simd, chosen, panel, Some(weights)),
            };
            for (number, totals) in totals.iter().enumerate() {
                let row = first + number;
                if row >= self.to_row {
                    break;
                }
                for (at, &total) in totals.iter().enumerate() {
                    let mut total = total;
                    if work.divisor != 1.0 {
                        total = simd.div_f64s(total, simd.splat_f64s(work.divisor));
                    }
                    if work.root {
                        total = simd.sqrt_f64s(total);
                    }
                    f64::stored(simd, total, &mut found[at * lanes..(at + 1) * lanes]);
                }
                let from = if work.condensed { self.columns.start.max(row + 1) } else { self.columns.start };
                if from < self.columns.end {
                    let place = match work.condensed {
                        true => work.other_count * row - row * (row + 1) / 2 + from - row - 1,
                        false => row * work.other_count + from,
                    };
                    let found = &found[from - self.columns.start..self.columns.end - self.columns.start];
                    // SAFETY: the caller's promise; each pair has a place of its own.
                    let out = unsafe { slice::from_raw_parts_mut((work.out as *mut f64).add(place), found.len()) };
                    out.copy_from_slice(found);
                }
            }
            first += HIGH;
        }
    }
}

/// # Safety
/// As for [`Pairs::nearest`].
unsafe fn all_nearest<T: Real>(work: &Nearest) {
    let work = *work;
    pool::run(work.row_count.div_ceil(TASK_SEARCHES), |task| {
        let first = task * TASK_SEARCHES;
        let count = TASK_SEARCHES.min(work.row_count - first);
        // SAFETY: the caller's promise, and each task has its own part.
        let part = unsafe {
            Searches {
                rows: slice::from_raw_parts(
                    (work.rows as *const T).add(first * work.dimension),
                    count * work.dimension,
                ),
                codes: slice::from_raw_parts(work.codes as *const T, work.code_count * work.dimension),
                dimension: work.dimension,
                numbers: slice::from_raw_parts_mut((work.numbers as *mut i32).add(first), count),
                distances: slice::from_raw_parts_mut((work.distances as *mut T).add(first), count),
            }
        };
        Arch::new().dispatch(part);
    });
}

/// Rows that look for codes.
struct Searches<'a, T> {
    rows: &'a [T],
    codes: &'a [T],
    dimension: usize,
    numbers: &'a mut [i32],
    distances: &'a mut [T],
}

impl<T: Real> WithSimd for Searches<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = lanes::<S, T>();
        let count = self.codes.len() / self.dimension;
        let mut panel = vec![T::ZERO; lanes * self.dimension];
        let parts = self.rows.chunks(lanes * self.dimension).zip(self.numbers.chunks_mut(lanes));
        for ((rows, numbers), distances) in parts.zip(self.distances.chunks_mut(lanes)) {
            pack(rows, self.dimension, lanes, &mut panel);
            let panel = T::vectors::<S>(&panel);
            let mut best = [(T::splat(simd, T::INFINITY), T::number(simd, 0)); WIDE];
            let mut first = 0;
            while first < count {
                let totals = tile::<S, T, Square>(simd, rows_from(self.codes, self.dimension, first), panel, None);
                for (number, totals) in totals.iter().enumerate() {
                    // A code that is repeated is not nearer.
                    let number = T::number(simd, (first + number) as u32);
                    for (best, total) in best.iter_mut().zip(totals) {
                        *best = T::nearer(simd, *best, (*total, number));
                    }
                }
                first += HIGH;
            }
            let vector = lanes / WIDE;
            for (at, best) in best.into_iter().enumerate() {
                let (from, to) = ((at * vector).min(numbers.len()), ((at + 1) * vector).min(numbers.len()));
                let mut found = [T::ZERO; MOST_LANES];
                T::stored(simd, best.0, &mut found[..vector]);
                for (out, square) in distances[from..to].iter_mut().zip(found) {
                    *out = square.root();
                }
                T::stored_numbers(simd, best.1, &mut numbers[from..to]);
            }
        }
    }
}
