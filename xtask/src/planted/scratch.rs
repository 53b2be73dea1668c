//! A copy of the repository for planting bugs, and the simulator built there.
//!
//! One copy and one target directory serve all bugs. Only files that differ are written, so a build compiles only
//! what an edit affects.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::bugs::Edit;
use crate::Done;
use crate::repo::Repo;

/// The folders of the copy and of its build.
const COPY: &str = "target/planted/copy";
const BUILD: &str = "target/planted/build";

/// The copy of a repository.
pub(super) struct Scratch<'a> {
    repo: &'a Repo,
    copy: Repo,
}

impl<'a> Scratch<'a> {
    /// Makes or updates the copy.
    pub(super) fn of(repo: &'a Repo) -> Result<Self, String> {
        let scratch = Self { repo, copy: Repo::at(repo.path(COPY)) };
        let files = repo.files()?;
        scratch.sweep(&files)?;
        for file in &files {
            scratch.restore(file)?;
        }
        Ok(scratch)
    }

    /// The copy, as a repository.
    pub(super) fn repo(&self) -> &Repo {
        &self.copy
    }

    /// The folder of the build.
    pub(super) fn target(&self) -> PathBuf {
        self.repo.path(BUILD)
    }

    /// Makes the edits, acts, and reverts them.
    pub(super) fn with<T>(
        &self,
        edits: &[Edit],
        act: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let done = edits.iter().try_for_each(|edit| self.plant(edit)).and_then(|()| act());
        for edit in edits {
            self.restore(&edit.file)?;
        }
        done
    }

    /// Builds the simulator with the edits. Returns its path.
    pub(super) fn build(&self, edits: &[Edit]) -> Result<String, String> {
        self.with(edits, || self.compile())?;
        let binary = self.target().join("planted/buttonwood-sim");
        binary.into_os_string().into_string().map_err(|path| format!("{} is no text", path.display()))
    }

    fn plant(&self, edit: &Edit) -> Done {
        let planted = edit.apply(&self.copy.read(&edit.file)?)?;
        let path = self.copy.path(&edit.file);
        fs::write(&path, planted).map_err(failed(&path))
    }

    /// Warnings are shown only if the build fails: an edit may leave unused names.
    fn compile(&self) -> Done {
        let words = ["build", "--quiet", "--profile", "planted", "--package", "buttonwood-sim"];
        let output = self.copy.cargo(words).env("CARGO_TARGET_DIR", self.target()).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("the simulator does not build\n{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Restores a file of the copy from the repository, if it differs.
    fn restore(&self, file: &str) -> Done {
        let (from, to) = (self.repo.path(file), self.copy.path(file));
        let bytes = fs::read(&from).map_err(failed(&from))?;
        if fs::read(&to).is_ok_and(|copied| copied == bytes) {
            return Ok(());
        }
        let folder = to.parent().unwrap_or(&to);
        fs::create_dir_all(folder).map_err(failed(folder))?;
        fs::write(&to, bytes).map_err(failed(&to))
    }

    /// Removes files that the repository no longer has.
    fn sweep(&self, files: &[String]) -> Done {
        let mut wanted = BTreeSet::new();
        for file in files {
            wanted.extend(Path::new(file).ancestors().map(|path| self.copy.path(path)));
        }
        let root = self.copy.path("");
        if root.exists() { remove_others(&root, &wanted) } else { Ok(()) }
    }
}

/// Removes everything in the folder that is not wanted.
fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Done {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        match (wanted.contains(&path), path.is_dir()) {
            (true, true) => remove_others(&path, wanted)?,
            (true, false) => {}
            (false, true) => fs::remove_dir_all(&path).map_err(failed(&path))?,
            (false, false) => fs::remove_file(&path).map_err(failed(&path))?,
        }
    }
    Ok(())
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
