//! The functions of `libcusparseLt.so.0`. Structures are the caller's memory, of which only the address counts here.
//!
//! A compressed matrix holds, for each line along the summed dimension and each group of it, the elements that were kept and
//! then their places, a byte each.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use cuproxide_hal::DType;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::elements::{self, Complex};
use crate::memory;
use crate::queue::{self, Work};
use crate::status::{ILLEGAL_ADDRESS, Outcome};

const INVALID_VALUE: i32 = 3;
const NOT_SUPPORTED: i32 = 10;

const COLUMNS: i32 = 1;
const ROWS: i32 = 2;
/// Scratch bytes of multiplying and of compressing.
const WORKSPACE: usize = 1024;
const BUFFER: usize = 512;

#[derive(Clone, Copy, PartialEq)]
struct Matrix {
    rows: i64,
    columns: i64,
    leading: i64,
    dtype: DType,
    by_rows: bool,
    is_sparse: bool,
    batches: i32,
    batch_stride: i64,
}

#[derive(Clone)]
struct Product {
    transposed: [bool; 2],
    matrices: [u64; 4],
    attributes: FxHashMap<i32, Vec<u8>>,
}

#[derive(Clone)]
struct Plan {
    product: Product,
    matrices: [Matrix; 4],
}

#[derive(Clone)]
enum Object {
    Handle,
    Matrix(Matrix),
    Product(Product),
    Selection { configuration: i32 },
    Plan(Arc<Plan>),
}

static OBJECTS: Mutex<Option<FxHashMap<u64, Object>>> = Mutex::new(None);

/// Number of objects that live, without products, which are never given back.
pub fn live() -> usize {
    let counts = |object: &&Object| !matches!(object, Object::Product(_));
    OBJECTS.lock().as_ref().map_or(0, |objects| objects.values().filter(counts).count())
}

/// Keeps what a structure stands for now. One that is in use already would never be given back, except those that one of the
/// vendors gives no function for.
fn keep(at: u64, object: Object) -> Outcome {
    if at == 0 || !at.is_multiple_of(16) {
        return Err(INVALID_VALUE);
    }
    match OBJECTS.lock().get_or_insert_default().insert(at, object) {
        None | Some(Object::Product(_) | Object::Selection { .. }) => Ok(()),
        Some(_) => Err(INVALID_VALUE),
    }
}

fn find<T>(at: u64, take: impl Fn(&Object) -> Option<T>) -> Outcome<T> {
    OBJECTS.lock().as_ref().and_then(|objects| objects.get(&at)).and_then(take).ok_or(INVALID_VALUE)
}

fn change(at: u64, change: impl FnOnce(&mut Object) -> Outcome) -> Outcome {
    change(OBJECTS.lock().get_or_insert_default().get_mut(&at).ok_or(INVALID_VALUE)?)
}

fn forget(at: u64, is_one: impl Fn(&Object) -> bool) -> Outcome {
    find(at, |object| is_one(object).then_some(()))?;
    OBJECTS.lock().get_or_insert_default().remove(&at);
    Ok(())
}

fn handle(at: u64) -> Outcome {
    find(at, |object| matches!(object, Object::Handle).then_some(()))
}

fn matrix(at: u64) -> Outcome<Matrix> {
    find(at, |object| if let Object::Matrix(matrix) = object { Some(*matrix) } else { None })
}

fn product(at: u64) -> Outcome<Product> {
    find(at, |object| if let Object::Product(product) = object { Some(product.clone()) } else { None })
}

fn plan(at: u64) -> Outcome<Arc<Plan>> {
    find(at, |object| if let Object::Plan(plan) = object { Some(plan.clone()) } else { None })
}

