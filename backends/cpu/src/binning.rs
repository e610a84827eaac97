//! Counting by bins, in parts on the threads of the pool.

use cuproxide_hal::libraries::{Binning, Edges, Histogram};
use cuproxide_hal::{DType, Error, Result, Stream};
use parking_lot::Mutex;
use pulp::{Arch, Simd, WithSimd};

use crate::elements::{by_number, narrow_types};
use crate::sort::CpuPrimitives;
use crate::truth::Truth;
use crate::{graph, pool};

/// Values of a part, at least and at most: a count has 32 bits.
const PART: usize = 64 << 10;
const MOST: usize = 1 << 31;
/// Tables that neighbours are counted in, so that equal ones do not wait for each other; one where bins are many.
const TABLES: usize = 4;
const FEW: usize = 2048;
/// Values whose bins are found at once, in vectors.
const BLOCK: usize = 64;
/// A slot that is still to be found, larger than the number of any.
const UNKNOWN: u32 = u32::MAX;
/// Values of a block that are looked at one by one where their place leaves their bin in doubt; of more, all are.
const FEW_DOUBTS: u64 = BLOCK as u64 / 16;
/// How far edges may be from where their width has them, in widths, so that few values are in doubt.
const DEVIATION: f64 = 1.0 / 512.0;
/// Added to a number below 2^51, it rounds it to an integer, which the lowest bits of the sum hold.
const TO_INTEGER: f64 = 1.5 * (1_u64 << 52) as f64;

impl Binning for CpuPrimitives {
    unsafe fn histogram(&self, stream: &dyn Stream, histogram: &Histogram) -> Result<()> {
        let histogram = *histogram;
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "histogram", move || unsafe { count(&histogram) })
    }
}

/// # Safety
/// As for [`Binning::histogram`].
unsafe fn count(histogram: &Histogram) -> Result<()> {
    macro_rules! by_type {
            ($run:ident: $($dtype:ident => $type:ty),*) => {
                match histogram.dtype {
                    $(DType::$dtype => $run::<$type>(histogram),)*
                    other => Err(Error::unsupported("cpu", format!("a histogram of {other}"))),
                }
            };
        }
    macro_rules! placed {
        ($type:ty) => {
            between::<$type>(histogram)
        };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match histogram.edges {
            None => by_type!(whole: Bool => Truth, U8 => u8, I8 => i8, I16 => i16, U16 => u16, I32 => i32, U32 => u32,
                                 I64 => i64, U64 => u64),
            Some(_) => {
                by_number!(
                    histogram.dtype,
                    placed,
                    Truth,
                    other => Err(Error::unsupported("cpu", format!("a histogram of {other}"))),
                )
            }
        }
    }
}

/// A value as it is compared with edges.
trait Value: Copy + Sync {
    fn float(self) -> f64;
    /// The same value as an integer, for integer edges.
    fn integer(self) -> i128;
    /// The bin that the value is the number of; what is negative or no integer gives a number larger than any.
    fn bin(self) -> usize;
}

macro_rules! values {
    ($($type:ty: $float:expr;)*) => {
        $(impl Value for $type {
            fn float(self) -> f64 { let convert: fn($type) -> f64 = $float; convert(self) }
            fn integer(self) -> i128 { self.float() as i128 }
            fn bin(self) -> usize { usize::MAX }
        })*
    };
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Value for $type {
            fn float(self) -> f64 { self as f64 }
            fn integer(self) -> i128 { self.into() }
            fn bin(self) -> usize { self as usize }
        })*
    };
}

macro_rules! narrow {
    ($($type:ty: $bits:ty, $atomic:ty;)*) => { values! { $($type: |x| x.into();)* } };
}

narrow_types!(narrow);
values! { f32: |x| x.into(); f64: |x| x; }
integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

impl Value for Truth {
    fn float(self) -> f64 {
        u8::from(self.holds()).into()
    }
    fn integer(self) -> i128 {
        self.holds().into()
    }
    fn bin(self) -> usize {
        self.holds().into()
    }
}

unsafe fn whole<T: Value>(histogram: &Histogram) -> Result<()> {
    let bins = histogram.bins;
    // SAFETY: the caller's promise.
    unsafe { run_one_by_one::<T>(histogram, |value| value.bin().min(bins)) }
}

unsafe fn between<T: Value>(histogram: &Histogram) -> Result<()> {
    let Some(Edges { dtype, .. }) = histogram.edges else { return Ok(()) };
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => search(histogram, edges::<f32, f64>(histogram), T::float),
            DType::F64 => search(histogram, edges::<f64, f64>(histogram), T::float),
            DType::I64 => search(histogram, edges::<i64, i128>(histogram), T::integer),
            DType::U64 => search(histogram, edges::<u64, i128>(histogram), T::integer),
            other => Err(Error::unsupported("cpu", format!("edges of {other}"))),
        }
    }
}

