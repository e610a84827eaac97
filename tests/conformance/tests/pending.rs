//! Arrays whose elements are still to be computed: evaluated once, when somebody looks, and never otherwise.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_core::error::{Error, Result};
use cuproxide_core::layout::{Dims, Order, Strides};
use cuproxide_core::memory::Buffer;
use cuproxide_core::ops::elementwise::{self, Input};
use cuproxide_core::ops::reduction::{self, Reduction};
use cuproxide_core::ops::{creation, transfer};
use cuproxide_core::storage::{Pending, Storage};
use cuproxide_core::{Array, Context};
use cuproxide_hal::{DType, Scalar};

/// Copies another array's elements when evaluated, or fails.
struct Copy {
    source: Array,
    evaluations: Arc<AtomicUsize>,
    fails: bool,
}

impl Pending for Copy {
    fn evaluate(self: Box<Self>, context: &Context, buffer: &Buffer) -> Result<()> {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        if self.fails {
            return Err(Error::Value("the evaluation failed".to_owned()));
        }
        let source = self.source.ptr()?;
        // SAFETY: both ranges are live memory of this device and of that size.
        context.with_stream(|stream| unsafe {
            context.device().copy(stream.as_ref(), buffer.ptr, source, self.source.nbytes())
        })?;
        Ok(())
    }
}

fn pending(fails: bool) -> (Array, Arc<AtomicUsize>) {
    let device = cuproxide_backends::device("cpu").expect("the CPU is always there");
    let context = Context::of(&device);
    let (zero, one) = (Scalar::real(DType::F64, 0.0), Scalar::real(DType::F64, 1.0));
    let source = creation::arange(&context, DType::F64, zero, one, 4).expect("four elements fit");
    let evaluations = Arc::new(AtomicUsize::new(0));
    let work = Copy { source, evaluations: evaluations.clone(), fails };
    let storage = Storage::pending(&context, 32, Box::new(work));
    let array = Array::from_storage(storage, DType::F64, Dims::from_slice(&[4]), Strides::from_slice(&[8]), 0);
    (array, evaluations)
}

fn sum(array: &Array) -> Result<f64> {
    Ok(transfer::item(&reduction::reduce("sum", array, &Reduction::default())?)?.to_complex().0)
}

#[test]
fn a_view_asks_for_nothing_and_an_operation_for_everything_once() {
    let (array, evaluations) = pending(false);
    let backwards = array.reversed_axes().reshape_view(&[2, 2], false).expect("a contiguous array");
    assert!(!array.storage().is_ready());
    assert_eq!(evaluations.load(Ordering::Relaxed), 0);
    assert_eq!(sum(&backwards).unwrap(), 6.0);
    let doubled = elementwise::apply("add", &[Input::Array(&array), Input::Array(&array)]).unwrap();
    assert_eq!(sum(&doubled).unwrap(), 12.0);
    assert!(array.storage().is_ready());
    assert_eq!(evaluations.load(Ordering::Relaxed), 1);
}

#[test]
fn what_nobody_looks_at_is_never_computed() {
    let (array, evaluations) = pending(false);
    drop(array);
    assert_eq!(evaluations.load(Ordering::Relaxed), 0);
}

#[test]
fn threads_that_look_together_compute_once() {
    let (array, evaluations) = pending(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(sum(&array).unwrap(), 6.0));
        }
    });
    assert_eq!(evaluations.load(Ordering::Relaxed), 1);
}

#[test]
fn a_failed_evaluation_is_an_error_and_leaves_memory_to_write_to() {
    let (array, _) = pending(true);
    assert_eq!(sum(&array).unwrap_err().to_string(), "the evaluation failed");
    cuproxide_core::ops::copy::fill(&array, Scalar::real(DType::F64, 2.0)).unwrap();
    assert_eq!(sum(&array).unwrap(), 8.0);
    assert!(array.empty_like(DType::F32, Order::K).is_ok());
}
