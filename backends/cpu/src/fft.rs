//! Fourier transforms through `rustfft` and `realfft`.
//!
//! Contiguous rows are transformed where they lie, other axes in blocks of columns that are gathered first, so that both
//! work within the cache. Rows and blocks are split over the backend's threads.

use std::ptr;
use std::sync::{Arc, OnceLock};

use cuproxide_hal::libraries::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
use cuproxide_hal::{DType, Error, Result, Stream};
use num_complex::Complex;
use parking_lot::Mutex;
use realfft::{ComplexToReal, FftNum, RealFftPlanner, RealToComplex};
use rustfft::FftPlanner;
use rustfft::num_traits::Zero;

use crate::{graph, memory, pool};

/// Elements that a task should have.
const TASK: usize = 16 << 10;
/// Columns that are gathered together: a few cache lines of each row.
const COLUMNS: usize = 16;

/// The transforms of the CPU.
pub struct CpuFft;

impl Fft for CpuFft {
    fn interleaves(&self, _lengths: &[usize], _batch: usize) -> bool {
        true
    }

    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        match spec.dtype {
            DType::F32 => Ok(Arc::new(SharedPlan(Arc::new(Plan::<f32>::new(spec))))),
            DType::F64 => Ok(Arc::new(SharedPlan(Arc::new(Plan::<f64>::new(spec))))),
            dtype => Err(Error::unsupported("cpu", format!("Fourier transforms of {dtype}"))),
        }
    }
}

type Line<T> = Arc<dyn rustfft::Fft<T>>;

/// Complex transforms of one length, of which mostly one direction is used.
struct Lines<T> {
    length: usize,
    forward: OnceLock<Line<T>>,
    inverse: OnceLock<Line<T>>,
}

impl<T: FftNum> Lines<T> {
    fn new(length: usize) -> Lines<T> {
        Lines { length, forward: OnceLock::new(), inverse: OnceLock::new() }
    }

    fn get(&self, direction: FftDirection) -> &Line<T> {
        match direction {
            FftDirection::Forward => self.forward.get_or_init(|| FftPlanner::new().plan_fft_forward(self.length)),
            FftDirection::Inverse => self.inverse.get_or_init(|| FftPlanner::new().plan_fft_inverse(self.length)),
        }
    }
}

/// The transform along the last axis.
enum Rows<T> {
    Complex(Lines<T>),
    Forward(Arc<dyn RealToComplex<T>>),
    Back(Arc<dyn ComplexToReal<T>>),
}

struct Plan<T> {
    rows: Rows<T>,
    /// The other axes, outermost first.
    columns: Vec<Lines<T>>,
    batch: usize,
    /// Complex elements along the last axis.
    width: usize,
    /// Transforms that lie side by side: those of an interleaved batch.
    side: usize,
}

impl<T: FftNum> Plan<T> {
    fn new(spec: &FftSpec) -> Plan<T> {
        let (last, outer) = spec.lengths.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
        let (rows, width) = match spec.kind {
            FftKind::Complex => (Rows::Complex(Lines::new(last)), last),
            FftKind::RealToComplex => (Rows::Forward(RealFftPlanner::new().plan_fft_forward(last)), last / 2 + 1),
            FftKind::ComplexToReal => (Rows::Back(RealFftPlanner::new().plan_fft_inverse(last)), last / 2 + 1),
        };
        let columns = outer.iter().map(|&length| Lines::new(length)).collect();
        let (batch, side) = if spec.interleaved { (1, spec.batch) } else { (spec.batch, 1) };
        Plan { rows, columns, batch, width, side }
    }

    /// Number of rows of all transforms.
    fn height(&self) -> usize {
        self.columns.iter().fold(self.batch, |height, lines| height * lines.length)
    }

