//! The functions of `libcudnn.so.9` on descriptors, for float32 and float64: activation, softmax, pooling and convolution run on
//! the host, in the order of their streams. All else is left out, as in a version that lacks it.
//!
//! Descriptors are counted: `standin_live("descriptors")`.

use std::ffi::{c_char, c_double, c_int, c_void};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::calls::{export, give};
use crate::memory;
use crate::queue::{self, Work};
use crate::status::{ILLEGAL_ADDRESS, Outcome};

const BAD_PARAM: i32 = 2000;
const NOT_SUPPORTED: i32 = 3000;
/// What the algorithm that needs memory to work in asks for.
const SCRATCH: usize = 256;

/// A description of something.
#[derive(Clone, Debug)]
enum Description {
    Blank,
    /// Type, lengths, strides.
    Tensor(c_int, Vec<usize>, Vec<usize>),
    /// Mode, coefficient.
    Activation(c_int, f64),
    /// Mode, lengths, padding, strides.
    Pooling(c_int, [Vec<usize>; 3]),
    /// Padding, strides, dilation; groups.
    Convolution([Vec<usize>; 3], usize),
}

#[derive(Default)]
struct Library {
    descriptions: FxHashMap<u64, Description>,
    streams: FxHashMap<u64, u64>,
    last: u64,
}

static LIBRARY: Mutex<Option<Library>> = Mutex::new(None);

/// Descriptors that live.
pub(crate) fn descriptors() -> usize {
    LIBRARY.lock().as_ref().map_or(0, |library| library.descriptions.len())
}

fn with<T>(work: impl FnOnce(&mut Library) -> T) -> T {
    work(LIBRARY.lock().get_or_insert_default())
}

/// # Safety
/// The address is null or good for a handle.
unsafe fn make(to: *mut u64) -> Outcome {
    let raw = with(|library| {
        library.last += 16;
        library.descriptions.insert(library.last, Description::Blank);
        library.last
    });
    // SAFETY: the caller's promise.
    unsafe { give(to, raw) }
}

fn destroy(raw: u64) -> Outcome {
    with(|library| library.descriptions.remove(&raw)).map(drop).ok_or(BAD_PARAM)
}

fn set(raw: u64, description: Description) -> Outcome {
    with(|library| library.descriptions.get_mut(&raw).map(|old| *old = description)).ok_or(BAD_PARAM)
}

fn described(raw: u64) -> Outcome<Description> {
    with(|library| library.descriptions.get(&raw).cloned()).ok_or(BAD_PARAM)
}

/// # Safety
/// The list has as many numbers.
unsafe fn list(from: *const c_int, count: c_int) -> Outcome<Vec<usize>> {
    if from.is_null() || !(1..=8).contains(&count) {
        return Err(BAD_PARAM);
    }
    // SAFETY: the caller's promise.
    let numbers = unsafe { std::slice::from_raw_parts(from, count as usize) };
    numbers.iter().map(|&number| usize::try_from(number).map_err(|_| BAD_PARAM)).collect()
}

/// Elements in device memory.
#[derive(Clone)]
struct View {
    at: u64,
    double: bool,
    lengths: Vec<usize>,
    strides: Vec<usize>,
}

impl View {
    fn new(raw: u64, at: u64) -> Outcome<View> {
        let Description::Tensor(dtype, lengths, strides) = described(raw)? else { return Err(BAD_PARAM) };
        let double = match dtype {
            0 => false,
            1 => true,
            _ => return Err(NOT_SUPPORTED),
        };
        let view = View { at, double, lengths, strides };
        if view.lengths.contains(&0) {
            return Err(BAD_PARAM);
        }
        memory::check_device(at, view.bytes()).map_err(|_| BAD_PARAM)?;
        Ok(view)
    }

    fn size(&self) -> usize {
        if self.double { 8 } else { 4 }
    }

    fn bytes(&self) -> usize {
        let last: usize = self.lengths.iter().zip(&self.strides).map(|(length, stride)| (length - 1) * stride).sum();
        (last + 1) * self.size()
    }

    fn check(&self) -> Outcome {
        memory::check_device(self.at, self.bytes()).map(drop).map_err(|_| ILLEGAL_ADDRESS)
    }

    fn place(&self, index: &[usize]) -> u64 {
        let offset: usize = index.iter().zip(&self.strides).map(|(position, stride)| position * stride).sum();
        self.at + (offset * self.size()) as u64
    }

