//! Launches kernels through the public interface, with every rule checked.
#![allow(dead_code, reason = "each test uses a part")]

use std::sync::{Arc, OnceLock};

use cuproxide_hal::ir::{Body, Builder, Fold, Kernel, Mode, Var};
use cuproxide_hal::{DType, Device, Launch, MAX_DIMS, Operand, Scalar, Specialization};

/// The device.
pub fn device() -> &'static Arc<dyn Device> {
    static DEVICE: OnceLock<Arc<dyn Device>> = OnceLock::new();
    DEVICE.get_or_init(|| cuproxide_cpu::backend().device(0).expect("there is a processor"))
}

/// An operand with byte strides.
pub fn operand<T>(data: &[T], offset: usize, strides: &[isize]) -> Operand {
    let mut all = [0; MAX_DIMS];
    all[..strides.len()].copy_from_slice(strides);
    Operand { ptr: data[offset..].as_ptr() as u64, strides: all }
}

/// Validates, compiles and launches.
pub fn launch(kernel: &Kernel, outer: &[usize], inner: &[usize], operands: &[Operand], scalars: &[Scalar]) {
    kernel.validate().expect("the kernel is valid");
    let launch = Launch { outer, inner, operands, scalars, scratch: 0 };
    let compiled = device().compile(kernel, Specialization::of(kernel, &launch)).expect("the kernel compiles");
    let stream = device().default_stream();
    // SAFETY: the tests pass operands that fit.
    unsafe { compiled.launch(&*stream, &launch) }.expect("the launch works");
    stream.synchronize().expect("the launch ends well");
}

/// Element types that tests iterate over.
pub trait Element: Copy + PartialEq + std::fmt::Debug + Default {
    /// The IR's name.
    const DTYPE: DType;
    /// A small number.
    fn small(value: usize) -> Self;
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),*) => {
        $(impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            fn small(value: usize) -> $type { (value % 100) as $type }
        })*
    };
}

elements!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);

/// `count` small numbers.
pub fn numbers<T: Element>(count: usize) -> Vec<T> {
    (0..count).map(|index| T::small(index * 7 + 3)).collect()
}

/// A map of `arity` inputs of type `input` to one output.
pub fn map(arity: usize, input: DType, output: DType, write: impl for<'b> Fn(&[Var<'b>]) -> Var<'b>) -> Kernel {
    let builder = Builder::new("map");
    let inputs: Vec<Var<'_>> = (0..arity).map(|_| builder.input(input)).collect();
    builder.output(output, write(&inputs));
    drop(inputs);
    builder.finish_map()
}

/// A fold of one input into one output by `combine` from `identity`.
pub fn fold(
    input: DType,
    accumulator: DType,
    scan: bool,
    identity: f64,
    combine: impl for<'b> Fn(Var<'b>, Var<'b>) -> Var<'b>,
) -> Kernel {
    let builder = Builder::new("fold");
    let source = builder.operand(input, Mode::Read);
    let target = builder.operand(accumulator, Mode::Write);
    let fold = Fold {
        identity: builder.lambda(&[], |_| vec![builder.real(accumulator, identity)]),
        map: builder.lambda(&[], |_| vec![builder.load(source).cast(accumulator)]),
        combine: builder.lambda(&[accumulator; 2], |a| vec![combine(a[0], a[1])]),
        finish: builder.lambda(&[accumulator], |a| {
            builder.store(target, a[0]);
            vec![]
        }),
    };
    builder.finish(if scan { Body::Scan(fold) } else { Body::Reduce(fold) })
}
