//! A kernel with its data, which the interpreter and a device both run.

use std::collections::BTreeMap;

use cuproxide_hal::ir::{Kernel, Mode};
use cuproxide_hal::{DType, Fault, MAX_DIMS, Scalar};

use crate::interpreter::number::{decode, encode};
use crate::interpreter::{Memory, Number, Placed, interpret};
use crate::tolerance::Tolerance;

/// A kernel and everything a launch needs.
#[derive(Clone)]
pub struct Case {
    /// Name in the report.
    pub name: String,
    /// The kernel, not legalised.
    pub kernel: Kernel,
    /// Outer dimensions.
    pub outer: Vec<usize>,
    /// Inner dimensions.
    pub inner: Vec<usize>,
    /// The buffers' bytes before the launch.
    pub buffers: Vec<Vec<u8>>,
    /// Where the operands lie in the buffers.
    pub operands: Vec<Placed>,
    /// The scalars.
    pub scalars: Vec<Scalar>,
    /// How exact the results must be.
    pub tolerance: Tolerance,
}

/// The bytes of elements.
pub fn bytes(dtype: DType, numbers: &[Number]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| encode(dtype, number)).collect()
}

/// Strides in bytes of a C-contiguous array.
pub fn contiguous(dtype: DType, shape: &[usize]) -> [isize; MAX_DIMS] {
    let mut strides = [0; MAX_DIMS];
    let mut stride = dtype.size() as isize;
    for (slot, &length) in strides[..shape.len()].iter_mut().zip(shape).rev() {
        *slot = stride;
        stride *= length as isize;
    }
    strides
}

impl Case {
    /// A case without dimensions or data.
    pub fn new(name: impl Into<String>, kernel: Kernel, tolerance: Tolerance) -> Case {
        Case {
            name: name.into(),
            kernel,
            outer: vec![],
            inner: vec![],
            buffers: vec![],
            operands: vec![],
            scalars: vec![],
            tolerance,
        }
    }

    /// Sets the outer dimensions.
    pub fn outer(mut self, shape: &[usize]) -> Case {
        self.outer = shape.to_vec();
        self
    }

    /// Sets the inner dimensions.
    pub fn inner(mut self, shape: &[usize]) -> Case {
        self.inner = shape.to_vec();
        self
    }

    /// Sets the scalars.
    pub fn scalars(mut self, scalars: &[Scalar]) -> Case {
        self.scalars = scalars.to_vec();
        self
    }

    /// Adds an operand in a buffer of its own.
    pub fn operand(mut self, buffer: Vec<u8>, origin: usize, strides: &[isize]) -> Case {
        let mut all = [0; MAX_DIMS];
        all[..strides.len()].copy_from_slice(strides);
        self.operands.push(Placed { buffer: self.buffers.len(), origin, strides: all });
        self.buffers.push(buffer);
        self
    }

    /// Adds a contiguous operand with the given elements over the outer dimensions.
    pub fn input(self, numbers: &[Number]) -> Case {
        let dtype = self.kernel.operands[self.operands.len()].dtype;
        let strides = contiguous(dtype, &self.outer);
        self.operand(bytes(dtype, numbers), 0, &strides)
    }

    /// Adds a contiguous operand over the outer dimensions, filled with a pattern that results overwrite.
    pub fn output(self) -> Case {
        let dtype = self.kernel.operands[self.operands.len()].dtype;
        let strides = contiguous(dtype, &self.outer);
        let count: usize = self.outer.iter().product();
        let fill = vec![u8::from(dtype == DType::Bool); count * dtype.size()];
        self.operand(fill, 0, &strides)
    }

    /// Adds contiguous operands for all that are still missing.
    pub fn outputs(mut self) -> Case {
        while self.operands.len() < self.kernel.operands.len() {
            self = self.output();
        }
        self
    }

    /// A map over one dimension: an operand for each list of inputs, then the outputs.
    pub fn flat(self, inputs: &[&[Number]]) -> Case {
        let count = inputs[0].len();
        inputs.iter().fold(self.outer(&[count]), |case, numbers| case.input(numbers)).outputs()
    }

    /// The same with every operand one byte further on, so that wider elements are not aligned.
    pub fn unaligned(mut self) -> Case {
        self.name += "_unaligned";
        self.buffers.iter_mut().for_each(|buffer| buffer.insert(0, 0));
        self.operands.iter_mut().for_each(|operand| operand.origin += 1);
        self
    }

    /// Runs a kernel that takes this case's data, and returns the buffers and the fault.
    pub fn interpret(&self, kernel: &Kernel, legalized: bool) -> (Vec<Vec<u8>>, Option<Fault>) {
        let mut buffers = self.buffers.clone();
        let memory = Memory { buffers: &mut buffers, operands: &self.operands, scalars: &self.scalars };
        let fault = interpret(kernel, legalized, &self.outer, &self.inner, memory);
        (buffers, fault)
    }

    /// The elements of the operands as text, for messages: those at the position of element `index` of another.
    fn inputs_at(&self, index: usize) -> String {
        let mut text = String::new();
        for (operand, declared) in self.operands.iter().zip(&self.kernel.operands) {
            let size = declared.dtype.size();
            if let (Mode::Read, Some(element)) = (
                declared.mode,
                self.buffers[operand.buffer]
                    .get(operand.origin % size + index * size..)
                    .filter(|rest| rest.len() >= size),
            ) {
                text.push_str(&format!(" {:?}", decode(declared.dtype, element)));
            }
        }
        text
    }

    /// Compares buffers after a run with the expected ones.
    ///
    /// # Errors
    /// Says how many elements differ, with the first few.
    pub fn compare(&self, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<(), String> {
        let mut written = BTreeMap::new();
        for (operand, declared) in self.operands.iter().zip(&self.kernel.operands) {
            if declared.mode != Mode::Read {
                written.insert(operand.buffer, (declared.dtype, operand.origin % declared.dtype.size()));
            }
        }
        let mut differences = vec![];
        let mut count = 0;
        for (&buffer, _) in written.iter().filter(|(_, (dtype, _))| *dtype == DType::Bool) {
            let mut bytes = found[buffer].iter().zip(&self.buffers[buffer]);
            if let Some((byte, _)) = bytes.find(|&(&after, before)| after > 1 && after != *before) {
                count += 1;
                differences.push(format!("buffer {buffer}: a bool was written as {byte}"));
            }
        }
        for (&buffer, &(dtype, skip)) in &written {
            let elements = |bytes: &[u8]| -> Vec<Number> {
                bytes[skip..].chunks_exact(dtype.size()).map(|element| decode(dtype, element)).collect()
            };
            let pairs = elements(&expected[buffer]).into_iter().zip(elements(&found[buffer]));
            for (index, (expected, found)) in pairs.enumerate() {
                if !self.tolerance.accepts(dtype, expected, found) {
                    count += 1;
                    if differences.len() < 4 {
                        let inputs = self.inputs_at(index);
                        differences.push(format!(
                            "buffer {buffer} ({dtype}) [{index}]{inputs}: expected {expected:?}, found {found:?}"
                        ));
                    }
                }
            }
        }
        for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
            if !written.contains_key(&index) && expected != found {
                count += 1;
                differences.push(format!("read-only buffer {index} changed"));
            }
        }
        if count == 0 { Ok(()) } else { Err(format!("{count} differ; {}", differences.join("; "))) }
    }
}
