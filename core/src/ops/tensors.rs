//! Operations on tensors whose axes carry labels, by the library of a device.

use std::sync::Arc;

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{
    Libraries, Tensor, TensorCompute, TensorOperation, TensorPlan, TensorSpec, TensorWorkspace,
};
use smallvec::SmallVec;

use crate::array::{Array, common_context};
use crate::context::Context;
use crate::error::{Result, value_error};
use crate::layout::Order;
use crate::memory::capture;
use crate::ops::copy::{assign, copy};
use crate::ops::fft::scratch;
use crate::ops::library::library;
use crate::plans::{Key, Plan};
use crate::promotion::Casting;
use crate::timeline::{self, Work};

/// The most that an address is known to be a multiple of.
const MOST_ALIGNMENT: u32 = 256;

impl Key for TensorSpec {
    type Plan = dyn TensorPlan;
    const CAPACITY: usize = 128;

    /// Scratch memory is taken for each call.
    fn bytes(&self, _: &dyn TensorPlan) -> usize {
        0
    }
}

/// An operation without what arrays tell of themselves.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is done.
    pub operation: TensorOperation,
    /// Labels of the tensors, those read in the order of the formula and the result.
    pub labels: Vec<Vec<i32>>,
    /// Numbers of their unary operators.
    pub operators: Vec<i32>,
    /// Arithmetic.
    pub compute: TensorCompute,
    /// Number of the algorithm; -1 lets the library choose.
    pub algorithm: i32,
    /// Number of the mode of compiling kernels for the operation; 0 for none.
    pub compiling: i32,
    /// Scratch memory.
    pub workspace: TensorWorkspace,
}

/// How a tensor lies in memory.
#[derive(Clone, Debug)]
pub struct Place {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// Strides in bytes.
    pub strides: Vec<isize>,
    /// Bytes of which the address is a multiple.
    pub alignment: u32,
}

impl Place {
    fn of(array: &Array, address: u64) -> Place {
        Place {
            dtype: array.dtype(),
            shape: array.shape().to_vec(),
            strides: array.strides().to_vec(),
            alignment: 1 << address.trailing_zeros().min(MOST_ALIGNMENT.trailing_zeros()),
        }
    }

    fn tensor(&self, labels: &[i32], operator: i32) -> Result<Tensor> {
        let size = self.dtype.size();
        if labels.len() != self.shape.len() {
            return value_error(format!("ndim mismatch: {} != {}", self.shape.len(), labels.len()));
        }
        if (self.alignment as usize) < self.dtype.alignment() {
            return value_error("a tensor is not aligned to its elements");
        }
        let (mut lengths, mut strides) = (vec![], vec![]);
        for (&length, &stride) in self.shape.iter().zip(&self.strides) {
            if length == 0 {
                return value_error("a tensor has no elements");
            }
            // The stride of a single element says nothing.
            let stride = if length == 1 { size as isize } else { stride };
            if stride < 0 || !(stride as usize).is_multiple_of(size) {
                return value_error(format!("a tensor has a stride of {stride} bytes"));
            }
            lengths.push(length as i64);
            strides.push((stride as usize / size) as i64);
        }
        let (dtype, alignment) = (self.dtype, self.alignment);
        Ok(Tensor { dtype, lengths, strides, labels: labels.to_vec(), operator, alignment })
    }
}

impl Request {
    fn spec(&self, places: &[Place]) -> Result<TensorSpec> {
        let count = self.operation.inputs() + 1;
        if [places.len(), self.labels.len(), self.operators.len()] != [count; 3] {
            return value_error(format!("{} tensors for an operation of {count}", places.len()));
        }
        let each = places.iter().zip(&self.labels).zip(&self.operators);
        let tensors = each.map(|((place, labels), &operator)| place.tensor(labels, operator));
        Ok(TensorSpec {
            operation: self.operation,
            tensors: tensors.collect::<Result<_>>()?,
            compute: self.compute,
            algorithm: self.algorithm,
            compiling: self.compiling,
            workspace: self.workspace,
        })
    }

