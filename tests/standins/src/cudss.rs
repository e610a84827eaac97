//! The functions of `libcudss.so.1`, on small matrices.
//!
//! Factors are dense. The library promises little about pivots, so this takes those on the diagonal in the order of the
//! matrix, replaces those that are nearly zero, and says how many these were. For positive matrices it tells the first pivot
//! that is not positive.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use cuproxide_hal::DType;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::elements::{self, Complex};
use crate::memory;
use crate::queue::{self, Place, Work};
use crate::status::Outcome;

const INVALID_VALUE: i32 = 3;
const NOT_SUPPORTED: i32 = 4;
const EXECUTION_FAILED: i32 = 5;

const ANALYSIS: c_int = 3;
const FACTORIZATION: c_int = 4;
const REFACTORIZATION: c_int = 8;
const SOLUTION: c_int = 0x1f0;

/// Pivots below this share of the greatest element are replaced by it.
const SMALLEST: f64 = 1e-13;

#[derive(Clone, Copy)]
struct Sparse {
    order: usize,
    stored: usize,
    offsets: u64,
    indices: u64,
    values: u64,
    wide: bool,
    dtype: DType,
    is_positive: bool,
}

#[derive(Clone, Copy)]
struct Dense {
    order: usize,
    columns: usize,
    values: u64,
    dtype: DType,
}

/// What the phases leave.
#[derive(Default)]
struct Factors {
    /// The pattern that was analysed: its order and number of elements.
    analysed: Option<(usize, usize)>,
    is_factored: bool,
    wide: bool,
    /// The stream of the last phase.
    stream: u64,
    found: Arc<Mutex<Found>>,
}

#[derive(Default)]
struct Found {
    order: usize,
    /// L below the diagonal and U from there on, row by row.
    lu: Vec<Complex>,
    replaced: i32,
    info: i32,
}

enum Object {
    Handle(u64),
    Settings { mode: c_int },
    Factors(Factors),
    Sparse(Sparse),
    Dense(Dense),
}

static OBJECTS: Mutex<Option<FxHashMap<u64, Object>>> = Mutex::new(None);

/// Number of matrices, settings and factors that live.
pub fn live() -> usize {
    let objects = OBJECTS.lock();
    objects.iter().flat_map(FxHashMap::values).filter(|object| !matches!(object, Object::Handle(_))).count()
}

fn add(object: Object, to: *mut u64) -> Outcome {
    let id = queue::state().next();
    OBJECTS.lock().get_or_insert_default().insert(id, object);
    // SAFETY: the caller of the library gives a place for one pointer.
    unsafe { give(to, id) }
}

fn with<T>(id: u64, work: impl FnOnce(&mut Object) -> Outcome<T>) -> Outcome<T> {
    work(OBJECTS.lock().get_or_insert_default().get_mut(&id).ok_or(INVALID_VALUE)?)
}

fn remove(id: u64, is_one: impl Fn(&Object) -> bool) -> Outcome {
    with(id, |object| is_one(object).then_some(()).ok_or(INVALID_VALUE))?;
    OBJECTS.lock().get_or_insert_default().remove(&id);
    Ok(())
}

fn stream(handle: u64) -> Outcome<u64> {
    with(handle, |object| if let Object::Handle(stream) = object { Ok(*stream) } else { Err(INVALID_VALUE) })
}

fn sparse(id: u64) -> Outcome<Sparse> {
    with(id, |object| if let Object::Sparse(matrix) = object { Ok(*matrix) } else { Err(INVALID_VALUE) })
}

fn dense(id: u64) -> Outcome<Dense> {
    with(id, |object| if let Object::Dense(matrix) = object { Ok(*matrix) } else { Err(INVALID_VALUE) })
}

fn factors<T>(id: u64, work: impl FnOnce(&mut Factors) -> Outcome<T>) -> Outcome<T> {
    with(id, |object| if let Object::Factors(factors) = object { work(factors) } else { Err(INVALID_VALUE) })
}

fn element_type(number: c_int) -> Outcome<DType> {
    let dtype = elements::dtype(number).ok_or(NOT_SUPPORTED)?;
    matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128).then_some(dtype).ok_or(NOT_SUPPORTED)
}

fn is_wide(number: c_int) -> Outcome<bool> {
    match number {
        10 => Ok(false),
        24 => Ok(true),
        _ => Err(NOT_SUPPORTED),
    }
}

