//! Maps in vectors of the processor's width: what runs their compiled functions.

use crate::lower::ready::packing::{Apart, pack};
use crate::lower::{OPERANDS, Span};

use super::memory::{Call, Executable, Routine};

/// Where a routine for strips finds or leaves values.
#[derive(Clone, Copy, Debug)]
pub enum Strip {
    /// In the scratch memory.
    Scratch(usize),
    /// In the memory of an operand.
    Operand(usize),
}

/// A call of a routine for a strip: the mathematical functions.
#[derive(Debug)]
pub struct StripCall {
    pub routine: usize,
    pub inputs: Vec<Strip>,
    pub output: Strip,
}

/// A compiled loop over a strip, if there is something to compute, and the calls that follow it.
pub struct Stage {
    pub routine: Option<Routine>,
    pub calls: Vec<StripCall>,
}

/// A compiled loop that extends accumulators by the values of a map.
pub struct Folding {
    pub routine: Routine,
    /// Points of a group, of which it takes whole ones.
    pub group: usize,
    /// Where the lanes of each accumulator are in the scratch memory.
    pub totals: Vec<usize>,
}

/// A map.
pub struct Program {
    /// What the routines are in.
    #[expect(dead_code, reason = "the memory lives as long as the program")]
    pub code: Executable,
    /// Points of a vector, a power of two.
    pub lanes: usize,
    /// Most points of a strip.
    pub strip: usize,
    /// Bytes of the elements of each operand.
    pub sizes: Vec<usize>,
    /// Operands whose elements lie side by side.
    pub dense: Vec<usize>,
    /// Operands whose elements are packed into a buffer first, and the offset of that in the scratch memory.
    pub packed: Vec<(usize, usize)>,
    /// What the pool of shared values holds before a launch.
    pub pool: Vec<u8>,
    /// Bytes of a place there.
    pub unit: usize,
    /// Launch scalars: where they go, which bytes they are, how many.
    pub scalars: Vec<(usize, usize, u8)>,
    /// Computes what the points of a line share.
    pub uniform: Option<Routine>,
    /// Whether all rows share that.
    pub once: bool,
    /// Where in the pool it leaves that, and the bytes of each.
    pub computed: Vec<(usize, usize)>,
    /// Buffers that hold one value at every point: the offset in the scratch memory, the place in the pool, bytes of the value.
    pub fills: Vec<(usize, usize, usize)>,
    pub stages: Vec<Stage>,
    pub fold: Option<Folding>,
}

impl Program {
    /// Runs a rectangle of points.
    ///
    /// # Safety
    /// The span describes a launch that fits the kernel, with the scratch memory that the program asks for.
    pub unsafe fn run(&self, span: &Span) {
        let [length, rows, _] = span.counts;
        if length == 0 || rows == 0 {
            return;
        }
        // SAFETY: the caller's promise.
        let mut call = unsafe { self.begin(span) };
        (call.rows, call.index_step, call.steps) = (rows, span.index_step, span.strides[1]);
        if let [Stage { routine: Some(routine), calls }] = &self.stages[..]
            && calls.is_empty()
            && self.packed.is_empty()
            && self.fills.is_empty()
            && (self.once || self.uniform.is_none())
        {
            // SAFETY: the caller's promise.
            return unsafe { routine(&mut call) };
        }
        (call.rows, call.index_step, call.steps) = (1, 0, [0; OPERANDS]);
        for row in 0..rows {
            for (number, pointer) in call.pointers[..self.sizes.len()].iter_mut().enumerate() {
                *pointer = start_of_row(span, number, row);
            }
            call.index = span.index.wrapping_add(span.index_step.wrapping_mul(row as i64));
            // SAFETY: the caller's promise.
            unsafe { self.line(span, &mut call, row) };
        }
    }

    /// Fills in what all rows share, before [`Program::line`] runs one.
    ///
    /// # Safety
    /// As for [`Program::run`].
    pub unsafe fn begin(&self, span: &Span) -> Call {
        let length = span.counts[0];
        let mut call = Call {
            points: length,
            rows: 1,
            scratch: span.scratch,
            index: span.index,
            index_step: 0,
            rest: self.rest(length),
            pointers: span.pointers,
            steps: [0; OPERANDS],
        };
        // SAFETY: the pool is at the beginning of the scratch memory, and the kernel's scalars are where the span says.
        unsafe {
            std::ptr::copy_nonoverlapping(self.pool.as_ptr(), span.scratch, self.pool.len());
            for &(at, from, size) in &self.scalars {
                let mut element = [0; 8];
                std::ptr::copy_nonoverlapping(span.scalars.cast::<u8>().add(from), element.as_mut_ptr(), size.into());
                self.spread(span.scratch, at, element, size.into());
            }
            if self.once {
                self.share(&mut call);
            }
        }
        call
    }

    /// A bit for each of the points after the last whole vector.
    fn rest(&self, points: usize) -> u64 {
        (1 << (points & (self.lanes - 1))) - 1
    }

