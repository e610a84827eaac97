//! What kernels with functions, arrays and segments must keep, and how they look as text.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{
    ArrayDecl, Body, Builder, Callee, Fold, Function, Kernel, Lambda, Mode, Op, Segments, Stmt, Value, Var,
};

fn refused(kernel: &Kernel, why: &str) {
    let error = kernel.validate().expect_err("the kernel is broken").to_string();
    assert!(error.contains(why), "{error}");
}

/// A kernel that calls a function of an int64.
fn calling(write: impl for<'b> Fn(&'b Builder, Var<'b>) -> Var<'b>) -> Kernel {
    let b = Builder::new("calling");
    let x = b.input(DType::I64);
    let function = b.function("function", &[DType::I64], |v| vec![write(&b, v[0])]);
    b.output(DType::I64, function.call(&[x])[0]);
    b.finish_map()
}

#[test]
fn functions_compute_from_their_parameters_alone() {
    assert!(calling(|_, x| x + x).validate().is_ok());
    refused(&calling(|b, _| b.index()), "no access to positions");
    refused(&calling(|b, _| b.scalar(DType::I64)), "no access to launch scalars");
    refused(&calling(|b, _| b.input(DType::I64)), "no access to operands");
    refused(
        &calling(|b, x| b.bind(x.dtype(), Op::Unary(cuproxide_hal::ir::Unary::Neg, Value(0)))),
        "before it is bound",
    );
}

#[test]
fn functions_keep_what_is_theirs() {
    let b = Builder::new("shared");
    let x = b.input(DType::I64);
    let local = b.local(x);
    let function = b.function("function", &[DType::I64], |v| {
        local.set(v[0]);
        vec![local.get()]
    });
    b.output(DType::I64, function.call(&[x])[0]);
    refused(&b.finish_map(), "more than one function");
    let unset = |b: &Builder| {
        let local = b.declare_local(DType::I64);
        b.function("function", &[DType::I64], |_| vec![local.get()]).id()
    };
    let b = Builder::new("unset");
    unset(&b);
    refused(&b.finish_map(), "before it is set");
}

#[test]
fn there_is_no_recursion() {
    let mut kernel = calling(|_, x| x + x);
    let (argument, result) = (kernel.functions[0].lambda.params[0], Value(kernel.values.len() as u32));
    kernel.values.push(DType::I64);
    let call = Stmt::Call { callee: Callee(0), arguments: vec![argument], results: vec![result] };
    kernel.functions[0].lambda.body.push(call);
    refused(&kernel, "called before it is declared");
    let mut kernel = calling(|_, x| x + x);
    kernel.functions[0].name = "two words".to_owned();
    refused(&kernel, "letters, digits and underscores");
    kernel.functions[0] = Function {
        name: "nothing".to_owned(),
        lambda: Lambda { results: vec![], ..kernel.functions[0].lambda.clone() },
    };
    refused(&kernel, "has no result");
}

#[test]
fn arrays_are_small_and_filled_first() {
    let with = |length: usize, fill: bool| {
        let b = Builder::new("array");
        let array = b.declare_array(ArrayDecl { dtype: DType::F32, length });
        if fill {
            array.fill(b.real(DType::F32, 1.0));
        }
        b.output(DType::F32, array.at(0));
        b.finish_map()
    };
    assert!(with(1, true).validate().is_ok() && with(256, true).validate().is_ok());
    refused(&with(0, true), "elements; 1 to 256");
    refused(&with(257, true), "elements; 1 to 256");
    refused(&with(4, false), "before it is filled");
    let b = Builder::new("branch");
    let x = b.input(DType::F32);
    let array = b.declare_array(ArrayDecl { dtype: DType::F32, length: 3 });
    b.branch(x.gt(x.like(0.0)), || array.fill(x), || ());
    b.output(DType::F32, array.at(1));
    refused(&b.finish_map(), "before it is filled");
    let b = Builder::new("index");
    let array = b.array(3, b.real(DType::F32, 1.0));
    b.output(DType::F32, array.get(b.integer(DType::U8, 1)));
    refused(&b.finish_map(), "not int32 or int64");
}

fn ranges(bounds: impl for<'b> Fn(&'b Builder) -> Vec<Var<'b>>, early: bool) -> Kernel {
    let b = Builder::new("ranges");
    let (input, output) = (b.operand(DType::F32, Mode::Read), b.operand(DType::F32, Mode::Write));
    let range = b.lambda(&[], |_| bounds(&b));
    let begin = b.var(range.results[0]);
    let fold = Fold {
        identity: b.lambda(&[], |_| vec![if early { begin.cast(DType::F32) } else { b.real(DType::F32, 0.0) }]),
        map: b.lambda(&[], |_| vec![b.load(input) + begin.cast(DType::F32)]),
        combine: b.lambda(&[DType::F32; 2], |v| vec![v[0] + v[1]]),
        finish: b.lambda(&[DType::F32], |v| {
            b.store(output, v[0]);
            vec![]
        }),
    };
    b.finish(Body::Segments(Segments { range, fold }))
}

#[test]
fn ranges_are_two_positions_that_map_and_finish_see() {
    let bounds = |b: &Builder| [0, 2].map(|bound| b.integer(DType::I64, bound).id());
    let good = ranges(|b| bounds(b).map(|bound| b.var(bound)).to_vec(), false);
    assert!(good.validate().is_ok());
    refused(&ranges(|b| vec![b.integer(DType::I64, 0)], false), "yields two int64");
    refused(&ranges(|b| [0, 2].map(|bound| b.integer(DType::I32, bound)).to_vec(), false), "yields two int64");
    refused(&ranges(|b| bounds(b).map(|bound| b.var(bound)).to_vec(), true), "before it is bound");
    let wanted = "segments ranges {
  operand @0: read float32
  operand @1: write float32
  range() {
    %0: int64 = const 0
    %1: int64 = const 2
    yield %0: int64, %1: int64
  }
  identity() {";
    assert!(good.to_string().starts_with(wanted), "{good}");
}

#[test]
fn functions_and_arrays_have_a_text() {
    let b = Builder::new("text");
    let x = b.input(DType::F32);
    let function = b.function("twice", &[DType::F32], |v| {
        let array = b.array(2, v[0]);
        array.set_at(1, v[0] + v[0]);
        vec![array.at(1), v[0]]
    });
    b.output(DType::F32, function.call(&[x])[0]);
    let text = b.finish_map().to_string();
    for line in [
        "  array &0: float32[2]",
        "  function twice(%1: float32) {",
        "    fill &0, %1",
        "    put &0[%3], %2",
        "    %5: float32 = element &0[%4]",
        "    yield %5: float32, %1: float32",
        "  %6: float32, %7: float32 = call twice(%0)",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
}
