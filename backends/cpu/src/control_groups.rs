//! Memory that Linux's control groups leave a process.

use std::fs;
use std::path::Path;

use cuproxide_hal::MemoryInfo;

/// Files of a group in one of the two versions.
struct Version {
    limit: &'static str,
    used: &'static str,
    /// Lines of `memory.stat`: files in the page cache, which count as used and make room when it is needed.
    cache: [&'static str; 2],
}

const FIRST: Version = Version {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: ["total_inactive_file ", "total_active_file "],
};
const SECOND: Version =
    Version { limit: "memory.max", used: "memory.current", cache: ["inactive_file ", "active_file "] };

impl Version {
    /// The memory left to a process within a group's limit, too; nothing if the group sets none.
    fn allowed(&self, group: &Path, inside: MemoryInfo) -> Option<MemoryInfo> {
        let read = |name| fs::read_to_string(group.join(name)).ok();
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let total = number(&read(self.limit)?)?;
        let statistics = read("memory.stat").unwrap_or_default();
        let counted = |line: &str| self.cache.iter().find_map(|name| number(line.strip_prefix(name)?));
        let cache = statistics.lines().filter_map(counted).sum();
        let used = number(&read(self.used)?)?.saturating_sub(cache);
        Some(MemoryInfo { free: inside.free.min(total.saturating_sub(used)), total: inside.total.min(total) })
    }
}

/// The memory of a machine within the limits of groups and of all groups around them.
///
/// `mounted` is where the file system of the groups is, `groups` the text of `/proc/self/cgroup`. In a container that
/// text may name folders of the host; those that are not there are passed over.
pub fn limited(machine: MemoryInfo, mounted: &Path, groups: &str) -> MemoryInfo {
    let mut left = machine;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(name)) = (fields.next(), fields.next()) else { continue };
        let (root, version) = match controllers {
            "" => (mounted.to_owned(), SECOND),
            _ if controllers.split(',').any(|controller| controller == "memory") => (mounted.join("memory"), FIRST),
            _ => continue,
        };
        let own = root.join(name.trim_start_matches('/'));
        for group in own.ancestors().take_while(|group| group.starts_with(&root)) {
            left = version.allowed(group, left).unwrap_or(left);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const MACHINE: MemoryInfo = MemoryInfo { free: 900, total: 1000 };

    /// A file system of groups, which is removed in the end.
    struct Mounted(PathBuf);

    impl Mounted {
        fn new(name: &str, files: &[(&str, &str)]) -> Mounted {
            let root = std::env::temp_dir().join(format!("cuproxide-groups-{}-{name}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Mounted(root)
        }

        fn limited(&self, groups: &str) -> (usize, usize) {
            let left = limited(MACHINE, &self.0, groups);
            (left.free, left.total)
        }
    }

    impl Drop for Mounted {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn the_page_cache_makes_room() {
        let second = Mounted::new(
            "second",
            &[
                ("memory.max", "800\n"),
                ("memory.current", "700\n"),
                ("memory.stat", "anon 100\ninactive_file 350\nactive_file 250\n"),
            ],
        );
        assert_eq!(second.limited("0::/\n"), (700, 800));
        let first = Mounted::new(
            "first",
            &[
                ("memory/memory.limit_in_bytes", "800\n"),
                ("memory/memory.usage_in_bytes", "700\n"),
                (
                    "memory/memory.stat",
                    "inactive_file 1\nactive_file 1\ntotal_inactive_file 300\ntotal_active_file 200\n",
                ),
            ],
        );
        assert_eq!(first.limited("9:name=systemd:/\n4:cpu,memory:/\n0::/\n"), (600, 800));
    }

    #[test]
    fn no_limit_leaves_the_machine() {
        let none = Mounted::new(
            "none",
            &[
                ("memory.max", "max\n"),
                ("memory.current", "990\n"),
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/memory.usage_in_bytes", "990\n"),
            ],
        );
        for groups in ["", "0::/\n", "4:memory:/\n", "4:memory:/job\n0::/\n", "nonsense\n"] {
            assert_eq!(none.limited(groups), (900, 1000), "{groups:?}");
        }
    }

    #[test]
    fn groups_around_count() {
        // As SLURM makes them: the limit is that of the job, two groups above the task's.
        let job = Mounted::new(
            "job",
            &[
                ("job_7/memory.max", "500\n"),
                ("job_7/memory.current", "450\n"),
                ("job_7/step_0/memory.max", "max\n"),
                ("job_7/step_0/task_0/memory.max", "600\n"),
                ("job_7/step_0/task_0/memory.current", "10\n"),
                ("memory.max", "max\n"),
            ],
        );
        assert_eq!(job.limited("0::/job_7/step_0/task_0\n"), (50, 500));
        assert_eq!(job.limited("0::/job_7/step_0\n"), (50, 500));
        assert_eq!(job.limited("0::/job_8\n"), (900, 1000));
        // A task of the same limit, beside another one that has used most of it.
        let equal = Mounted::new(
            "equal",
            &[
                ("job_7/memory.max", "500\n"),
                ("job_7/memory.current", "490\n"),
                ("job_7/task_0/memory.max", "500\n"),
                ("job_7/task_0/memory.current", "10\n"),
            ],
        );
        assert_eq!(equal.limited("0::/job_7/task_0\n"), (10, 500));
    }
}
