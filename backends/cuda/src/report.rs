//! What is found of NVIDIA's libraries, for the diagnosis.

use cuproxide_hal::{Error, LibraryStatus, MissingLibrary};

use crate::api::driver::{WANTED, driver};
use crate::compiler;
use crate::libraries::REPORTED;

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
    let version = |(major, minor)| format!("{major}.{minor}");
    let mut list = vec![
        status(WANTED.name, driver().and_then(|driver| Ok((driver.library.path.clone(), version(driver.version()?))))),
        status("NVRTC", compiler::compiler_version().map(|(path, (major, minor))| (path, format!("{major}.{minor}")))),
    ];
    for library in &REPORTED {
        let found = library.open().map(|opened| (opened.path.clone(), library.version.of(&opened)));
        list.push(status(library.wanted.name, found));
    }
    list
}

/// Further facts.
pub(crate) fn facts() -> Vec<(String, String)> {
    let mut facts = vec![];
    match driver() {
        Ok(driver) => {
            if let Ok((major, minor)) = driver.version() {
                facts.push(("CUDA version of the driver".to_owned(), format!("{major}.{minor}")));
            }
        }
        Err(Error::MissingLibrary(_)) => facts.push(("driver".to_owned(), "not found".to_owned())),
        Err(error) => facts.push(("driver".to_owned(), error.to_string())),
    }
    facts
}
