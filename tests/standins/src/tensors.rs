//! The functions of `libcutensor.so.2`. Operations are loops over all combinations of the labels' positions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use cuproxide_hal::DType;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::elements::{self, Complex, add, multiply};
use crate::memory;
use crate::queue::{self, Work};
use crate::status::Outcome;

const INVALID_VALUE: i32 = 7;
const NOT_SUPPORTED: i32 = 15;
const INSUFFICIENT_WORKSPACE: i32 = 19;

/// Scratch bytes of operations that sum, where they may have as many.
const WORKSPACE: u64 = 4096;

#[derive(Clone)]
struct Tensor {
    dtype: DType,
    lengths: Vec<i64>,
    strides: Vec<i64>,
    alignment: u32,
}

#[derive(Clone)]
struct Side {
    tensor: Tensor,
    labels: Vec<i32>,
    operator: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Contraction,
    Reduction(i32),
    Permutation,
    Binary(i32),
    Trinary(i32, i32),
}

/// What is done to the sides, of which the last is the result.
struct Operation {
    kind: Kind,
    sides: Vec<Side>,
    factors: DType,
}

#[derive(Clone)]
enum Object {
    Handle,
    Tensor(Tensor),
    Operation(Arc<Operation>),
    Preference,
    Plan(Arc<Operation>, u64),
}

static OBJECTS: Mutex<Option<FxHashMap<u64, Object>>> = Mutex::new(None);

/// Number of objects that live.
pub fn live() -> usize {
    OBJECTS.lock().as_ref().map_or(0, FxHashMap::len)
}

fn keep(object: Object) -> u64 {
    let id = queue::state().next();
    OBJECTS.lock().get_or_insert_default().insert(id, object);
    id
}

fn find<T>(id: u64, take: impl Fn(&Object) -> Option<T>) -> Outcome<T> {
    OBJECTS.lock().as_ref().and_then(|objects| objects.get(&id)).and_then(take).ok_or(INVALID_VALUE)
}

fn forget(id: u64, is_one: impl Fn(&Object) -> bool) -> Outcome {
    find(id, |object| is_one(object).then_some(()))?;
    OBJECTS.lock().get_or_insert_default().remove(&id);
    Ok(())
}

fn check_handle(handle: u64) -> Outcome {
    find(handle, |object| matches!(object, Object::Handle).then_some(()))
}

/// # Safety
/// The labels are as many as the tensor has axes.
unsafe fn side(tensor: u64, labels: *const i32, operator: c_int) -> Outcome<Side> {
    let tensor = find(tensor, |object| if let Object::Tensor(tensor) = object { Some(tensor.clone()) } else { None })?;
    let rank = tensor.lengths.len();
    // SAFETY: the caller's promise.
    let labels = if rank == 0 { vec![] } else { unsafe { std::slice::from_raw_parts(labels, rank) }.to_vec() };
    if (1..rank).any(|axis| labels[..axis].contains(&labels[axis])) {
        return Err(NOT_SUPPORTED);
    }
    if tensor.dtype.is_complex() && !matches!(operator, 1 | 9) {
        return Err(NOT_SUPPORTED);
    }
    unary(operator, (0.5, 0.0))?;
    Ok(Side { tensor, labels, operator })
}

/// Checks an operation as a whole and keeps it.
fn describe(kind: Kind, sides: Vec<Side>, compute: usize) -> Outcome<u64> {
    let mut known: FxHashMap<i32, i64> = FxHashMap::default();
    for side in &sides {
        for (&label, &length) in side.labels.iter().zip(&side.tensor.lengths) {
            if *known.entry(label).or_insert(length) != length {
                return Err(INVALID_VALUE);
            }
        }
    }
    let (result, inputs) = sides.split_last().ok_or(INVALID_VALUE)?;
    let within = |part: &Side, whole: &[&Side]| {
        part.labels.iter().all(|label| whole.iter().any(|side| side.labels.contains(label)))
    };
    let fits = match kind {
        // Labels of one operand alone are not summed.
        Kind::Contraction => {
            within(&inputs[0], &[&inputs[1], result])
                && within(&inputs[1], &[&inputs[0], result])
                && within(result, &[&inputs[0], &inputs[1]])
        }
        Kind::Reduction(_) => within(result, &[&inputs[0]]),
        Kind::Permutation => within(&inputs[0], &[result]) && within(result, &[&inputs[0]]),
        Kind::Binary(_) | Kind::Trinary(..) => inputs.iter().all(|input| within(input, &[result])),
    };
    let last = inputs.last().ok_or(INVALID_VALUE)?;
    let lie_alike = || {
        let mut each = last.tensor.strides.iter().zip(&result.tensor.strides).zip(&result.tensor.lengths);
        last.labels == result.labels && each.all(|((mine, other), &length)| length == 1 || mine == other)
    };
    if !fits || (kind != Kind::Permutation && !lie_alike()) {
        return Err(NOT_SUPPORTED);
    }
    let factors = match (result.tensor.dtype, compute) {
        (DType::F16 | DType::BF16, 4) => DType::F32,
        (dtype, 1 | 4 | 16 | 1024 | 2048 | 4096 | 8192) => dtype,
        _ => return Err(INVALID_VALUE),
    };
    Ok(keep(Object::Operation(Arc::new(Operation { kind, sides, factors }))))
}

