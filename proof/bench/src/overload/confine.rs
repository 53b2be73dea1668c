//! Making the exchange slow on purpose: its journal may write so many bytes a second and no more.
//!
//! A control group's block throttle does it, for the thread that writes the journal alone where groups hold threads
//! (version 1), else for the process. Not its processor time: a quota is spent in a moment and then pauses everything
//! for the rest of its period, and HTTP costs a refusal about half of what it costs an answer, so that a tenth of the
//! load would have to pay for the rest. A slow disk is what an exchange meets in life, and leaves the edge awake.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The journal's thread of a process, as it calls itself.
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
    /// Confines a process whose data lies in `data`; why it cannot be is a sentence.
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
        // Tried before anyone is in it: a kernel without the throttle says so here.
        confinement.allow(1 << 40)?;
        match version {
            Version::One => confinement.put("tasks", &journal_thread(process)?.to_string())?,
            Version::Two => confinement.put("cgroup.procs", &process.to_string())?,
        }
        Ok(confinement)
    }

    /// How many bytes a second may be written from now on.
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
        // Its process has ended by now, or is let go.
        let parent = self.group.parent().map(|parent| parent.join("cgroup.procs"));
        let members = fs::read_to_string(self.group.join("cgroup.procs")).unwrap_or_default();
        for member in members.lines() {
            let _ = parent.as_ref().map(|parent| fs::write(parent, member));
        }
        let _ = fs::remove_dir(&self.group);
    }
}

/// The whole disk that a path lies on: a throttle knows no partitions.
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