fn minus(x: Complex, y: Complex) -> Complex {
    (x.0 - y.0, x.1 - y.1)
}

fn over(x: Complex, y: Complex) -> Complex {
    if x.1 == 0.0 && y.1 == 0.0 {
        return (x.0 / y.0, 0.0);
    }
    let size = y.0 * y.0 + y.1 * y.1;
    let (re, im) = elements::multiply(x, (y.0, -y.1));
    (re / size, im / size)
}

fn conjugate(x: Complex) -> Complex {
    (x.0, -x.1)
}

impl Sparse {
    fn check(&self) -> Outcome {
        let width = if self.wide { 8 } else { 4 };
        let ranges = [
            (self.offsets, (self.order + 1) * width),
            (self.indices, self.stored * width),
            (self.values, self.stored * self.dtype.size()),
        ];
        for (at, bytes) in ranges {
            memory::check_device(at, bytes).map_err(|_| INVALID_VALUE)?;
        }
        Ok(())
    }

    /// # Safety
    /// The memory is open and was checked.
    unsafe fn place(&self, at: u64, index: usize) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            if self.wide {
                (at as *const i64).add(index).read() as usize
            } else {
                (at as *const i32).add(index).read() as usize
            }
        }
    }

    /// All elements in rows, or why they are none that the library takes.
    fn read(&self) -> Outcome<Vec<Complex>> {
        let mut full = vec![(0.0, 0.0); self.order * self.order];
        for row in 0..self.order {
            // SAFETY: work runs, so memory is open; ranges were checked.
            let range = unsafe { self.place(self.offsets, row)..self.place(self.offsets, row + 1) };
            let mut last = None;
            for at in range {
                // SAFETY: as above.
                let column = unsafe { self.place(self.indices, at) };
                if column >= self.order || last.is_some_and(|last| column <= last) {
                    return Err(INVALID_VALUE);
                }
                last = Some(column);
                full[row * self.order + column] =
                    elements::load(self.values + (at * self.dtype.size()) as u64, self.dtype)?;
            }
        }
        Ok(full)
    }
}

/// Elimination without exchanges.
fn eliminate(mut full: Vec<Complex>, order: usize, is_positive: bool) -> Found {
    let greatest = full.iter().map(|x| x.0.hypot(x.1)).fold(0.0, f64::max);
    let (mut replaced, mut info) = (0, 0);
    for step in 0..order {
        let pivot = full[step * order + step];
        if is_positive && (pivot.0 <= 0.0 || pivot.0.is_nan()) {
            info = step as i32 + 1;
            break;
        }
        if pivot.0.hypot(pivot.1) < SMALLEST * greatest.max(f64::MIN_POSITIVE) {
            replaced += 1;
            full[step * order + step] = (SMALLEST * greatest.max(1.0), 0.0);
        }
        let pivot = full[step * order + step];
        for row in step + 1..order {
            let factor = over(full[row * order + step], pivot);
            full[row * order + step] = factor;
            if factor == (0.0, 0.0) {
                continue;
            }
            for column in step + 1..order {
                let term = elements::multiply(factor, full[step * order + column]);
                full[row * order + column] = minus(full[row * order + column], term);
            }
        }
    }
    Found { order, lu: full, replaced, info }
}

impl Found {
    /// Replaces a right-hand side by the solution for the matrix (0), its transpose (1) or conjugate transpose (2).
    fn substitute(&self, mode: c_int, x: &mut [Complex]) {
        let order = self.order;
        let at = |row: usize, column: usize| match mode {
            0 => self.lu[row * order + column],
            1 => self.lu[column * order + row],
            _ => conjugate(self.lu[column * order + row]),
        };
        // Of the transpose the upper factor comes first, and has the pivots.
        let lower_has_pivots = mode != 0;
        for row in 0..order {
            for column in 0..row {
                x[row] = minus(x[row], elements::multiply(at(row, column), x[column]));
            }
            if lower_has_pivots {
                x[row] = over(x[row], at(row, row));
            }
        }
        for row in (0..order).rev() {
            for column in row + 1..order {
                x[row] = minus(x[row], elements::multiply(at(row, column), x[column]));
            }
            if !lower_has_pivots {
                x[row] = over(x[row], at(row, row));
            }
        }
    }
}

