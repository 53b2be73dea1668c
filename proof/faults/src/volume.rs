//! Disks on images: made, mounted, cut off, mounted again, and always removed at the end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
        }
    }
}

/// A file system on an image, or on any file that behaves like a disk.
#[derive(Debug)]
pub struct Volume {
    kind: Kind,
    disk: PathBuf,
    mount: PathBuf,
    is_mounted: bool,
}

impl Volume {
    /// Makes an image of this many bytes below `dir`, with a mounted file system.
    pub fn create(dir: &Path, kind: Kind, bytes: u64) -> Self {
        let image = dir.join(format!("{}.image", kind.name()));
        File::create(&image).and_then(|file| file.set_len(bytes)).expect("an image can be made");
        Self::format(dir, kind, &image)
    }

    /// Makes a file system on `disk`, mounted below `dir`.
    pub fn format(dir: &Path, kind: Kind, disk: &Path) -> Self {
        let shown = disk.display().to_string();
        match kind {
            // The file system's own structures are kept small; nothing is reserved for root.
            Kind::Ext4 => must("mkfs.ext4", &["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0", &shown]),
            Kind::Xfs => must("mkfs.xfs", &["-q", "-f", &shown]),
        }
        let mount = dir.join("mnt");
        fs::create_dir_all(&mount).expect("a mount point can be made");
        let mut volume = Self { kind, disk: disk.to_owned(), mount, is_mounted: false };
        volume.mount();
        volume
    }

    /// The path of the mount.
    pub fn path(&self) -> &Path {
        &self.mount
    }

    /// Mounts it, which replays the file system's own journal.
    pub fn mount(&mut self) {
        let (disk, at) = (self.disk.display().to_string(), self.mount.display().to_string());
        must("mount", &["-t", self.kind.name(), "-o", "loop", &disk, &at]);
        self.is_mounted = true;
    }

    /// Unmounts it.
    pub fn unmount(&mut self) {
        must("umount", &[&self.mount.display().to_string()]);
        self.is_mounted = false;
    }

    /// Cuts it off like a power cut: nothing more reaches it, and unsynced data is lost.
    pub fn shut_down(&self) {
        must("xfs_io", &["-x", "-c", "shutdown", &self.mount.display().to_string()]);
    }

    /// Runs the file system's own checker on the unmounted disk, after a mount has replayed its journal.
    pub fn check(&self) {
        let disk = self.disk.display().to_string();
        match self.kind {
            Kind::Ext4 => must("e2fsck", &["-f", "-n", &disk]),
            Kind::Xfs => must("xfs_repair", &["-n", "-f", &disk]),
        }
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if self.is_mounted {
            if std::thread::panicking() {
                rescue(&self.mount);
            }
            // Lazily: files that a failed round left open would otherwise prevent it.
            let _ = run("umount", &["-l", &self.mount.display().to_string()]);
        }
    }
}

/// Copies the content of a disk that is about to be removed, for the analysis of a failure.
fn rescue(mount: &Path) {
    let Some(dir) = mount.parent() else { return };
    let _ = run(
        "cp",
        &["-a", &format!("{}/.", mount.display()), &dir.join("data-of-disk").display().to_string()],
    );
}

/// Unmounts what earlier, killed runs left below the folder of all runs.
pub fn sweep_leftovers(root: &Path) {
    let Some(all) = root.parent() else { return };
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let below =
        mounts.lines().filter_map(|line| line.split(' ').nth(1)).filter(|at| Path::new(at).starts_with(all));
    for at in below {
        let owner = Path::new(at)
            .strip_prefix(all)
            .ok()
            .and_then(|rest| rest.iter().next()?.to_str()?.strip_prefix("run-")?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            println!("unmounting {at}, left by an earlier run");
            let _ = run("umount", &["-l", at]);
        }
    }
}

fn run(program: &str, words: &[&str]) -> std::io::Result<Output> {
    Command::new(program).args(words).stdin(Stdio::null()).output()
}

#[track_caller]
fn must(program: &str, words: &[&str]) {
    let output = run(program, words).unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        output.status.success(),
        "{program} {}: {}\n{}{}",
        words.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
