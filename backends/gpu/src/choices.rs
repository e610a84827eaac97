//! What was chosen for operations of neural networks.

use cuproxide_hal::libraries::dnn::{Choice, Operation, Tensor};
use parking_lot::Mutex;

/// Choices that are kept; then all go.
const KEPT: usize = 512;

/// Choices by operation and by dtypes, lengths and strides of its tensors.
#[derive(Default)]
pub struct Choices(Mutex<Vec<(Operation, Vec<Tensor>, Choice)>>);

impl Choices {
    /// What was kept for such an operation.
    pub fn get(&self, operation: &Operation, tensors: &[Tensor]) -> Option<Choice> {
        let same = |kept: &[Tensor]| {
            kept.iter().zip(tensors).all(|(a, b)| (a.dtype, &a.shape, &a.strides) == (b.dtype, &b.shape, &b.strides))
        };
        let kept = self.0.lock();
        kept.iter().find(|(of, tensors, _)| of == operation && same(tensors)).map(|(.., choice)| *choice)
    }

    /// Keeps a choice.
    pub fn keep(&self, operation: &Operation, tensors: &[Tensor], choice: Choice) {
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.push((operation.clone(), tensors.to_vec(), choice));
    }
}