    /// Computes what points share.
    ///
    /// # Safety
    /// As for [`Program::run`].
    unsafe fn share(&self, call: &mut Call) {
        let Some(uniform) = self.uniform else { return };
        let (points, rows, steps) = (call.points, call.rows, call.steps);
        (call.points, call.rows, call.steps) = (self.lanes, 1, [0; OPERANDS]);
        // SAFETY: the caller's promise; results are at places of the pool.
        unsafe {
            uniform(call);
            for &(at, size) in &self.computed {
                let element = call.scratch.add(at).cast::<[u8; 8]>().read();
                self.spread(call.scratch, at, element, size);
            }
        }
        (call.points, call.rows, call.steps) = (points, rows, steps);
    }

    /// Writes an element of the pool to all of its place.
    unsafe fn spread(&self, scratch: *mut u8, at: usize, element: [u8; 8], size: usize) {
        let whole: [u8; 8] = std::array::from_fn(|byte| element[byte % size]);
        for part in (0..self.unit).step_by(8) {
            // SAFETY: the caller's promise that the place is in the pool.
            unsafe { scratch.add(at + part).cast::<[u8; 8]>().write(whole) };
        }
    }

    /// Extends the totals by `groups` whole groups of points of a row, one at least, from where the call says. If `anew`, the totals start
    /// from the neutral element.
    ///
    /// # Safety
    /// As for [`Program::run`]; the totals are in the scratch memory.
    pub unsafe fn extend(&self, fold: &Folding, call: &mut Call, groups: usize, anew: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            if !self.once {
                self.share(call);
            }
            // The routine of a fold reads these two words as its own.
            (call.rows, call.points) = (groups, anew.into());
            (fold.routine)(call);
        }
        call.rows = 1;
    }

    /// Runs a row, which is not empty, where the call says; `row` is its number in the span.
    ///
    /// # Safety
    /// As for [`Program::run`].
    pub unsafe fn line(&self, span: &Span, call: &mut Call, row: usize) {
        let length = span.counts[0];
        // SAFETY: the caller's promise; what is computed for a line is at places of the pool.
        unsafe {
            if !self.once {
                self.share(call);
            }
            for &(into, at, size) in &self.fills {
                let element = span.scratch.add(at).cast::<[u8; 8]>().read();
                let whole = length.min(self.strip).next_multiple_of(64) * size / 8;
                std::slice::from_raw_parts_mut(span.scratch.add(into).cast::<[u8; 8]>(), whole).fill(element);
            }
        }
        let mut start = 0;
        loop {
            let points = (length - start).min(self.strip);
            for &(number, into) in &self.packed {
                let stride = span.strides[0][number];
                let distance = stride.wrapping_mul(start as isize);
                let from = start_of_row(span, number, row).wrapping_add_signed(distance as i64) as *const u8;
                // SAFETY: the caller's promise; the buffer has room for a strip.
                unsafe {
                    let into = span.scratch.add(into);
                    pack(&Apart { from, stride, into, points }, self.sizes[number]);
                    call.pointers[number] = into as u64;
                }
            }
            (call.points, call.rest) = (points, self.rest(points));
            for stage in &self.stages {
                // SAFETY: the caller's promise.
                unsafe {
                    if let Some(routine) = stage.routine {
                        routine(call);
                    }
                    for strip in &stage.calls {
                        strip.call(span.scratch, &call.pointers, points);
                    }
                }
            }
            start += points;
            if start == length {
                return;
            }
            for &number in &self.dense {
                call.pointers[number] = call.pointers[number].wrapping_add((points * self.sizes[number]) as u64);
            }
            call.index = call.index.wrapping_add(points as i64);
        }
    }
}

/// Where an operand's elements of a row begin.
fn start_of_row(span: &Span, operand: usize, row: usize) -> u64 {
    span.pointers[operand].wrapping_add_signed(span.strides[1][operand].wrapping_mul(row as isize) as i64)
}

impl StripCall {
    /// # Safety
    /// The routine is one of `math`'s for as many numbers, and they are where the strips say.
    unsafe fn call(&self, scratch: *mut u8, pointers: &[u64; OPERANDS], points: usize) {
        let place = |strip: Strip| match strip {
            Strip::Scratch(at) => scratch.wrapping_add(at),
            Strip::Operand(operand) => pointers[operand] as *mut u8,
        };
        type One = unsafe extern "C" fn(*const u8, *mut u8, usize);
        type Two = unsafe extern "C" fn(*const u8, *const u8, *mut u8, usize);
        // SAFETY: the caller's promise.
        unsafe {
            match self.inputs[..] {
                [input] => {
                    let routine = std::mem::transmute::<usize, One>(self.routine);
                    routine(place(input), place(self.output), points);
                }
                [x, y] => {
                    let routine = std::mem::transmute::<usize, Two>(self.routine);
                    routine(place(x), place(y), place(self.output), points);
                }
                _ => unreachable!("routines take one or two numbers"),
            }
        }
    }
}
