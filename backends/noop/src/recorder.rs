//! What the devices were asked to do, in order.

use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::{DType, DeviceId, MemoryKind, Specialization};
use parking_lot::Mutex;

/// One call of the HAL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Memory was allocated.
    Allocate {
        /// Kind of memory.
        kind: MemoryKind,
        /// Address.
        ptr: u64,
        /// Size.
        bytes: usize,
    },
    /// Memory was given back.
    Free {
        /// Address.
        ptr: u64,
        /// Size.
        bytes: usize,
    },
    /// A copy from the host.
    CopyFromHost {
        /// Target.
        dst: u64,
        /// Size.
        bytes: usize,
    },
    /// A copy to the host.
    CopyToHost {
        /// Source.
        src: u64,
        /// Size.
        bytes: usize,
    },
    /// A copy within the device.
    Copy {
        /// Target.
        dst: u64,
        /// Source.
        src: u64,
        /// Size.
        bytes: usize,
    },
    /// A copy from another device.
    CopyFromPeer {
        /// The other device.
        source: DeviceId,
        /// Target.
        dst: u64,
        /// Source.
        src: u64,
        /// Size.
        bytes: usize,
    },
    /// A range was set to one byte value.
    Fill {
        /// Target.
        dst: u64,
        /// Byte.
        value: u8,
        /// Size.
        bytes: usize,
    },
    /// A kernel of the IR was compiled.
    Compile {
        /// Name of the kernel.
        kernel: String,
        /// Kind of launch.
        specialization: Specialization,
    },
    /// Kernel text was compiled.
    CompileSource {
        /// Name of the program.
        name: String,
    },
    /// A kernel of the IR was launched.
    Launch {
        /// Name of the kernel.
        kernel: String,
        /// Kept dimensions.
        outer: Vec<usize>,
        /// Reduced or scanned dimensions.
        inner: Vec<usize>,
    },
    /// A function of kernel text was launched.
    LaunchFunction {
        /// Name of the function.
        function: String,
    },
    /// A matrix product.
    Gemm {
        /// Element type.
        dtype: DType,
        /// Rows, columns, inner length and number of products.
        shape: [usize; 4],
    },
    /// A sort.
    Sort {
        /// Element type of the keys.
        dtype: DType,
        /// Rows and their length.
        shape: [usize; 2],
    },
    /// Random words.
    Words {
        /// Number of the first block.
        first: u64,
        /// Number of blocks.
        blocks: usize,
    },
    /// A Fourier transform.
    Fft {
        /// Real type of the data.
        dtype: DType,
        /// Lengths of the transformed axes.
        lengths: Vec<usize>,
        /// Number of transforms.
        batch: usize,
    },
    /// An event was recorded.
    RecordEvent {
        /// The event's handle.
        event: u64,
    },
    /// A stream waits for an event.
    WaitEvent {
        /// The event's handle.
        event: u64,
    },
    /// A stream began to capture. What follows on it is recorded here when it is captured.
    BeginCapture {
        /// The capture's number.
        capture: u64,
    },
    /// A capture ended.
    EndCapture {
        /// The capture's number.
        capture: u64,
    },
    /// A graph was launched.
    LaunchGraph {
        /// The number of its capture.
        capture: u64,
    },
    /// A host callback was called.
    CallHost,
    /// The host waited for a stream (or, without one, for the device).
    Synchronize,
    /// The host waited for an event.
    SynchronizeEvent {
        /// The event's handle.
        event: u64,
    },
}

/// A call with where it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The device's number.
    pub device: usize,
    /// Handle of the stream, for calls that are queued on one.
    pub stream: Option<u64>,
    /// The call.
    pub call: Call,
}

/// Sums over all calls, recorded or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Blocks allocated and not yet given back.
    pub live_blocks: usize,
    /// Their bytes.
    pub live_bytes: usize,
    /// Calls of allocate that succeeded.
    pub allocations: usize,
    /// Kernels compiled.
    pub compiles: usize,
    /// Kernels launched.
    pub launches: usize,
    /// Copies and fills.
    pub copies: usize,
    /// Waits of the host.
    pub synchronizations: usize,
}

/// Collects calls while it is on, and violations of the contract always.
#[derive(Default)]
pub struct Recorder {
    recording: AtomicBool,
    records: Mutex<Vec<Record>>,
    totals: Mutex<Totals>,
    violations: Mutex<Vec<String>>,
}

impl Recorder {
    /// Starts to collect calls; forgets those collected before.
    pub fn start(&self) {
        self.records.lock().clear();
        self.recording.store(true, Ordering::SeqCst);
    }

    /// Stops and hands out the calls since [`start`](Recorder::start).
    pub fn finish(&self) -> Vec<Record> {
        self.recording.store(false, Ordering::SeqCst);
        std::mem::take(&mut self.records.lock())
    }

    /// The sums so far.
    pub fn totals(&self) -> Totals {
        *self.totals.lock()
    }

    /// The violations of the HAL's contract since the last call of this function.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut self.violations.lock())
    }

    pub(crate) fn violation(&self, message: String) {
        self.violations.lock().push(message);
    }

    pub(crate) fn add(&self, device: usize, stream: Option<u64>, call: Call) {
        self.totals.lock().count(&call);
        if self.recording.load(Ordering::Relaxed) {
            self.records.lock().push(Record { device, stream, call });
        }
    }
}

impl Totals {
    fn count(&mut self, call: &Call) {
        match *call {
            Call::Allocate { bytes, .. } => {
                self.allocations += 1;
                self.live_blocks += 1;
                self.live_bytes += bytes;
            }
            Call::Free { bytes, .. } => {
                self.live_blocks -= 1;
                self.live_bytes -= bytes;
            }
            Call::CopyFromHost { .. }
            | Call::CopyToHost { .. }
            | Call::Copy { .. }
            | Call::CopyFromPeer { .. }
            | Call::Fill { .. } => self.copies += 1,
            Call::Compile { .. } | Call::CompileSource { .. } => self.compiles += 1,
            Call::Launch { .. }
            | Call::LaunchFunction { .. }
            | Call::Gemm { .. }
            | Call::Sort { .. }
            | Call::Words { .. }
            | Call::Fft { .. }
            | Call::LaunchGraph { .. } => {
                self.launches += 1;
            }
            Call::Synchronize | Call::SynchronizeEvent { .. } => self.synchronizations += 1,
            Call::RecordEvent { .. }
            | Call::WaitEvent { .. }
            | Call::BeginCapture { .. }
            | Call::EndCapture { .. }
            | Call::CallHost => {}
        }
    }
}
