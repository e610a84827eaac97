//! What may go wrong below the HAL, as values.

use std::fmt;

use thiserror::Error;

/// The result of every fallible HAL call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One attempt of the loader to open a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The path or bare name given to the system's loader.
    pub path: String,
    /// The system's own words on why it failed.
    pub error: String,
}

/// A vendor library that could not be opened: what was tried and what the user can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingLibrary {
    /// Name of the library as the vendor writes it, such as `cuBLAS`.
    pub name: String,
    /// Every attempt, in order.
    pub attempts: Vec<Attempt>,
    /// The command or action that installs it.
    pub hint: String,
}

impl fmt::Display for MissingLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} could not be loaded; tried", self.name)?;
        for attempt in &self.attempts {
            write!(f, "\n  {}: {}", attempt.path, attempt.error)?;
        }
        write!(f, "\nhint: {}", self.hint)
    }
}

/// A vendor library as the diagnosis (`doctor`) reports it.
#[derive(Clone, Debug)]
pub struct LibraryStatus {
    /// Name of the library as the vendor writes it.
    pub name: String,
    /// Where it was found and its version, or why it was not.
    pub found: std::result::Result<(String, String), MissingLibrary>,
}

/// A failure below the HAL.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A vendor library is not on this machine.
    #[error("{0}")]
    MissingLibrary(Box<MissingLibrary>),
    /// A vendor library lacks a function that is needed.
    #[error("{library} ({path}) has no symbol {symbol}; a newer version is needed")]
    MissingSymbol {
        /// Name of the library.
        library: String,
        /// Path it was loaded from.
        path: String,
        /// The missing function.
        symbol: String,
    },
    /// A vendor call failed.
    #[error("{call} failed with code {code} ({name}): {message}")]
    Call {
        /// The vendor function.
        call: &'static str,
        /// The vendor's status, as it came.
        code: i64,
        /// The vendor's name for the status.
        name: String,
        /// The vendor's explanation.
        message: String,
    },
    /// An allocation failed.
    #[error("out of memory on {device}: {requested} bytes requested, {free} of {total} bytes free")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// Bytes free on the device.
        free: usize,
        /// Bytes in all.
        total: usize,
    },
    /// A kernel did not compile.
    #[error("kernel {kernel} did not compile:\n{log}")]
    Compile {
        /// Name of the kernel.
        kernel: String,
        /// The compiler's log.
        log: String,
        /// The text that was compiled.
        source_text: String,
    },
    /// The device ended up in a state from which only a new process recovers.
    #[error("{device} is lost: {message}")]
    DeviceLost {
        /// The device.
        device: String,
        /// What the vendor said.
        message: String,
    },
    /// A device number that does not exist.
    #[error("{backend} device {ordinal} does not exist: {count} found")]
    NoSuchDevice {
        /// Name of the backend.
        backend: String,
        /// The number asked for.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },
    /// An optional ability that this backend does not have.
    #[error("{backend} does not support {what}")]
    Unsupported {
        /// Name of the backend.
        backend: String,
        /// The ability.
        what: String,
    },
    /// A call that a stream which captures, or a capture itself, does not allow.
    #[error("{backend}: {message}")]
    Capture {
        /// Name of the backend.
        backend: String,
        /// What is not allowed.
        message: String,
    },
    /// An environment variable or an argument that has no meaning.
    #[error("{setting}={value:?} is not valid: {reason}")]
    InvalidSetting {
        /// The variable or argument.
        setting: &'static str,
        /// What it was set to.
        value: String,
        /// What would be valid.
        reason: String,
    },
    /// A kernel written by the user that went wrong, or cannot be launched in the way asked for.
    #[error("kernel {kernel}: {reason}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// What went wrong.
        reason: String,
    },
    /// A module without the function or variable of a name.
    #[error("{module} has no {what} named {name}")]
    NoSuchSymbol {
        /// The module.
        module: String,
        /// `function` or `variable`.
        what: &'static str,
        /// The name asked for.
        name: String,
    },
    /// Work that the program ended, by an exception from a signal handler that the front end keeps.
    #[error("interrupted")]
    Interrupted,
    /// A kernel that breaks the rules of the IR.
    #[error("invalid kernel {kernel}: {reason}")]
    InvalidKernel {
        /// Name of the kernel.
        kernel: String,
        /// The rule that is broken.
        reason: String,
    },
}

impl Error {
    /// Shorthand for [`Error::Unsupported`].
    pub fn unsupported(backend: &str, what: impl Into<String>) -> Error {
        Error::Unsupported { backend: backend.to_owned(), what: what.into() }
    }

    /// Shorthand for [`Error::Capture`].
    pub fn capture(backend: &str, message: impl Into<String>) -> Error {
        Error::Capture { backend: backend.to_owned(), message: message.into() }
    }
}

impl From<MissingLibrary> for Error {
    fn from(missing: MissingLibrary) -> Error {
        Error::MissingLibrary(Box::new(missing))
    }
}
