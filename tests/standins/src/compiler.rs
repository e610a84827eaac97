//! The run-time compiler of either vendor: a program, its log and its image.

use std::ffi::{CStr, CString, c_char};

use cuproxide_hal::{Error, SourceText};
use cuproxide_simt::{PlayedDevice, compile_played};

/// What images begin with; the length of the rest follows, then a shared library.
pub const MARK: &[u8; 16] = b"stand-in's image";

/// What compiling comes to.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text has errors; the log says which.
    Text,
    /// There is no compiler, or it cannot be run.
    Compiler,
}

/// What the device is that texts are compiled for.
pub struct Target {
    pub macros: Vec<String>,
    pub warp: u32,
}

/// A text on its way to an image.
pub struct Program {
    text: String,
    name: String,
    headers: Vec<(String, String)>,
    expressions: Vec<String>,
    /// A made-up name for each expression, as a compiler's own would be.
    lowered: Vec<CString>,
    pub log: CString,
    pub image: Vec<u8>,
}

/// A text that the caller gave.
///
/// # Safety
/// The address is null or that of a text that ends with a zero byte.
pub unsafe fn text(from: *const c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

impl Program {
    /// A text with its headers.
    pub fn new(source: String, name: String, headers: Vec<(String, String)>) -> Program {
        let name = name.strip_suffix(".cu").unwrap_or(&name).to_owned();
        let (log, image) = (CString::default(), vec![]);
        Program { text: source, name, headers, expressions: vec![], lowered: vec![], log, image }
    }

    /// Adds an expression that names a function or a variable.
    pub fn add_expression(&mut self, expression: String) {
        let letters = expression.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let lowered = format!("_Z{}{}x{}", letters.len(), letters, self.lowered.len());
        self.lowered.push(CString::new(lowered).unwrap_or_default());
        self.expressions.push(expression);
    }

    /// The name that an expression has in the image.
    pub fn lowered(&self, expression: &str) -> Option<&CStr> {
        let at = self.expressions.iter().position(|known| known == expression)?;
        Some(&self.lowered[at])
    }

    /// Compiles.
    pub fn compile(&mut self, options: &[String], target: &Target) -> Result<(), Failure> {
        let lowered: Vec<String> = self.lowered.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let source = SourceText { name: &self.name, text: &self.text, options, expressions: &self.expressions };
        let device =
            PlayedDevice { macros: &target.macros, warp: target.warp, headers: &self.headers, lowered: &lowered };
        match compile_played(&source, device) {
            Ok(library) => {
                let length = (library.len() as u64).to_le_bytes();
                self.image = [&MARK[..], &length, &library].concat();
                self.log = CString::default();
                Ok(())
            }
            Err(error) => {
                let (failure, log) = match error {
                    Error::Compile { log, .. } => (Failure::Text, log),
                    other => (Failure::Compiler, other.to_string()),
                };
                self.log = CString::new(log.replace('\0', " ")).unwrap_or_default();
                Err(failure)
            }
        }
    }
}