fn describe(
    (rows, columns, leading): (i64, i64, i64),
    alignment: u32,
    dtype: c_int,
    order: c_int,
    is_sparse: bool,
) -> Outcome<Matrix> {
    let dtype = elements::dtype(dtype).ok_or(NOT_SUPPORTED)?;
    // Sides are multiples of these, twice as much for the sparse matrix.
    let unit = match dtype {
        DType::F32 => 4,
        DType::F16 | DType::BF16 => 8,
        DType::I8 | DType::I32 => 16,
        _ => return Err(NOT_SUPPORTED),
    } * if is_sparse { 2 } else { 1 };
    let by_rows = match order {
        ROWS => true,
        COLUMNS => false,
        _ => return Err(INVALID_VALUE),
    };
    if rows <= 0 || columns <= 0 || leading < if by_rows { columns } else { rows } || !alignment.is_multiple_of(16) {
        return Err(INVALID_VALUE);
    }
    if rows % unit != 0 || columns % unit != 0 {
        return Err(NOT_SUPPORTED);
    }
    Ok(Matrix { rows, columns, leading, dtype, by_rows, is_sparse, batches: 1, batch_stride: 0 })
}

/// Elements of a group and how many of them are kept.
fn group(dtype: DType) -> (usize, usize) {
    if dtype == DType::F32 { (2, 1) } else { (4, 2) }
}

/// A matrix as a product sees it: lines along the summed dimension.
#[derive(Clone, Copy)]
struct View {
    matrix: Matrix,
    /// Whether lines are columns of memory's rows and columns.
    flipped: bool,
}

impl View {
    /// The matrix on one side of a product, transposed or not.
    fn new(matrix: Matrix, is_left: bool, transposed: bool) -> View {
        View { matrix, flipped: is_left == transposed }
    }

    fn lines(self) -> usize {
        (if self.flipped { self.matrix.columns } else { self.matrix.rows }) as usize
    }

    fn length(self) -> usize {
        (if self.flipped { self.matrix.rows } else { self.matrix.columns }) as usize
    }

    /// Address of an element in full memory.
    fn address(self, base: u64, batch: usize, line: usize, place: usize) -> u64 {
        let (row, column) = if self.flipped { (place, line) } else { (line, place) };
        let Matrix { leading, batch_stride, dtype, by_rows, .. } = self.matrix;
        let (slow, fast) = if by_rows { (row, column) } else { (column, row) };
        base + (batch * batch_stride as usize + slow * leading as usize + fast) as u64 * dtype.size() as u64
    }

    fn compressed_bytes(self) -> usize {
        let Matrix { rows, columns, dtype, batches, .. } = self.matrix;
        let (group, kept) = group(dtype);
        (rows * columns) as usize / group * kept * (dtype.size() + 1) * batches as usize
    }

    /// An element, from compressed memory if it is the sparse matrix.
    fn load(self, base: u64, batch: usize, line: usize, place: usize) -> Outcome<f64> {
        let dtype = self.matrix.dtype;
        if !self.matrix.is_sparse {
            return Ok(elements::load(self.address(base, batch, line, place), dtype)?.0);
        }
        let (group, kept) = group(dtype);
        let groups = self.length() / group;
        let number = (batch * self.lines() + line) * groups + place / group;
        let all = self.matrix.batches as usize * self.lines() * groups * kept * dtype.size();
        for slot in number * kept..(number + 1) * kept {
            let index = base + (all + slot) as u64;
            memory::check_device(index, 1).map_err(|_| ILLEGAL_ADDRESS)?;
            // SAFETY: the byte lies in a block, which is open while work runs.
            if usize::from(unsafe { (index as *const u8).read() }) == place % group {
                return Ok(elements::load(base + (slot * dtype.size()) as u64, dtype)?.0);
            }
        }
        Ok(0.0)
    }

