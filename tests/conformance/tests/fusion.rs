//! Deferred evaluation through the public interface of core: what waits, what runs, and in which order.

use std::sync::Arc;

use cuproxide_core::error::Result;
use cuproxide_core::layout::Order;
use cuproxide_core::ops::elementwise::{self, Call, Input};
use cuproxide_core::ops::reduction::{self, Reduction};
use cuproxide_core::ops::{copy, creation, transfer};
use cuproxide_core::{Array, Context, fusion, ufunc};
use cuproxide_hal::{DType, Scalar};
use parking_lot::{Mutex, MutexGuard};

/// The counters belong to the device, so tests that read them take turns.
static TURN: Mutex<()> = Mutex::new(());

fn start() -> (MutexGuard<'static, ()>, Arc<Context>) {
    let turn = TURN.lock();
    let context = Context::of(&cuproxide_backends::device("cpu").expect("the CPU is always there"));
    context.flush().expect("what other tests left can run");
    fusion::clear_history(&context);
    (turn, context)
}

fn numbers(context: &Arc<Context>, length: usize) -> Array {
    let (zero, one) = (Scalar::real(DType::F64, 0.0), Scalar::real(DType::F64, 1.0));
    creation::arange(context, DType::F64, zero, one, length).expect("the numbers fit")
}

fn add(a: &Array, b: &Array) -> Array {
    elementwise::apply("add", &[Input::Array(a), Input::Array(b)]).expect("both are float64")
}

fn add_in_place(target: &Array, other: Input<'_>) -> Result<()> {
    let inputs = [Input::Array(target), other];
    let out = [Some(target)];
    elementwise::call(ufunc::get("add").expect("a row"), &Call { out: &out, ..Call::new(&inputs) }).map(drop)
}

fn sum(array: &Array) -> f64 {
    let total = reduction::reduce("sum", array, &Reduction::default()).expect("a sum");
    transfer::item(&total).expect("one element").to_complex().0
}

#[test]
fn a_chain_runs_as_one_kernel_when_it_is_read() {
    let (_turn, context) = start();
    let a = numbers(&context, 100);
    let b = add(&add(&a, &a), &a);
    assert!(!b.storage().is_ready());
    assert_eq!(fusion::history(&context).1.pending, 2);
    b.ptr().unwrap();
    let (entries, info) = fusion::history(&context);
    assert!(b.storage().is_ready());
    assert_eq!((entries.len(), info.fused, info.pending), (1, 1, 0));
    assert_eq!((entries[0].computed, entries[0].read, entries[0].written), (2, 1, 1));
    assert_eq!(sum(&b), 3.0 * 4950.0);
}

#[test]
fn what_nobody_looks_at_is_never_computed() {
    let (_turn, context) = start();
    let a = numbers(&context, 100);
    drop(add(&a, &a));
    context.flush().unwrap();
    let (entries, info) = fusion::history(&context);
    assert_eq!((entries.len(), info.dropped), (1, 1));
    assert_eq!(entries[0].tier, fusion::Tier::Dropped);
}

#[test]
fn several_results_come_out_of_one_kernel() {
    let (_turn, context) = start();
    let a = numbers(&context, 100);
    let b = add(&a, &a);
    let c = add(&b, &a);
    c.ptr().unwrap();
    assert!(b.storage().is_ready());
    assert_eq!(fusion::history(&context).0[0].written, 2);
    assert_eq!((sum(&b), sum(&c)), (9900.0, 14850.0));
}

#[test]
fn a_reduction_computes_its_input_itself() {
    let (_turn, context) = start();
    let a = numbers(&context, 100);
    let b = add(&a, &a);
    assert_eq!(sum(&b), 9900.0);
    assert!(!b.storage().is_ready());
    assert_eq!(fusion::history(&context).1.absorbed, 1);
}

#[test]
fn an_operand_that_is_changed_later_is_read_as_it_was() {
    let (_turn, context) = start();
    let a = numbers(&context, 100);
    let b = add(&a, &a);
    add_in_place(&a, Input::Float(1.0)).unwrap();
    let c = add(&a, &b);
    assert_eq!((sum(&a), sum(&b), sum(&c)), (5050.0, 9900.0, 14950.0));
    copy::fill(&a, Scalar::real(DType::F64, 0.0)).unwrap();
    assert_eq!((sum(&a), sum(&b)), (0.0, 9900.0));
}

#[test]
fn a_view_of_what_waits_makes_it_run_and_a_write_through_it_is_seen() {
    let (_turn, context) = start();
    let a = numbers(&context, 6);
    let b = add(&a, &a);
    let backwards = b.reversed_axes().reshape_view(&[2, 3], false).unwrap();
    assert!(!b.storage().is_ready());
    add_in_place(&backwards, Input::Float(1.0)).unwrap();
    assert_eq!(sum(&b), 36.0);
}

#[test]
fn overlapping_parts_are_updated_from_their_old_content() {
    let (_turn, context) = start();
    let a = numbers(&context, 6);
    let slice = |start| cuproxide_core::array::Slice { start, step: 1, length: 5 };
    let (head, tail) = (a.slice_axis(0, slice(0)), a.slice_axis(0, slice(1)));
    add_in_place(&tail, Input::Array(&head)).unwrap();
    // 0 1 3 5 7 9
    assert_eq!(sum(&a), 25.0);
    add_in_place(&head, Input::Array(&tail)).unwrap();
    // 1 4 8 12 16 9
    assert_eq!(sum(&a), 50.0);
}

#[test]
fn threads_that_look_together_compute_once() {
    let (_turn, context) = start();
    let a = numbers(&context, 10_000);
    let b = add(&add(&a, &a), &a);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                b.ptr().unwrap();
                assert_eq!(sum(&b), 3.0 * 49_995_000.0);
            });
        }
    });
    assert_eq!(fusion::history(&context).1.fused, 1);
}

#[test]
fn exposed_memory_is_never_behind() {
    let (_turn, context) = start();
    let a = numbers(&context, 10);
    a.expose().unwrap();
    add_in_place(&a, Input::Float(1.0)).unwrap();
    let b = add(&a, &a);
    assert!(a.storage().is_ready() && b.storage().is_ready());
    assert_eq!(fusion::history(&context).1.pending, 0);
}

#[test]
fn long_chains_and_many_operands_are_cut() {
    let (_turn, context) = start();
    let arrays: Vec<Array> = (0..60).map(|_| numbers(&context, 10)).collect();
    let mut total = arrays[0].clone();
    for array in &arrays[1..] {
        total = add(&total, array);
    }
    assert_eq!(sum(&total), 60.0 * 45.0);
    for _ in 0..2000 {
        total = elementwise::apply("add", &[Input::Array(&total), Input::Float(1.0)]).unwrap();
    }
    assert_eq!(sum(&total), 60.0 * 45.0 + 20_000.0);
    assert!(total.empty_like(DType::F32, Order::K).is_ok());
}

#[test]
fn many_live_results_take_several_kernels() {
    let (_turn, context) = start();
    let a = numbers(&context, 10);
    let results: Vec<Array> = (0..100)
        .map(|i| elementwise::apply("multiply", &[Input::Array(&a), Input::Float(f64::from(i))]).unwrap())
        .collect();
    for (i, result) in results.iter().enumerate() {
        assert_eq!(sum(&copy::copy(result, Order::C).unwrap()), 45.0 * i as f64);
    }
}
