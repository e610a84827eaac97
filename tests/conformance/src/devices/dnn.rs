//! Layers of neural networks on small whole numbers, whose results are exact. The rest is the business of programs' tests.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::dnn::{Activation, Convolution, Dnn, Operation, Pass, Pooling, Tensor, Window};

use super::Test;
use crate::rig::{Check, Failure, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[("activation and pooling", activated), ("convolution", convolved)];

/// Whole numbers from -4 to 4.
fn numbers(random: &mut Random, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.below(9) as f32 - 4.0).collect()
}

fn content(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

fn tensor(ptr: u64, shape: &[usize]) -> Tensor {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    Tensor { ptr, dtype: DType::F32, shape: shape.to_vec(), strides }
}

/// The result of an operation on inputs of shapes.
fn run(
    rig: &Rig,
    library: &dyn Dnn,
    operation: &Operation,
    inputs: &[(&[f32], &[usize])],
    shape: &[usize],
) -> Result<Vec<f32>, Failure> {
    let mut buffers = vec![];
    for (numbers, _) in inputs {
        buffers.push(rig.upload(&content(numbers))?);
    }
    let out = rig.empty(shape.iter().product::<usize>() * 4)?;
    let mut tensors: Vec<Tensor> =
        buffers.iter().zip(inputs).map(|(buffer, (_, shape))| tensor(buffer.ptr(), shape)).collect();
    tensors.push(tensor(out.ptr(), shape));
    ensure(tensors.len() == operation.tensors().0, || format!("{operation:?} takes other tensors"))?;
    let limit = 1 << 20;
    let search = if library.searches(operation, &tensors) { Some(rig.empty(limit)?) } else { None };
    let memory = search.as_ref().map(|buffer| (buffer.ptr(), limit));
    let stream = &*rig.stream;
    // SAFETY: all buffers are of the tensors' shapes.
    unsafe {
        let choice = library.choose(stream, operation, &tensors, memory)?;
        ensure(choice.scratch <= limit, || format!("{} bytes of scratch", choice.scratch))?;
        let scratch = rig.empty(choice.scratch)?;
        library.run(stream, operation, &tensors, choice, scratch.ptr())?;
        let bytes = out.download()?;
        Ok(bytes.chunks_exact(4).map(|four| f32::from_ne_bytes(four.try_into().expect("four bytes"))).collect())
    }
}

fn activated(rig: &Rig) -> Check {
    let library = rig.device.libraries().dnn()?;
    ensure(library.version()? > 0, || "no version".to_owned())?;
    let mut random = Random::new(5);
    let shape = [2, 3, 4, 6];
    let (x, slopes) = (numbers(&mut random, 144), numbers(&mut random, 144));
    let relu = run(rig, library, &Operation::Activation(Activation::Relu, 0.0), &[(&x, &shape)], &shape)?;
    let wanted: Vec<f32> = x.iter().map(|value| value.max(0.0)).collect();
    ensure(relu == wanted, || "ReLU".to_owned())?;
    let gradient = Operation::ActivationGradient(Activation::Relu, 0.0);
    let made = run(rig, library, &gradient, &[(&relu, &shape), (&slopes, &shape), (&x, &shape)], &shape)?;
    let wanted: Vec<f32> = x.iter().zip(&slopes).map(|(x, slope)| if *x > 0.0 { *slope } else { 0.0 }).collect();
    ensure(made == wanted, || "gradient of ReLU".to_owned())?;
    let kind = Pooling::Max;
    let window = Window { kind, lengths: vec![2, 2], strides: vec![2, 2], padding: vec![0, 0] };
    let made = run(rig, library, &Operation::Pooling(window), &[(&x, &shape)], &[2, 3, 2, 3])?;
    let mut wanted = vec![];
    for (image, row, column) in (0..6).flat_map(|n| (0..2).flat_map(move |i| (0..3).map(move |j| (n, i, j)))) {
        let at = |i: usize, j: usize| x[image * 24 + (2 * row + i) * 6 + 2 * column + j];
        wanted.push(at(0, 0).max(at(0, 1)).max(at(1, 0)).max(at(1, 1)));
    }
    ensure(made == wanted, || "maxima of windows".to_owned())
}

fn convolved(rig: &Rig) -> Check {
    let library = rig.device.libraries().dnn()?;
    let mut random = Random::new(6);
    // Four channels in two groups, six outputs, filters of 3 x 2, with padding on the first axis and steps on the second.
    let (images, filters, result) = ([2, 4, 5, 6], [6, 2, 3, 2], [2, 6, 5, 3]);
    let (x, w, slopes) = (numbers(&mut random, 240), numbers(&mut random, 72), numbers(&mut random, 180));
    let (mut y, mut dx, mut dw) = (vec![0.0; 180], vec![0.0; 240], vec![0.0; 72]);
    for place in 0..180_usize {
        let (n, output, i, j) = (place / 90, place / 15 % 6, place / 3 % 5, place % 3);
        for tap in 0..12 {
            let (channel, a, b) = (tap / 6, tap / 2 % 3, tap % 2);
            let (Some(row), column) = ((i + a).checked_sub(1), 2 * j + b) else { continue };
            if row < 5 {
                let source = ((n * 4 + output / 3 * 2 + channel) * 5 + row) * 6 + column;
                let weight = output * 12 + tap;
                y[place] += x[source] * w[weight];
                dx[source] += slopes[place] * w[weight];
                dw[weight] += slopes[place] * x[source];
            }
        }
    }
    for search in [false, true] {
        let spec = Convolution {
            padding: vec![1, 0],
            strides: vec![1, 2],
            dilation: vec![1, 1],
            groups: 2,
            tensor_cores: false,
            search,
            deterministic: true,
            limit: 1 << 20,
        };
        let pass = |pass| Operation::Convolution(pass, spec.clone());
        let made = run(rig, library, &pass(Pass::Forward), &[(&x, &images), (&w, &filters)], &result)?;
        ensure(made == y, || "convolution".to_owned())?;
        let made = run(rig, library, &pass(Pass::Data), &[(&w, &filters), (&slopes, &result)], &images)?;
        ensure(made == dx, || "gradient for images".to_owned())?;
        let made = run(rig, library, &pass(Pass::Filter), &[(&x, &images), (&slopes, &result)], &filters)?;
        ensure(made == dw, || "gradient for filters".to_owned())?;
    }
    Ok(())
}
