//! What is found of NVIDIA's libraries, for the diagnosis.

use std::ffi::{c_int, c_void};

use cuproxide_gpu::Driver;
use cuproxide_gpu::loader::{Library, Wanted};
use cuproxide_hal::{Error, LibraryStatus, MissingLibrary};

use crate::api::driver::driver;
use crate::api::{cublas, cudnn, cudss, cufft, curand, cusolver, driver as driver_api, nccl};
use crate::compiler;
use crate::handles;
use crate::places;
use crate::{direct, structured, tensors};

/// Libraries beyond the driver and the compiler, with the function that tells their version.
const LIBRARIES: [(Wanted, Version); 11] = [
    (cublas::WANTED, Version::Property("cublasGetProperty")),
    (
        Wanted {
            name: "cuBLASLt",
            sonames: &["libcublasLt.so.13", "libcublasLt.so.12"],
            wheel: "cublas",
            probe: "cublasLtGetVersion",
            hint: "pip install nvidia-cublas (CUDA 13) or nvidia-cublas-cu12 (CUDA 12)",
        },
        Version::Property("cublasLtGetProperty"),
    ),
    (cufft::WANTED, Version::Property("cufftGetProperty")),
    (cusolver::WANTED, Version::Property("cusolverGetProperty")),
    (handles::CUSPARSE, Version::Property("cusparseGetProperty")),
    (cudss::WANTED, Version::Property("cudssGetProperty")),
    (curand::WANTED, Version::Property("curandGetProperty")),
    (nccl::WANTED, Version::Number("ncclGetVersion")),
    (tensors::WANTED, Version::Word("cutensorGetVersion")),
    (structured::WANTED, Version::Property("cusparseLtGetProperty")),
    (cudnn::WANTED, Version::Property("cudnnGetProperty")),
];

/// How a library tells its version without a device.
#[derive(Clone, Copy)]
enum Version {
    /// `int f(libraryPropertyType, int*)`, for major, minor and patch level.
    Property(&'static str),
    /// `int f(int*)`, as major * 10000 + minor * 100 + patch level.
    Number(&'static str),
    /// `size_t f()`, likewise.
    Word(&'static str),
}

impl Version {
    fn of(self, library: &Library) -> String {
        let unknown = || "unknown".to_owned();
        match self {
            Version::Property(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                // SAFETY: the signature that all of NVIDIA's libraries share.
                let read = unsafe {
                    std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int, *mut c_int) -> c_int>(address)
                };
                let mut parts = [0; 3];
                for (property, part) in parts.iter_mut().enumerate() {
                    // SAFETY: the function writes one integer.
                    if unsafe { read(property as c_int, part) } != 0 {
                        return unknown();
                    }
                }
                format!("{}.{}.{}", parts[0], parts[1], parts[2])
            }
            Version::Word(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                // SAFETY: the function takes nothing and returns a word.
                let number =
                    unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> usize>(address)() };
                format!("{}.{}.{}", number / 10000, number / 100 % 100, number % 100)
            }
            Version::Number(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                let mut number = 0;
                // SAFETY: the function takes the address of an integer and writes it.
                let status = unsafe {
                    std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(address)(
                        &mut number,
                    )
                };
                if status != 0 {
                    unknown()
                } else {
                    format!("{}.{}.{}", number / 10000, number / 100 % 100, number % 100)
                }
            }
        }
    }
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
    let version = |(major, minor)| format!("{major}.{minor}");
    let mut list = vec![
        status(
            driver_api::WANTED.name,
            driver().and_then(|driver| Ok((driver.library.path.clone(), version(driver.version()?)))),
        ),
        status("NVRTC", compiler::compiler_version().map(|(path, (major, minor))| (path, format!("{major}.{minor}")))),
    ];
    let places = places::of_process();
    for (wanted, version) in LIBRARIES {
        // It may need another library of these first.
        let opened = if wanted.name == tensors::WANTED.name {
            tensors::library()
        } else if wanted.name == cudss::WANTED.name {
            direct::library(driver().and_then(Driver::version).is_ok_and(|(major, _)| major < 13))
        } else {
            places.open(&wanted).map_err(Error::from)
        };
        list.push(status(wanted.name, opened.map(|library| (library.path.clone(), version.of(&library)))));
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
