//! Counting by bins, in parts on the threads of the pool.

use cuproxide_hal::libraries::{Binning, Edges, Histogram};
use cuproxide_hal::{DType, Error, Result, Stream};
use parking_lot::Mutex;

use crate::elements::{by_number, narrow_types};
use crate::sort::CpuPrimitives;
use crate::truth::Truth;
use crate::{graph, pool};

/// Values of a part, at least.
const PART: usize = 64 << 10;

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
    /// The bin that the value is the number of; none is as large as what other values give.
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
            fn bin(self) -> usize { usize::try_from(self).unwrap_or(usize::MAX) }
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
    unsafe { run::<T>(histogram, |value| Some(value.bin()).filter(|&bin| bin < bins)) }
}

unsafe fn between<T: Value>(histogram: &Histogram) -> Result<()> {
    let Some(Edges { dtype, ptr, .. }) = histogram.edges else { return Ok(()) };
    // SAFETY: the caller's promise.
    unsafe {
        match dtype {
            DType::F32 => search::<T, f32, f64>(histogram, ptr, Value::float, f64::from),
            DType::F64 => search::<T, f64, f64>(histogram, ptr, Value::float, |edge| edge),
            DType::I64 => search::<T, i64, i128>(histogram, ptr, Value::integer, i128::from),
            DType::U64 => search::<T, u64, i128>(histogram, ptr, Value::integer, i128::from),
            other => Err(Error::unsupported("cpu", format!("edges of {other}"))),
        }
    }
}

/// A type that holds values and edges.
trait Common: PartialOrd + Sync + Copy {
    fn minus(self, other: Self) -> f64;
}

impl Common for f64 {
    fn minus(self, other: Self) -> f64 {
        self - other
    }
}

impl Common for i128 {
    fn minus(self, other: Self) -> f64 {
        (self - other) as f64
    }
}

/// Finds bins by their width if all have about the same, else by halving.
unsafe fn search<T: Value, E: Copy + Sync, C: Common>(
    histogram: &Histogram,
    edges: u64,
    value: fn(T) -> C,
    edge: fn(E) -> C,
) -> Result<()> {
    let bins = histogram.bins;
    // SAFETY: the caller's promise: one edge more than bins.
    let edges: Vec<C> =
        unsafe { std::slice::from_raw_parts(edges as *const E, bins + 1) }.iter().map(|&e| edge(e)).collect();
    let (first, last) = (edges[0], edges[bins]);
    let scale = bins as f64 / last.minus(first);
    let guess = |element: C| ((element.minus(first) * scale) as usize).min(bins - 1);
    let even = scale.is_finite() && edges[..bins].iter().enumerate().all(|(bin, &e)| guess(e).abs_diff(bin) <= 1);
    let near = |element: C| {
        let mut bin = guess(element);
        while element < edges[bin] {
            bin -= 1;
        }
        while bin + 1 < bins && element >= edges[bin + 1] {
            bin += 1;
        }
        bin
    };
    let halved = |element: C| edges[1..bins].partition_point(|edge| *edge <= element);
    let inside = |element: T| Some(value(element)).filter(|&element| element >= first && element <= last);
    // SAFETY: the caller's promise.
    unsafe {
        if even {
            run::<T>(histogram, |element| inside(element).map(near))
        } else {
            run::<T>(histogram, |element| inside(element).map(halved))
        }
    }
}

unsafe fn run<T: Value>(histogram: &Histogram, bin: impl Fn(T) -> Option<usize> + Sync) -> Result<()> {
    let Histogram { values, count, bins, counts, .. } = *histogram;
    // SAFETY: the caller's promise.
    let (values, counts) = unsafe {
        (
            std::slice::from_raw_parts(values as *const T, count),
            std::slice::from_raw_parts_mut(counts as *mut i64, bins),
        )
    };
    // Every part counts for itself, so there are no more of them than pay for that.
    let part = PART.max(count.div_ceil(4 * pool::threads())).max(4 * bins);
    if part >= count {
        values.iter().filter_map(|&value| bin(value)).for_each(|bin| counts[bin] += 1);
        return Ok(());
    }
    let counts = Mutex::new(counts);
    pool::run(count.div_ceil(part), |number| {
        let mut own = vec![0i64; bins];
        for &value in &values[number * part..count.min((number + 1) * part)] {
            if let Some(bin) = bin(value) {
                own[bin] += 1;
            }
        }
        counts.lock().iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    });
    Ok(())
}
