//! What the machine says about AMD devices without any library: the kernel's driver, who may use it, what is hidden.

use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};

use cuproxide_hal::Error;

/// Variables that hide or rename devices.
const VARIABLES: [&str; 6] = [
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HSA_OVERRIDE_GFX_VERSION",
    "HIP_PLATFORM",
];
/// Statuses that mean that there is no device.
const NO_DEVICE: [i64; 2] = [100, 101];

/// A machine by the folder that its file system begins at.
pub(crate) struct Machine {
    root: PathBuf,
    variables: Vec<(&'static str, String)>,
}

/// Whether a file through which the kernel is asked for work, or for memory, can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Access {
    Missing,
    /// The words of the system, and the group that may use it, by number where it has no name.
    Refused(String, String),
    Granted,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let set = |name| Some((name, std::env::var(name).ok()?));
        Machine { root: PathBuf::from("/"), variables: VARIABLES.into_iter().filter_map(set).collect() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn access(&self, path: &Path) -> Access {
        use std::os::unix::fs::MetadataExt;
        let Ok(facts) = fs::metadata(path) else { return Access::Missing };
        match fs::OpenOptions::new().read(true).write(true).open(path) {
            Ok(_) => Access::Granted,
            Err(error) => {
                let id = facts.gid();
                Access::Refused(error.to_string(), group_name(id).unwrap_or_else(|| id.to_string()))
            }
        }
    }

    /// The node that the compute driver's work is asked for through.
    fn compute(&self) -> Access {
        self.access(&self.path("dev/kfd"))
    }

    /// The nodes of `/dev/dri` that memory comes through: granted if one of them is, else what is true of the first.
    fn rendering(&self) -> Access {
        let nodes = fs::read_dir(self.path("dev/dri")).into_iter().flatten().flatten().map(|node| node.path());
        let is_one =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("renderD"));
        let mut found: Vec<Access> = nodes.filter(is_one).map(|path| self.access(&path)).collect();
        found.sort_by_key(|access| *access != Access::Granted);
        found.into_iter().next().unwrap_or(Access::Missing)
    }

    /// Architectures of the devices that the kernel knows, such as `gfx942`.
    fn targets(&self) -> Vec<String> {
        let nodes = fs::read_dir(self.path("sys/class/kfd/kfd/topology/nodes")).into_iter().flatten().flatten();
        let mut nodes: Vec<PathBuf> = nodes.map(|node| node.path()).collect();
        nodes.sort();
        nodes.iter().filter_map(|node| target_of(&node.join("properties"))).collect()
    }

    /// Version of the kernel's driver, where it says.
    fn kernel_driver(&self) -> Option<String> {
        let module = self.path("sys/module/amdgpu");
        module.is_dir().then(|| {
            fs::read_to_string(module.join("version")).map_or("part of the kernel".to_owned(), |v| v.trim().to_owned())
        })
    }

    /// ROCm's version as the toolkit's folder tells it.
    fn toolkit(&self) -> Option<(PathBuf, String)> {
        let named = self.path("opt/rocm");
        let mut folders = vec![named];
        folders.extend(cuproxide_gpu::loader::matching(&self.path("opt"), "rocm-"));
        folders.into_iter().find_map(|folder| {
            let version = fs::read_to_string(folder.join(".info/version")).ok()?;
            Some((folder, version.trim().to_owned()))
        })
    }

