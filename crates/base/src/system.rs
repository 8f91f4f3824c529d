//! The memory that the system grants to this process.
//!
//! Four things may bound it, and the least of them counts: the limits of the process on
//! its address space and on its data (`ulimit -v`, `ulimit -d`), the control groups that it
//! is in (version 1 or 2, and those above them), and what is available in the machine.
//! All are compared with memory that is used, so address space that is reserved and not
//! used, and files in a control group's cache that can be dropped, are taken off first.
//! What cannot be read is taken to grant everything; this is so on other systems than
//! Linux.

use std::fmt;

/// A limit on the memory of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// The limit on the address space of the process.
    AddressSpace,
    /// The limit on the data of the process.
    Data,
    /// The limit of a control group.
    ControlGroup,
    /// The memory of the machine that nobody else uses.
    Machine,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::AddressSpace => "the limit on its address space (ulimit -v)",
            Bound::Data => "the limit on its data (ulimit -d)",
            Bound::ControlGroup => "the limit of its control group",
            Bound::Machine => "what is available in the machine",
        })
    }
}

/// The memory that is granted, and the limit that bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Granted {
    /// Bytes that the process may use in all, those that it uses now included.
    pub bytes: u64,
    /// The limit that more bytes would exceed.
    pub bound: Bound,
}

/// The memory that is granted now; `None` when nothing that can be read bounds it.
pub fn granted_memory() -> Option<Granted> {
    bounds().into_iter().min()
}

#[cfg(not(target_os = "linux"))]
fn bounds() -> Vec<Granted> {
    Vec::new()
}

