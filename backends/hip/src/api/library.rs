//! AMD's libraries beyond the runtime: which file belongs to which ROCm, and calls that fail as values.

use cuproxide_gpu::loader::{Library, Wanted};
use cuproxide_hal::Result;

use crate::api::driver;
use crate::places;

/// A library with its file names by the runtime's major version.
pub(crate) struct Kind {
    pub name: &'static str,
    pub seven: &'static [&'static str],
    pub six: &'static [&'static str],
    pub five: &'static [&'static str],
    pub probe: &'static str,
    pub hint: &'static str,
}

/// A library by its name, the stem of its file, the file's version with ROCm 7, 6 and 5, a function that it has, and the
/// package that holds it.
macro_rules! kind {
    ($name:literal, $stem:literal, $seven:literal, $six:literal, $five:literal, $probe:literal, $package:literal) => {
        $crate::api::library::Kind {
            name: $name,
            seven: &[concat!("lib", $stem, ".so.", $seven), concat!("lib", $stem, ".so")],
            six: &[concat!("lib", $stem, ".so.", $six), concat!("lib", $stem, ".so")],
            five: &[concat!("lib", $stem, ".so.", $five), concat!("lib", $stem, ".so")],
            probe: $probe,
            hint: concat!("install the package ", $package, " of the same ROCm as the runtime"),
        }
    };
}
pub(crate) use kind;

pub(crate) const HIPBLAS: Kind = kind!("hipBLAS", "hipblas", 3, 2, 0, "hipblasCreate", "hipblas");
pub(crate) const HIPSOLVER: Kind = kind!("hipSOLVER", "hipsolver", 1, 0, 0, "hipsolverCreate", "hipsolver");
pub(crate) const HIPSPARSE: Kind = kind!("hipSPARSE", "hipsparse", 4, 1, 0, "hipsparseCreate", "hipsparse");
pub(crate) const RCCL: Kind = kind!("RCCL", "rccl", 1, 1, 1, "ncclGetVersion", "rccl");

impl Kind {
    /// The library as the runtime's major version has it.
    fn wanted(&self, major: u32) -> Wanted {
        let sonames = match major {
            7.. => self.seven,
            6 => self.six,
            _ => self.five,
        };
        Wanted { name: self.name, sonames, wheel: "", probe: self.probe, hint: self.hint }
    }

    /// Opens the file that belongs to the runtime in use.
    pub fn open(&self) -> Result<Library> {
        let runtime = driver::runtime().ok();
        // Without a runtime it is only the diagnosis that asks.
        let major = runtime.map_or(7, |runtime| runtime.version.0);
        let mut places = places::beside(runtime.map(|runtime| &runtime.driver.library));
        if runtime.is_some() {
            // Some libraries have one name in every version, and would bring their own runtime along.
            places.foreign =
                (5..=7).filter(|&other| other != major).map(|other| format!("libamdhip64.so.{other}")).collect();
        }
        Ok(places.open(&self.wanted(major))?)
    }
}

/// The number after `.so.` of the file that was opened, through links: two versions of hipBLAS have one function with two
/// signatures, and only this tells them apart.
pub(crate) fn file_version(library: &Library) -> Option<u32> {
    let real = std::fs::canonicalize(&library.path).ok();
    let real = real.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    [real.as_deref(), Some(library.soname)].into_iter().flatten().find_map(version_in)
}

fn version_in(name: &str) -> Option<u32> {
    name.split_once(".so.")?.1.split('.').next()?.parse().ok()
}

/// Calls a function of a holder's `symbols`: a status, or a function that the library lacks, becomes an error.
macro_rules! call {
    ($holder:expr, $symbol:ident($($argument:expr),* $(,)?)) => {
        match &$holder.symbols.$symbol {
            Ok(function) => match function($($argument),*) as i32 {
                0 => Ok(()),
                code => Err($holder.failure(stringify!($symbol), code)),
            },
            Err(_) => Err(cuproxide_gpu::api::missing(&$holder.library, stringify!($symbol))),
        }
    };
}
pub(crate) use call;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rocm_has_its_own_files() {
        assert_eq!(HIPBLAS.wanted(7).sonames, ["libhipblas.so.3", "libhipblas.so"]);
        assert_eq!(HIPBLAS.wanted(6).sonames[0], "libhipblas.so.2");
        assert_eq!(HIPSOLVER.wanted(5).sonames[0], "libhipsolver.so.0");
        assert_eq!(HIPSPARSE.wanted(8).sonames[0], "libhipsparse.so.4", "a later ROCm is tried with the newest names");
    }

    #[test]
    fn file_names_tell_versions() {
        assert_eq!(version_in("libhipblas.so.2.4.60403"), Some(2));
        assert_eq!(version_in("libhipblas.so.3"), Some(3));
        assert_eq!(version_in("libhipblas.so"), None);
    }
}