    /// Why there is no device, and what helps, in the words of one line.
    fn reason(&self) -> String {
        match self.compute() {
            Access::Missing if self.kernel_driver().is_none() => {
                "the amdgpu kernel driver is not loaded (no /dev/kfd): install it (amdgpu-dkms, or a kernel that has it); \
                 in a container, start it with --device=/dev/kfd --device=/dev/dri"
                    .to_owned()
            }
            Access::Missing => "/dev/kfd is missing though the amdgpu kernel driver is loaded: in a container, start it \
                                with --device=/dev/kfd --device=/dev/dri"
                .to_owned(),
            Access::Refused(error, group) => refused("/dev/kfd", &error, &group),
            Access::Granted => {
                let hiding = ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"];
                let hidden = self.variables.iter().find(|(name, _)| hiding.contains(name));
                match (hidden, self.targets().as_slice(), self.rendering()) {
                    (Some((name, value)), ..) => format!("{name}={value:?} may hide every device"),
                    (None, [], _) => "the kernel's driver knows no device that computes".to_owned(),
                    (None, _, Access::Missing) => {
                        "/dev/dri has no render node: in a container, start it with --device=/dev/dri".to_owned()
                    }
                    (None, _, Access::Refused(error, group)) => refused("the render node of /dev/dri", &error, &group),
                    (None, targets, Access::Granted) => format!("this ROCm may not support {}", targets.join(", ")),
                }
            }
        }
    }

    /// The error of an initialisation, with the reason if it is that there is no device.
    pub fn explain(&self, error: Error) -> Error {
        match error {
            Error::Call { call, code, name, message } if NO_DEVICE.contains(&code) => {
                Error::Call { call, code, name, message: format!("{message}; {}", self.reason()) }
            }
            other => other,
        }
    }

    /// The facts for the diagnosis.
    pub fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![];
        let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
        fact("amdgpu kernel driver", self.kernel_driver().unwrap_or_else(|| "not loaded".to_owned()));
        let words = |access| match access {
            Access::Missing => "missing".to_owned(),
            Access::Refused(error, group) => format!("{error}; group {group}"),
            Access::Granted => "usable".to_owned(),
        };
        fact("/dev/kfd", words(self.compute()));
        fact("/dev/dri/renderD*", words(self.rendering()));
        fact("groups of this process", own_groups().join(", "));
        let targets = self.targets();
        fact("gfx targets", if targets.is_empty() { "none".to_owned() } else { targets.join(", ") });
        if let Some((folder, version)) = self.toolkit() {
            fact("ROCm toolkit", format!("{version} in {}", folder.display()));
        }
        for (name, value) in &self.variables {
            fact(name, value.clone());
        }
        facts
    }
}

/// What helps where a file cannot be opened.
fn refused(what: &str, error: &str, group: &str) -> String {
    let also = if group == "video" { "" } else { ",video" };
    format!(
        "{what} cannot be opened ({error}): add yourself to its group (sudo usermod -a -G {group}{also} $USER, then log in \
         again; in a container, --group-add {group})"
    )
}

/// `gfx_target_version 90402` of a node, as the compiler writes it: gfx942. A CPU has 0.
fn target_of(properties: &Path) -> Option<String> {
    let text = fs::read_to_string(properties).ok()?;
    let number: u32 = text.lines().find_map(|line| line.strip_prefix("gfx_target_version "))?.trim().parse().ok()?;
    let (major, minor, stepping) = (number / 10_000, number / 100 % 100, number % 100);
    (number > 0).then(|| format!("gfx{major}{minor:x}{stepping:x}"))
}

fn group_name(id: u32) -> Option<String> {
    // SAFETY: the function returns null or a record that is valid until the next call, which nobody here makes meanwhile.
    unsafe {
        let record = libc::getgrgid(id);
        (!record.is_null()).then(|| CStr::from_ptr((*record).gr_name).to_string_lossy().into_owned())
    }
}

