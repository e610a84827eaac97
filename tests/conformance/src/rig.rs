//! A device with a stream, and the few steps that every test repeats.

use std::sync::Arc;

use cuproxide_hal::{
    Allocation, CompiledKernel, Device, Error, Fault, Launch, MemoryKind, Operand, Result, Specialization, Stream,
};

use crate::case::Case;

/// A device under test.
pub struct Rig {
    /// The device.
    pub device: Arc<dyn Device>,
    /// A stream of its own.
    pub stream: Arc<dyn Stream>,
    /// Whether the largest sizes are left out.
    pub small: bool,
}

/// Device memory that is freed when dropped.
pub struct Buffer<'r> {
    rig: &'r Rig,
    allocation: Allocation,
    bytes: usize,
}

impl Rig {
    /// A rig on the device's default stream.
    pub fn new(device: Arc<dyn Device>, small: bool) -> Rig {
        let stream = device.default_stream();
        Rig { device, stream, small }
    }

    /// Uninitialised memory.
    ///
    /// # Errors
    /// The device's.
    pub fn empty(&self, bytes: usize) -> Result<Buffer<'_>> {
        // Whole words, as the contract asks for atomics of narrow elements.
        let allocation = self.device.allocate(MemoryKind::Device, bytes.max(1).next_multiple_of(4))?;
        Ok(Buffer { rig: self, allocation, bytes })
    }

    /// Memory with a copy of `content`.
    ///
    /// # Errors
    /// The device's.
    pub fn upload(&self, content: &[u8]) -> Result<Buffer<'_>> {
        let buffer = self.empty(content.len())?;
        if !content.is_empty() {
            // SAFETY: the buffer is as long as the content, which is pageable memory that outlives the call.
            unsafe {
                self.device.copy_from_host(&*self.stream, buffer.ptr(), content.as_ptr(), content.len())?;
            }
        }
        Ok(buffer)
    }

    /// Compiles the kernel of a case.
    ///
    /// # Errors
    /// The device's.
    pub fn compile(&self, case: &Case) -> Result<Arc<dyn CompiledKernel>> {
        // Buffers are aligned like any multiple of 256.
        let operands = place(case, |_| 256);
        let specialization = Specialization::of(&case.kernel, &launch(case, &operands));
        self.device.compile(&case.kernel, specialization)
    }

    /// Launches the kernel that was compiled for a case; gives the buffers afterwards and the fault.
    ///
    /// # Errors
    /// The device's.
    pub fn run(&self, case: &Case, kernel: &dyn CompiledKernel) -> Result<(Vec<Vec<u8>>, Option<Fault>)> {
        let buffers = case.buffers.iter().map(|content| self.upload(content)).collect::<Result<Vec<_>>>()?;
        let operands = place(case, |buffer| buffers[buffer].ptr());
        let mut launch = launch(case, &operands);
        let scratch = self.empty(kernel.scratch_bytes(&launch))?;
        launch.scratch = scratch.ptr();
        // SAFETY: the kernel was compiled for this launch, and the case keeps its operands within their buffers.
        unsafe {
            kernel.launch(&*self.stream, &launch)?;
        }
        let results = buffers.iter().map(Buffer::download).collect::<Result<Vec<_>>>()?;
        Ok((results, self.device.take_fault()))
    }
}

/// The operands of a case whose buffers lie at the given addresses.
fn place(case: &Case, address: impl Fn(usize) -> u64) -> Vec<Operand> {
    let operands = case.operands.iter();
    operands
        .map(|placed| Operand { ptr: address(placed.buffer) + placed.origin as u64, strides: placed.strides })
        .collect()
}

fn launch<'a>(case: &'a Case, operands: &'a [Operand]) -> Launch<'a> {
    Launch { outer: &case.outer, inner: &case.inner, operands, scalars: &case.scalars, scratch: 0 }
}

impl Buffer<'_> {
    /// The address.
    pub fn ptr(&self) -> u64 {
        self.allocation.ptr
    }

    /// The content, after all work queued on the rig's stream.
    ///
    /// # Errors
    /// The device's.
    pub fn download(&self) -> Result<Vec<u8>> {
        let mut content = vec![0; self.bytes];
        if self.bytes > 0 {
            // SAFETY: both sides are as long as the buffer, and the stream is synchronised before `content` moves.
            unsafe {
                self.rig.device.copy_to_host(&*self.rig.stream, content.as_mut_ptr(), self.ptr(), self.bytes)?;
            }
        }
        self.rig.stream.synchronize()?;
        Ok(content)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // An error would come again at the next call; a test must not panic while another error travels.
        let _ = self.rig.device.synchronize();
        // SAFETY: the allocation came from this device, is freed once, and no queued work is left.
        let _ = unsafe { self.rig.device.free(self.allocation) };
    }
}

/// Why a test did not pass.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The device lacks an optional ability.
    Unsupported(String),
    /// The device needs a library that is not installed.
    Missing(String),
    /// Anything else.
    Wrong(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Unsupported { .. } => Failure::Unsupported(error.to_string()),
            Error::MissingLibrary(missing) => Failure::Missing(missing.name),
            other => Failure::Wrong(other.to_string()),
        }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Wrong(message)
    }
}

/// The result of a test.
pub type Check = std::result::Result<(), Failure>;

/// Fails with `message` unless `condition` holds.
///
/// # Errors
/// The message.
pub fn ensure(condition: bool, message: impl FnOnce() -> String) -> Check {
    if condition { Ok(()) } else { Err(Failure::Wrong(message())) }
}