/// The edges in the type that holds values too.
///
/// # Safety
/// As for [`Binning::histogram`], whose edges are of this type.
unsafe fn edges<E: Copy, C: From<E>>(histogram: &Histogram) -> Vec<C> {
    let Some(Edges { ptr, .. }) = histogram.edges else { return vec![] };
    // SAFETY: the caller's promise: one edge more than bins.
    let edges = unsafe { std::slice::from_raw_parts(ptr as *const E, histogram.bins + 1) };
    edges.iter().map(|&edge| edge.into()).collect()
}

/// A type that holds values and edges.
trait Common: PartialOrd + Sync + Copy {
    /// What is greater than all values between edges.
    const GREATEST: Self;
    /// Whether vectors compute with it.
    const IN_VECTORS: bool;
    /// The distance from another value that is not greater.
    fn distance(self, other: Self) -> f64;
}

impl Common for f64 {
    const GREATEST: f64 = f64::INFINITY;
    const IN_VECTORS: bool = true;
    fn distance(self, other: f64) -> f64 {
        self - other
    }
}

impl Common for i128 {
    const GREATEST: i128 = i128::MAX;
    const IN_VECTORS: bool = false;
    fn distance(self, other: i128) -> f64 {
        // Both are of one type of 64 bits.
        (self - other) as u64 as f64
    }
}

/// Finds bins by their width if all have about the same, else by halving.
unsafe fn search<T: Value, C: Common>(
    histogram: &Histogram,
    mut edges: Vec<C>,
    value: impl Fn(T) -> C + Sync + Copy,
) -> Result<()> {
    let bins = histogram.bins;
    let (first, last) = (edges[0], edges[bins]);
    // Slightly less, so that no guess is above the number of the bin at its lower edge.
    let scale = bins as f64 / last.distance(first) * (1.0 - 4.0 * f64::EPSILON);
    let most = (bins - 1) as f64;
    let guess = move |element: C| {
        let place = element.distance(first) * scale;
        let place = if place < most { place } else { most };
        let place = if place > 0.0 { place } else { 0.0 };
        // SAFETY: from 0 to the number of the last bin; NaN has become the last bin.
        unsafe { place.to_int_unchecked::<i64>() as usize }
    };
    let is_even = |(bin, &e): (usize, &C)| matches!(bin.wrapping_sub(guess(e)), 0 | 1);
    let even = scale > 0.0 && scale.is_finite() && edges[..bins].iter().enumerate().all(is_even);
    // Values of a bin have places around its number plus one.
    let place = move |element: C| element.distance(first) * scale + 0.5;
    let off = |(bin, &edge): (usize, &C)| (place(edge) - bin as f64 - 0.5).abs();
    let is_near_place = edges.iter().enumerate().map(off).all(|off| off < DEVIATION);
    let deviation = edges.iter().enumerate().map(off).fold(0.0, f64::max);
    let is_inside = move |element: C| element >= first && element <= last;
    // The last bin contains its upper edge.
    edges[bins] = C::GREATEST;
    let sorted = &edges[..];
    let near = move |element: C| {
        let bin = guess(element);
        // SAFETY: there is one edge more than bins.
        let (lower, upper) = unsafe { (*sorted.get_unchecked(bin), *sorted.get_unchecked(bin + 1)) };
        let found = (bin + usize::from(element >= upper)).wrapping_sub(usize::from(element < lower));
        if is_inside(element) { found } else { bins }
    };
    let halved = |element: C| {
        if is_inside(element) { edges[1..bins].partition_point(|edge| *edge <= element) } else { bins }
    };
    // SAFETY: the caller's promise.
    unsafe {
        if !even {
            return run_one_by_one::<T>(histogram, |element| halved(value(element)));
        }
        let near = move |element: T| near(value(element));
        if !C::IN_VECTORS || !is_near_place || bins > i32::MAX as usize {
            return run_one_by_one::<T>(histogram, near);
        }
        // Rounding keeps order: where the places of edges are no further from half numbers than `deviation`, a value whose place
        // is further from all of them lies in the bin of its place.
        let closeness = 0.5 - deviation - f64::EPSILON;
        let place = move |element: T| place(value(element));
        run::<T>(histogram, near, |values| {
            Arch::new().dispatch(Blocks { values, slots: bins + 1, place, closeness, bin: near })
        })
    }
}

