//! What one vendor's backend supplies to the code that all of them share.

use std::borrow::Cow;

use cuproxide_codegen::Dialect;
use cuproxide_codegen::headers::Header;
use cuproxide_hal::libraries::Libraries;
use cuproxide_hal::{DeviceInfo, LibraryStatus, Result, SourceText};

use crate::api::driver::Driver;
use crate::api::random::Sequences;
use crate::context::Primary;
use crate::target::{Choice, Compiler, Serves, Target};

/// A vendor as plain data: what tells its devices from others', above the tables of functions.
pub struct Vendor {
    /// Name of the backend.
    pub name: &'static str,
    /// The driver, opened and initialised on the first call.
    pub driver: fn() -> Result<&'static Driver>,
    /// The run-time compiler, opened on the first call.
    pub compiler: fn() -> Result<&'static Compiler>,
    /// Options of every generated kernel.
    pub options: &'static [&'static str],
    /// What else decides which machine code becomes of a text of ours, as far as it is known without the compiler; part of the
    /// names of cached code.
    pub toolchain: fn(Target) -> String,
    /// The most registers that a thread of a kernel in this machine code takes; `None` where the format does not say.
    pub registers: fn(&[u8]) -> Option<u32>,
    /// Options that make the compiler's output one for device linkers; none if the vendor has no such linkers.
    pub link_options: &'static [&'static str],
    /// The facts about a device (a handle of the driver, and its number), and what is compiled for it.
    pub describe: fn(&Driver, i32, usize) -> Result<(DeviceInfo, Target)>,
    /// The dialect of C++ for a target.
    pub dialect: fn(Target) -> &'static Dialect,
    /// Opens nothing yet: the vendor's libraries for one device.
    pub libraries: fn(&'static Driver, Primary, Target) -> Libraries,
    /// Opens the vendor's library of random sequences.
    pub sequences: fn(&Driver) -> Result<Sequences>,
    /// A handle of a vendor's library by the name that programs give it, for those that call it themselves.
    pub library_handle: fn(&'static Driver, Primary, &str) -> Result<u64>,
    /// How a user text is compiled, which includes these texts of files.
    pub user_text: for<'t> fn(&SourceText<'t>, &[String], Target) -> Result<UserText<'t>>,
    /// What may surprise the author of such a text for another vendor's devices.
    pub warnings: fn(&SourceText<'_>, Target) -> Vec<&'static str>,
    /// What may help the author of a text that does not compile.
    pub advice: fn(&str) -> Option<&'static str>,
    /// The target by the compiler's name for it, if it is one.
    pub target: fn(&str) -> Option<Target>,
    /// Which machine code serves which devices.
    pub serves: Serves,
    /// File name of the precompiled kernels that ship with the package.
    pub pack: &'static str,
    /// The status of every library.
    pub statuses: fn() -> Vec<LibraryStatus>,
    /// Further facts for the diagnosis, about the vendor's software.
    pub facts: fn() -> Vec<(String, String)>,
}

impl Vendor {
    /// A hand-written text with the prelude that a target's dialect puts before it.
    pub fn complete(&self, target: Target, text: &str) -> String {
        complete((self.dialect)(target), text)
    }
}

/// A hand-written text with the dialect's prelude.
pub(crate) fn complete(dialect: &Dialect, text: &str) -> String {
    format!("{}\n{text}", dialect.prelude)
}

/// A user text, ready for the compiler.
pub struct UserText<'t> {
    /// The text, perhaps with the vendor's prelude before it.
    pub text: Cow<'t, str>,
    /// The compiler's options for an architecture.
    pub choice: Choice,
    /// The other options.
    pub options: Vec<String>,
    /// Headers that are not looked for on disk.
    pub headers: Vec<Header>,
}
