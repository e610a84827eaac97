//! NVRTC: opening it, and what it calls its targets.

use std::sync::OnceLock;

use cuproxide_gpu::{Choice, Compiler, Driver, Rtc, Target};
use cuproxide_hal::{Result, settings};

use crate::api::driver::driver;
use crate::api::nvrtc::{WANTED, WANTED_12};
use crate::places;

/// A device architecture by its compute capability: `sm_90` is (9, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
}

impl Architecture {
    fn number(self) -> i32 {
        (self.major * 10 + self.minor) as i32
    }

    /// The architecture as a target: machine code, or PTX that later ones finish.
    pub(crate) fn target(self, binary: bool) -> Target {
        Target::new(&format!("{}_{}", if binary { "sm" } else { "compute" }, self.number()), binary)
    }

    /// The architecture of a target's name: `sm_90`, `compute_75`.
    fn of(name: &str) -> Option<Architecture> {
        let number: u32 = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"))?.parse().ok()?;
        Some(Architecture { major: number / 10, minor: number % 10 })
    }
}

struct Nvrtc {
    compiler: Compiler,
    version: (i32, i32),
    architectures: Vec<i32>,
}

fn nvrtc() -> Result<&'static Nvrtc> {
    static COMPILER: OnceLock<Result<Nvrtc>> = OnceLock::new();
    COMPILER.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> Result<Nvrtc> {
    let mut places = places::of_process();
    // The tests' and CI's way to name one file.
    if let Some(path) = settings::NVRTC.path() {
        places.loaded = false;
        places.named = path.parent().map(Into::into).into_iter().collect();
    }
    let old_driver = driver().and_then(Driver::version).is_ok_and(|(major, _)| major < 13);
    let rtc = Rtc::new(places.open(if old_driver { &WANTED_12 } else { &WANTED })?);
    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: the functions write the integers whose addresses they get; the list has as many entries as were counted.
    let architectures = unsafe {
        rtc.version(&mut major, &mut minor)?;
        rtc.architecture_count(&mut count)?;
        let mut list = vec![0; count.max(0) as usize];
        rtc.architectures(list.as_mut_ptr())?;
        list
    };
    let compiler =
        Compiler { rtc, version: format!("nvrtc {major}.{minor}"), choose, knows, serves_initialisers: false };
    Ok(Nvrtc { compiler, version: (major, minor), architectures })
}

/// The run-time compiler, opened on the first call.
pub(crate) fn compiler() -> Result<&'static Compiler> {
    Ok(&nvrtc()?.compiler)
}

/// Path and version (major, minor) of the run-time compiler.
///
/// # Errors
/// A missing library.
pub fn compiler_version() -> Result<(String, (i32, i32))> {
    let nvrtc = nvrtc()?;
    Ok((nvrtc.compiler.rtc.library.path.clone(), nvrtc.version))
}

/// A target by the compiler's name for it.
pub(crate) fn parse(name: &str) -> Option<Target> {
    Architecture::of(name).map(|architecture| architecture.target(name.starts_with("sm_")))
}

/// The same architecture in its portable form.
pub(crate) fn portable(target: Target) -> Target {
    Architecture::of(target.name).map_or(target, |architecture| architecture.target(false))
}

/// Whether the compiler keeps precompiled headers: from 12.8 on.
pub(crate) fn keeps_headers() -> bool {
    nvrtc().is_ok_and(|nvrtc| nvrtc.version >= (12, 8))
}

/// Machine code serves later minor numbers of its major one, PTX every later architecture; the latest serves best.
pub(crate) fn serves(image: Target, device: Target) -> Option<u32> {
    let (own, device) = (Architecture::of(image.name)?, Architecture::of(device.name)?);
    let runs = if image.binary { own.major == device.major && own.minor <= device.minor } else { own <= device };
    runs.then_some(own.number() as u32)
}

fn knows(target: Target) -> bool {
    let wanted = Architecture::of(target.name).map(Architecture::number);
    nvrtc().is_ok_and(|nvrtc| wanted.is_some_and(|wanted| nvrtc.architectures.contains(&wanted)))
}

/// The target itself, or the newest architecture that the compiler knows, as PTX for the driver to finish.
pub(crate) fn choose(target: Target) -> Choice {
    let wanted = Architecture::of(target.name).map_or(0, Architecture::number);
    let known = nvrtc().map_or(&[][..], |nvrtc| &nvrtc.architectures);
    if known.contains(&wanted) {
        return Choice { option: format!("--gpu-architecture={target}"), more: &[], binary: target.binary };
    }
    let older = known.iter().filter(|&&known| known < wanted).max();
    let nearest = older.or_else(|| known.iter().min()).copied().unwrap_or(wanted);
    Choice { option: format!("--gpu-architecture=compute_{nearest}"), more: &[], binary: false }
}