    fn plan(&self, context: &Context, places: &[Place]) -> Result<Arc<Plan<dyn TensorPlan>>> {
        let spec = self.spec(places)?;
        let library = library(context, Libraries::tensors)?;
        context.plans::<TensorSpec>().get(&spec, || library.plan(&spec))
    }

    /// Prepares the operation for tensors that lie as said; the scratch bytes that it takes.
    ///
    /// # Errors
    /// Those of the library, and `ValueError` for tensors that no library takes.
    pub fn prepare(&self, context: &Context, places: &[Place]) -> Result<usize> {
        Ok(self.plan(context, places)?.scratch_bytes())
    }

    /// Queues the operation on arrays: those read in the order of the formula, and the result. `factors` are complex
    /// numbers in the order of the formula.
    ///
    /// # Errors
    /// As for `prepare`, and `ValueError` for arrays of different devices.
    pub fn run(&self, arrays: &[Array], factors: &[(f64, f64)]) -> Result<()> {
        let Some((result, inputs)) = arrays.split_last() else { return value_error("an operation without tensors") };
        if factors.len() != self.operation.factors() {
            return value_error(format!("{} factors where {} are wanted", factors.len(), self.operation.factors()));
        }
        let context = common_context("tensor operation", arrays.iter())?.expect("an array").clone();
        // The result may be the last of what is read, element by element; what it overlaps otherwise is read from a copy.
        let last = inputs.len().saturating_sub(1);
        let in_place = |index: usize, input: &Array| index == last && last > 0 && input.is_same_view(result);
        let mut held: SmallVec<[Array; 4]> = SmallVec::new();
        for (index, input) in inputs.iter().enumerate() {
            let is_overwritten = input.may_share_memory(result) && !in_place(index, input);
            held.push(if is_overwritten { copy(input, Order::K)? } else { input.clone() });
        }
        held.push(result.clone());
        if last > 0 && self.labels[last] == self.labels[last + 1] {
            lie_alike(&mut held[last..])?;
        }
        let arrays = held;
        let (result, inputs) = arrays.split_last().expect("the result");
        let mut addresses: SmallVec<[u64; 4]> = SmallVec::new();
        for input in inputs {
            addresses.push(input.read_ptr()?);
        }
        addresses.push(result.ptr()?);
        let mut places: Vec<Place> = arrays.iter().zip(&addresses).map(|(array, &at)| Place::of(array, at)).collect();
        if last > 0 {
            let alignment = places[last].alignment.min(places[last + 1].alignment);
            places[last].alignment = alignment;
            places[last + 1].alignment = alignment;
        }
        let plan = self.plan(&context, &places)?;
        capture::keep(&context, || plan.clone());
        // Given back after the work is queued: stream order protects it from the next user.
        let scratch = match plan.scratch_bytes() {
            0 => None,
            bytes => Some(scratch(result, bytes)?),
        };
        let held = scratch.as_ref().map_or(0, |block| block.ptr);
        let name = match self.operation {
            TensorOperation::Contraction => "tensor contraction",
            TensorOperation::Reduction { .. } => "tensor reduction",
            TensorOperation::Permutation => "tensor permutation",
            TensorOperation::Binary { .. } | TensorOperation::Trinary { .. } => "tensor combination",
        };
        let bytes = || arrays.iter().map(Array::nbytes).sum();
        let _span = timeline::queued(Work::Library, name, &context, bytes);
        // SAFETY: the plan is for tensors that lie as the arrays do; scratch is as large as asked for.
        context.queue(|stream| unsafe { plan.execute(stream, factors, &addresses, held) })?;
        Ok(())
    }
}

/// Sees to it that the tensor which is added lies as the result does, which libraries ask for: one that lies otherwise is
/// copied to where the result goes and read from there.
fn lie_alike(pair: &mut [Array]) -> Result<()> {
    let [added, result] = pair else { return Ok(()) };
    let steps = |array: &Array| -> SmallVec<[isize; 8]> {
        let each = array.shape().iter().zip(array.strides());
        each.map(|(&length, &stride)| if length == 1 { 0 } else { stride }).collect()
    };
    if added.dtype() == result.dtype() && added.shape() == result.shape() && steps(added) != steps(result) {
        assign(result, added, Casting::No, None)?;
        *added = result.clone();
    }
    Ok(())
}
