//! hiprtc's targets: AMD's names of architectures, with features.

use std::sync::OnceLock;

use cuproxide_gpu::{Choice, Compiler, Target};
use cuproxide_hal::Result;

use crate::api::driver;
use crate::api::hiprtc;

/// The run-time compiler, opened on the first call. Needs no device.
pub(crate) fn compiler() -> Result<&'static Compiler> {
    static COMPILER: OnceLock<Result<Compiler>> = OnceLock::new();
    let open = || {
        let rtc = hiprtc::open()?;
        // The compiler says 9.0 whatever it is: the runtime's version tells more, its own place something.
        let version = match driver::runtime() {
            Ok(runtime) => format!("hiprtc of HIP {}", dotted(runtime.version)),
            Err(_) => format!("hiprtc at {}", rtc.library.path),
        };
        Ok(Compiler { rtc, version, choose, knows, serves_initialisers: true })
    };
    COMPILER.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// A version as it is written.
pub(crate) fn dotted((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Path and version of the run-time compiler.
///
/// # Errors
/// A missing library, or one without the functions that are needed.
pub fn compiler_version() -> Result<(String, String)> {
    let compiler = compiler()?;
    Ok((compiler.rtc.library.path.clone(), compiler.version.clone()))
}

/// The part of a name before its features: `gfx942` of `gfx942:sramecc+:xnack-`.
pub(crate) fn plain(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// A target by AMD's name for it.
pub(crate) fn parse(name: &str) -> Option<Target> {
    let number = plain(name).strip_prefix("gfx")?;
    let known = number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    known.then(|| Target::new(name, true))
}

/// Machine code serves its own architecture only. Code that asks for features serves devices that have them as asked,
/// code that does not ask serves all.
pub(crate) fn serves(image: Target, device: Target) -> Option<u32> {
    let features = |target: Target| target.name.split(':').skip(1).collect::<Vec<_>>();
    let (asked, there) = (features(image), features(device));
    let fits = plain(image.name) == plain(device.name) && asked.iter().all(|feature| there.contains(feature));
    fits.then_some(asked.len() as u32)
}

/// Architectures by a ROCm that was seen to compile for them, as (major, minor); later ones do too.
const KNOWN: [((u32, u32), &[&str]); 3] = [
    (
        (5, 7),
        &[
            "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1012", "gfx1030", "gfx1031", "gfx1032",
            "gfx1034", "gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151",
        ],
    ),
    (
        (6, 4),
        &[
            "gfx902", "gfx904", "gfx909", "gfx90c", "gfx950", "gfx1011", "gfx1013", "gfx1033", "gfx1152", "gfx1153",
            "gfx1200", "gfx1201",
        ],
    ),
    ((7, 2), &["gfx1250", "gfx1251"]),
];

/// hiprtc has no list of its targets, and asking it for one that it does not know ends the process in ROCm 5 and 6.
pub(crate) fn knows(target: Target) -> bool {
    let since = KNOWN.iter().find(|(_, names)| names.contains(&plain(target.name)));
    since.is_some_and(|(since, _)| rocm() >= *since)
}

/// The version of ROCm. Without a runtime it is not known; the compiler is the newest that was found.
fn rocm() -> (u32, u32) {
    driver::runtime().map_or((6, 4), |runtime| (runtime.version.0, runtime.version.1))
}

/// Halves of registers as registers of their own, which LLVM 21 (ROCm 6.4 of Debian) confuses: of four words of 16 bits that
/// are stored together one came from its neighbour.
const NO_HALVES: &[&str] = &["-Xclang", "-target-feature", "-Xclang", "-real-true16"];

/// The compiler takes the runtime's name of a device as it is.
pub(crate) fn choose(target: Target) -> Choice {
    // ROCm 5 uses no halves, nor knows the word.
    let more = if target.name.starts_with("gfx11") && rocm() >= (6, 0) { NO_HALVES } else { &[] };
    Choice { option: format!("--offload-arch={target}"), more, binary: true }
}

/// Version and options of a target: code of a compiler at fault must not outlive it in the cache.
pub(crate) fn toolchain(target: Target) -> String {
    let version = driver::runtime().map_or_else(|_| String::new(), |runtime| dotted(runtime.version));
    format!("{version} {}", choose(target).more.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_targets_or_not() {
        for name in ["gfx90a", "gfx942:sramecc+:xnack-", "gfx1201"] {
            assert_eq!(parse(name).map(|target| target.name), Some(name));
        }
        for name in ["sm_90", "gfx", "gfx9", "gfxabcz", ""] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn processors_with_halves_of_registers_are_compiled_for_without() {
        let options = |name| choose(Target::new(name, true));
        assert_eq!(options("gfx1151").more, NO_HALVES);
        assert_eq!(options("gfx942:sramecc+:xnack-").more, &[] as &[&str]);
        assert_eq!(options("gfx942:sramecc+:xnack-").option, "--offload-arch=gfx942:sramecc+:xnack-");
        let names = |name| toolchain(Target::new(name, true)).contains("real-true16");
        assert!(names("gfx1100") && !names("gfx942"), "the cache tells them apart");
    }

    #[test]
    fn every_precompiled_architecture_is_known_to_some_rocm() {
        for name in cuproxide_kernels_hip::ARCHITECTURES {
            assert!(KNOWN.iter().any(|(_, names)| names.contains(&name)), "{name}");
        }
    }

    #[test]
    fn code_serves_devices_of_its_architecture_and_features() {
        let fit = |image, device| serves(Target::new(image, true), Target::new(device, true));
        let device = "gfx90a:sramecc+:xnack-";
        assert_eq!(fit("gfx90a", device), Some(0));
        assert_eq!(fit("gfx90a:xnack-", device), Some(1), "closer");
        assert_eq!(fit(device, device), Some(2));
        assert_eq!(fit("gfx90a:xnack+", device), None);
        assert_eq!(fit("gfx942", device), None);
    }
}
