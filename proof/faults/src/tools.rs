//! The tools that the faults need on the machine. Each is tried before use. A missing one is installed if possible;
//! otherwise what needs it is skipped by name.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A tool that a family needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Strace, which makes a process's system calls fail or kills it at one.
    Strace,
    /// Mounting images as disks: root, and a kernel with loop devices.
    Loop,
    /// ext4 on such a disk.
    Ext4,
    /// XFS on such a disk.
    Xfs,
    /// The shutdown of a mounted file system.
    Shutdown,
    /// A disk that fails on command.
    Nbdkit,
    /// Serving such a disk as a file.
    Nbdfuse,
    /// A separate clock for one process.
    Faketime,
}

/// The path of the library of `faketime` on Debian and its derivatives.
pub const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

impl Tool {
    /// Its Debian package; `None` if no package provides it.
    fn package(self) -> Option<&'static str> {
        match self {
            Self::Strace => Some("strace"),
            Self::Loop => None,
            Self::Ext4 => Some("e2fsprogs"),
            Self::Xfs | Self::Shutdown => Some("xfsprogs"),
            Self::Nbdkit => Some("nbdkit"),
            Self::Nbdfuse => Some("libnbd-bin"),
            Self::Faketime => Some("faketime"),
        }
    }

    /// Tries the tool; the error says what is wrong.
    pub fn probe(self) -> Result<(), String> {
        match self {
            Self::Strace => {
                let trace = ["-qq", "-e", "trace=none", "-e", "inject=close:delay_enter=1:when=1", "true"];
                works("strace", &trace)
            }
            Self::Loop => {
                if !is_root() {
                    return Err("only root mounts file systems".to_owned());
                }
                works("losetup", &["--find"])
            }
            Self::Ext4 => works("mkfs.ext4", &["-V"]).and_then(|()| known_to_kernel("ext4")),
            Self::Xfs => works("mkfs.xfs", &["-V"]).and_then(|()| known_to_kernel("xfs")),
            Self::Shutdown => works("xfs_io", &["-V"]),
            Self::Nbdkit => works("nbdkit", &["--filter=error", "memory", "size=1M", "--run", "true"]),
            Self::Nbdfuse => {
                works("nbdfuse", &["--version"])?;
                works("fusermount3", &["-V"])?;
                if Path::new("/dev/fuse").exists() { Ok(()) } else { Err("no /dev/fuse".to_owned()) }
            }
            Self::Faketime => {
                if !Path::new(FAKETIME).exists() {
                    return Err(format!("{FAKETIME} is not there"));
                }
                works("faketime", &["-f", "+1h", "true"])
            }
        }
    }
}

fn works(program: &str, words: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    match output {
        Err(error) => Err(format!("{program}: {error}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(format!("{program} {}: {}", output.status, said.lines().next().unwrap_or_default()))
        }
    }
}

fn known_to_kernel(kind: &str) -> Result<(), String> {
    let known = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
    if known.split_whitespace().any(|word| word == kind) {
        return Ok(());
    }
    // A module may still be loaded by the first mount, which would report a failure.
    works("modprobe", &[kind]).map_err(|_| format!("the kernel has no {kind}"))
}

/// Whether this process may mount and install.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Installs missing tools where possible, once per process; the next probe shows the result.
pub fn install_missing(tools: &[Tool]) {
    static TRIED: OnceLock<()> = OnceLock::new();
    let mut missing: Vec<&str> =
        tools.iter().filter(|tool| tool.probe().is_err()).filter_map(|tool| tool.package()).collect();
    if tools.contains(&Tool::Nbdfuse) && works("fusermount3", &["-V"]).is_err() {
        missing.push("fuse3");
    }
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() || !is_root() || works("apt-get", &["--version"]).is_err() {
        return;
    }
    TRIED.get_or_init(|| {
        println!("installing {}", missing.join(", "));
        let mut words = vec!["install", "-y", "-qq", "--no-install-recommends"];
        words.extend(&missing);
        let install = || {
            let mut command = Command::new("apt-get");
            command.args(&words).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
            command.output().is_ok_and(|output| output.status.success())
        };
        if !install() && works("apt-get", &["update", "-qq"]).is_ok() {
            install();
        }
    });
}