fn unary(operator: i32, x: Complex) -> Outcome<Complex> {
    let real = x.0;
    Ok((
        match operator {
            1 => return Ok(x),
            9 => return Ok((x.0, -x.1)),
            2 => real.sqrt(),
            8 => real.max(0.0),
            10 => real.recip(),
            11 => 1.0 / (1.0 + (-real).exp()),
            12 => real.tanh(),
            22 => real.exp(),
            23 => real.ln(),
            24 => real.abs(),
            25 => -real,
            26 => real.sin(),
            27 => real.cos(),
            28 => real.tan(),
            29 => real.sinh(),
            30 => real.cosh(),
            31 => real.asin(),
            32 => real.acos(),
            33 => real.atan(),
            34 => real.asinh(),
            35 => real.acosh(),
            36 => real.atanh(),
            37 => real.ceil(),
            38 => real.floor(),
            _ => return Err(INVALID_VALUE),
        },
        0.0,
    ))
}

fn binary(operator: i32, x: Complex, y: Complex) -> Outcome<Complex> {
    Ok(match operator {
        3 => add(x, y),
        5 => multiply(x, y),
        6 => (x.0.max(y.0), 0.0),
        7 => (x.0.min(y.0), 0.0),
        _ => return Err(INVALID_VALUE),
    })
}

impl Operation {
    fn sums(&self) -> bool {
        matches!(self.kind, Kind::Contraction | Kind::Reduction(_))
    }

    /// Runs it at addresses of the inputs and the result.
    fn run(&self, factors: &[Complex], addresses: &[u64]) -> Outcome {
        let (result, inputs) = self.sides.split_last().ok_or(INVALID_VALUE)?;
        let outer = &result.labels;
        let mut inner: Vec<(i32, i64)> = vec![];
        for side in inputs {
            for (&label, &length) in side.labels.iter().zip(&side.tensor.lengths) {
                if !outer.contains(&label) && inner.iter().all(|(known, _)| *known != label) {
                    inner.push((label, length));
                }
            }
        }
        let outer: Vec<(i32, i64)> = outer.iter().copied().zip(result.tensor.lengths.iter().copied()).collect();
        let all: Vec<i32> = outer.iter().chain(&inner).map(|(label, _)| *label).collect();
        let lengths = |part: &[(i32, i64)]| part.iter().map(|(_, length)| *length).collect::<Vec<i64>>();
        // A factor of zero leaves what it multiplies unread.
        let value = |index: usize, factor: Option<Complex>, at: &[i64]| -> Outcome<Complex> {
            let side = &inputs[index];
            if factor == Some((0.0, 0.0)) {
                return Ok((0.0, 0.0));
            }
            let x = elements::load(side.address(addresses[index], &all, at), side.tensor.dtype)?;
            Ok(multiply(factor.unwrap_or((1.0, 0.0)), unary(side.operator, x)?))
        };
        let last = inputs.len() - 1;
        for_each(&lengths(&outer), |position| {
            let folded = |first: Option<i32>, term: &dyn Fn(&[i64]) -> Outcome<Complex>| -> Outcome<Complex> {
                let mut sum: Option<Complex> = None;
                for_each(&lengths(&inner), |summed| {
                    let at = [position, summed].concat();
                    let next = term(&at)?;
                    sum = Some(match sum {
                        None => next,
                        Some(sum) => binary(first.unwrap_or(3), sum, next)?,
                    });
                    Ok(())
                })?;
                Ok(sum.unwrap_or((0.0, 0.0)))
            };
            let out = match self.kind {
                Kind::Contraction => {
                    let product = folded(None, &|at| Ok(multiply(value(0, None, at)?, value(1, None, at)?)))?;
                    add(multiply(factors[0], product), value(2, Some(factors[1]), position)?)
                }
                Kind::Reduction(combine) => {
                    let sum = folded(Some(combine), &|at| value(0, None, at))?;
                    add(multiply(factors[0], sum), value(1, Some(factors[1]), position)?)
                }
                Kind::Permutation => value(0, Some(factors[0]), position)?,
                Kind::Binary(combine) => {
                    binary(combine, value(0, Some(factors[0]), position)?, value(1, Some(factors[1]), position)?)?
                }
                Kind::Trinary(first, second) => {
                    let pair =
                        binary(first, value(0, Some(factors[0]), position)?, value(1, Some(factors[1]), position)?)?;
                    binary(second, pair, value(last, Some(factors[2]), position)?)?
                }
            };
            elements::store(result.address(addresses[inputs.len()], &all, position), result.tensor.dtype, out)
        })
    }
}