    /// Transforms every axis but the last, from one half-wide or full spectrum into another or in place.
    unsafe fn transform_columns(
        &self,
        direction: FftDirection,
        input: *mut Complex<T>,
        output: *mut Complex<T>,
    ) -> Result<()> {
        let mut from = input;
        let mut inner = self.width * self.side;
        let mut outer = self.height();
        for lines in self.columns.iter().rev() {
            outer /= lines.length;
            // SAFETY: the caller's promise: both hold all elements.
            unsafe { columns(lines.get(direction).as_ref(), Shared(from), Shared(output), outer, inner) }?;
            inner *= lines.length;
            from = output;
        }
        Ok(())
    }
}

/// A plan that graphs keep too.
struct SharedPlan<T>(Arc<Plan<T>>);

impl<T: FftNum> FftPlan for SharedPlan<T> {
    fn scratch_bytes(&self) -> usize {
        self.0.scratch_bytes()
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        let plan = self.0.clone();
        // SAFETY: the caller's promise.
        graph::run_or_record(stream, "transform", move || unsafe { plan.run(direction, input, output, scratch) })
    }
}

impl<T: FftNum> Plan<T> {
    fn scratch_bytes(&self) -> usize {
        match self.rows {
            Rows::Back(_) if !self.columns.is_empty() => self.height() * self.width * size_of::<Complex<T>>(),
            _ => 0,
        }
    }

    /// # Safety
    /// As [`FftPlan::execute`].
    unsafe fn run(&self, direction: FftDirection, input: u64, output: u64, scratch: u64) -> Result<()> {
        let height = self.height();
        // SAFETY: the caller's promise about the addresses and sizes.
        unsafe {
            match &self.rows {
                Rows::Complex(lines) => {
                    let (from, to) = (input as *mut Complex<T>, output as *mut Complex<T>);
                    let line = lines.get(direction).as_ref();
                    if self.side > 1 {
                        columns(line, Shared(from), Shared(to), height, self.side)?;
                    } else {
                        complex_rows(line, Shared(from), Shared(to), height)?;
                    }
                    self.transform_columns(direction, to, to)
                }
                Rows::Forward(line) => {
                    let (from, to) = (input as *mut T, output as *mut Complex<T>);
                    forward_rows(line.as_ref(), Shared(from), Shared(to), height)?;
                    self.transform_columns(FftDirection::Forward, to, to)
                }
                Rows::Back(line) => {
                    let mut from = input as *mut Complex<T>;
                    if !self.columns.is_empty() {
                        let held = scratch as *mut Complex<T>;
                        self.transform_columns(FftDirection::Inverse, from, held)?;
                        from = held;
                    }
                    back_rows(line.as_ref(), Shared(from), Shared(output as *mut T), height)
                }
            }
        }
    }
}

/// Elements that several threads use, each its own part.
struct Shared<T>(*mut T);

// SAFETY: tasks write disjoint parts.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }

    /// # Safety
    /// The elements exist and only the caller uses them.
    unsafe fn part<'a>(&self, start: usize, length: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.at(start), length) }
    }
}

/// Zeros, or an error where the system has no memory.
fn zeros<N: Copy + Zero>(length: usize) -> Result<Vec<N>> {
    let mut buffer = vec![];
    buffer.try_reserve_exact(length).map_err(|_| memory::out_of_memory(length * size_of::<N>()))?;
    buffer.resize(length, N::zero());
    Ok(buffer)
}

