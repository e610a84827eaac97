//! Locals, branches, loops, indices, faults and several results.

use cuproxide_hal::ir::{Builder, Kernel, Mode};
use cuproxide_hal::{DType, Fault, Scalar};

use crate::case::Case;
use crate::interpreter::Number;
use crate::samples;
use crate::tolerance::Tolerance;

pub fn cases() -> Vec<Case> {
    let mut cases =
        vec![positions(), narrow_positions(), nested(), collatz(), faults(true), faults(false), wide_results()];
    cases.extend(DType::ALL.map(locals));
    cases.extend([DType::F32, DType::F16, DType::C128].map(horner));
    cases
}

/// Position as `Index` and `OuterIndex` over three dimensions.
fn positions() -> Case {
    let builder = Builder::new("index");
    let out = [builder.operand(DType::I64, Mode::Write), builder.operand(DType::I64, Mode::Write)];
    builder.store(out[0], builder.index());
    builder.store(out[1], builder.outer_index());
    Case::new("index", builder.finish_map(), Tolerance::EXACT).outer(&[3, 5, 7]).outputs()
}

/// Position converted to other types, as `arange` does.
fn narrow_positions() -> Case {
    let builder = Builder::new("index_cast");
    let index = builder.index();
    for dtype in DType::ALL {
        builder.output(dtype, index);
    }
    Case::new("index_cast", builder.finish_map(), Tolerance::EXACT).outer(&[3000]).outputs()
}

/// A local of every type that a branch may change.
fn locals(dtype: DType) -> Case {
    let name = format!("local_{dtype}");
    let builder = Builder::new(name.clone());
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    let local = builder.local(a);
    builder.branch(
        a.eq(b),
        || (),
        || {
            builder.branch(b.ne(b.like_integer(0)), || local.set(b), || local.set(local.get() + a));
        },
    );
    builder.output(dtype, local.get());
    let (a, b) = samples::pairs(dtype, 60);
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&a, &b])
}

/// Branches within loops within branches.
fn nested() -> Case {
    let builder = Builder::new("nested");
    let x = builder.input(DType::I32);
    let (sum, count) = (builder.local(x.like_integer(0)), builder.local(x));
    builder.branch(
        x.gt(x.like_integer(3)),
        || {
            builder.repeat(
                || count.get().gt(x.like_integer(0)),
                || {
                    let odd = (count.get() & x.like_integer(1)).eq(x.like_integer(1));
                    builder.branch(
                        odd,
                        || sum.set(sum.get() + count.get()),
                        || {
                            let inner = builder.local(x.like_integer(0));
                            builder.repeat(
                                || inner.get().lt(x.like_integer(3)),
                                || {
                                    sum.set(sum.get() - inner.get());
                                    inner.set(inner.get() + x.like_integer(1));
                                },
                            );
                        },
                    );
                    count.set(count.get() - x.like_integer(1));
                },
            );
        },
        || sum.set(-x),
    );
    builder.output(DType::I32, sum.get());
    let values: Vec<Number> = (-5..40).map(Number::Int).collect();
    Case::new("nested", builder.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// A loop whose length differs from point to point.
fn collatz() -> Case {
    let builder = Builder::new("collatz");
    let start = builder.input(DType::U64);
    let (value, steps) = (builder.local(start), builder.local(builder.integer(DType::I32, 0)));
    let (one, two, three) = (start.like_integer(1), start.like_integer(2), start.like_integer(3));
    builder.repeat(
        || value.get().gt(one),
        || {
            let x = value.get();
            let even = (x % two).eq(start.like_integer(0));
            value.set((x / two).when(even, x * three + one));
            steps.set(steps.get() + builder.integer(DType::I32, 1));
        },
    );
    builder.output(DType::I32, steps.get());
    let values: Vec<Number> = (0..1000).map(Number::Int).collect();
    Case::new("collatz", builder.finish_map(), Tolerance::EXACT).flat(&[&values])
}

/// A polynomial by a loop that carries an accumulator of the type.
fn horner(dtype: DType) -> Case {
    let name = format!("horner_{dtype}");
    let builder = Builder::new(name.clone());
    let x = builder.input(dtype);
    let (sum, order) = (builder.local(x.like(1.0)), builder.local(builder.integer(DType::I32, 0)));
    builder.repeat(
        || order.get().lt(builder.integer(DType::I32, 6)),
        || {
            sum.set(sum.get() * x + x.like(0.5));
            order.set(order.get() + builder.integer(DType::I32, 1));
        },
    );
    builder.output(dtype, sum.get());
    Case::new(name, builder.finish_map(), Tolerance::EXACT).flat(&[&samples::small(dtype, 100)])
}

/// Requirements that hold, or that one point in the middle breaks.
fn faults(hold: bool) -> Case {
    let name = if hold { "require_holds" } else { "require_fails" };
    let builder = Builder::new(name);
    let limit = builder.scalar(DType::I64);
    let index = builder.input(DType::I64);
    let inside = index.ge(index.like_integer(0)) & index.lt(limit);
    builder.require(inside, Fault::IndexOutOfBounds);
    builder.output(DType::I64, index.when(inside, index.like_integer(0)));
    let values: Vec<Number> = (0..500).map(|i| Number::Int(if i == 250 { 499 } else { i % 7 })).collect();
    let limit = Scalar::i64(if hold { 500 } else { 400 });
    Case::new(name, builder.finish_map(), Tolerance::EXACT).scalars(&[limit]).flat(&[&values])
}

/// Many results of several types from one kernel.
fn wide_results() -> Case {
    let kernel: Kernel = {
        let builder = Builder::new("many_results");
        let (a, b) = (builder.input(DType::F32), builder.input(DType::I16));
        for order in 1..12 {
            builder.output(DType::F64, a * a.like(f64::from(order)));
            builder.output(DType::I16, b + b.like_integer(order.into()));
        }
        builder.output(DType::Bool, a.gt(a.like(0.0)));
        builder.finish_map()
    };
    let (a, b) = (samples::small(DType::F32, 301), samples::small(DType::I16, 301));
    Case::new("many_results", kernel, Tolerance::EXACT).flat(&[&a, &b])
}
