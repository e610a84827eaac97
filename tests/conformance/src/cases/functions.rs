//! Functions that kernels call, and small local arrays.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Body, Builder, Fold, FunctionVar, Mode, Var};

use crate::case::{Case, contiguous};
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for dtype in DType::ALL {
        cases.extend([several_results(dtype), rotated(dtype)]);
        if !dtype.is_complex() {
            cases.extend([median(dtype, true), median(dtype, false)]);
        }
    }
    for dtype in [DType::F32, DType::F64, DType::I16, DType::C64, DType::F16] {
        cases.push(branching(dtype));
    }
    cases.extend([DType::F32, DType::F64].map(among_strips));
    cases.extend([DType::I32, DType::I64].map(out_of_range));
    cases.extend([nested_calls(), loops_and_arrays(), long_array(), folded()]);
    cases
}

/// A straight function of two values with three results of several types, called twice with the arguments exchanged.
fn several_results(dtype: DType) -> Case {
    let name = format!("function_{dtype}");
    let b = Builder::new(name.clone());
    let (x, y) = (b.input(dtype), b.input(dtype));
    let function = b.function("parts", &[dtype, dtype], |v| {
        let same = v[0].eq(v[1]);
        vec![v[0].when(same, v[0] + v[1]), same, v[1].cast(DType::F64)]
    });
    for (first, second) in [(x, y), (y, x)] {
        for result in function.call(&[first, second]) {
            b.output(result.dtype(), result);
        }
    }
    let (x, y) = samples::pairs(dtype, 60);
    Case::new(name, b.finish_map(), Tolerance::EXACT).flat(&[&x, &y])
}

/// A function with branches, a loop and locals; many statements, so that it is called.
fn branching(dtype: DType) -> Case {
    let name = format!("function_branching_{dtype}");
    let b = Builder::new(name.clone());
    let (x, y) = (b.input(dtype), b.input(dtype));
    let function = b.function("branching", &[dtype, dtype], |v| {
        let (sum, count) = (b.local(v[0]), b.local(b.integer(DType::I32, 0)));
        b.branch(
            v[0].eq(v[1]),
            || sum.set(v[1] + v[1]),
            || {
                b.repeat(
                    || count.get().lt(b.integer(DType::I32, 5)),
                    || {
                        for factor in 1..6 {
                            sum.set(sum.get() * v[1].like_integer(factor) + v[0]);
                        }
                        count.set(count.get() + b.integer(DType::I32, 1));
                        b.branch(sum.get().eq(v[0]), || count.set(b.integer(DType::I32, 5)), || ());
                    },
                );
            },
        );
        let doubled = (0..20).fold(sum.get(), |value, _| value + v[1]);
        vec![doubled, count.get(), sum.get().ne(v[0])]
    });
    for result in function.call(&[x, y]) {
        b.output(result.dtype(), result);
    }
    // A second call within a branch, of constants.
    let last = b.local(x);
    b.branch(
        x.ne(y),
        || last.set(function.call(&[x.like_integer(2), y])[0]),
        || last.set(function.call(&[y, x.like_integer(3)])[0]),
    );
    b.output(dtype, last.get());
    let (x, y) = (samples::small(dtype, 300), samples::small(dtype, 307));
    Case::new(name, b.finish_map(), Tolerance::EXACT_VALUE).flat(&[&x, &y[7..]])
}

/// Mathematics before and after a call, and beside it.
fn among_strips(dtype: DType) -> Case {
    let name = format!("function_among_strips_{dtype}");
    let b = Builder::new(name.clone());
    let (x, y) = (b.input(dtype), b.input(dtype));
    let scale = b.scalar(dtype);
    let clipped = b.function("clipped", &[dtype, dtype], |v| {
        let result = b.local(v[0]);
        b.branch(v[0].gt(v[1]), || result.set(v[1]), || ());
        let padded = (0..30).fold(result.get(), |value, _| value + v[1].like(0.0));
        vec![padded, v[0].gt(v[1])]
    });
    let uniform = clipped.call(&[scale, scale.like(0.5)])[0];
    let first = clipped.call(&[x.exp(), uniform + y.cos()]);
    b.output(dtype, first[0].sin() * uniform.exp());
    b.output(DType::Bool, first[1]);
    b.output(dtype, clipped.call(&[first[0].log(), y])[0]);
    let (x, y) = (samples::small(dtype, 2001), samples::small(dtype, 2008));
    let scalar = cuproxide_hal::Scalar::real(dtype, 0.75);
    Case::new(name, b.finish_map(), Tolerance::within(16.0)).scalars(&[scalar]).flat(&[&x, &y[7..]])
}

