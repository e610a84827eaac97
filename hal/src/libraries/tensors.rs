//! Operations on dense tensors whose axes carry labels: contraction, reduction, permutation, elementwise combination.
//!
//! Operators, algorithms and compilation modes are numbers, which the vendors share; a library refuses those it lacks.

use std::sync::Arc;

use crate::{DType, Result, Stream};

/// A strided tensor with a label for each axis. Axes of one label have one length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// Element type: floating or complex.
    pub dtype: DType,
    /// Lengths of the axes; none is 0.
    pub lengths: Vec<i64>,
    /// Strides in elements; none is negative.
    pub strides: Vec<i64>,
    /// Labels of the axes, none twice.
    pub labels: Vec<i32>,
    /// Number of the unary operator that is applied to each element. It has no effect on a result.
    pub operator: i32,
    /// Bytes of which the address is a multiple.
    pub alignment: u32,
}

/// What is done to the tensors. `f`, `g`, `h` stand for their unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorOperation {
    /// `D = alpha * f(A) * g(B) + beta * h(C)`, summed over the labels that only `A` and `B` have.
    Contraction,
    /// `D = alpha * combine(f(A)) + beta * h(C)`, over the labels that only `A` has.
    Reduction {
        /// Number of the binary operator.
        combine: i32,
    },
    /// `D = alpha * f(A)`.
    Permutation,
    /// `D = combine(alpha * f(A), gamma * h(C))`.
    Binary {
        /// Number of the binary operator.
        combine: i32,
    },
    /// `D = last(first(alpha * f(A), beta * g(B)), gamma * h(C))`.
    Trinary {
        /// Number of the binary operator of `A` and `B`.
        first: i32,
        /// Number of the binary operator of that and `C`.
        last: i32,
    },
}

impl TensorOperation {
    /// How many tensors are read; the result comes after them.
    pub const fn inputs(self) -> usize {
        match self {
            TensorOperation::Permutation => 1,
            TensorOperation::Reduction { .. } | TensorOperation::Binary { .. } => 2,
            TensorOperation::Contraction | TensorOperation::Trinary { .. } => 3,
        }
    }

    /// How many factors there are.
    pub const fn factors(self) -> usize {
        match self {
            TensorOperation::Contraction => 2,
            other => other.inputs(),
        }
    }
}

/// Arithmetic inside an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorCompute {
    /// float16.
    F16,
    /// bfloat16.
    Bf16,
    /// TensorFloat-32.
    Tf32,
    /// Three products in TensorFloat-32 for each one.
    ThreeTf32,
    /// float32.
    F32,
    /// float64.
    F64,
}

/// How much scratch memory a plan may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorWorkspace {
    /// At most so many bytes.
    Limit(u64),
    /// As much as this preference of the library estimates: 1 for the least, 2 as recommended, 3 for the most.
    Preference(i32),
}

/// An operation with all that a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSpec {
    /// What is done.
    pub operation: TensorOperation,
    /// The tensors that are read, in the order of the formula, and the result.
    pub tensors: Vec<Tensor>,
    /// Arithmetic.
    pub compute: TensorCompute,
    /// Number of the algorithm; -1 lets the library choose.
    pub algorithm: i32,
    /// Number of the mode of compiling kernels for the operation; 0 for none.
    pub compiling: i32,
    /// Scratch memory.
    pub workspace: TensorWorkspace,
}

/// A prepared operation. It may be used from any thread and on any stream of its device, each time with other scratch.
pub trait TensorPlan: Send + Sync {
    /// Scratch bytes that `execute` needs.
    fn scratch_bytes(&self) -> usize;

    /// Queues the operation. `factors` are complex numbers in the order of the formula, as many as
    /// [`TensorOperation::factors`]; where one is 0, what it multiplies is not read.
    ///
    /// # Safety
    /// `addresses` are those of the plan's tensors, aligned as it says; the result may be the last of those read, and
    /// overlaps no other. `scratch` is device memory of `scratch_bytes`.
    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        factors: &[(f64, f64)],
        addresses: &[u64],
        scratch: u64,
    ) -> Result<()>;
}

/// Maker of plans; `core` caches them.
pub trait Tensors: Send + Sync {
    /// Version of the library, as major * 10000 + minor * 100 + patch level.
    fn version(&self) -> Result<usize>;

    /// Version of the run-time library that it was built with, as that counts; 0 where it does not tell.
    fn runtime_version(&self) -> Result<usize>;

    /// Prepares an operation.
    fn plan(&self, spec: &TensorSpec) -> Result<Arc<dyn TensorPlan>>;
}