fn run(stream: u64, work: impl Fn() -> Outcome + Send + Sync + 'static) -> Outcome<Option<Place>> {
    queue::submit(stream, Work::Library(Arc::new(work)))
}

fn analyse(stream: u64, at: u64, matrix: Sparse) -> Outcome {
    matrix.check()?;
    let is_good = Arc::new(Mutex::new(false));
    let told = is_good.clone();
    queue::wait(run(stream, move || {
        *told.lock() = matrix.read().is_ok();
        Ok(())
    })?)?;
    if !*is_good.lock() {
        return Err(INVALID_VALUE);
    }
    factors(at, |factors| {
        (factors.analysed, factors.is_factored) = (Some((matrix.order, matrix.stored)), false);
        factors.wide = matrix.wide;
        Ok(())
    })
}

fn factor(stream: u64, at: u64, matrix: Sparse, again: bool) -> Outcome {
    matrix.check()?;
    let found = factors(at, |factors| {
        if factors.analysed != Some((matrix.order, matrix.stored)) || (again && !factors.is_factored) {
            return Err(INVALID_VALUE);
        }
        (factors.is_factored, factors.stream) = (true, stream);
        Ok(factors.found.clone())
    })?;
    run(stream, move || {
        *found.lock() = eliminate(matrix.read()?, matrix.order, matrix.is_positive);
        Ok(())
    })?;
    Ok(())
}

