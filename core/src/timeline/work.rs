//! What spans are about.

/// The target of the spans.
pub const TARGET: &str = "cuproxide::timeline";

/// What a span is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A kernel that runs, generated or the program's own.
    Kernel,
    /// A call of a library: products, transforms, sorts, solvers.
    Library,
    /// Bytes that are copied or set.
    Copy,
    /// Memory that is asked of a device.
    Allocate,
    /// Text that becomes machine code.
    Compile,
    /// Deferred operations that are queued.
    Flush,
    /// A range that the program marked.
    Range,
}

impl Work {
    /// The kind in a word.
    pub fn name(self) -> &'static str {
        match self {
            Work::Kernel => "kernel",
            Work::Library => "library",
            Work::Copy => "copy",
            Work::Allocate => "allocate",
            Work::Compile => "compile",
            Work::Flush => "flush",
            Work::Range => "range",
        }
    }
}