/// Names of the groups that this process belongs to, by number where they have none.
fn own_groups() -> Vec<String> {
    // SAFETY: with room for none the function only counts; then it fills as many as there are, at most what was counted.
    let ids = unsafe {
        let count = libc::getgroups(0, std::ptr::null_mut()).max(0);
        let mut ids = vec![0; count as usize];
        let filled = libc::getgroups(count, ids.as_mut_ptr());
        ids.truncate(filled.max(0) as usize);
        let own = libc::getegid();
        if !ids.contains(&own) {
            ids.insert(0, own);
        }
        ids
    };
    ids.into_iter().map(|id| group_name(id).unwrap_or_else(|| id.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine in a temporary folder with these files.
    fn machine(name: &str, files: &[(&str, &str)], variables: &[(&'static str, &str)]) -> Machine {
        let root = std::env::temp_dir().join(format!("cuproxide-machine-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).expect("a temporary folder");
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a temporary folder");
            fs::write(path, text).expect("a temporary file");
        }
        Machine { root, variables: variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect() }
    }

    const NODES: [(&str, &str); 3] = [
        ("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 16\ngfx_target_version 0\n"),
        ("sys/class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0\ngfx_target_version 90010\n"),
        ("sys/class/kfd/kfd/topology/nodes/2/properties", "gfx_target_version 110501\nsimd_count 80\n"),
    ];

    #[test]
    fn targets_are_named_as_the_compiler_names_them() {
        assert_eq!(machine("targets", &NODES, &[]).targets(), ["gfx90a", "gfx1151"]);
        assert!(machine("none", &[], &[]).targets().is_empty());
    }

    #[test]
    fn the_reason_fits_what_is_there() {
        let reason = |name, files: &[(&str, &str)], variables: &[(&'static str, &str)]| {
            let error = Error::Call {
                call: "hipInit",
                code: 100,
                name: "hipErrorNoDevice".to_owned(),
                message: "no ROCm-capable device is detected".to_owned(),
            };
            machine(name, files, variables).explain(error).to_string()
        };
        let driver = ("sys/module/amdgpu/version", "6.12.12\n");
        let device = ("dev/kfd", "");
        assert!(reason("bare", &[], &[]).contains("kernel driver is not loaded"));
        assert!(reason("container", &[driver], &[]).contains("--device=/dev/kfd"));
        let hidden = reason("hidden", &[driver, device], &[("HIP_VISIBLE_DEVICES", "-1")]);
        assert!(hidden.contains("HIP_VISIBLE_DEVICES=\"-1\""), "{hidden}");
        // Nobody can write a folder, not even who may do everything.
        let refused = reason("refused", &[driver, ("dev/kfd/inside", "")], &[]);
        assert!(refused.contains("cannot be opened") && refused.contains("usermod"), "{refused}");
        assert!(reason("no-node", &[driver, device], &[]).contains("knows no device"));
        let blind = reason("blind", &[driver, device, NODES[1]], &[]);
        assert!(blind.contains("/dev/dri has no render node"), "{blind}");
        let closed = reason("closed", &[driver, device, NODES[1], ("dev/dri/renderD128/inside", "")], &[]);
        assert!(closed.contains("render node") && closed.contains("usermod"), "{closed}");
        let old = reason("old", &[driver, device, NODES[1], ("dev/dri/renderD128", "")], &[]);
        assert!(old.starts_with("hipInit failed with code 100") && old.contains("support gfx90a"), "{old}");
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        let error = Error::Call { call: "hipInit", code: 3, name: "x".to_owned(), message: "y".to_owned() };
        assert_eq!(machine("other", &[], &[]).explain(error.clone()).to_string(), error.to_string());
    }

    #[test]
    fn facts_name_the_versions() {
        let files =
            [("sys/module/amdgpu/version", "6.12.12\n"), ("opt/rocm-7.2.4/.info/version", "7.2.4-1\n"), NODES[1]];
        let facts = machine("facts", &files, &[("HIP_VISIBLE_DEVICES", "0,1")]).facts();
        let value = |name: &str| facts.iter().find(|(fact, _)| fact == name).map(|(_, value)| value.as_str());
        assert_eq!(value("amdgpu kernel driver"), Some("6.12.12"));
        assert_eq!(value("/dev/kfd"), Some("missing"));
        assert_eq!(value("/dev/dri/renderD*"), Some("missing"));
        assert_eq!(value("gfx targets"), Some("gfx90a"));
        assert_eq!(value("HIP_VISIBLE_DEVICES"), Some("0,1"));
        assert!(value("ROCm toolkit").is_some_and(|value| value.starts_with("7.2.4-1 in ")));
    }
}
