//! New directories, on the disk or in memory.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

/// The place of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The build's disk.
    Disk,
    /// Memory: a sync costs nothing.
    Memory,
}

impl Place {
    /// An empty directory, removed when dropped.
    pub(crate) fn fresh(self) -> TempDir {
        let parent = match self {
            Self::Disk => {
                let own = std::env::current_exe().expect("this program has a path");
                own.parent().expect("a program lies in a folder").join("bench-data")
            }
            Self::Memory => Path::new("/dev/shm").to_path_buf(),
        };
        std::fs::create_dir_all(&parent).expect("the data folder can be made");
        // A data directory that other users may write is refused.
        let mut made = tempfile::Builder::new();
        made.prefix("buttonwood-bench-").permissions(Permissions::from_mode(0o700));
        made.tempdir_in(parent).expect("a fresh directory")
    }
}
