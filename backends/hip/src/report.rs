//! What is found of AMD's libraries, for the diagnosis.

use std::ffi::{c_int, c_void};

use cuproxide_gpu::loader::Library;
use cuproxide_hal::{Error, LibraryStatus, MissingLibrary};

use crate::api::driver::{self, runtime};
use crate::api::library::file_version;
use crate::compiler::{compiler_version, dotted};
use crate::libraries::REPORTED;
use crate::machine::Machine;

/// The version as a function tells it, as major * 10000 + minor * 100 + patch level; else that of the file.
fn version(library: &Library, function: Option<&str>) -> String {
    let told = function.and_then(|symbol| library.symbol(symbol)).and_then(|address| {
        let mut number = 0;
        // SAFETY: the function takes the address of an integer and writes it.
        let status = unsafe {
            std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(address)(&mut number)
        };
        (status == 0).then(|| format!("{}.{}.{}", number / 10000, number / 100 % 100, number % 100))
    });
    told.or_else(|| file_version(library).map(|number| format!(".so.{number}"))).unwrap_or_else(|| "unknown".to_owned())
}

/// The status of every library that this backend knows.
pub(crate) fn libraries() -> Vec<LibraryStatus> {
    let status = |name: &str, found: Result<(String, String), Error>| LibraryStatus {
        name: name.to_owned(),
        found: found.map_err(|error| match error {
            Error::MissingLibrary(missing) => *missing,
            // Found, but of no use: the reason takes the place of the attempts.
            other => MissingLibrary { name: name.to_owned(), attempts: vec![], hint: other.to_string() },
        }),
    };
    let found = runtime().map(|runtime| (runtime.driver.library.path.clone(), dotted(runtime.version)));
    let compiler = compiler_version().map(|(path, _)| {
        let version = runtime().map_or_else(|_| "unknown".to_owned(), |runtime| dotted(runtime.version));
        (path, version)
    });
    let mut list = vec![status(driver::WANTED.name, found), status("hiprtc", compiler)];
    for (kind, function) in &REPORTED {
        let found = kind.open().map(|library| (library.path.clone(), version(&library, *function)));
        list.push(status(kind.name, found));
    }
    list
}

/// Further facts.
pub(crate) fn facts() -> Vec<(String, String)> {
    let mut facts = vec![];
    if let Ok(runtime) = runtime() {
        facts.push(("HIP version of the runtime".to_owned(), dotted(runtime.version)));
        if let Err(error) = driver::driver() {
            facts.push(("devices".to_owned(), error.to_string()));
        }
    }
    facts.extend(Machine::here().facts());
    facts
}