/// A function of an integer that is too long to be written where it is called.
fn long<'b>(b: &'b Builder, name: &str, write: impl Fn(Var<'b>) -> Var<'b>) -> FunctionVar<'b> {
    b.function(name, &[DType::I64], |v| vec![(0..30).fold(write(v[0]), |value, _| value + v[0])])
}

/// A function that calls one that calls one.
fn nested_calls() -> Case {
    let b = Builder::new("function_nested");
    let x = b.input(DType::I64);
    let square = long(&b, "square", |x| x * x);
    let fourth = long(&b, "fourth", |x| square.call(&[square.call(&[x])[0]])[0]);
    let last = long(&b, "last", |x| fourth.call(&[x])[0] - square.call(&[x])[0]);
    b.output(DType::I64, last.call(&[x])[0]);
    b.output(DType::I64, square.call(&[x])[0]);
    let values: Vec<Number> = (-50..50).map(Number::Int).collect();
    Case::new("function_nested", b.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// An array that is rotated by a computed distance: constant and computed indices.
fn rotated(dtype: DType) -> Case {
    let name = format!("array_{dtype}");
    let b = Builder::new(name.clone());
    let inputs = [0; 3].map(|_| b.input(dtype));
    let array = b.array(3, inputs[0]);
    array.set_at(1, inputs[1]);
    array.set_at(2, inputs[2]);
    let by = b.index() % b.integer(DType::I64, 3);
    for place in 0..3 {
        let at = (by + b.integer(DType::I64, place)) % b.integer(DType::I64, 3);
        b.output(dtype, array.get(at));
    }
    let (x, y) = samples::pairs(dtype, 60);
    let z: Vec<Number> = x.iter().rev().copied().collect();
    Case::new(name, b.finish_map(), Tolerance::EXACT).flat(&[&x, &y, &z])
}

/// Indices far outside, negative ones too, mean the nearest element.
fn out_of_range(dtype: DType) -> Case {
    let name = format!("array_out_of_range_{dtype}");
    let b = Builder::new(name.clone());
    let index = b.input(dtype);
    let array = b.array(5, b.integer(DType::I16, -1));
    for place in 0..5 {
        array.set_at(place, b.integer(DType::I16, 10 * place as i128));
    }
    b.output(DType::I16, array.get(index));
    array.set(index, b.integer(DType::I16, 99));
    for place in 0..5 {
        b.output(DType::I16, array.at(place));
    }
    let values = samples::edges(dtype);
    Case::new(name, b.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// The median of five by a network of comparisons, and by sorting with computed indices.
fn median(dtype: DType, network: bool) -> Case {
    let name = format!("median_{}_{dtype}", if network { "network" } else { "sorted" });
    let b = Builder::new(name.clone());
    let inputs = [0; 5].map(|_| b.input(dtype));
    let median = b.function("median", &[dtype; 5], |v| {
        let array = b.array(5, v[0]);
        (1..5).for_each(|place| array.set_at(place, v[place]));
        if network {
            for (i, j) in [(0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2)] {
                let (x, y) = (array.at(i), array.at(j));
                array.set_at(i, x.min(y));
                array.set_at(j, x.max(y));
            }
        } else {
            let (four, one) = (b.integer(DType::I32, 4), b.integer(DType::I32, 1));
            let (round, at) = (b.local(b.integer(DType::I32, 0)), b.local(b.integer(DType::I32, 0)));
            b.repeat(
                || round.get().lt(four),
                || {
                    at.set(b.integer(DType::I32, 0));
                    b.repeat(
                        || at.get().lt(four),
                        || {
                            let place = at.get();
                            let (x, y) = (array.get(place), array.get(place + one));
                            array.set(place, x.min(y));
                            array.set(place + one, x.max(y));
                            at.set(place + one);
                        },
                    );
                    round.set(round.get() + one);
                },
            );
        }
        vec![array.at(2)]
    });
    b.output(dtype, median.call(&inputs)[0]);
    let numbers: Vec<Vec<Number>> = (0..5).map(|k| samples::small(dtype, 200 + 13 * k)[13 * k..].to_vec()).collect();
    let lists: Vec<&[Number]> = numbers.iter().map(Vec::as_slice).collect();
    Case::new(name, b.finish_map(), Tolerance::EXACT_VALUE).flat(&lists)
}

/// An array that is filled anew in each round of a loop, of complex numbers and of float16.
fn loops_and_arrays() -> Case {
    let b = Builder::new("array_in_loop");
    let (z, h) = (b.input(DType::C64), b.input(DType::F16));
    let (round, sum) = (b.local(b.integer(DType::I64, 0)), b.local(z));
    let one = b.integer(DType::I64, 1);
    let halves = b.array(6, h);
    b.repeat(
        || round.get().lt(b.integer(DType::I64, 4)),
        || {
            let pair = b.array(2, sum.get());
            pair.set(round.get() - one, z);
            sum.set(pair.get(round.get() % b.integer(DType::I64, 2)) + pair.at(1));
            halves.set(round.get(), halves.get(round.get() + one) + h.like(1.0));
            round.set(round.get() + one);
        },
    );
    b.output(DType::C64, sum.get());
    (0..6).for_each(|place| b.output(DType::F16, halves.at(place)));
    let (z, h) = (samples::small(DType::C64, 90), samples::small(DType::F16, 90));
    Case::new("array_in_loop", b.finish_map(), Tolerance::EXACT_VALUE).flat(&[&z, &h])
}

/// As long an array as there may be: a recurrence, read from its end.
fn long_array() -> Case {
    let b = Builder::new("array_long");
    let x = b.input(DType::U32);
    let (at, one) = (b.local(b.integer(DType::I32, 1)), b.integer(DType::I32, 1));
    let array = b.array(256, x);
    b.repeat(
        || at.get().lt(b.integer(DType::I32, 256)),
        || {
            let before = array.get(at.get() - one);
            array.set(at.get(), before * x.like_integer(1_664_525) + x);
            at.set(at.get() + one);
        },
    );
    b.output(DType::U32, array.get(x.cast(DType::I64)));
    b.output(DType::U32, array.at(255));
    let values: Vec<Number> = (0..300).map(Number::Int).collect();
    Case::new("array_long", b.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// A sum of what a function says of the elements, which its finish calls again.
fn folded() -> Case {
    let (dtype, rows, length) = (DType::I64, 30, 1000);
    let b = Builder::new("function_folded");
    let (input, output) = (b.operand(dtype, Mode::Read), b.operand(dtype, Mode::Write));
    let collatz = b.function("next", &[dtype], |v| {
        let odd = (v[0] & v[0].like_integer(1)).eq(v[0].like_integer(1));
        let result = b.local(v[0] / v[0].like_integer(2));
        b.branch(odd, || result.set(v[0] * v[0].like_integer(3) + v[0].like_integer(1)), || ());
        vec![(0..30).fold(result.get(), |value, _| value + v[0])]
    });
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![b.integer(dtype, 0)]),
        map: b.lambda(&[], |_| collatz.call(&[b.load(input)])),
        combine: b.lambda(&[dtype, dtype], |v| vec![v[0].binary(Binary::Add, v[1])]),
        finish: b.lambda(&[dtype], |v| {
            b.store(output, collatz.call(&[v[0]])[0]);
            vec![]
        }),
    };
    let kernel = b.finish(Body::Reduce(fold));
    let numbers = samples::small(dtype, rows * length);
    Case::new("function_folded", kernel, Tolerance::EXACT)
        .outer(&[rows])
        .inner(&[length])
        .operand(crate::case::bytes(dtype, &numbers), 0, &contiguous(dtype, &[rows, length]))
        .operand(vec![0; rows * dtype.size()], 0, &contiguous(dtype, &[rows]))
}
