//! What the device shares with its kernels and libraries.

use std::sync::Arc;

use cuproxide_hal::{Error, Result, Stream};

use crate::memory::Memory;
use crate::name::NAME;
use crate::recorder::{Call, Recorder};
use crate::stream::NoopStream;

/// What the device shares with its kernels and libraries.
pub(crate) struct Core {
    pub(crate) ordinal: usize,
    pub(crate) memory: Memory,
    pub(crate) recorder: Arc<Recorder>,
}

impl Core {
    /// Fails with, and remembers, a violation of the HAL's contract.
    pub(crate) fn violation<T>(&self, call: &'static str, message: String) -> Result<T> {
        self.recorder.violation(format!("{call}: {message}"));
        Err(Error::Call { call, code: -1, name: "CONTRACT_VIOLATION".to_owned(), message })
    }

    /// Checks that `bytes` from `ptr` are live memory of this device.
    pub(crate) fn check_range(&self, call: &'static str, ptr: u64, bytes: usize) -> Result<()> {
        self.memory.check(ptr, ptr.saturating_add(bytes as u64)).or_else(|message| self.violation(call, message))
    }

    /// The handle of a stream of this device.
    pub(crate) fn stream(&self, call: &'static str, stream: &dyn Stream) -> Result<Option<u64>> {
        match stream.as_any().downcast_ref::<NoopStream>() {
            Some(own) if own.device == self.ordinal => Ok(Some(own.raw)),
            _ => self.violation(call, format!("the stream {:#x} is not one of {NAME}:{}", stream.raw(), self.ordinal)),
        }
    }

    pub(crate) fn record(&self, stream: Option<u64>, call: Call) {
        self.recorder.add(self.ordinal, stream, call);
    }
}
