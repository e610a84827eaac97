//! What the loader, initialisation and the compiler say on machines without a device: with libraries made here by the C
//! compiler (absent, broken, of another machine, half installed, without a function), and with AMD's own where
//! `CUPROXIDE_TEST_ROCM` names folders that `ci/rocm` has unpacked, separated by colons.
//!
//! A process opens a library once, so every case is a process of its own: this program again, as its one test `child`.

use std::path::{Path, PathBuf};
use std::process::Command;

use cuproxide_hal::Error;

const CHILD: &str = "CUPROXIDE_HIP_TEST_CHILD";
const TEXT: &str = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }";

/// Prints what the backend says, if it was started to.
#[test]
fn child() {
    let Ok(targets) = std::env::var(CHILD) else { return };
    let backend = cuproxide_hip::backend();
    match backend.device_count() {
        Ok(count) => println!("count: {count}"),
        Err(error) => println!("count error: {}", kind(&error)),
    }
    match backend.device(0) {
        Ok(device) => println!("device: {}", device.info().architecture),
        Err(error) => println!("device error: {}: {error}", kind(&error)),
    }
    for library in backend.report().libraries {
        match library.found {
            Ok((path, version)) => println!("found {}: {version} at {path}", library.name),
            Err(missing) => println!("lacks {}: {}", library.name, missing.hint),
        }
    }
    for target in targets.split_terminator(',') {
        match cuproxide_hip::compile_text("twice", TEXT, target) {
            Ok(code) => println!("compiled {target}: {}", code.starts_with(b"\x7fELF") || code.len() > 1000),
            Err(error) => println!("not compiled {target}: {}: {error}", kind(&error)),
        }
    }
    if !targets.is_empty() {
        let error = cuproxide_hip::compile_text("wrong", "__global__ void wrong( {", "gfx942").expect_err("a bad text");
        println!("bad text: {}: {error}", kind(&error));
    }
    println!("end");
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::MissingLibrary(_) => "missing library",
        Error::MissingSymbol { .. } => "missing symbol",
        Error::Call { .. } => "call",
        Error::Compile { .. } => "compile",
        Error::NoSuchDevice { .. } => "no such device",
        _ => "other",
    }
}

/// What the child says, with these libraries and nothing else of AMD's in its environment.
fn said(command: &mut Command, targets: &str) -> String {
    for name in
        ["CUPROXIDE_LIBRARY_PATH", "CUPROXIDE_ROCM_PATH", "HIP_PATH", "ROCM_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"]
    {
        if !command.get_envs().any(|(set, _)| set == name) {
            command.env_remove(name);
        }
    }
    let output = command.env(CHILD, targets).args(["--exact", "child", "--nocapture"]).output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("\nend\n"), "{}\n{text}\n{errors}", output.status);
    text
}

fn this() -> Command {
    Command::new(std::env::current_exe().expect("this program"))
}

/// The folder of a case, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cuproxide-hip-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("lib")).expect("a temporary folder");
    folder
}

/// Makes `lib/NAME` below a folder from C, linked with other files there.
fn library(folder: &Path, name: &str, text: &str, needs: &[&str]) {
    let source = folder.join("source.c");
    std::fs::write(&source, text).expect("a temporary file");
    let lib = folder.join("lib");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-Wl,--no-as-needed"]).arg(format!("-Wl,-soname,{name}"));
    command.arg("-o").arg(lib.join(name)).arg(&source).args(needs.iter().map(|need| lib.join(need)));
    assert!(command.status().expect("a C compiler").success());
}

