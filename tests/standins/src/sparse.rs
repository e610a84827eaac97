//! The functions of `libcusparse.so.12` and `libhipsparse.so.4` that backends call, on small matrices.
//!
//! Descriptors are counted; what the libraries leave open is answered by the worst that they allow: rows of products are not
//! sorted, and an analysed triangle keeps the elements that it had.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::memory;
use crate::queue::{self, Work};
use crate::status::Outcome;

const INVALID: c_int = 3;
const NOT_SUPPORTED: c_int = 10;

type Pointer = *mut c_void;

/// A real or complex number.
type Number = (f64, f64);

fn times(a: Number, b: Number) -> Number {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn plus(a: Number, b: Number) -> Number {
    (a.0 + b.0, a.1 + b.1)
}

fn over(a: Number, b: Number) -> Number {
    let size = b.0 * b.0 + b.1 * b.1;
    let (re, im) = times(a, (b.0, -b.1));
    (re / size, im / size)
}

/// Elements of a type in memory.
#[derive(Clone, Copy)]
struct Elements {
    at: u64,
    kind: c_int,
}

impl Elements {
    fn size(self) -> Outcome<usize> {
        match self.kind {
            0 => Ok(4),
            1 | 4 => Ok(8),
            5 => Ok(16),
            _ => Err(NOT_SUPPORTED),
        }
    }

    /// # Safety
    /// The memory is open and holds so many elements.
    unsafe fn get(self, index: usize) -> Number {
        // SAFETY: the caller's promise.
        unsafe {
            match self.kind {
                0 => ((self.at as *const f32).add(index).read().into(), 0.0),
                1 => ((self.at as *const f64).add(index).read(), 0.0),
                4 => {
                    let [re, im] = (self.at as *const [f32; 2]).add(index).read();
                    (re.into(), im.into())
                }
                _ => {
                    let [re, im] = (self.at as *const [f64; 2]).add(index).read();
                    (re, im)
                }
            }
        }
    }

    /// # Safety
    /// As for [`Elements::get`].
    unsafe fn set(self, index: usize, (re, im): Number) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.kind {
                0 => (self.at as *mut f32).add(index).write(re as f32),
                1 => (self.at as *mut f64).add(index).write(re),
                4 => (self.at as *mut [f32; 2]).add(index).write([re as f32, im as f32]),
                _ => (self.at as *mut [f64; 2]).add(index).write([re, im]),
            }
        }
    }

    fn check(self, count: usize) -> Outcome {
        if count > 0 {
            memory::check_device(self.at, count * self.size()?).map_err(|_| INVALID)?;
        }
        Ok(())
    }
}

/// Integers of 4 or 8 bytes.
#[derive(Clone, Copy)]
struct Places {
    at: u64,
    wide: bool,
}

impl Places {
    fn of(at: u64, kind: c_int) -> Outcome<Places> {
        match kind {
            2 => Ok(Places { at, wide: false }),
            3 => Ok(Places { at, wide: true }),
            _ => Err(NOT_SUPPORTED),
        }
    }