#[cfg(target_os = "linux")]
use linux::bounds;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::{Path, PathBuf};

    use procfs::process::LimitValue;
    use procfs::{Current, Meminfo, ProcResult, ProcessCGroup};

    use crate::system::{Bound, Granted};

    /// Everything that bounds the memory of this process and can be read.
    pub(super) fn bounds() -> Vec<Granted> {
        let Ok(process) = procfs::process::Process::myself() else {
            return Vec::new();
        };
        let page = procfs::page_size();
        let Ok(used) = process.statm() else {
            return Vec::new();
        };
        let resident = used.resident * page;
        let mut found = Vec::new();
        let mut add = |bytes: Option<u64>, bound| {
            found.extend(bytes.map(|bytes| Granted { bytes, bound }));
        };
        if let Ok(limits) = process.limits() {
            // Reserved and not used.
            let reserved = |pages: u64| (pages * page).saturating_sub(resident);
            let left = |limit: LimitValue, pages: u64| match limit {
                LimitValue::Unlimited => None,
                LimitValue::Value(bytes) => Some(bytes.saturating_sub(reserved(pages))),
            };
            let space = left(limits.max_address_space.soft_limit, used.size);
            add(space, Bound::AddressSpace);
            add(
                left(limits.max_data_size.soft_limit, used.data),
                Bound::Data,
            );
        }
        for group in process.cgroups().into_iter().flatten() {
            add(
                of_group(&group, Path::new(ROOT), resident),
                Bound::ControlGroup,
            );
        }
        add(
            available().ok().map(|bytes| bytes + resident),
            Bound::Machine,
        );
        found
    }

    /// Bytes that the machine can give: free, in caches that can be dropped, and swap.
    fn available() -> ProcResult<u64> {
        let memory = Meminfo::current()?;
        let available = memory.mem_available.unwrap_or(memory.mem_free);
        Ok(available + memory.swap_free)
    }

    /// The directory at which control groups are mounted.
    const ROOT: &str = "/sys/fs/cgroup";

    /// Bytes that a control group and those above it grant; `None` when they do not bound memory.
    pub(super) fn of_group(group: &ProcessCGroup, root: &Path, resident: u64) -> Option<u64> {
        let path = group.pathname.trim_start_matches('/');
        let (root, limit, usage, cache) = if group.hierarchy == 0 {
            let root = root.to_path_buf();
            (root, "memory.max", "memory.current", "inactive_file")
        } else if group.controllers.iter().any(|name| name == "memory") {
            let names = ("memory.limit_in_bytes", "memory.usage_in_bytes");
            (root.join("memory"), names.0, names.1, "total_inactive_file")
        } else {
            return None;
        };
        // In a container the path may be that outside, and the group is the root.
        let whole = root.join(path);
        let from: PathBuf = if whole.is_dir() { whole } else { root.clone() };
        let groups = from.ancestors().take_while(|at| at.starts_with(&root));
        let bytes = groups.filter_map(|at| {
            // Without a limit it says `max`, or in version 1 a number beyond any memory.
            let limit = number(&at.join(limit)).filter(|&bytes| bytes < 1 << 62)?;
            let used = number(&at.join(usage)).unwrap_or(0);
            let dropped = statistic(&at.join("memory.stat"), cache).unwrap_or(0);
            let by_others = used.saturating_sub(dropped).saturating_sub(resident);
            Some(limit.saturating_sub(by_others))
        });
        bytes.min()
    }

    fn number(path: &Path) -> Option<u64> {
        fs::read_to_string(path).ok()?.trim().parse().ok()
    }

    /// A line `name number` of a file.
    fn statistic(path: &Path, name: &str) -> Option<u64> {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines
            .find(|(found, _)| *found == name)?
            .1
            .trim()
            .parse()
            .ok()
    }

    #[cfg(test)]
    mod tests {
        use crate::system::linux::*;

        fn group(hierarchy: u32, controllers: &[&str], path: &str) -> ProcessCGroup {
            ProcessCGroup {
                hierarchy,
                controllers: controllers.iter().map(|&name| name.to_owned()).collect(),
                pathname: path.to_owned(),
            }
        }

        fn write(folder: &Path, files: &[(&str, &str)]) {
            fs::create_dir_all(folder).expect("a folder");
            for (name, text) in files {
                fs::write(folder.join(name), text).expect("a file");
            }
        }

        #[test]
        fn the_tightest_group_of_all_above_counts() {
            let root = tempfile::tempdir().expect("a folder");
            let (root, inner) = (root.path(), root.path().join("a/b"));
            write(
                &inner,
                &[("memory.max", "max\n"), ("memory.current", "70\n")],
            );
            write(
                &root.join("a"),
                &[
                    ("memory.max", "1000\n"),
                    ("memory.current", "400\n"),
                    ("memory.stat", "anon 5\ninactive_file 100\nfile 9\n"),
                ],
            );
            let found = |group, resident| of_group(&group, root, resident);
            // 400 less 100 that can be dropped; 40 of the rest are our own.
            assert_eq!(found(group(0, &[], "/a/b"), 40), Some(1000 - 260));
            assert_eq!(found(group(0, &[], "/"), 40), None);
            // A path that is that outside a container.
            write(root, &[("memory.max", "500"), ("memory.current", "30")]);
            assert_eq!(found(group(0, &[], "/docker/4711"), 40), Some(500));
            assert_eq!(found(group(0, &[], "/a/b"), 40), Some(500));
        }

        #[test]
        fn version_1_has_names_of_its_own() {
            let root = tempfile::tempdir().expect("a folder");
            write(
                &root.path().join("memory/job"),
                &[
                    ("memory.limit_in_bytes", "800"),
                    ("memory.usage_in_bytes", "300"),
                    ("memory.stat", "inactive_file 1\ntotal_inactive_file 20\n"),
                ],
            );
            let unlimited = [("memory.limit_in_bytes", "9223372036854771712")];
            write(&root.path().join("memory"), &unlimited);
            let found = |controllers: &[&str]| {
                let group = group(4, controllers, "/job");
                of_group(&group, root.path(), 0)
            };
            assert_eq!(found(&["memory"]), Some(800 - 280));
            assert_eq!(found(&["cpu", "cpuacct"]), None);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::system::*;

    #[test]
    fn this_process_has_some_memory() {
        let granted = granted_memory().expect("the machine's");
        assert!(granted.bytes > 1 << 20, "{granted:?}");
        // No two readings are compared: other processes take and free memory in between.
        let found = bounds();
        let machine = found.iter().find(|of| of.bound == Bound::Machine);
        assert!(machine.is_some_and(|of| of.bytes > 1 << 20), "{found:?}");
    }
}
