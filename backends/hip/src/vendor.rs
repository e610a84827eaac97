//! AMD's part of what the GPU backends share.

use std::sync::Arc;

use cuproxide_gpu::fft::FftHandle;
use cuproxide_gpu::solver::GpuSolver;
use cuproxide_gpu::{Driver, GpuCollectives, Libraries, Primary, Target, UserText, Vendor};
use cuproxide_hal::libraries::{Blas, Collectives, Fft, Solver};
use cuproxide_hal::{Error, Result, SourceText, settings};
use cuproxide_kernels_hip as kernels;
use once_cell::sync::OnceCell;

use crate::api::driver::driver;
use crate::api::hipsolver;
use crate::blas::LazyBlas;
use crate::fft::{self, HipfftLibrary};
use crate::library::RCCL;
use crate::{compiler, facts, handles, options, report};

/// AMD.
pub(crate) static VENDOR: Vendor = Vendor {
    name: "hip",
    driver,
    compiler: compiler::compiler,
    options: &kernels::OPTIONS,
    toolchain: compiler::toolchain,
    link_options: &[],
    describe: facts::describe,
    dialect: |target| kernels::dialect(target.name),
    libraries: |driver, primary, target| Box::new(HipLibraries::new(driver, primary, target)),
    library_handle: handles::handle,
    user_text,
    warnings: |text, target| kernels::user::warnings(text.text, kernels::dialect(target.name).warp),
    advice: kernels::user::advice,
    target: compiler::parse,
    serves: compiler::serves,
    pack: "kernels-hip.pack",
    statuses: report::libraries,
    facts: report::facts,
};

/// hipBLAS, hipSOLVER, hipFFT and RCCL for one device.
struct HipLibraries {
    driver: &'static Driver,
    primary: Primary,
    blas: Arc<LazyBlas>,
    solver: GpuSolver,
    fft: OnceCell<FftHandle<HipfftLibrary>>,
    rccl: OnceCell<GpuCollectives>,
}

impl HipLibraries {
    fn new(driver: &'static Driver, primary: Primary, target: Target) -> HipLibraries {
        let blas = Arc::new(LazyBlas::new(driver, primary));
        let solver = GpuSolver::new(&VENDOR, driver, primary, target, blas.clone(), hipsolver::open);
        HipLibraries { driver, primary, blas, solver, fft: OnceCell::new(), rccl: OnceCell::new() }
    }
}

impl Libraries for HipLibraries {
    fn blas(&self) -> Result<&dyn Blas> {
        Ok(self.blas.get()?)
    }

    fn solver(&self) -> Result<&dyn Solver> {
        Ok(&self.solver)
    }

    fn fft(&self) -> Result<&dyn Fft> {
        let open = || Ok(FftHandle::new(fft::open()?, self.driver, self.primary));
        Ok(self.fft.get_or_try_init::<_, Error>(open)?)
    }

    fn collectives(&self) -> Result<&dyn Collectives> {
        let open = || Ok(GpuCollectives::new(RCCL.open()?, self.driver, self.primary));
        Ok(self.rccl.get_or_try_init::<_, Error>(open)?)
    }

    fn backend(&self) -> &'static str {
        "hip"
    }
}

/// The user's text with the options and headers that it needs.
fn user_text<'t>(text: &SourceText<'t>, included: &[String], target: Target) -> Result<UserText<'t>> {
    let names_target = |option: &str| option.starts_with("--offload-arch");
    let choice = match text.options.iter().find(|option| names_target(option)) {
        Some(own) => {
            let name = own.split_once('=').map_or("", |(_, name)| name);
            let unknown = || Error::unsupported("hip", format!("the architecture {name:?} with this ROCm"));
            compiler::choose(compiler::parse(name).filter(|&target| compiler::knows(target)).ok_or_else(unknown)?)
        }
        None => compiler::choose(target),
    };
    let mut options = options::translated(text.options.iter().filter(|option| !names_target(option)));
    if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
        options.push("-std=c++17".to_owned());
    }
    if settings::DEBUG.is_on() {
        options.push("-g".to_owned());
    }
    let headers = if text.text.contains("#include") { kernels::user::headers().collect() } else { vec![] };
    Ok(UserText { text: kernels::user::translated(text.text, included), choice, options, headers })
}