    fn get(&self, index: &[usize]) -> f64 {
        let place = self.place(index);
        // SAFETY: the memory was checked, and is open while work runs.
        unsafe {
            if self.double {
                (place as *const f64).read_unaligned()
            } else {
                f64::from((place as *const f32).read_unaligned())
            }
        }
    }

    fn set(&self, index: &[usize], value: f64) {
        let place = self.place(index);
        // SAFETY: as above.
        unsafe {
            if self.double {
                (place as *mut f64).write_unaligned(value);
            } else {
                (place as *mut f32).write_unaligned(value as f32);
            }
        }
    }
}

/// Calls with every index, the last axis fastest.
fn each(lengths: &[usize], mut visit: impl FnMut(&[usize])) {
    if lengths.contains(&0) {
        return;
    }
    let mut index = vec![0; lengths.len()];
    loop {
        visit(&index);
        let mut axis = lengths.len();
        loop {
            let Some(before) = axis.checked_sub(1) else { return };
            axis = before;
            index[axis] += 1;
            if index[axis] < lengths[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Queues work on tensors in the stream of a handle. Factors must be one and zero: no program here has others.
///
/// # Safety
/// Factors are good for a number of the first tensor's type.
unsafe fn queue(
    handle: u64,
    factors: [*const c_void; 2],
    views: Vec<View>,
    work: impl Fn(&[View]) + Send + Sync + 'static,
) -> Outcome {
    let double = views[0].double;
    // SAFETY: the caller's promise.
    let number = |at: *const c_void| unsafe {
        if double { at.cast::<f64>().read_unaligned() } else { f64::from(at.cast::<f32>().read_unaligned()) }
    };
    if factors.iter().any(|factor| factor.is_null()) || number(factors[0]) != 1.0 || number(factors[1]) != 0.0 {
        return Err(BAD_PARAM);
    }
    let stream = with(|library| library.streams.get(&handle).copied()).ok_or(BAD_PARAM)?;
    let task = move || {
        views.iter().try_for_each(View::check)?;
        work(&views);
        Ok(())
    };
    queue::submit(stream, Work::Library(Arc::new(task))).map(drop)
}

fn activation(mode: c_int, coefficient: f64, x: f64) -> f64 {
    match mode {
        0 => 1.0 / (1.0 + (-x).exp()),
        1 if x < 0.0 => 0.0,
        2 => x.tanh(),
        3 if x < 0.0 => 0.0,
        3 if x > coefficient => coefficient,
        4 if x < 0.0 => coefficient * x.exp_m1(),
        6 => x / (1.0 + (-x).exp()),
        _ => x,
    }
}

fn activation_slope(mode: c_int, coefficient: f64, x: f64, y: f64) -> f64 {
    let sigmoid = 1.0 / (1.0 + (-x).exp());
    match mode {
        0 => y * (1.0 - y),
        1 => f64::from(x > 0.0),
        2 => 1.0 - y * y,
        3 => f64::from(x > 0.0 && x < coefficient),
        4 if x < 0.0 => y + coefficient,
        6 => sigmoid * (1.0 + x * (1.0 - sigmoid)),
        _ => 1.0,
    }
}

/// The inputs of a window, in order, with the index of an output.
fn window(spatial: &[usize], window: &[Vec<usize>; 3], output: &[usize], mut visit: impl FnMut(&[usize])) {
    let [lengths, padding, strides] = window;
    each(lengths, |tap| {
        let mut index = output[..2].to_vec();
        for axis in 0..lengths.len() {
            let position = (output[2 + axis] * strides[axis] + tap[axis]).checked_sub(padding[axis]);
            match position.filter(|&position| position < spatial[axis]) {
                Some(position) => index.push(position),
                None => return,
            }
        }
        visit(&index);
    });
}

/// Calls with every product of a convolution: the indices of an element of the images, of the filters and of the result.
fn products(
    [images, filters, result]: [&View; 3],
    [padding, strides, dilation]: &[Vec<usize>; 3],
    groups: usize,
    mut visit: impl FnMut(&[usize], &[usize], &[usize]),
) {
    let (per_group, outputs) = (filters.lengths[1], filters.lengths[0] / groups);
    each(&result.lengths, |output| {
        each(&filters.lengths[1..], |tap| {
            let mut input = vec![output[0], output[1] / outputs * per_group + tap[0]];
            for axis in 0..padding.len() {
                let position = (output[2 + axis] * strides[axis] + tap[1 + axis] * dilation[axis])
                    .checked_sub(padding[axis])
                    .filter(|&position| position < images.lengths[2 + axis]);
                match position {
                    Some(position) => input.push(position),
                    None => return,
                }
            }
            let mut filter = vec![output[1]];
            filter.extend(tap);
            visit(&input, &filter, output);
        });
    });
}

/// `cudnnConvolutionFwdAlgoPerf_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Performance {
    algorithm: c_int,
    status: c_int,
    time: f32,
    memory: usize,
    determinism: c_int,
    math: c_int,
    reserved: [c_int; 3],
}

/// Two algorithms: the first is faster and needs memory.
///
/// # Safety
/// Addresses are good for so many elements.
unsafe fn algorithms(most: c_int, count: *mut c_int, found: *mut c_void, limit: usize) -> Outcome {
    let one = |algorithm, memory| Performance {
        algorithm,
        status: if memory <= limit { 0 } else { NOT_SUPPORTED },
        time: 1.0,
        memory,
        determinism: 1,
        math: 3,
        reserved: [0; 3],
    };
    let all = [one(1, SCRATCH), one(0, 0)];
    let number = all.len().min(most.max(0) as usize);
    // SAFETY: the caller's promise.
    unsafe {
        for (place, one) in all.iter().take(number).enumerate() {
            give(found.cast::<Performance>().add(place), *one)?;
        }
        give(count, number as c_int)
    }
}

fn convolution_of(raw: u64) -> Outcome<([Vec<usize>; 3], usize)> {
    match described(raw)? {
        Description::Convolution(lists, groups) => Ok((lists, groups)),
        _ => Err(BAD_PARAM),
    }
}

/// Whether memory to work in is what an algorithm needs.
fn scratch(algorithm: c_int, at: u64, bytes: usize) -> Outcome {
    match algorithm {
        0 => Ok(()),
        1 if bytes >= SCRATCH => memory::check_device(at, bytes).map(drop).map_err(|_| BAD_PARAM),
        _ => Err(BAD_PARAM),
    }
}

export! {
    Context => {
        fn cudnnCreate(handle: *mut u64) {
            let raw = with(|library| {
                library.last += 16;
                library.streams.insert(library.last, 0);
                library.last
            });
            give(handle, raw)?;
        }
        fn cudnnSetStream(handle: u64, stream: u64) {
            with(|library| library.streams.get_mut(&handle).map(|old| *old = stream)).ok_or(BAD_PARAM)?;
        }
        fn cudnnCreateTensorDescriptor(made: *mut u64) { make(made)?; }
        fn cudnnCreateFilterDescriptor(made: *mut u64) { make(made)?; }
        fn cudnnCreateConvolutionDescriptor(made: *mut u64) { make(made)?; }
        fn cudnnCreatePoolingDescriptor(made: *mut u64) { make(made)?; }
        fn cudnnCreateActivationDescriptor(made: *mut u64) { make(made)?; }
        fn cudnnDestroyTensorDescriptor(raw: u64) { destroy(raw)?; }
        fn cudnnDestroyFilterDescriptor(raw: u64) { destroy(raw)?; }
        fn cudnnDestroyConvolutionDescriptor(raw: u64) { destroy(raw)?; }
        fn cudnnDestroyPoolingDescriptor(raw: u64) { destroy(raw)?; }
        fn cudnnDestroyActivationDescriptor(raw: u64) { destroy(raw)?; }
        fn cudnnSetTensorNdDescriptor(
            raw: u64, dtype: c_int, count: c_int, lengths: *const c_int, strides: *const c_int,
        ) {
            let (lengths, strides) = (list(lengths, count)?, list(strides, count)?);
            if count < 3 || lengths.contains(&0) || strides.contains(&0) {
                return Err(BAD_PARAM);
            }
            set(raw, Description::Tensor(dtype, lengths, strides))?;
        }
        fn cudnnSetFilterNdDescriptor(raw: u64, dtype: c_int, format: c_int, count: c_int, lengths: *const c_int) {
            let lengths = list(lengths, count)?;
            let mut order: Vec<usize> = (0..lengths.len()).collect();
            if format == 1 {
                // Channels last.
                let channels = order.remove(1);
                order.push(channels);
            }
            let (mut strides, mut step) = (vec![0; lengths.len()], 1);
            for &axis in order.iter().rev() {
                strides[axis] = step;
                step *= lengths[axis];
            }
            set(raw, Description::Tensor(dtype, lengths, strides))?;
        }
        fn cudnnSetConvolutionNdDescriptor(
            raw: u64, count: c_int, padding: *const c_int, strides: *const c_int, dilation: *const c_int, mode: c_int,
            _compute: c_int,
        ) {
            if mode != 1 || count < 2 {
                return Err(BAD_PARAM);
            }
            let lists = [list(padding, count)?, list(strides, count)?, list(dilation, count)?];
            set(raw, Description::Convolution(lists, 1))?;
        }
        fn cudnnSetConvolutionGroupCount(raw: u64, groups: c_int) {
            let (lists, _) = convolution_of(raw)?;
            set(raw, Description::Convolution(lists, groups as usize))?;
        }
        fn cudnnSetConvolutionMathType(raw: u64, _math: c_int) {
            convolution_of(raw)?;
        }
        fn cudnnSetPoolingNdDescriptor(
            raw: u64, mode: c_int, _nan: c_int, count: c_int, lengths: *const c_int, padding: *const c_int,
            strides: *const c_int,
        ) {
            let lists = [list(lengths, count)?, list(padding, count)?, list(strides, count)?];
            set(raw, Description::Pooling(mode, lists))?;
        }
        fn cudnnSetActivationDescriptor(raw: u64, mode: c_int, _nan: c_int, coefficient: c_double) {
            set(raw, Description::Activation(mode, coefficient))?;
        }
        fn cudnnActivationForward(
            handle: u64, function: u64, alpha: *const c_void, x: u64, x_at: u64, beta: *const c_void, y: u64, y_at: u64,
        ) {
            let Description::Activation(mode, coefficient) = described(function)? else { return Err(BAD_PARAM) };
            let views = vec![View::new(x, x_at)?, View::new(y, y_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                each(&views[0].lengths, |index| views[1].set(index, activation(mode, coefficient, views[0].get(index))));
            })?;
        }
        fn cudnnActivationBackward(
            handle: u64, function: u64, alpha: *const c_void, y: u64, y_at: u64, dy: u64, dy_at: u64, x: u64, x_at: u64,
            beta: *const c_void, dx: u64, dx_at: u64,
        ) {
            let Description::Activation(mode, coefficient) = described(function)? else { return Err(BAD_PARAM) };
            let views =
                vec![View::new(y, y_at)?, View::new(dy, dy_at)?, View::new(x, x_at)?, View::new(dx, dx_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                each(&views[0].lengths, |index| {
                    let slope = activation_slope(mode, coefficient, views[2].get(index), views[0].get(index));
                    views[3].set(index, if slope == 0.0 { 0.0 } else { slope * views[1].get(index) });
                });
            })?;
        }
        fn cudnnSoftmaxForward(
            handle: u64, algorithm: c_int, mode: c_int, alpha: *const c_void, x: u64, x_at: u64, beta: *const c_void,
            y: u64, y_at: u64,
        ) {
            if mode != 1 {
                return Err(NOT_SUPPORTED);
            }
            let views = vec![View::new(x, x_at)?, View::new(y, y_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [x, y] = views else { return };
                let mut outer = x.lengths.clone();
                outer[1] = 1;
                each(&outer, |index| {
                    let at = |channel: usize| [&[index[0], channel], &index[2..]].concat();
                    let values: Vec<f64> = (0..x.lengths[1]).map(|channel| x.get(&at(channel))).collect();
                    let most = if algorithm == 0 { 0.0 } else { values.iter().copied().fold(f64::MIN, f64::max) };
                    let total: f64 = values.iter().map(|value| (value - most).exp()).sum();
                    for (channel, value) in values.iter().enumerate() {
                        let share = value - most - total.ln();
                        y.set(&at(channel), if algorithm == 2 { share } else { (value - most).exp() / total });
                    }
                });
            })?;
        }
        fn cudnnSoftmaxBackward(
            handle: u64, algorithm: c_int, mode: c_int, alpha: *const c_void, y: u64, y_at: u64, dy: u64, dy_at: u64,
            beta: *const c_void, dx: u64, dx_at: u64,
        ) {
            if mode != 1 {
                return Err(NOT_SUPPORTED);
            }
            let views = vec![View::new(y, y_at)?, View::new(dy, dy_at)?, View::new(dx, dx_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [y, dy, dx] = views else { return };
                let mut outer = y.lengths.clone();
                outer[1] = 1;
                each(&outer, |index| {
                    let at = |channel: usize| [&[index[0], channel], &index[2..]].concat();
                    let weight = |channel: usize| if algorithm == 2 { 1.0 } else { y.get(&at(channel)) };
                    let total: f64 = (0..y.lengths[1]).map(|channel| weight(channel) * dy.get(&at(channel))).sum();
                    for channel in 0..y.lengths[1] {
                        let (value, slope) = (y.get(&at(channel)), dy.get(&at(channel)));
                        let made = if algorithm == 2 { slope - value.exp() * total } else { value * (slope - total) };
                        dx.set(&at(channel), made);
                    }
                });
            })?;
        }
        fn cudnnPoolingForward(
            handle: u64, pooling: u64, alpha: *const c_void, x: u64, x_at: u64, beta: *const c_void, y: u64, y_at: u64,
        ) {
            let Description::Pooling(mode, lists) = described(pooling)? else { return Err(BAD_PARAM) };
            let views = vec![View::new(x, x_at)?, View::new(y, y_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [x, y] = views else { return };
                each(&y.lengths, |output| {
                    let mut values = vec![];
                    window(&x.lengths[2..], &lists, output, |index| values.push(x.get(index)));
                    let count = if mode == 1 { lists[0].iter().product() } else { values.len() };
                    let most = values.iter().copied().reduce(|a, b| if b > a || b.is_nan() { b } else { a });
                    let mean = values.iter().sum::<f64>() / count as f64;
                    y.set(output, if mode == 1 || mode == 2 { mean } else { most.unwrap_or(f64::NAN) });
                });
            })?;
        }
        fn cudnnPoolingBackward(
            handle: u64, pooling: u64, alpha: *const c_void, y: u64, y_at: u64, dy: u64, dy_at: u64, x: u64, x_at: u64,
            beta: *const c_void, dx: u64, dx_at: u64,
        ) {
            let Description::Pooling(mode, lists) = described(pooling)? else { return Err(BAD_PARAM) };
            let views =
                vec![View::new(y, y_at)?, View::new(dy, dy_at)?, View::new(x, x_at)?, View::new(dx, dx_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [y, dy, x, dx] = views else { return };
                each(&dx.lengths, |index| dx.set(index, 0.0));
                each(&y.lengths, |output| {
                    let mut inputs = vec![];
                    window(&x.lengths[2..], &lists, output, |index| inputs.push(index.to_vec()));
                    let slope = dy.get(output);
                    if mode == 1 || mode == 2 {
                        let count = if mode == 1 { lists[0].iter().product() } else { inputs.len() };
                        for index in &inputs {
                            dx.set(index, dx.get(index) + slope / count as f64);
                        }
                    } else {
                        let best = y.get(output);
                        let first = inputs.iter().find(|index| {
                            let value = x.get(index);
                            value == best || (value.is_nan() && best.is_nan())
                        });
                        if let Some(index) = first {
                            dx.set(index, dx.get(index) + slope);
                        }
                    }
                });
            })?;
        }
        fn cudnnConvolutionForward(
            handle: u64, alpha: *const c_void, x: u64, x_at: u64, w: u64, w_at: u64, convolution: u64, algorithm: c_int,
            memory: u64, bytes: usize, beta: *const c_void, y: u64, y_at: u64,
        ) {
            scratch(algorithm, memory, bytes)?;
            let (lists, groups) = convolution_of(convolution)?;
            let views = vec![View::new(x, x_at)?, View::new(w, w_at)?, View::new(y, y_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [x, w, y] = views else { return };
                each(&y.lengths, |index| y.set(index, 0.0));
                products([x, w, y], &lists, groups, |input, filter, output| {
                    y.set(output, y.get(output) + x.get(input) * w.get(filter));
                });
            })?;
        }
        fn cudnnConvolutionBackwardData(
            handle: u64, alpha: *const c_void, w: u64, w_at: u64, dy: u64, dy_at: u64, convolution: u64,
            algorithm: c_int, memory: u64, bytes: usize, beta: *const c_void, dx: u64, dx_at: u64,
        ) {
            scratch(algorithm, memory, bytes)?;
            let (lists, groups) = convolution_of(convolution)?;
            let views = vec![View::new(w, w_at)?, View::new(dy, dy_at)?, View::new(dx, dx_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [w, dy, dx] = views else { return };
                each(&dx.lengths, |index| dx.set(index, 0.0));
                products([dx, w, dy], &lists, groups, |input, filter, output| {
                    dx.set(input, dx.get(input) + dy.get(output) * w.get(filter));
                });
            })?;
        }
        fn cudnnConvolutionBackwardFilter(
            handle: u64, alpha: *const c_void, x: u64, x_at: u64, dy: u64, dy_at: u64, convolution: u64,
            algorithm: c_int, memory: u64, bytes: usize, beta: *const c_void, dw: u64, dw_at: u64,
        ) {
            scratch(algorithm, memory, bytes)?;
            let (lists, groups) = convolution_of(convolution)?;
            let views = vec![View::new(x, x_at)?, View::new(dy, dy_at)?, View::new(dw, dw_at)?];
            queue(handle, [alpha, beta], views, move |views| {
                let [x, dy, dw] = views else { return };
                each(&dw.lengths, |index| dw.set(index, 0.0));
                products([x, dw, dy], &lists, groups, |input, filter, output| {
                    dw.set(filter, dw.get(filter) + dy.get(output) * x.get(input));
                });
            })?;
        }
        fn cudnnGetConvolutionForwardAlgorithm_v7(
            _handle: u64, _x: u64, _w: u64, convolution: u64, _y: u64, most: c_int, count: *mut c_int, found: *mut c_void,
        ) {
            convolution_of(convolution)?;
            algorithms(most, count, found, usize::MAX)?;
        }
        fn cudnnGetConvolutionBackwardDataAlgorithm_v7(
            _handle: u64, _w: u64, _dy: u64, convolution: u64, _dx: u64, most: c_int, count: *mut c_int,
            found: *mut c_void,
        ) {
            convolution_of(convolution)?;
            algorithms(most, count, found, usize::MAX)?;
        }
        fn cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            _handle: u64, _x: u64, _dy: u64, convolution: u64, _dw: u64, most: c_int, count: *mut c_int,
            found: *mut c_void,
        ) {
            convolution_of(convolution)?;
            algorithms(most, count, found, usize::MAX)?;
        }
        fn cudnnFindConvolutionForwardAlgorithmEx(
            _handle: u64, _x: u64, _x_at: u64, _w: u64, _w_at: u64, convolution: u64, _y: u64, _y_at: u64, most: c_int,
            count: *mut c_int, found: *mut c_void, memory: u64, bytes: usize,
        ) {
            measure(convolution, memory, bytes)?;
            algorithms(most, count, found, bytes)?;
        }
        fn cudnnFindConvolutionBackwardDataAlgorithmEx(
            _handle: u64, _w: u64, _w_at: u64, _dy: u64, _dy_at: u64, convolution: u64, _dx: u64, _dx_at: u64,
            most: c_int, count: *mut c_int, found: *mut c_void, memory: u64, bytes: usize,
        ) {
            measure(convolution, memory, bytes)?;
            algorithms(most, count, found, bytes)?;
        }
        fn cudnnFindConvolutionBackwardFilterAlgorithmEx(
            _handle: u64, _x: u64, _x_at: u64, _dy: u64, _dy_at: u64, convolution: u64, _dw: u64, _dw_at: u64,
            most: c_int, count: *mut c_int, found: *mut c_void, memory: u64, bytes: usize,
        ) {
            measure(convolution, memory, bytes)?;
            algorithms(most, count, found, bytes)?;
        }
    }
    Nothing => {
        fn cudnnGetProperty(property: c_int, value: *mut c_int) {
            give(value, [9, 10, 0].get(property as usize).copied().ok_or(BAD_PARAM)?)?;
        }
    }
}

fn measure(convolution: u64, at: u64, bytes: usize) -> Outcome {
    convolution_of(convolution)?;
    if bytes > 0 {
        memory::check_device(at, bytes).map_err(|_| BAD_PARAM)?;
    }
    Ok(())
}

/// The version of cuDNN that this is like.
#[unsafe(no_mangle)]
pub extern "C" fn cudnnGetVersion() -> usize {
    91000
}

/// The name of a status.
#[unsafe(no_mangle)]
pub extern "C" fn cudnnGetErrorString(status: c_int) -> *const c_char {
    match status {
        0 => c"CUDNN_STATUS_SUCCESS",
        BAD_PARAM => c"CUDNN_STATUS_BAD_PARAM",
        NOT_SUPPORTED => c"CUDNN_STATUS_NOT_SUPPORTED",
        5000 => c"CUDNN_STATUS_EXECUTION_FAILED",
        _ => c"CUDNN_UNKNOWN_STATUS",
    }
    .as_ptr()
}

/// Writes what was wrong with the last call.
///
/// # Safety
/// The address is good for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudnnGetLastErrorString(message: *mut c_char, bytes: usize) {
    let text = b"the stand-in says no\0";
    if !message.is_null() && bytes >= text.len() {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), message.cast(), text.len()) };
    }
}
