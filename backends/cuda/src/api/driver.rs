//! The CUDA driver.

use std::sync::OnceLock;

use cuproxide_gpu::Driver;
use cuproxide_gpu::loader::{Places, Wanted};
use cuproxide_hal::{Attempt, MissingLibrary, Result, settings};

use crate::places;

/// The driver's library.
pub(crate) const WANTED: Wanted = Wanted {
    name: "CUDA driver",
    sonames: &["libcuda.so.1"],
    wheel: "",
    probe: "cuInit",
    hint: "install NVIDIA's driver for this machine's GPU (https://www.nvidia.com/drivers); in a container, start it with \
           GPU access (docker run --gpus all)",
};

/// The driver, opened and initialised on the first call.
///
/// # Errors
/// A missing library, or whatever initialisation reports.
pub(crate) fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
    let opened = DRIVER.get_or_init(|| {
        let mut places = Places { loaded: true, system: true, ..places::of_process() };
        // A toolkit's stub of the driver must not be taken for it, so only the usual places of drivers count.
        places.named.clear();
        places.packages.clear();
        places.installed = DRIVER_FOLDERS.iter().map(std::path::PathBuf::from).collect();
        if let Some(folder) = settings::CUDA_DRIVER_PATH.path() {
            places.named.push(folder);
        }
        let driver = Driver::new(places.open(&WANTED)?);
        check_version(&driver)?;
        // SAFETY: no precondition.
        unsafe { driver.init(0) }?;
        Ok(driver)
    });
    opened.as_ref().map_err(Clone::clone)
}

/// The oldest CUDA version, as the driver counts, whose drivers have every function that is not optional.
const OLDEST: i32 = 12_000;

fn check_version(driver: &Driver) -> Result<()> {
    let mut version = 0;
    // SAFETY: the driver writes one integer; this needs no initialisation.
    unsafe { driver.driver_version(&mut version) }?;
    if version >= OLDEST {
        return Ok(());
    }
    let shown = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    let error = format!("it serves CUDA {}, and {} or newer is needed", shown(version), shown(OLDEST));
    let attempts = vec![Attempt { path: driver.library.path.clone(), error }];
    let hint = "update NVIDIA's driver to 525.60 or newer (https://www.nvidia.com/drivers)".to_owned();
    Err(MissingLibrary { name: WANTED.name.to_owned(), attempts, hint }.into())
}

const DRIVER_FOLDERS: [&str; 5] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
];
