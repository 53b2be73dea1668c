//! Slows the exchange down: its journal may write only this many bytes per second.
//!
//! A control group's block throttle does it: only for the journal's thread where groups can hold threads (version 1),
//! else for the process. Processor time is not limited instead: a quota is used up in a moment and then pauses
//! everything for the rest of its period. Also, a refusal costs HTTP about half as much as a reply, so a tenth of the
//! load would have to pay for the rest. A slow disk is realistic, and leaves the edge running.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The name of the journal's thread.
const JOURNAL: &str = "journal";

/// A throttle on one process.
pub(crate) struct Confinement {
    group: PathBuf,
    version: Version,
    /// The disk, as `major:minor`.
    disk: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Confinement {
    /// Confines a process whose data is in `data`; the error says in a sentence why it cannot.
    pub(crate) fn new(process: u32, data: &Path) -> Result<Self, String> {
        let disk = disk_of(data)?;
        let name = format!("buttonwood-overload-{process}");
        let (root, version) = if Path::new("/sys/fs/cgroup/blkio/cgroup.procs").exists() {
            ("/sys/fs/cgroup/blkio", Version::One)
        } else {
            ("/sys/fs/cgroup", Version::Two)
        };
        let group = Path::new(root).join(name);
        fs::create_dir(&group).map_err(|error| format!("no control group can be made: {error}"))?;
        let confinement = Self { group, version, disk };
        // Tried before a thread is in the group: a kernel without the throttle fails here.
        confinement.allow(1 << 40)?;
        match version {
            Version::One => confinement.put("tasks", &journal_thread(process)?.to_string())?,
            Version::Two => confinement.put("cgroup.procs", &process.to_string())?,
        }
        Ok(confinement)
    }

    /// Sets how many bytes per second may be written from now on.
    pub(crate) fn allow(&self, bytes: u64) -> Result<(), String> {
        let Self { disk, .. } = self;
        match self.version {
            Version::One => self.put("blkio.throttle.write_bps_device", &format!("{disk} {bytes}")),
            Version::Two => self.put("io.max", &format!("{disk} wbps={bytes}")),
        }
    }

    fn put(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.group.join(file);
        fs::write(&path, text).map_err(|error| format!("{} does not take {text:?}: {error}", path.display()))
    }
}

impl Drop for Confinement {
    fn drop(&mut self) {
        // Its process has ended, or is released.
        let parent = self.group.parent().map(|parent| parent.join("cgroup.procs"));
        let members = fs::read_to_string(self.group.join("cgroup.procs")).unwrap_or_default();
        for member in members.lines() {
            let _ = parent.as_ref().map(|parent| fs::write(parent, member));
        }
        let _ = fs::remove_dir(&self.group);
    }
}

/// The whole disk of a path: a throttle cannot address partitions.
fn disk_of(path: &Path) -> Result<String, String> {
    let device = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let known = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    if !known.exists() {
        return Err(format!("{} lies on no disk that could be throttled", path.display()));
    }
    if !known.join("partition").exists() {
        return Ok(format!("{major}:{minor}"));
    }
    let disk =
        fs::read_to_string(known.join("../dev")).map_err(|error| format!("the partition's disk: {error}"))?;
    Ok(disk.trim().to_owned())
}

fn journal_thread(process: u32) -> Result<u32, String> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).map_err(|error| error.to_string())?;
    let mut named = tasks.flatten().filter_map(|task| {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        (name.trim() == JOURNAL).then(|| task.file_name().to_str()?.parse().ok())?
    });
    named.next().ok_or_else(|| format!("the exchange has no thread called {JOURNAL:?}"))
}