    /// Sets all but the largest elements of groups to zero; in tiles as many remain in each line across as along.
    fn prune(self, src: u64, dst: u64, in_tiles: bool) -> Outcome {
        let (group, kept) = group(self.matrix.dtype);
        let across = if in_tiles { group } else { 1 };
        for batch in 0..self.matrix.batches as usize {
            for line in (0..self.lines()).step_by(across) {
                for place in (0..self.length()).step_by(group) {
                    let at = |index: usize| (line + index / group, place + index % group);
                    let mut values = vec![];
                    for index in 0..across * group {
                        let (line, place) = at(index);
                        values.push(elements::load(self.address(src, batch, line, place), self.matrix.dtype)?.0);
                    }
                    let mask = best(&values, group, kept, across);
                    for (index, &value) in values.iter().enumerate() {
                        let (line, place) = at(index);
                        let value = if mask >> index & 1 == 1 { value } else { 0.0 };
                        elements::store(self.address(dst, batch, line, place), self.matrix.dtype, (value, 0.0))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn is_pruned(self, src: u64) -> Outcome<bool> {
        let (group, kept) = group(self.matrix.dtype);
        for batch in 0..self.matrix.batches as usize {
            for line in 0..self.lines() {
                for place in (0..self.length()).step_by(group) {
                    let mut set = 0;
                    for index in 0..group {
                        let address = self.address(src, batch, line, place + index);
                        set += usize::from(elements::load(address, self.matrix.dtype)?.0 != 0.0);
                    }
                    if set > kept {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn compress(self, dense: u64, compressed: u64) -> Outcome {
        let dtype = self.matrix.dtype;
        let (group, kept) = group(dtype);
        let (lines, groups) = (self.lines(), self.length() / group);
        let all = self.matrix.batches as usize * lines * groups * kept * dtype.size();
        for batch in 0..self.matrix.batches as usize {
            for line in 0..lines {
                for number in 0..groups {
                    let mut found: Vec<(usize, Complex)> = vec![];
                    for index in 0..group {
                        let value = elements::load(self.address(dense, batch, line, number * group + index), dtype)?;
                        // Zeros fill up what is left.
                        if value.0 != 0.0 || found.len() + (group - index) <= kept {
                            found.push((index, value));
                        }
                    }
                    let first = ((batch * lines + line) * groups + number) * kept;
                    for (slot, &(index, value)) in found.iter().take(kept).enumerate() {
                        elements::store(compressed + ((first + slot) * dtype.size()) as u64, dtype, value)?;
                        let place = compressed + (all + first + slot) as u64;
                        memory::check_device(place, 1).map_err(|_| ILLEGAL_ADDRESS)?;
                        // SAFETY: the byte lies in a block, which is open while work runs.
                        unsafe { (place as *mut u8).write(index as u8) };
                    }
                }
            }
        }
        Ok(())
    }
}

/// The elements of a tile to keep, as bits: as many of each line, and of each place where there are several lines.
fn best(values: &[f64], group: usize, kept: usize, across: usize) -> u32 {
    let patterns: Vec<u32> = (0..1_u32 << group).filter(|bits| bits.count_ones() as usize == kept).collect();
    let (mut best, mut most) = (0, -1.0);
    for choice in 0..patterns.len().pow(across as u32) {
        let (mut mask, mut rest, mut counts) = (0, choice, [0; 4]);
        for line in 0..across {
            let bits = patterns[rest % patterns.len()];
            rest /= patterns.len();
            mask |= bits << (line * group);
            (0..group).for_each(|place| counts[place] += (bits >> place & 1) as usize);
        }
        if across > 1 && counts[..group].iter().any(|&count| count != kept) {
            continue;
        }
        let sum: f64 = values.iter().enumerate().map(|(at, value)| f64::from(mask >> at & 1) * value.abs()).sum();
        if sum > most {
            (best, most) = (mask, sum);
        }
    }
    best
}

impl Product {
    fn word<const N: usize>(&self, attribute: i32) -> Option<[u8; N]> {
        self.attributes.get(&attribute).and_then(|bytes| bytes.as_slice().try_into().ok())
    }

    fn flag(&self, attribute: i32) -> bool {
        self.word(attribute).is_some_and(|bytes| i32::from_ne_bytes(bytes) != 0)
    }

    fn float(&self, attribute: i32, default: f32) -> f64 {
        self.word(attribute).map_or(default, f32::from_ne_bytes).into()
    }

    fn address(&self, attribute: i32) -> u64 {
        self.word(attribute).map_or(0, u64::from_ne_bytes)
    }

    /// Bytes of an attribute.
    fn size(attribute: i32) -> Outcome<usize> {
        match attribute {
            0..=6 => Ok(4),
            7..=9 => Ok(8),
            _ => Err(NOT_SUPPORTED),
        }
    }

    fn view(&self, matrices: &[Matrix; 4], is_left: bool) -> View {
        let side = usize::from(!is_left);
        View::new(matrices[side], is_left, self.transposed[side])
    }

    /// The side of the sparse matrix.
    fn sparse(&self) -> Outcome<View> {
        let mut matrices = [matrix(self.matrices[0])?; 4];
        for (place, &at) in matrices.iter_mut().zip(&self.matrices) {
            *place = matrix(at)?;
        }
        Ok(self.view(&matrices, matrices[0].is_sparse))
    }
}

impl Plan {
    fn sparse(&self) -> View {
        self.product.view(&self.matrices, self.matrices[0].is_sparse)
    }

    fn run(&self, alpha: &Factor, beta: f64, [a, b, c, d]: [u64; 4]) -> Outcome {
        let product = &self.product;
        let (left, right) = (product.view(&self.matrices, true), product.view(&self.matrices, false));
        let view = |matrix: Matrix| View { matrix, flipped: false };
        let (old, new) = (view(self.matrices[2]), view(self.matrices[3]));
        let bias = product.address(8);
        let bias_stride = product.word(7).map_or(0, i64::from_ne_bytes) as usize;
        let bias_type = if new.matrix.dtype == DType::I8 { DType::F32 } else { new.matrix.dtype };
        for batch in 0..new.matrix.batches as usize {
            for row in 0..left.lines() {
                let factor = match alpha {
                    Factor::Number(factor) => *factor,
                    Factor::Rows(address) => elements::load(address + 4 * row as u64, DType::F32)?.0,
                };
                for column in 0..right.lines() {
                    let mut sum = 0.0;
                    for place in 0..left.length() {
                        sum += left.load(a, batch, row, place)? * right.load(b, batch, column, place)?;
                    }
                    let mut value = factor * sum;
                    if beta != 0.0 {
                        value += beta * elements::load(old.address(c, batch, row, column), old.matrix.dtype)?.0;
                    }
                    if bias != 0 {
                        let at = bias + ((batch * bias_stride + row) * bias_type.size()) as u64;
                        value += elements::load(at, bias_type)?.0;
                    }
                    if product.flag(0) {
                        let (most, least) = (product.float(1, f32::INFINITY), product.float(2, 0.0));
                        value = if value > least { value.min(most) } else { 0.0 };
                    } else if product.flag(3) {
                        let inner = 0.797_884_560_802_865_4 * (value + 0.044_715 * value.powi(3));
                        value *= 0.5 * (1.0 + inner.tanh()) * product.float(4, 1.0);
                    }
                    elements::store(new.address(d, batch, row, column), new.matrix.dtype, (value, 0.0))?;
                }
            }
        }
        Ok(())
    }
}

/// The factor of a product: one, or one for each row in device memory.
enum Factor {
    Number(f64),
    Rows(u64),
}

/// Queues a multiplication; a search takes memory of its own where it is given none.
///
/// # Safety
/// The factors are good for a float each, the streams for as many handles.
unsafe fn multiply(
    at: u64,
    (alpha, beta): (u64, u64),
    addresses: [u64; 4],
    workspace: u64,
    streams: *const u64,
    count: i32,
    searches: bool,
) -> Outcome {
    let plan = plan(at)?;
    if !searches {
        memory::check_device(workspace, WORKSPACE).map_err(|_| INVALID_VALUE)?;
    }
    for (address, matrix) in addresses.into_iter().zip(&plan.matrices) {
        memory::check_device(address, matrix.dtype.size()).map_err(|_| INVALID_VALUE)?;
    }
    // SAFETY: the caller's promise, here and below.
    let number = |address: u64| unsafe { elements::read(address, DType::F32) }.0;
    let alpha = if plan.product.flag(5) { Factor::Rows(alpha) } else { Factor::Number(number(alpha)) };
    let beta = number(beta);
    // SAFETY: there is one at least.
    let stream = if count > 0 { unsafe { streams.read() } } else { 0 };
    let work = move || {
        if !searches {
            memory::check_device(workspace, WORKSPACE)?;
            // SAFETY: the range lies in a block, which is open while work runs.
            unsafe { std::ptr::write_bytes(workspace as *mut u8, 0xab, WORKSPACE) };
        }
        plan.run(&alpha, beta, addresses)
    };
    queue::submit(stream, Work::Library(Arc::new(work))).map(drop)
}

fn prune(view: View, src: u64, dst: u64, algorithm: c_int, stream: u64) -> Outcome {
    if !view.matrix.is_sparse || !(0..=1).contains(&algorithm) {
        return Err(INVALID_VALUE);
    }
    let work = move || view.prune(src, dst, algorithm == 0);
    queue::submit(stream, Work::Library(Arc::new(work))).map(drop)
}

fn check(view: View, src: u64, valid: u64, stream: u64) -> Outcome {
    memory::check_device(valid, 4).map_err(|_| INVALID_VALUE)?;
    // As the library does, from some version on: the number is left alone where the structure is right.
    let work = move || match view.is_pruned(src)? {
        true => Ok(()),
        false => elements::store(valid, DType::I32, (1.0, 0.0)),
    };
    queue::submit(stream, Work::Library(Arc::new(work))).map(drop)
}

fn compress(view: View, dense: u64, compressed: u64, scratch: u64, stream: u64) -> Outcome {
    memory::check_device(compressed, view.compressed_bytes()).map_err(|_| INVALID_VALUE)?;
    memory::check_device(scratch, BUFFER).map_err(|_| INVALID_VALUE)?;
    queue::submit(stream, Work::Library(Arc::new(move || view.compress(dense, compressed)))).map(drop)
}

/// Reads or writes a plain value of an attribute.
///
/// # Safety
/// The address is good for the bytes.
unsafe fn exchange<T: Copy>(value: &mut T, data: *mut c_void, bytes: usize, write: bool) -> Outcome {
    if bytes != size_of::<T>() || data.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if write {
            *value = data.cast::<T>().read_unaligned();
        } else {
            data.cast::<T>().write_unaligned(*value);
        }
    }
    Ok(())
}

unsafe fn matrix_attribute(at: u64, attribute: c_int, data: *mut c_void, bytes: usize, write: bool) -> Outcome {
    change(at, |object| {
        let Object::Matrix(matrix) = object else { return Err(INVALID_VALUE) };
        // SAFETY: the caller's promise.
        unsafe {
            match attribute {
                0 => exchange(&mut matrix.batches, data, bytes, write),
                1 => exchange(&mut matrix.batch_stride, data, bytes, write),
                _ => Err(INVALID_VALUE),
            }
        }
    })
}

unsafe fn product_attribute(at: u64, attribute: c_int, data: *mut c_void, bytes: usize, write: bool) -> Outcome {
    change(at, |object| {
        let Object::Product(product) = object else { return Err(INVALID_VALUE) };
        if Product::size(attribute)? != bytes || data.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's promise.
        let data = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), bytes) };
        if write {
            product.attributes.insert(attribute, data.to_vec());
        } else {
            match product.attributes.get(&attribute) {
                Some(value) => data.copy_from_slice(value),
                None => data.fill(0),
            }
        }
        Ok(())
    })
}

unsafe fn selection_attribute(at: u64, attribute: c_int, data: *mut c_void, bytes: usize, write: bool) -> Outcome {
    change(at, |object| {
        let Object::Selection { configuration } = object else { return Err(INVALID_VALUE) };
        // SAFETY: the caller's promise.
        unsafe {
            match attribute {
                0 => exchange(configuration, data, bytes, write),
                1 if !write => exchange(&mut 4_i32, data, bytes, false),
                2 => exchange(&mut 5_i32, data, bytes, write),
                _ => Err(NOT_SUPPORTED),
            }
        }
    })
}

/// Name and description of a status.
fn words(status: c_int) -> (&'static CStr, &'static CStr) {
    match status {
        0 => (c"CUSPARSE_STATUS_SUCCESS", c"success"),
        INVALID_VALUE => (c"CUSPARSE_STATUS_INVALID_VALUE", c"invalid value"),
        NOT_SUPPORTED => (c"CUSPARSE_STATUS_NOT_SUPPORTED", c"operation not supported"),
        _ => (c"CUSPARSE_STATUS_UNKNOWN", c"unknown status"),
    }
}

/// Name of a status.
#[unsafe(no_mangle)]
pub extern "C" fn cusparseLtGetErrorName(status: c_int) -> *const c_char {
    words(status).0.as_ptr()
}

/// Words for a status.
#[unsafe(no_mangle)]
pub extern "C" fn cusparseLtGetErrorString(status: c_int) -> *const c_char {
    words(status).1.as_ptr()
}

export! {
    Nothing => {
        fn cusparseLtGetProperty(property: c_int, value: *mut c_int) {
            let part = usize::try_from(property).ok().and_then(|property| [0, 10, 0].get(property).copied());
            give(value, part.ok_or(INVALID_VALUE)?)?;
        }
    }
    Context => {
        fn cusparseLtInit(at: u64) {
            keep(at, Object::Handle)?;
        }
        fn cusparseLtDestroy(at: u64) {
            forget(at, |object| matches!(object, Object::Handle))?;
        }
        fn cusparseLtGetVersion(at: u64, version: *mut c_int) {
            handle(at)?;
            give(version, 1000)?;
        }
        fn cusparseLtDenseDescriptorInit(
            at: u64, matrix: u64, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
        ) {
            handle(at)?;
            keep(matrix, Object::Matrix(describe((rows, columns, leading), alignment, dtype, order, false)?))?;
        }
        fn cusparseLtStructuredDescriptorInit(
            at: u64, matrix: u64, rows: i64, columns: i64, leading: i64, alignment: u32, dtype: c_int, order: c_int,
            sparsity: c_int,
        ) {
            handle(at)?;
            if sparsity != 0 {
                return Err(INVALID_VALUE);
            }
            keep(matrix, Object::Matrix(describe((rows, columns, leading), alignment, dtype, order, true)?))?;
        }
        fn cusparseLtMatDescriptorDestroy(matrix: u64) {
            forget(matrix, |object| matches!(object, Object::Matrix(_)))?;
        }
        fn cusparseLtMatDescSetAttribute(at: u64, matrix: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            matrix_attribute(matrix, attribute, data, bytes, true)?;
        }
        fn cusparseLtMatDescGetAttribute(at: u64, matrix: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            matrix_attribute(matrix, attribute, data, bytes, false)?;
        }
        fn cusparseLtMatmulDescriptorInit(
            at: u64, product: u64, a_operation: c_int, b_operation: c_int, a: u64, b: u64, c: u64, d: u64, compute: c_int,
        ) {
            handle(at)?;
            if !(0..=2).contains(&compute) || !(0..=1).contains(&a_operation) || !(0..=1).contains(&b_operation) {
                return Err(INVALID_VALUE);
            }
            let transposed = [a_operation == 1, b_operation == 1];
            let (left, right) = (View::new(matrix(a)?, true, transposed[0]), View::new(matrix(b)?, false, transposed[1]));
            let result = matrix(d)?;
            let fits = left.length() == right.length()
                && (left.lines(), right.lines()) == (result.rows as usize, result.columns as usize)
                && (matrix(c)?.rows, matrix(c)?.columns) == (result.rows, result.columns);
            if !fits || left.matrix.is_sparse == right.matrix.is_sparse {
                return Err(INVALID_VALUE);
            }
            let needed = if left.matrix.dtype == DType::I8 { 0 } else { 2 };
            if left.matrix.dtype != right.matrix.dtype || (compute != needed && compute != 1) {
                return Err(NOT_SUPPORTED);
            }
            let attributes = FxHashMap::default();
            keep(product, Object::Product(Product { transposed, matrices: [a, b, c, d], attributes }))?;
        }
        fn cusparseLtMatmulDescSetAttribute(at: u64, product: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            product_attribute(product, attribute, data, bytes, true)?;
        }
        fn cusparseLtMatmulDescGetAttribute(at: u64, product: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            product_attribute(product, attribute, data, bytes, false)?;
        }
        fn cusparseLtMatmulAlgSelectionInit(at: u64, selection: u64, of: u64, algorithm: c_int) {
            handle(at)?;
            product(of)?;
            if algorithm != 0 {
                return Err(INVALID_VALUE);
            }
            keep(selection, Object::Selection { configuration: 0 })?;
        }
        fn cusparseLtMatmulAlgSelectionDestroy(selection: u64) {
            forget(selection, |object| matches!(object, Object::Selection { .. }))?;
        }
        fn cusparseLtMatmulAlgSetAttribute(at: u64, selection: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            selection_attribute(selection, attribute, data, bytes, true)?;
        }
        fn cusparseLtMatmulAlgGetAttribute(at: u64, selection: u64, attribute: c_int, data: *mut c_void, bytes: usize) {
            handle(at)?;
            selection_attribute(selection, attribute, data, bytes, false)?;
        }
        fn cusparseLtMatmulPlanInit(at: u64, plan: u64, of: u64, selection: u64) {
            handle(at)?;
            find(selection, |object| matches!(object, Object::Selection { .. }).then_some(()))?;
            let product = product(of)?;
            let mut matrices = [matrix(product.matrices[0])?; 4];
            for (place, &at) in matrices.iter_mut().zip(&product.matrices) {
                *place = matrix(at)?;
            }
            keep(plan, Object::Plan(Arc::new(Plan { product, matrices })))?;
        }
        fn cusparseLtMatmulPlanDestroy(plan: u64) {
            forget(plan, |object| matches!(object, Object::Plan(_)))?;
        }
        fn cusparseLtMatmulGetWorkspace(at: u64, of: u64, bytes: *mut usize) {
            handle(at)?;
            plan(of)?;
            give(bytes, WORKSPACE)?;
        }
        fn cusparseLtMatmul(
            at: u64, plan: u64, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64, streams: *const u64,
            count: i32,
        ) {
            handle(at)?;
            multiply(plan, (alpha, beta), [a, b, c, d], workspace, streams, count, false)?;
        }
        fn cusparseLtMatmulSearch(
            at: u64, plan: u64, alpha: u64, a: u64, b: u64, beta: u64, c: u64, d: u64, workspace: u64, streams: *const u64,
            count: i32,
        ) {
            handle(at)?;
            multiply(plan, (alpha, beta), [a, b, c, d], workspace, streams, count, true)?;
        }
        fn cusparseLtSpMMAPrune(at: u64, of: u64, src: u64, dst: u64, algorithm: c_int, stream: u64) {
            handle(at)?;
            prune(product(of)?.sparse()?, src, dst, algorithm, stream)?;
        }
        fn cusparseLtSpMMAPruneCheck(at: u64, of: u64, src: u64, valid: u64, stream: u64) {
            handle(at)?;
            check(product(of)?.sparse()?, src, valid, stream)?;
        }
        fn cusparseLtSpMMAPrune2(
            at: u64, of: u64, is_left: c_int, operation: c_int, src: u64, dst: u64, algorithm: c_int, stream: u64,
        ) {
            handle(at)?;
            prune(View::new(matrix(of)?, is_left != 0, operation == 1), src, dst, algorithm, stream)?;
        }
        fn cusparseLtSpMMAPruneCheck2(
            at: u64, of: u64, is_left: c_int, operation: c_int, src: u64, valid: u64, stream: u64,
        ) {
            handle(at)?;
            check(View::new(matrix(of)?, is_left != 0, operation == 1), src, valid, stream)?;
        }
        fn cusparseLtSpMMACompressedSize(at: u64, of: u64, bytes: *mut usize, scratch: *mut usize) {
            handle(at)?;
            give(bytes, plan(of)?.sparse().compressed_bytes())?;
            give(scratch, BUFFER)?;
        }
        fn cusparseLtSpMMACompressedSize2(at: u64, of: u64, bytes: *mut usize, scratch: *mut usize) {
            handle(at)?;
            give(bytes, View::new(matrix(of)?, true, false).compressed_bytes())?;
            give(scratch, BUFFER)?;
        }
        fn cusparseLtSpMMACompress(at: u64, of: u64, dense: u64, compressed: u64, scratch: u64, stream: u64) {
            handle(at)?;
            compress(plan(of)?.sparse(), dense, compressed, scratch, stream)?;
        }
        fn cusparseLtSpMMACompress2(
            at: u64, of: u64, is_left: c_int, operation: c_int, dense: u64, compressed: u64, scratch: u64, stream: u64,
        ) {
            handle(at)?;
            let view = View::new(matrix(of)?, is_left != 0, operation == 1);
            compress(view, dense, compressed, scratch, stream)?;
        }
    }
}
