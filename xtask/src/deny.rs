//! Licences, banned crates and sources of everything we depend on, as `deny.toml` wants them.

use crate::repo::Repo;
use crate::{Done, tool};

pub(crate) fn run(repo: &Repo) -> Done {
    if !tool::have(repo, "deny", None)? {
        return Ok(());
    }
    repo.cargo(["deny", "--workspace", "check", "bans", "licenses", "sources"]).run()
}
