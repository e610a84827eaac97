//! Where AMD's libraries are looked for: what the user names, pip's ROCm packages, installed toolkits.

use std::path::{Path, PathBuf};

use cuproxide_gpu::loader::{Library, Places, matching, own_packages};
use cuproxide_hal::settings;

/// The places that this process's environment and file system suggest.
pub(crate) fn of_process() -> Places {
    let mut named: Vec<PathBuf> = vec![];
    let mut packages: Vec<PathBuf> = own_packages().into_iter().collect();
    if let Some(list) = settings::LIBRARY_PATH.content() {
        for folder in std::env::split_paths(&list) {
            // The folder itself, or a site-packages folder.
            let within = sdk_libraries(&folder);
            named.push(folder);
            named.extend(within);
        }
    }
    for variable in [settings::ROCM_ROOT, settings::ROCM_PATH, settings::HIP_PATH] {
        if let Some(root) = variable.content() {
            named.extend(library_folders(Path::new(&root)));
        }
    }
    if let Some(root) = settings::VIRTUAL_ENV.content() {
        let mut found = matching(&Path::new(&root).join("lib"), "python");
        found.iter_mut().for_each(|folder| folder.push("site-packages"));
        packages.extend(found);
    }
    let mut installed = vec![];
    if let Some(root) = settings::CONDA_PREFIX.content() {
        installed.push(Path::new(&root).join("lib"));
    }
    installed.extend(library_folders(Path::new("/opt/rocm")));
    for toolkit in matching(Path::new("/opt"), "rocm-") {
        installed.extend(library_folders(&toolkit));
    }
    let packages = packages.iter().flat_map(|folder| sdk_libraries(folder)).collect();
    Places { loaded: true, named, packages, layout: &["."], installed, system: true, foreign: vec![] }
        .without_repetitions()
}

/// The same, but first where another library was found: those of one version belong together.
pub(crate) fn beside(library: Option<&Library>) -> Places {
    let mut places = of_process();
    let folder = library.and_then(|library| Path::new(&library.path).parent());
    if let Some(folder) = folder.filter(|folder| folder.is_absolute()) {
        places.named.insert(0, folder.to_path_buf());
    }
    places.without_repetitions()
}

/// pip's packages of ROCm hold their libraries below folders of these names, one for each family of devices.
fn sdk_libraries(packages: &Path) -> Vec<PathBuf> {
    matching(packages, "_rocm_sdk").into_iter().map(|folder| folder.join("lib")).collect()
}

/// Folders under the root of a toolkit that may hold libraries.
fn library_folders(root: &Path) -> Vec<PathBuf> {
    ["lib", "lib64"].iter().map(|folder| root.join(folder)).collect()
}