impl Side {
    /// Address of the element at positions of the labels in `all`, of which there may be fewer.
    fn address(&self, base: u64, all: &[i32], at: &[i64]) -> u64 {
        let place = |label: &i32| all.iter().position(|known| known == label).map_or(0, |place| at[place]);
        let offset: i64 =
            self.labels.iter().zip(&self.tensor.strides).map(|(label, stride)| place(label) * stride).sum();
        base + (offset as u64) * self.tensor.dtype.size() as u64
    }
}

/// Calls a function with all positions below lengths.
fn for_each(lengths: &[i64], mut call: impl FnMut(&[i64]) -> Outcome) -> Outcome {
    let mut at = vec![0; lengths.len()];
    loop {
        call(&at)?;
        let mut axis = lengths.len();
        loop {
            if axis == 0 {
                return Ok(());
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < lengths[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

/// Queues a plan.
///
/// # Safety
/// The factors are good for an element each.
unsafe fn execute(
    handle: u64,
    plan: u64,
    factors: &[*const c_void],
    addresses: &[u64],
    workspace: Option<(u64, u64)>,
    stream: u64,
) -> Outcome {
    check_handle(handle)?;
    let (operation, scratch) = find(plan, |object| {
        if let Object::Plan(operation, scratch) = object { Some((operation.clone(), *scratch)) } else { None }
    })?;
    if operation.sides.len() != addresses.len() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    let factors: Vec<Complex> =
        factors.iter().map(|&factor| unsafe { elements::read(factor as u64, operation.factors) }).collect();
    for (side, &address) in operation.sides.iter().zip(addresses) {
        memory::check_device(address, side.tensor.dtype.size()).map_err(|_| INVALID_VALUE)?;
        if address % u64::from(side.tensor.alignment) != 0 {
            return Err(INVALID_VALUE);
        }
    }
    let held = match workspace {
        Some((_, bytes)) if bytes < scratch => return Err(INSUFFICIENT_WORKSPACE),
        Some((address, _)) if scratch > 0 => {
            memory::check_device(address, scratch as usize).map_err(|_| INVALID_VALUE)?;
            Some(address)
        }
        _ => None,
    };
    let addresses = addresses.to_vec();
    let work = move || {
        if let Some(address) = held {
            memory::check_device(address, scratch as usize)?;
            // SAFETY: the range lies in a block, which is open while work runs.
            unsafe { std::ptr::write_bytes(address as *mut u8, 0xab, scratch as usize) };
        }
        operation.run(&factors, &addresses)
    };
    queue::submit(stream, Work::Library(Arc::new(work))).map(drop)
}

macro_rules! arithmetics {
    ($($name:ident = $number:literal;)*) => {$(
        /// An arithmetic: an address that means nothing but itself.
        #[unsafe(no_mangle)]
        pub static $name: usize = $number;
    )*};
}

arithmetics! {
    CUTENSOR_COMPUTE_DESC_16F = 1;
    CUTENSOR_COMPUTE_DESC_32F = 4;
    CUTENSOR_COMPUTE_DESC_64F = 16;
    CUTENSOR_COMPUTE_DESC_16BF = 1024;
    CUTENSOR_COMPUTE_DESC_TF32 = 4096;
    CUTENSOR_COMPUTE_DESC_3XTF32 = 8192;
}

/// The version, as major * 10000 + minor * 100 + patch level.
#[unsafe(no_mangle)]
pub extern "C" fn cutensorGetVersion() -> usize {
    20801
}

/// The version of the run-time library.
#[unsafe(no_mangle)]
pub extern "C" fn cutensorGetCudartVersion() -> usize {
    13000
}

/// Words for a status.
#[unsafe(no_mangle)]
pub extern "C" fn cutensorGetErrorString(status: c_int) -> *const c_char {
    let text: &CStr = match status {
        0 => c"CUTENSOR_STATUS_SUCCESS",
        INVALID_VALUE => c"CUTENSOR_STATUS_INVALID_VALUE",
        NOT_SUPPORTED => c"CUTENSOR_STATUS_NOT_SUPPORTED",
        INSUFFICIENT_WORKSPACE => c"CUTENSOR_STATUS_INSUFFICIENT_WORKSPACE",
        _ => c"CUTENSOR_STATUS_UNKNOWN",
    };
    text.as_ptr()
}

export! {
    Context => {
        fn cutensorCreate(handle: *mut u64) {
            give(handle, keep(Object::Handle))?;
        }
        fn cutensorDestroy(handle: u64) {
            forget(handle, |object| matches!(object, Object::Handle))?;
        }
        fn cutensorCreateTensorDescriptor(
            handle: u64, tensor: *mut u64, rank: u32, lengths: *const i64, strides: *const i64, dtype: c_int, alignment: u32,
        ) {
            check_handle(handle)?;
            let list = |numbers: *const i64| match rank {
                0 => vec![],
                _ => std::slice::from_raw_parts(numbers, rank as usize).to_vec(),
            };
            let (lengths, strides) = (list(lengths), list(strides));
            let dtype = elements::dtype(dtype).filter(|dtype| dtype.is_inexact()).ok_or(NOT_SUPPORTED)?;
            let wrong = lengths.iter().chain(&strides).any(|&number| number <= 0);
            if wrong || !alignment.is_power_of_two() || (alignment as usize) < dtype.alignment() {
                return Err(INVALID_VALUE);
            }
            give(tensor, keep(Object::Tensor(Tensor { dtype, lengths, strides, alignment })))?;
        }
        fn cutensorDestroyTensorDescriptor(tensor: u64) {
            forget(tensor, |object| matches!(object, Object::Tensor(_)))?;
        }
        fn cutensorCreateContraction(
            handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, b: u64, b_modes: *const i32,
            b_op: c_int, c: u64, c_modes: *const i32, c_op: c_int, d: u64, d_modes: *const i32, compute: usize,
        ) {
            check_handle(handle)?;
            let sides = vec![side(a, a_modes, a_op)?, side(b, b_modes, b_op)?, side(c, c_modes, c_op)?, side(d, d_modes, 1)?];
            give(operation, describe(Kind::Contraction, sides, compute)?)?;
        }
        fn cutensorCreateReduction(
            handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, c: u64, c_modes: *const i32,
            c_op: c_int, d: u64, d_modes: *const i32, combine: c_int, compute: usize,
        ) {
            check_handle(handle)?;
            binary(combine, (0.0, 0.0), (0.0, 0.0))?;
            let sides = vec![side(a, a_modes, a_op)?, side(c, c_modes, c_op)?, side(d, d_modes, 1)?];
            give(operation, describe(Kind::Reduction(combine), sides, compute)?)?;
        }
        fn cutensorCreatePermutation(
            handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, d: u64, d_modes: *const i32,
            compute: usize,
        ) {
            check_handle(handle)?;
            give(operation, describe(Kind::Permutation, vec![side(a, a_modes, a_op)?, side(d, d_modes, 1)?], compute)?)?;
        }
        fn cutensorCreateElementwiseBinary(
            handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, c: u64, c_modes: *const i32,
            c_op: c_int, d: u64, d_modes: *const i32, combine: c_int, compute: usize,
        ) {
            check_handle(handle)?;
            binary(combine, (0.0, 0.0), (0.0, 0.0))?;
            let sides = vec![side(a, a_modes, a_op)?, side(c, c_modes, c_op)?, side(d, d_modes, 1)?];
            give(operation, describe(Kind::Binary(combine), sides, compute)?)?;
        }
        fn cutensorCreateElementwiseTrinary(
            handle: u64, operation: *mut u64, a: u64, a_modes: *const i32, a_op: c_int, b: u64, b_modes: *const i32,
            b_op: c_int, c: u64, c_modes: *const i32, c_op: c_int, d: u64, d_modes: *const i32, first: c_int, last: c_int,
            compute: usize,
        ) {
            check_handle(handle)?;
            binary(first, (0.0, 0.0), (0.0, 0.0))?;
            binary(last, (0.0, 0.0), (0.0, 0.0))?;
            let sides = vec![side(a, a_modes, a_op)?, side(b, b_modes, b_op)?, side(c, c_modes, c_op)?, side(d, d_modes, 1)?];
            give(operation, describe(Kind::Trinary(first, last), sides, compute)?)?;
        }
        fn cutensorOperationDescriptorGetAttribute(
            handle: u64, operation: u64, attribute: c_int, value: *mut c_void, bytes: usize,
        ) {
            check_handle(handle)?;
            let told = find(operation, |object| if let Object::Operation(told) = object { Some(told.clone()) } else { None })?;
            if (attribute, bytes) != (1, 4) {
                return Err(INVALID_VALUE);
            }
            let number = (0..16).find(|&number| elements::dtype(number) == Some(told.factors)).ok_or(INVALID_VALUE)?;
            give(value.cast::<i32>(), number)?;
        }
        fn cutensorDestroyOperationDescriptor(operation: u64) {
            forget(operation, |object| matches!(object, Object::Operation(_)))?;
        }
        fn cutensorCreatePlanPreference(handle: u64, preference: *mut u64, algorithm: c_int, compiling: c_int) {
            check_handle(handle)?;
            if !(-6..=1000).contains(&algorithm) || !(0..=1).contains(&compiling) {
                return Err(INVALID_VALUE);
            }
            give(preference, keep(Object::Preference))?;
        }
        fn cutensorDestroyPlanPreference(preference: u64) {
            forget(preference, |object| matches!(object, Object::Preference))?;
        }
        fn cutensorEstimateWorkspaceSize(
            handle: u64, operation: u64, preference: u64, kind: c_int, bytes: *mut u64,
        ) {
            check_handle(handle)?;
            let told = find(operation, |object| if let Object::Operation(told) = object { Some(told.clone()) } else { None })?;
            find(preference, |object| matches!(object, Object::Preference).then_some(()))?;
            if !(1..=3).contains(&kind) {
                return Err(INVALID_VALUE);
            }
            give(bytes, if told.sums() && kind > 1 { 2 * WORKSPACE } else { 0 })?;
        }
        fn cutensorCreatePlan(handle: u64, plan: *mut u64, operation: u64, preference: u64, most: u64) {
            check_handle(handle)?;
            let told = find(operation, |object| if let Object::Operation(told) = object { Some(told.clone()) } else { None })?;
            find(preference, |object| matches!(object, Object::Preference).then_some(()))?;
            let scratch = if told.sums() && most >= WORKSPACE { WORKSPACE } else { 0 };
            give(plan, keep(Object::Plan(told, scratch)))?;
        }
        fn cutensorDestroyPlan(plan: u64) {
            forget(plan, |object| matches!(object, Object::Plan(..)))?;
        }
        fn cutensorPlanGetAttribute(handle: u64, plan: u64, attribute: c_int, value: *mut c_void, bytes: usize) {
            check_handle(handle)?;
            let scratch = find(plan, |object| if let Object::Plan(_, scratch) = object { Some(*scratch) } else { None })?;
            if (attribute, bytes) != (0, 8) {
                return Err(INVALID_VALUE);
            }
            give(value.cast::<u64>(), scratch)?;
        }
        fn cutensorContract(
            handle: u64, plan: u64, alpha: *const c_void, a: u64, b: u64, beta: *const c_void, c: u64, d: u64, workspace: u64,
            bytes: u64, stream: u64,
        ) {
            execute(handle, plan, &[alpha, beta], &[a, b, c, d], Some((workspace, bytes)), stream)?;
        }
        fn cutensorReduce(
            handle: u64, plan: u64, alpha: *const c_void, a: u64, beta: *const c_void, c: u64, d: u64, workspace: u64,
            bytes: u64, stream: u64,
        ) {
            execute(handle, plan, &[alpha, beta], &[a, c, d], Some((workspace, bytes)), stream)?;
        }
        fn cutensorPermute(handle: u64, plan: u64, alpha: *const c_void, a: u64, d: u64, stream: u64) {
            execute(handle, plan, &[alpha], &[a, d], None, stream)?;
        }
        fn cutensorElementwiseBinaryExecute(
            handle: u64, plan: u64, alpha: *const c_void, a: u64, gamma: *const c_void, c: u64, d: u64, stream: u64,
        ) {
            execute(handle, plan, &[alpha, gamma], &[a, c, d], None, stream)?;
        }
        fn cutensorElementwiseTrinaryExecute(
            handle: u64, plan: u64, alpha: *const c_void, a: u64, beta: *const c_void, b: u64, gamma: *const c_void, c: u64,
            d: u64, stream: u64,
        ) {
            execute(handle, plan, &[alpha, beta, gamma], &[a, b, c, d], None, stream)?;
        }
    }
}