/// Counts values by bin. `bin` gives the bin of a value, or the number of bins for a value outside of all.
unsafe fn run_one_by_one<T: Value>(histogram: &Histogram, bin: impl Fn(T) -> usize + Sync) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { run::<T>(histogram, &bin, |values| tally(values, histogram.bins + 1, &bin)) }
}

/// Counts values by bin, in parts by `tally`, which gives tables of one slot more than there are bins.
unsafe fn run<T: Value>(
    histogram: &Histogram,
    bin: impl Fn(T) -> usize,
    tally: impl Fn(&[T]) -> Vec<u32> + Sync,
) -> Result<()> {
    let Histogram { values, count, bins, counts, .. } = *histogram;
    // SAFETY: the caller's promise.
    let (values, counts) = unsafe {
        (
            std::slice::from_raw_parts(values as *const T, count),
            std::slice::from_raw_parts_mut(counts as *mut i64, bins),
        )
    };
    // Every part counts for itself, so there are no more of them than pay for that.
    let part = PART.max(count.div_ceil(4 * pool::threads())).max(4 * bins).min(MOST);
    if part >= count && tables(count, bins + 1) == 1 {
        values.iter().for_each(|&value| counts.get_mut(bin(value)).into_iter().for_each(|count| *count += 1));
        return Ok(());
    }
    let counts = Mutex::new(counts);
    pool::run(count.div_ceil(part), |number| {
        let own = tally(&values[number * part..count.min((number + 1) * part)]);
        for table in own.chunks_exact(bins + 1) {
            counts.lock().iter_mut().zip(table).for_each(|(sum, &own)| *sum += i64::from(own));
        }
    });
    Ok(())
}

/// In how many tables of so many slots values are counted.
fn tables(count: usize, slots: usize) -> usize {
    if slots <= FEW && count >= 4 * slots { TABLES } else { 1 }
}

/// Tables of so many slots which together have the counts.
fn tally<T: Copy>(values: &[T], slots: usize, bin: &impl Fn(T) -> usize) -> Vec<u32> {
    let tables = tables(values.len(), slots);
    let mut own = vec![0_u32; tables * slots];
    if tables == 1 {
        values.iter().for_each(|&value| own[bin(value)] += 1);
        return own;
    }
    let groups = values.chunks_exact(TABLES);
    groups.remainder().iter().for_each(|&value| own[bin(value)] += 1);
    for group in groups {
        for (table, &value) in group.iter().enumerate() {
            own[table * slots + bin(value)] += 1;
        }
    }
    own
}

/// [`tally`] with bins that are found in vectors.
struct Blocks<'a, T, P, B> {
    values: &'a [T],
    slots: usize,
    /// The place of a value: the number of its bin plus one, where it rounds to that.
    place: P,
    /// How close to an integer places have to be for that.
    closeness: f64,
    /// The bin of any value.
    bin: B,
}

impl<T: Copy, P: Fn(T) -> f64, B: Fn(T) -> usize> WithSimd for Blocks<'_, T, P, B> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<u32> {
        let Blocks { values, slots, place, closeness, bin } = self;
        let tables = tables(values.len(), slots);
        // A value below all bins is counted by the slot in front of its table: the one of the table before for values outside.
        let mut own = vec![0_u32; 1 + tables * slots];
        let most = slots as f64;
        let (blocks, rest) = values.as_chunks::<BLOCK>();
        let mut found = [0_u64; BLOCK];
        for block in blocks {
            let mut doubts = 0;
            for (found, &value) in found.iter_mut().zip(block) {
                let place = place(value);
                // NaN becomes the place outside.
                let place = if place < most { place } else { most };
                let place = if place > 0.0 { place } else { 0.0 };
                let sum = place + TO_INTEGER;
                let is_sure = (place - (sum - TO_INTEGER)).abs() < closeness;
                *found = if is_sure { sum.to_bits() } else { UNKNOWN.into() };
                doubts += u64::from(!is_sure);
            }
            if doubts > 0 {
                let all = doubts > FEW_DOUBTS;
                let unknown = found.iter_mut().zip(block).filter(|(found, _)| all || **found as u32 == UNKNOWN);
                unknown.for_each(|(found, &value)| *found = 1 + bin(value) as u64);
            }
            // The lowest bits are the slot.
            if tables == 1 {
                found.iter().for_each(|&slot| own[slot as u32 as usize] += 1);
                continue;
            }
            for group in found.as_chunks::<TABLES>().0 {
                group.iter().enumerate().for_each(|(table, &slot)| own[table * slots + slot as u32 as usize] += 1);
            }
        }
        rest.iter().for_each(|&value| own[1 + bin(value)] += 1);
        own.remove(0);
        own
    }
}
