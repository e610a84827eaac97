//! NVIDIA's part of what the GPU backends share.

use std::borrow::Cow;
use std::sync::Arc;

use cuproxide_cpp::headers::{Header, OWN, SUBSTITUTES};
use cuproxide_gpu::fft::FftHandle;
use cuproxide_gpu::solver::GpuSolver;
use cuproxide_gpu::{Choice, Driver, GpuCollectives, Libraries, Primary, Target, UserText, Vendor};
use cuproxide_hal::libraries::{Blas, Collectives, Fft, Solver};
use cuproxide_hal::{Error, Result, SourceText, settings};
use cuproxide_kernels_cuda::DIALECT;
use once_cell::sync::OnceCell;

use crate::api::cufft::Cufft;
use crate::api::driver::driver;
use crate::api::nccl;
use crate::blas::LazyBlas;
use crate::compiler;
use crate::{facts, fft, handles, places, report, solver};

/// NVIDIA.
pub(crate) static VENDOR: Vendor = Vendor {
    name: "cuda",
    driver,
    compiler: compiler::compiler,
    // No contraction, since a fused multiply-add rounds once where NumPy rounds twice.
    options: &["--std=c++17", "--fmad=false"],
    // The driver takes machine code of any compiler, or refuses it.
    toolchain: |_| String::new(),
    link_options: &["-dlto", "--relocatable-device-code=true"],
    describe: facts::describe,
    dialect: |_| &DIALECT,
    libraries: |driver, primary, target| Box::new(CudaLibraries::new(driver, primary, target)),
    library_handle: handles::handle,
    user_text,
    warnings: |_, _| vec![],
    advice: |_| None,
    target: compiler::parse,
    serves: compiler::serves,
    pack: "kernels-cuda.pack",
    statuses: report::libraries,
    facts: report::facts,
};

/// cuBLAS, cuSOLVER, cuFFT and NCCL for one device.
struct CudaLibraries {
    driver: &'static Driver,
    primary: Primary,
    blas: Arc<LazyBlas>,
    solver: GpuSolver,
    fft: OnceCell<FftHandle<Cufft>>,
    nccl: OnceCell<GpuCollectives>,
}

impl CudaLibraries {
    fn new(driver: &'static Driver, primary: Primary, target: Target) -> CudaLibraries {
        let blas = Arc::new(LazyBlas::new(driver, primary));
        let solver = GpuSolver::new(&VENDOR, driver, primary, target, blas.clone(), solver::open);
        CudaLibraries { driver, primary, blas, solver, fft: OnceCell::new(), nccl: OnceCell::new() }
    }
}

impl Libraries for CudaLibraries {
    fn blas(&self) -> Result<&dyn Blas> {
        Ok(self.blas.get()?)
    }

    fn solver(&self) -> Result<&dyn Solver> {
        Ok(&self.solver)
    }

    fn fft(&self) -> Result<&dyn Fft> {
        let open = || Ok(FftHandle::new(fft::open(self.driver)?, self.driver, self.primary));
        Ok(self.fft.get_or_try_init::<_, Error>(open)?)
    }

    fn collectives(&self) -> Result<&dyn Collectives> {
        let open = || Ok(GpuCollectives::new(places::of_process().open(&nccl::WANTED)?, self.driver, self.primary));
        Ok(self.nccl.get_or_try_init::<_, Error>(open)?)
    }

    fn backend(&self) -> &'static str {
        "cuda"
    }
}

/// The user's text as it is, with the options and headers that it needs.
fn user_text<'t>(text: &SourceText<'t>, _included: &[String], target: Target) -> Result<UserText<'t>> {
    let names_target = |option: &str| option.starts_with("--gpu-architecture") || option.starts_with("-arch");
    let choice = match text.options.iter().find(|option| names_target(option)) {
        Some(own) => Choice { binary: own.contains("sm_"), option: own.clone(), more: &[] },
        None if settings::COMPILE_WITH_PTX.is_on() => compiler::choose(compiler::portable(target)),
        None => compiler::choose(target),
    };
    let mut options: Vec<String> = text.options.iter().filter(|option| !names_target(option)).cloned().collect();
    if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
        options.push("--std=c++17".to_owned());
    }
    if settings::DEBUG.is_on() {
        options.extend(["--device-debug", "--generate-line-info"].map(str::to_owned));
    }
    if settings::USE_PCH.is_on() && compiler::keeps_headers() {
        options.push("--pch".to_owned());
    }
    let mut headers = vec![];
    if text.text.contains("#include") {
        let folders = places::include_folders(&places::of_process());
        headers.extend(OWN);
        let missing = |(name, _): &Header| !folders.iter().any(|folder| folder.join(name).is_file());
        headers.extend(SUBSTITUTES.into_iter().filter(missing));
        // The C++ library, which headers of toolkits from 13 on include, lies in a folder of its own.
        let library = folders.iter().map(|folder| folder.join("cccl")).filter(|folder| folder.is_dir());
        let folders: Vec<_> = folders.iter().cloned().chain(library).collect();
        options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    }
    Ok(UserText { text: Cow::Borrowed(text.text), choice, options, headers })
}