    fn check(self, count: usize) -> Outcome {
        if count > 0 {
            memory::check_device(self.at, count * if self.wide { 8 } else { 4 }).map_err(|_| INVALID)?;
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Elements::get`].
    unsafe fn get(self, index: usize) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            if self.wide {
                (self.at as *const i64).add(index).read() as usize
            } else {
                (self.at as *const i32).add(index).read() as usize
            }
        }
    }

    /// # Safety
    /// As for [`Elements::get`].
    unsafe fn set(self, index: usize, value: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.wide {
                (self.at as *mut i64).add(index).write(value as i64);
            } else {
                (self.at as *mut i32).add(index).write(value as i32);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
    stored: usize,
    offsets: Places,
    indices: Places,
    values: Elements,
    upper: bool,
    unit: bool,
}

impl Matrix {
    fn check(&self) -> Outcome {
        self.offsets.check(self.rows + 1)?;
        self.indices.check(self.stored)?;
        self.values.check(self.stored)
    }

    /// # Safety
    /// As for [`Elements::get`].
    unsafe fn row(&self, row: usize) -> Vec<(usize, Number)> {
        // SAFETY: the caller's promise.
        unsafe {
            let places = self.offsets.get(row)..self.offsets.get(row + 1);
            places.map(|place| (self.indices.get(place), self.values.get(place))).collect()
        }
    }

    /// # Safety
    /// As for [`Elements::get`].
    unsafe fn all(&self) -> Rows {
        // SAFETY: the caller's promise.
        (0..self.rows).map(|row| unsafe { self.row(row) }).collect()
    }
}

type Rows = Vec<Vec<(usize, Number)>>;

#[derive(Clone)]
enum Object {
    Handle(u64),
    Matrix(Matrix),
    Vector(usize, Elements),
    Dense {
        rows: usize,
        columns: usize,
        elements: Elements,
    },
    /// Rows of a product or of an analysed triangle, once they are known.
    Rows(Arc<Mutex<Option<Rows>>>),
}

static OBJECTS: Mutex<Option<FxHashMap<u64, Object>>> = Mutex::new(None);

/// Number of descriptors that live.
pub fn descriptors() -> usize {
    let objects = OBJECTS.lock();
    objects.iter().flat_map(FxHashMap::values).filter(|object| !matches!(object, Object::Handle(_))).count()
}

fn add(object: Object, to: *mut Pointer) -> Outcome {
    let id = queue::state().next();
    OBJECTS.lock().get_or_insert_default().insert(id, object);
    // SAFETY: the caller of the library gives a place for one pointer.
    unsafe { give(to, id as Pointer) }
}

fn remove(descriptor: Pointer) -> Outcome {
    OBJECTS.lock().get_or_insert_default().remove(&(descriptor as u64)).map(drop).ok_or(INVALID)
}

fn object(descriptor: Pointer) -> Outcome<Object> {
    OBJECTS.lock().get_or_insert_default().get(&(descriptor as u64)).cloned().ok_or(INVALID)
}

fn matrix(descriptor: Pointer) -> Outcome<Matrix> {
    match object(descriptor)? {
        Object::Matrix(matrix) => Ok(matrix),
        _ => Err(INVALID),
    }
}

fn vector(descriptor: Pointer) -> Outcome<(usize, Elements)> {
    match object(descriptor)? {
        Object::Vector(size, elements) => Ok((size, elements)),
        _ => Err(INVALID),
    }
}

fn rows(descriptor: Pointer) -> Outcome<Arc<Mutex<Option<Rows>>>> {
    match object(descriptor)? {
        Object::Rows(rows) => Ok(rows),
        _ => Err(INVALID),
    }
}

fn stream(handle: Pointer) -> Outcome<u64> {
    match object(handle)? {
        Object::Handle(stream) => Ok(stream),
        _ => Err(INVALID),
    }
}

fn change(descriptor: Pointer, change: impl FnOnce(&mut Object) -> Outcome) -> Outcome {
    change(OBJECTS.lock().get_or_insert_default().get_mut(&(descriptor as u64)).ok_or(INVALID)?)
}

fn run(handle: Pointer, work: impl Fn() + Send + Sync + 'static) -> Outcome<Option<queue::Place>> {
    let work = move || {
        work();
        Ok(())
    };
    queue::submit(stream(handle)?, Work::Library(Arc::new(work)))
}

/// A factor on the host.
fn number(at: *const c_void, kind: c_int) -> Outcome<Number> {
    let elements = Elements { at: at as u64, kind };
    elements.size()?;
    // SAFETY: the caller of the library gives an element of this type.
    Ok(unsafe { elements.get(0) })
}

/// `y = alpha a x + beta y` for columns of dense operands that lie so many elements apart.
fn multiply(handle: Pointer, a: Matrix, factors: [Number; 2], x: Elements, y: Elements, columns: usize) -> Outcome {
    a.check()?;
    x.check(a.columns * columns)?;
    y.check(a.rows * columns)?;
    let work = move || {
        for row in 0..a.rows {
            for column in 0..columns {
                // SAFETY: ranges were checked, and memory is open while work runs.
                unsafe {
                    let terms = a.row(row).into_iter();
                    let sum = terms.fold((0.0, 0.0), |sum, (source, value)| {
                        plus(sum, times(value, x.get(source * columns + column)))
                    });
                    let place = row * columns + column;
                    let old = if factors[1] == (0.0, 0.0) { (0.0, 0.0) } else { times(factors[1], y.get(place)) };
                    y.set(place, plus(times(factors[0], sum), old));
                }
            }
        }
    };
    run(handle, work).map(drop)
}

/// Declares functions of both vendors.
macro_rules! both {
    ($(fn $cuda:ident, $hip:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {
        export! { Context => {
            $(fn $cuda($($argument: $type),*) $body
            fn $hip($($argument: $type),*) $body)*
        } }
    };
}

both! {
    fn cusparseCreate, hipsparseCreate(handle: *mut Pointer) { add(Object::Handle(0), handle)?; }
    fn cusparseSetStream, hipsparseSetStream(handle: Pointer, stream: u64) {
        change(handle, |object| {
            *object = Object::Handle(stream);
            Ok(())
        })?;
    }
    fn cusparseCreateCsr, hipsparseCreateCsr(
        matrix: *mut Pointer, rows: i64, columns: i64, stored: i64, offsets: u64, indices: u64, values: u64,
        offset_type: c_int, index_type: c_int, base: c_int, value_type: c_int
    ) {
        if base != 0 {
            return Err(NOT_SUPPORTED);
        }
        // As the real library: places that repeat may make it more.
        if stored > rows.saturating_mul(columns) {
            return Err(INVALID);
        }
        let made = Matrix {
            rows: rows as usize,
            columns: columns as usize,
            stored: stored as usize,
            offsets: Places::of(offsets, offset_type)?,
            indices: Places::of(indices, index_type)?,
            values: Elements { at: values, kind: value_type },
            upper: false,
            unit: false,
        };
        made.values.size()?;
        add(Object::Matrix(made), matrix)?;
    }
    fn cusparseDestroySpMat, hipsparseDestroySpMat(matrix: Pointer) { remove(matrix)?; }
    fn cusparseSpMatGetSize, hipsparseSpMatGetSize(of: Pointer, rows: *mut i64, columns: *mut i64, stored: *mut i64) {
        let found = matrix(of)?;
        // SAFETY: the caller of the library gives three places.
        unsafe {
            give(rows, found.rows as i64)?;
            give(columns, found.columns as i64)?;
            give(stored, found.stored as i64)?;
        }
    }
    fn cusparseCsrSetPointers, hipsparseCsrSetPointers(of: Pointer, offsets: u64, indices: u64, values: u64) {
        change(of, |object| {
            let Object::Matrix(matrix) = object else { return Err(INVALID) };
            (matrix.offsets.at, matrix.indices.at, matrix.values.at) = (offsets, indices, values);
            Ok(())
        })?;
    }
    fn cusparseSpMatSetAttribute, hipsparseSpMatSetAttribute(
        of: Pointer, attribute: c_int, value: *const c_int, bytes: usize
    ) {
        // SAFETY: the caller of the library gives an integer.
        let on = bytes == 4 && unsafe { value.read() } == 1;
        change(of, |object| {
            let Object::Matrix(matrix) = object else { return Err(INVALID) };
            match attribute {
                0 => matrix.upper = on,
                1 => matrix.unit = on,
                _ => return Err(INVALID),
            }
            Ok(())
        })?;
    }
    fn cusparseCreateDnVec, hipsparseCreateDnVec(vector: *mut Pointer, size: i64, values: u64, kind: c_int) {
        add(Object::Vector(size as usize, Elements { at: values, kind }), vector)?;
    }
    fn cusparseDestroyDnVec, hipsparseDestroyDnVec(vector: Pointer) { remove(vector)?; }
    fn cusparseCreateDnMat, hipsparseCreateDnMat(
        dense: *mut Pointer, rows: i64, columns: i64, leading: i64, values: u64, kind: c_int, order: c_int
    ) {
        if order != 2 || leading != columns {
            return Err(NOT_SUPPORTED);
        }
        let elements = Elements { at: values, kind };
        add(Object::Dense { rows: rows as usize, columns: columns as usize, elements }, dense)?;
    }
    fn cusparseDestroyDnMat, hipsparseDestroyDnMat(dense: Pointer) { remove(dense)?; }
    fn cusparseSpMV_bufferSize, hipsparseSpMV_bufferSize(
        handle: Pointer, _operation: c_int, _alpha: *const c_void, a: Pointer, x: Pointer, _beta: *const c_void,
        y: Pointer, _compute: c_int, _algorithm: c_int, bytes: *mut usize
    ) {
        stream(handle)?;
        let (a, x, y) = (matrix(a)?, vector(x)?, vector(y)?);
        if (x.0, y.0) != (a.columns, a.rows) {
            return Err(INVALID);
        }
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 64)? };
    }
    fn cusparseSpMV, hipsparseSpMV(
        handle: Pointer, operation: c_int, alpha: *const c_void, a: Pointer, x: Pointer, beta: *const c_void, y: Pointer,
        compute: c_int, _algorithm: c_int, buffer: u64
    ) {
        memory::check_device(buffer, 64).map_err(|_| INVALID)?;
        if operation != 0 {
            return Err(NOT_SUPPORTED);
        }
        let factors = [number(alpha, compute)?, number(beta, compute)?];
        multiply(handle, matrix(a)?, factors, vector(x)?.1, vector(y)?.1, 1)?;
    }
    fn cusparseSpMM_bufferSize, hipsparseSpMM_bufferSize(
        handle: Pointer, _operation: c_int, _other: c_int, _alpha: *const c_void, a: Pointer, _b: Pointer,
        _beta: *const c_void, _c: Pointer, _compute: c_int, _algorithm: c_int, bytes: *mut usize
    ) {
        stream(handle)?;
        matrix(a)?;
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 0)? };
    }
    fn cusparseSpMM, hipsparseSpMM(
        handle: Pointer, operation: c_int, other: c_int, alpha: *const c_void, a: Pointer, b: Pointer,
        beta: *const c_void, c: Pointer, compute: c_int, _algorithm: c_int, _buffer: u64
    ) {
        if operation != 0 || other != 0 {
            return Err(NOT_SUPPORTED);
        }
        let factors = [number(alpha, compute)?, number(beta, compute)?];
        let a = matrix(a)?;
        let (Object::Dense { rows, columns, elements: x }, Object::Dense { rows: results, columns: others, elements: y }) =
            (object(b)?, object(c)?)
        else {
            return Err(INVALID);
        };
        if (rows, results, columns) != (a.columns, a.rows, others) {
            return Err(INVALID);
        }
        multiply(handle, a, factors, x, y, columns)?;
    }
    fn cusparseSpGEMM_createDescr, hipsparseSpGEMM_createDescr(product: *mut Pointer) {
        add(Object::Rows(Arc::default()), product)?;
    }
    fn cusparseSpGEMM_destroyDescr, hipsparseSpGEMM_destroyDescr(product: Pointer) { remove(product)?; }
    fn cusparseSpGEMM_workEstimation, hipsparseSpGEMM_workEstimation(
        handle: Pointer, _operation: c_int, _other: c_int, _alpha: *const c_void, a: Pointer, b: Pointer,
        _beta: *const c_void, _c: Pointer, _compute: c_int, _algorithm: c_int, product: Pointer, bytes: *mut usize,
        buffer: u64
    ) {
        stream(handle)?;
        rows(product)?;
        if matrix(a)?.columns != matrix(b)?.rows {
            return Err(INVALID);
        }
        if buffer != 0 {
            memory::check_device(buffer, 128).map_err(|_| INVALID)?;
        }
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 128)? };
    }
    fn cusparseSpGEMM_compute, hipsparseSpGEMM_compute(
        handle: Pointer, _operation: c_int, _other: c_int, _alpha: *const c_void, a: Pointer, b: Pointer,
        _beta: *const c_void, c: Pointer, _compute: c_int, _algorithm: c_int, product: Pointer, bytes: *mut usize,
        buffer: u64
    ) {
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 256)? };
        if buffer == 0 {
            return Ok(());
        }
        memory::check_device(buffer, 256).map_err(|_| INVALID)?;
        let (left, right, into) = (matrix(a)?, matrix(b)?, rows(product)?);
        left.check()?;
        right.check()?;
        let offsets = matrix(c)?.offsets;
        offsets.check(left.rows + 1)?;
        let (found, is_canonical) = (into.clone(), Arc::new(Mutex::new(true)));
        let told = is_canonical.clone();
        let work = move || {
            let mut made = vec![];
            // SAFETY: ranges were checked, and memory is open while work runs.
            let operands = unsafe { [left.all(), right.all()] };
            let rises = |row: &Vec<(usize, Number)>| row.windows(2).all(|pair| pair[0].0 < pair[1].0);
            *told.lock() = operands.iter().flatten().all(rises);
            let mut end = 0;
            // SAFETY: ranges were checked, and memory is open while work runs.
            unsafe { offsets.set(0, 0) };
            for row in 0..left.rows {
                let mut sums: BTreeMap<usize, Number> = BTreeMap::new();
                // SAFETY: as above.
                for (source, factor) in unsafe { left.row(row) } {
                    // SAFETY: as above.
                    for (column, value) in unsafe { right.row(source) } {
                        let sum = sums.entry(column).or_default();
                        *sum = plus(*sum, times(factor, value));
                    }
                }
                // In no order that anybody may rely on.
                let row_made: Vec<_> = sums.into_iter().rev().collect();
                end += row_made.len();
                // SAFETY: as above.
                unsafe { offsets.set(row + 1, end) };
                made.push(row_made);
            }
            *found.lock() = Some(made);
        };
        queue::wait(run(handle, work)?)?;
        // What becomes of operands with duplicates or unsorted rows is nowhere promised.
        if !*is_canonical.lock() {
            return Err(NOT_SUPPORTED);
        }
        let stored = into.lock().iter().flatten().map(Vec::len).sum();
        change(c, |object| {
            let Object::Matrix(matrix) = object else { return Err(INVALID) };
            matrix.stored = stored;
            Ok(())
        })?;
    }
    fn cusparseSpGEMM_copy, hipsparseSpGEMM_copy(
        handle: Pointer, _operation: c_int, _other: c_int, _alpha: *const c_void, _a: Pointer, _b: Pointer,
        _beta: *const c_void, c: Pointer, _compute: c_int, _algorithm: c_int, product: Pointer
    ) {
        let (into, found) = (matrix(c)?, rows(product)?);
        into.check()?;
        let work = move || {
            for (place, (column, value)) in found.lock().iter().flatten().flatten().enumerate() {
                // SAFETY: ranges were checked, and memory is open while work runs.
                unsafe {
                    into.indices.set(place, *column);
                    into.values.set(place, *value);
                }
            }
        };
        run(handle, work)?;
    }
    fn cusparseSpSV_createDescr, hipsparseSpSV_createDescr(substitution: *mut Pointer) {
        add(Object::Rows(Arc::default()), substitution)?;
    }
    fn cusparseSpSV_destroyDescr, hipsparseSpSV_destroyDescr(substitution: Pointer) { remove(substitution)?; }
    fn cusparseSpSV_bufferSize, hipsparseSpSV_bufferSize(
        handle: Pointer, _operation: c_int, _alpha: *const c_void, a: Pointer, b: Pointer, x: Pointer, _compute: c_int,
        _algorithm: c_int, substitution: Pointer, bytes: *mut usize
    ) {
        stream(handle)?;
        rows(substitution)?;
        let a = matrix(a)?;
        if [a.columns, vector(b)?.0, vector(x)?.0] != [a.rows; 3] {
            return Err(INVALID);
        }
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 512)? };
    }
    fn cusparseSpSV_analysis, hipsparseSpSV_analysis(
        handle: Pointer, _operation: c_int, _alpha: *const c_void, a: Pointer, _b: Pointer, _x: Pointer,
        _compute: c_int, _algorithm: c_int, substitution: Pointer, buffer: u64
    ) {
        memory::check_device(buffer, 512).map_err(|_| INVALID)?;
        let (a, into) = (matrix(a)?, rows(substitution)?);
        a.check()?;
        // SAFETY: ranges were checked, and memory is open while work runs.
        run(handle, move || *into.lock() = Some(unsafe { a.all() }))?;
    }
    fn cusparseSpSV_solve, hipsparseSpSV_solve(
        handle: Pointer, _operation: c_int, _alpha: *const c_void, a: Pointer, b: Pointer, x: Pointer, _compute: c_int,
        _algorithm: c_int, substitution: Pointer
    ) {
        let (a, found, (count, b), (_, x)) = (matrix(a)?, rows(substitution)?, vector(b)?, vector(x)?);
        b.check(count)?;
        x.check(count)?;
        let work = move || {
            let found = found.lock();
            let Some(rows) = found.as_ref() else { return };
            for step in 0..count {
                let row = if a.upper { count - 1 - step } else { step };
                // SAFETY: ranges were checked, and memory is open while work runs.
                unsafe {
                    let (mut total, mut pivot) = (b.get(row), (1.0, 0.0));
                    for &(column, value) in &rows[row] {
                        if column == row {
                            pivot = value;
                        } else if (column > row) == a.upper {
                            let (re, im) = times(value, x.get(column));
                            total = (total.0 - re, total.1 - im);
                        }
                    }
                    x.set(row, if a.unit { total } else { over(total, pivot) });
                }
            }
        };
        run(handle, work)?;
    }
    fn cusparseCsr2cscEx2_bufferSize, hipsparseCsr2cscEx2_bufferSize(
        handle: Pointer, _rows: c_int, _columns: c_int, _stored: c_int, _values: u64, _offsets: u64, _indices: u64,
        _to_values: u64, _to_offsets: u64, _to_indices: u64, _kind: c_int, _action: c_int, _base: c_int,
        _algorithm: c_int, bytes: *mut usize
    ) {
        stream(handle)?;
        // SAFETY: the caller of the library gives a place.
        unsafe { give(bytes, 32)? };
    }
    fn cusparseCsr2cscEx2, hipsparseCsr2cscEx2(
        handle: Pointer, rows: c_int, columns: c_int, stored: c_int, values: u64, offsets: u64, indices: u64,
        to_values: u64, to_offsets: u64, to_indices: u64, kind: c_int, action: c_int, base: c_int, algorithm: c_int,
        buffer: u64
    ) {
        memory::check_device(buffer, 32).map_err(|_| INVALID)?;
        if (action, base, algorithm) != (1, 0, 1) {
            return Err(NOT_SUPPORTED);
        }
        let place = |at| Places { at, wide: false };
        let describe = |rows: c_int, columns: c_int, offsets, indices, values| Matrix {
            rows: rows as usize,
            columns: columns as usize,
            stored: stored as usize,
            offsets: place(offsets),
            indices: place(indices),
            values: Elements { at: values, kind },
            upper: false,
            unit: false,
        };
        let from = describe(rows, columns, offsets, indices, values);
        let to = describe(columns, rows, to_offsets, to_indices, to_values);
        from.check()?;
        to.check()?;
        let work = move || {
            // SAFETY: ranges were checked, and memory is open while work runs.
            unsafe {
                let mut place = 0;
                let rows = from.all();
                to.offsets.set(0, 0);
                for column in 0..to.rows {
                    for (row, elements) in rows.iter().enumerate() {
                        for &(_, value) in elements.iter().filter(|(other, _)| *other == column) {
                            to.indices.set(place, row);
                            to.values.set(place, value);
                            place += 1;
                        }
                    }
                    to.offsets.set(column + 1, place);
                }
            }
        };
        run(handle, work)?;
    }
}