/// Runs `body` over ranges that make up `0..count`, on several threads where that pays; an item has `size` elements.
fn split(count: usize, size: usize, body: impl Fn(usize, usize) -> Result<()> + Sync) -> Result<()> {
    let share = (TASK / size.max(1)).clamp(1, count.max(1));
    if count <= share {
        return body(0, count);
    }
    // Fewer and longer tasks than necessary would leave threads idle at the end, so take about eight for each.
    let share = share.max(count / (8 * pool::threads()).max(1));
    let failure = Mutex::new(None);
    pool::run(count.div_ceil(share), |task| {
        let start = task * share;
        if let Err(error) = body(start, share.min(count - start)) {
            *failure.lock() = Some(error);
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// Complex transforms of contiguous rows.
unsafe fn complex_rows<T: FftNum>(
    line: &dyn rustfft::Fft<T>,
    input: Shared<Complex<T>>,
    output: Shared<Complex<T>>,
    rows: usize,
) -> Result<()> {
    let length = line.len();
    split(rows, length, |start, count| {
        // SAFETY: the rows belong to this task.
        let to = unsafe { output.part(start * length, count * length) };
        if ptr::eq(input.0, output.0) {
            line.process_with_scratch(to, &mut zeros(line.get_inplace_scratch_len())?);
        } else {
            // SAFETY: as above; nobody writes the input.
            let from = unsafe { input.part(start * length, count * length) };
            line.process_immutable_with_scratch(from, to, &mut zeros(line.get_immutable_scratch_len())?);
        }
        Ok(())
    })
}

/// Transforms of contiguous real rows into half spectra.
unsafe fn forward_rows<T: FftNum>(
    line: &dyn RealToComplex<T>,
    input: Shared<T>,
    output: Shared<Complex<T>>,
    rows: usize,
) -> Result<()> {
    let (length, width) = (line.len(), line.complex_len());
    split(rows, length, |start, count| {
        let (mut row, mut scratch) = (zeros(length)?, zeros(line.get_scratch_len())?);
        for at in start..start + count {
            // SAFETY: the row belongs to this task.
            let (from, to) = unsafe { (input.part(at * length, length), output.part(at * width, width)) };
            // The library uses what it reads as scratch.
            row.copy_from_slice(from);
            line.process_with_scratch(&mut row, to, &mut scratch).map_err(unexpected)?;
        }
        Ok(())
    })
}

/// Transforms of half spectra into contiguous real rows.
unsafe fn back_rows<T: FftNum>(
    line: &dyn ComplexToReal<T>,
    input: Shared<Complex<T>>,
    output: Shared<T>,
    rows: usize,
) -> Result<()> {
    let (length, width) = (line.len(), line.complex_len());
    split(rows, length, |start, count| {
        let (mut row, mut scratch) = (zeros(width)?, zeros(line.get_scratch_len())?);
        for at in start..start + count {
            // SAFETY: the row belongs to this task.
            let (from, to) = unsafe { (input.part(at * width, width), output.part(at * length, length)) };
            // The library uses what it reads as scratch, and complains of imaginary parts that a real signal lacks.
            row.copy_from_slice(from);
            row[0].im = T::zero();
            if length.is_multiple_of(2) {
                row[width - 1].im = T::zero();
            }
            line.process_with_scratch(&mut row, to, &mut scratch).map_err(unexpected)?;
        }
        Ok(())
    })
}

/// Complex transforms along the middle axis of an `outer` x length x `inner` array.
unsafe fn columns<T: FftNum>(
    line: &dyn rustfft::Fft<T>,
    input: Shared<Complex<T>>,
    output: Shared<Complex<T>>,
    outer: usize,
    inner: usize,
) -> Result<()> {
    let length = line.len();
    let blocks = inner.div_ceil(COLUMNS);
    split(outer * blocks, length * COLUMNS.min(inner), |start, count| {
        let mut gathered = zeros(length * COLUMNS.min(inner))?;
        let mut scratch = zeros(line.get_inplace_scratch_len())?;
        for block in start..start + count {
            let first = block % blocks * COLUMNS;
            let base = block / blocks * length * inner + first;
            let width = COLUMNS.min(inner - first);
            let buffer = &mut gathered[..length * width];
            for row in 0..length {
                // SAFETY: the columns of the block belong to this task.
                let from = unsafe { input.part(base + row * inner, width) };
                from.iter().enumerate().for_each(|(column, &value)| buffer[column * length + row] = value);
            }
            line.process_with_scratch(buffer, &mut scratch);
            for row in 0..length {
                // SAFETY: as above.
                let to = unsafe { output.part(base + row * inner, width) };
                to.iter_mut().enumerate().for_each(|(column, value)| *value = buffer[column * length + row]);
            }
        }
        Ok(())
    })
}

#[cold]
fn unexpected(error: realfft::FftError) -> Error {
    Error::unsupported("cpu", format!("this Fourier transform ({error})"))
}