fn solve(stream: u64, at: u64, matrix: Sparse, mode: c_int, [x, b]: [Dense; 2]) -> Outcome {
    if (mode == 2 && !matrix.dtype.is_complex()) || (mode == 1 && matrix.is_positive && matrix.dtype.is_complex()) {
        return Err(NOT_SUPPORTED);
    }
    let bytes = b.order * b.columns * b.dtype.size();
    let overlap = x.values < b.values + bytes as u64 && b.values < x.values + bytes as u64;
    if [x.order, b.order] != [matrix.order; 2] || x.columns != b.columns || x.dtype != b.dtype || overlap {
        return Err(INVALID_VALUE);
    }
    if b.dtype != matrix.dtype {
        return Err(NOT_SUPPORTED);
    }
    for side in [x, b] {
        memory::check_device(side.values, bytes).map_err(|_| INVALID_VALUE)?;
    }
    let found = factors(at, |factors| {
        factors.stream = stream;
        factors.is_factored.then(|| factors.found.clone()).ok_or(INVALID_VALUE)
    })?;
    run(stream, move || {
        let found = found.lock();
        let place = |side: Dense, column: usize, row: usize| {
            side.values + ((column * side.order + row) * side.dtype.size()) as u64
        };
        for column in 0..b.columns {
            let mut line: Vec<Complex> =
                (0..b.order).map(|row| elements::load(place(b, column, row), b.dtype)).collect::<Outcome<_>>()?;
            found.substitute(mode, &mut line);
            for (row, value) in line.into_iter().enumerate() {
                elements::store(place(x, column, row), x.dtype, value)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

export! {
    Context => {
        fn cudssCreate(handle: *mut u64) { add(Object::Handle(0), handle)?; }
        fn cudssSetStream(handle: u64, stream: u64) {
            with(handle, |object| {
                *object = Object::Handle(stream);
                Ok(())
            })?;
        }
        fn cudssSetThreadingLayer(_handle: u64, _path: *const c_char) { return Err(NOT_SUPPORTED); }
        fn cudssConfigCreate(settings: *mut u64) { add(Object::Settings { mode: 0 }, settings)?; }
        fn cudssConfigDestroy(settings: u64) { remove(settings, |object| matches!(object, Object::Settings { .. }))?; }
        fn cudssConfigSet(settings: u64, setting: c_int, value: *const c_int, bytes: usize) {
            if setting != 4 || bytes != 4 || value.is_null() {
                return Err(NOT_SUPPORTED);
            }
            let wanted = value.read_unaligned();
            if !(0..3).contains(&wanted) {
                return Err(INVALID_VALUE);
            }
            with(settings, |object| {
                let Object::Settings { mode } = object else { return Err(INVALID_VALUE) };
                *mode = wanted;
                Ok(())
            })?;
        }
        fn cudssDataCreate(handle: u64, made: *mut u64) {
            stream(handle)?;
            add(Object::Factors(Factors::default()), made)?;
        }
        fn cudssDataDestroy(handle: u64, at: u64) {
            stream(handle)?;
            remove(at, |object| matches!(object, Object::Factors(_)))?;
        }
        fn cudssDataGet(handle: u64, at: u64, fact: c_int, value: *mut c_void, bytes: usize, written: *mut usize) {
            stream(handle)?;
            let (last, is_factored, wide, found) = factors(at, |factors| {
                Ok((factors.stream, factors.is_factored, factors.wide, factors.found.clone()))
            })?;
            if !is_factored {
                return Err(INVALID_VALUE);
            }
            queue::synchronize_stream(last)?;
            let found = found.lock();
            match fact {
                0 if bytes == 4 => give(value.cast::<c_int>(), found.info)?,
                1 if bytes == 8 => give(value.cast::<i64>(), found.lu.len() as i64)?,
                // In the type of the indices.
                2 if bytes == if wide { 8 } else { 4 } => {
                    value.cast::<u8>().write_bytes(0, bytes);
                    give(value.cast::<c_int>(), found.replaced)?;
                }
                _ => return Err(INVALID_VALUE),
            }
            give(written, bytes)?;
        }
        fn cudssExecute(handle: u64, phase: c_int, settings: u64, at: u64, matrix: u64, solution: u64, right: u64) {
            let (stream, matrix, sides) = (stream(handle)?, sparse(matrix)?, [dense(solution)?, dense(right)?]);
            let mode = with(settings, |object| {
                if let Object::Settings { mode } = object { Ok(*mode) } else { Err(INVALID_VALUE) }
            })?;
            match phase {
                ANALYSIS => analyse(stream, at, matrix)?,
                FACTORIZATION => factor(stream, at, matrix, false)?,
                REFACTORIZATION => factor(stream, at, matrix, true)?,
                SOLUTION => solve(stream, at, matrix, mode, sides)?,
                _ => return Err(EXECUTION_FAILED),
            }
        }
        fn cudssMatrixCreateDn(
            made: *mut u64, rows: i64, columns: i64, leading: i64, values: u64, dtype: c_int, layout: c_int
        ) {
            if layout != 0 {
                return Err(NOT_SUPPORTED);
            }
            if rows <= 0 || columns <= 0 || leading != rows {
                return Err(INVALID_VALUE);
            }
            let dtype = element_type(dtype)?;
            add(Object::Dense(Dense { order: rows as usize, columns: columns as usize, values, dtype }), made)?;
        }
        fn cudssMatrixCreateCsr(
            made: *mut u64, rows: i64, columns: i64, stored: i64, starts: u64, ends: u64, indices: u64, values: u64,
            offset_type: c_int, index_type: c_int, dtype: c_int, kind: c_int, view: c_int, base: c_int
        ) {
            let dtype = element_type(dtype)?;
            let wide = is_wide(index_type)?;
            if ends != 0 || is_wide(offset_type)? != wide || view != 0 || base != 0 {
                return Err(NOT_SUPPORTED);
            }
            if rows <= 0 || rows != columns || stored <= 0 {
                return Err(INVALID_VALUE);
            }
            let is_positive = match kind {
                0 => false,
                3 | 4 if (kind == 4) == dtype.is_complex() => true,
                _ => return Err(NOT_SUPPORTED),
            };
            let matrix = Sparse {
                order: rows as usize,
                stored: stored as usize,
                offsets: starts,
                indices,
                values,
                wide,
                dtype,
                is_positive,
            };
            add(Object::Sparse(matrix), made)?;
        }
        fn cudssMatrixDestroy(matrix: u64) {
            remove(matrix, |object| matches!(object, Object::Sparse(_) | Object::Dense(_)))?;
        }
        fn cudssMatrixSetValues(matrix: u64, values: u64) {
            with(matrix, |object| {
                match object {
                    Object::Sparse(matrix) => matrix.values = values,
                    Object::Dense(matrix) => matrix.values = values,
                    _ => return Err(INVALID_VALUE),
                }
                Ok(())
            })?;
        }
    }
    Nothing => {
        fn cudssGetProperty(property: c_int, value: *mut c_int) {
            give(value, [1, 0, 0].get(property as usize).copied().ok_or(INVALID_VALUE)?)?;
        }
    }
}