/// A runtime that opens, has no device, and says so by this status.
fn runtime(status: i32) -> String {
    format!(
        "int hipInit(unsigned flags) {{ return {status}; }}
         int hipGetDeviceCount(int* count) {{ *count = 0; return {status}; }}
         int hipModuleLaunchKernel(void) {{ return {status}; }}
         int hipRuntimeGetVersion(int* version) {{ *version = 70253211; return 0; }}
         const char* hipGetErrorName(int code) {{ return code == {status} ? \"hipErrorNoDevice\" : \"other\"; }}
         const char* hipGetErrorString(int code) {{ return \"no ROCm-capable device is detected\"; }}"
    )
}

/// Whether this machine has ROCm where no variable leads: then absence cannot be tested.
fn installed() -> bool {
    let found = !this_says_missing();
    if found {
        println!("SKIPPED: ROCm is installed on this machine");
    }
    found
}

fn this_says_missing() -> bool {
    said(&mut this(), "").contains("device error: missing library")
}

#[test]
fn absent() {
    if installed() {
        return;
    }
    let folder = folder("absent");
    let text = said(this().env("ROCM_PATH", &folder), "gfx942");
    assert!(text.contains("count error: missing library"), "{text}");
    assert!(text.contains("device error: missing library: HIP runtime could not be loaded; tried"), "{text}");
    assert!(text.contains(&format!("{}/lib/libamdhip64.so.7: ", folder.display())), "{text}");
    assert!(text.contains("hint: install AMD's ROCm 6 or 7"), "{text}");
    assert!(text.contains("not compiled gfx942: missing library: hiprtc could not be loaded"), "{text}");
    assert!(text.contains("lacks hipBLAS: install the package hipblas"), "{text}");
}

#[test]
fn a_file_that_is_no_library() {
    let folder = folder("broken");
    std::fs::write(
        folder.join("lib/libamdhip64.so.7"),
        b"not an ELF file, though long enough to have a header of one.....",
    )
    .expect("a temporary file");
    if installed() {
        return;
    }
    let text = said(this().env("ROCM_PATH", &folder), "");
    let line = text.lines().find(|line| line.contains("lib/libamdhip64.so.7: ") && line.contains("broken"));
    assert!(line.is_some_and(|line| line.contains("ELF")), "{text}");
}

#[test]
fn a_library_of_another_machine() {
    let folder = folder("machine");
    library(&folder, "libamdhip64.so.7", &runtime(100), &[]);
    let path = folder.join("lib/libamdhip64.so.7");
    let mut bytes = std::fs::read(&path).expect("the library");
    // The machine of an ELF file: RISC-V, which this is not.
    bytes[18..20].copy_from_slice(&243u16.to_le_bytes());
    std::fs::write(&path, bytes).expect("a temporary file");
    if installed() {
        return;
    }
    let text = said(this().env("ROCM_PATH", &folder), "");
    assert!(text.contains("device error: missing library"), "{text}");
    let tried = text.lines().filter(|line| line.trim_start().starts_with(&path.display().to_string()));
    assert_eq!(tried.count(), 1, "{text}");
}

#[test]
fn half_installed() {
    let folder = folder("half");
    library(&folder, "libhsa-runtime64.so.1", "int hsa_init(void) { return 0; }", &[]);
    library(&folder, "libamdhip64.so.7", &runtime(100), &["libhsa-runtime64.so.1"]);
    std::fs::remove_file(folder.join("lib/libhsa-runtime64.so.1")).expect("the library");
    if installed() {
        return;
    }
    let text = said(this().env("ROCM_PATH", &folder), "");
    assert!(text.contains("libhsa-runtime64.so.1: cannot open shared object file"), "names what is missing: {text}");
}

#[test]
fn a_runtime_without_a_function() {
    let folder = folder("symbol");
    library(&folder, "libamdhip64.so.7", "int hipInit(unsigned flags) { return 0; }", &[]);
    let text = said(this().env("CUPROXIDE_LIBRARY_PATH", folder.join("lib")), "");
    assert!(text.contains("count error: missing symbol"), "{text}");
    assert!(text.contains("has no symbol hipGetDeviceCount; a newer version is needed"), "{text}");
    assert!(text.contains("lacks HIP runtime: HIP runtime ("), "the diagnosis says so too: {text}");
}

#[test]
fn no_device_and_no_compiler() {
    // ROCm 5 has another status for the same.
    for status in [100, 101] {
        let folder = folder(&format!("device-{status}"));
        library(&folder, "libamdhip64.so.7", &runtime(status), &[]);
        let text = said(this().env("CUPROXIDE_ROCM_PATH", &folder), "gfx942");
        assert!(text.contains("count: 0"), "no device is an answer: {text}");
        assert!(text.contains("device error: call: hipInit failed with code 100"), "{text}");
        assert!(text.contains("no ROCm-capable device is detected; "), "with a reason: {text}");
        assert!(text.contains("found HIP runtime: 7.2.53211 at "), "{text}");
        assert!(text.contains("not compiled gfx942: missing library: hiprtc could not be loaded"), "{text}");
        // The compiler of another ROCm is none: it is looked for beside the runtime, by the names of its version.
        assert!(text.contains(&format!("{}/lib/libhiprtc.so.7: ", folder.display())), "{text}");
        assert!(!text.contains("libhiprtc.so.6"), "{text}");
    }
}

/// The compiler opens the library that compiles by its name alone, and ends the process where it is missing.
#[test]
fn a_compiler_without_its_library() {
    let folder = folder("comgr");
    library(&folder, "libamdhip64.so.7", &runtime(100), &[]);
    let compiler = "const char* hiprtcVersion(void) { return \"libamd_comgr.so.3\"; }
         int hiprtcCompileProgram(void) { __builtin_trap(); }";
    library(&folder, "libhiprtc.so.7", compiler, &[]);
    if installed() {
        return;
    }
    let text = said(this().env("ROCM_PATH", &folder), "gfx942");
    assert!(text.contains("not compiled gfx942: missing library: comgr could not be loaded"), "{text}");
    assert!(text.contains(&format!("{}/lib/libamd_comgr.so.3: cannot open", folder.display())), "{text}");
    assert!(text.contains("lacks hiprtc: install the compiler's library"), "the diagnosis says so too: {text}");
}

/// hipFFT has one name in all versions of ROCm; the one of another is no choice.
#[test]
fn a_library_of_another_rocm() {
    let (seven, six) = (folder("seven"), folder("six"));
    library(&seven, "libamdhip64.so.7", &runtime(100), &[]);
    library(&six, "libamdhip64.so.6", &runtime(100), &[]);
    library(&six, "libhipfft.so.0", "int hipfftGetVersion(int* version) { return 0; }", &["libamdhip64.so.6"]);
    if installed() {
        return;
    }
    let places = std::env::join_paths([seven.join("lib"), six.join("lib")]).expect("folders");
    let text = said(this().env("CUPROXIDE_LIBRARY_PATH", &places), "");
    assert!(text.contains("found HIP runtime: 7.2.53211"), "{text}");
    assert!(text.contains("lacks hipFFT: install the package hipfft of the same ROCm as the runtime"), "{text}");
}

/// What the user names first is found first, a folder of pip's packages too.
#[test]
fn named_packages_come_before_a_toolkit() {
    let (packages, toolkit) = (folder("site"), folder("toolkit"));
    let sdk = packages.join("_rocm_sdk_core");
    std::fs::create_dir_all(sdk.join("lib")).expect("a temporary folder");
    library(&sdk, "libamdhip64.so.7", &runtime(100), &[]);
    library(&toolkit, "libamdhip64.so.7", &runtime(100), &[]);
    let text = said(this().env("CUPROXIDE_LIBRARY_PATH", &packages).env("ROCM_PATH", &toolkit), "");
    assert!(text.contains(&format!("found HIP runtime: 7.2.53211 at {}/", sdk.display())), "{text}");
}

/// AMD's own libraries: the folders of `CUPROXIDE_TEST_ROCM`, each run by its own loader.
#[test]
fn real_libraries_without_a_device() {
    let roots = cuproxide_hal::settings::TEST_ROCM.text().unwrap_or_default();
    if roots.is_empty() {
        println!("SKIPPED: CUPROXIDE_TEST_ROCM names no folder");
    }
    for root in roots.split_terminator(':').map(Path::new) {
        let version = root.file_name().expect("a folder by its version").to_string_lossy().into_owned();
        let (loader, folders) = parts(root);
        let old = version.starts_with('5');
        let targets = if old { "gfx90a,gfx942,gfx1100" } else { "gfx90a,gfx942,gfx1100,gfx1201" };
        let mut command = Command::new(loader);
        command.arg("--library-path").arg(folders).arg(std::env::current_exe().expect("this program"));
        let text = said(&mut command, targets);
        assert!(text.contains("count: 0"), "{version}: {text}");
        assert!(
            text.contains("device error: call: hipInit failed with code 100 (hipErrorNoDevice)"),
            "{version}: {text}"
        );
        let major_minor = version.rsplit_once('.').expect("a version of three numbers").0;
        assert!(text.contains(&format!("found HIP runtime: {major_minor}.")), "{version}: {text}");
        assert!(text.contains(&format!("found hiprtc: {major_minor}.")), "{version}: {text}");
        for target in targets.split(',') {
            assert!(text.contains(&format!("compiled {target}: true")), "{version} {target}: {text}");
        }
        assert!(text.contains("bad text: compile: kernel wrong did not compile"), "{version}: {text}");
        assert!(text.contains("error: expected"), "the log of the compiler: {version}: {text}");
    }
}

/// The dynamic loader of an unpacked root, and its folders of libraries.
fn parts(root: &Path) -> (PathBuf, std::ffi::OsString) {
    let (mut loader, mut folders, mut left) = (None, vec![], vec![root.to_path_buf()]);
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if name == "ld-linux-x86-64.so.2" {
                loader.get_or_insert(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(path);
            } else if name.contains(".so.") && !folders.contains(&folder) {
                folders.push(folder.clone());
            }
        }
    }
    (loader.expect("the root has a dynamic loader"), std::env::join_paths(folders).expect("folders"))
}
