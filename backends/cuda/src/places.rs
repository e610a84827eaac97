//! Where NVIDIA's libraries and headers are looked for: what the user names, pip, conda and toolkit folders.

use std::path::{Path, PathBuf};

use cuproxide_gpu::loader::{Places, matching, own_packages};
use cuproxide_hal::settings;

/// The places that this process's environment and file system suggest.
pub(crate) fn of_process() -> Places {
    let mut named = vec![];
    let mut packages = vec![];
    if let Some(list) = settings::LIBRARY_PATH.content() {
        for folder in std::env::split_paths(&list) {
            if folder.join("nvidia").is_dir() {
                packages.push(folder.clone());
            }
            named.push(folder);
        }
    }
    for variable in [settings::CUDA_ROOT, settings::CUDA_PATH, settings::CUDA_HOME] {
        if let Some(root) = variable.content() {
            named.extend(library_folders(Path::new(&root)));
        }
    }
    packages.extend(own_packages());
    if let Some(root) = settings::VIRTUAL_ENV.content() {
        let mut found = matching(&Path::new(&root).join("lib"), "python");
        found.iter_mut().for_each(|folder| folder.push("site-packages"));
        packages.extend(found);
    }
    let mut installed = vec![];
    if let Some(root) = settings::CONDA_PREFIX.content() {
        installed.extend(library_folders(Path::new(&root)));
    }
    installed.extend(library_folders(Path::new("/usr/local/cuda")));
    for toolkit in matching(Path::new("/usr/local"), "cuda-") {
        installed.extend(library_folders(&toolkit));
    }
    installed.extend(library_folders(Path::new("/opt/cuda")));
    let layout = &["nvidia/cu13/lib", "nvidia/*/lib"];
    Places { loaded: true, named, packages, layout, installed, system: true, foreign: vec![] }.without_repetitions()
}

/// Folders with headers of the toolkit that belong to the same places.
pub(crate) fn include_folders(places: &Places) -> Vec<PathBuf> {
    let beside = |folder: &PathBuf| folder.parent().map(|root| root.join("include"));
    let mut found: Vec<PathBuf> = places.named.iter().filter_map(beside).collect();
    for folder in &places.packages {
        found.push(folder.join("nvidia/cu13/include"));
        found.push(folder.join("nvidia/cuda_runtime/include"));
    }
    found.extend(places.installed.iter().filter_map(beside));
    found.retain(|folder| folder.join("cuda_fp16.h").is_file());
    found.dedup();
    found
}

/// Folders under the root of a toolkit that may hold libraries.
fn library_folders(root: &Path) -> Vec<PathBuf> {
    ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"]
        .iter()
        .map(|folder| root.join(folder))
        .collect()
}
