//! Disks of our own, served as files that a loop device uses: one fails on command, one forgets unflushed data.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A served disk; it is removed when dropped.
#[derive(Debug)]
pub struct Disk {
    fuse: Child,
    file: PathBuf,
    trigger: PathBuf,
}

impl Disk {
    /// A disk in memory whose writes fail while a trigger file exists.
    pub fn failing(dir: &Path, bytes: u64) -> Self {
        let trigger = format!("error-file={}", dir.join("fails").display());
        let size = format!("size={bytes}");
        let words = ["--filter=error", "memory", &size, "error=EIO", "error-pwrite-rate=100%", &trigger];
        Self::serve(dir, bytes, &words)
    }

    /// A disk on an image with a cache that keeps all writes until it is flushed, and loses them when it is
    /// [`cut`](Self::cut) off. An existing image is served again.
    pub fn forgetful(dir: &Path, bytes: u64) -> Self {
        let image = dir.join("disk.image");
        let made = File::options().create(true).truncate(false).write(true).open(&image);
        made.and_then(|file| file.set_len(bytes)).expect("an image can be made");
        let image = image.display().to_string();
        Self::serve(dir, bytes, &["--filter=cache", "file", &image, "cache=writeback"])
    }

    fn serve(dir: &Path, bytes: u64, words: &[&str]) -> Self {
        let file = dir.join("disk");
        File::create(&file).expect("a file can be made");
        let log = File::options()
            .create(true)
            .append(true)
            .open(dir.join("nbdkit.log"))
            .expect("a log can be made");
        let fuse = Command::new("nbdfuse")
            .arg(&file)
            .args(["--command", "nbdkit", "-s", "--exit-with-parent"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nbdfuse was probed");
        let disk = Self { fuse, file, trigger: dir.join("fails") };
        let deadline = Instant::now() + Duration::from_secs(10);
        while fs::metadata(&disk.file).map_or(0, |file| file.len()) != bytes {
            assert!(Instant::now() < deadline, "nbdfuse serves no disk");
            std::thread::sleep(Duration::from_millis(5));
        }
        disk
    }

    /// The path of the served file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Makes all writes fail from now on.
    pub fn fail(&self) {
        File::create(&self.trigger).expect("a trigger can be made");
    }

    /// Makes writes succeed again.
    pub fn heal(&self) {
        fs::remove_file(&self.trigger).expect("a trigger can be removed");
    }

    /// Cuts its power: its cache is lost, and nothing more reaches the image.
    pub fn cut(&self) {
        let id = self.fuse.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let server = children.split_whitespace().find_map(|word| Pid::from_raw(word.parse().ok()?));
        let server = server.expect("nbdfuse has started nbdkit");
        kill_process(server, Signal::KILL).expect("our own disk can be killed");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.trigger);
        let _ = Command::new("fusermount3").arg("-u").arg("-z").arg(&self.file).output();
        let _ = kill_process(Pid::from_child(&self.fuse), Signal::TERM);
        self.fuse.wait().ok();
    }
}
