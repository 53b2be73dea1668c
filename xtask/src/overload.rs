//! Ten times the load that the exchange can serve, against its own binary.
//!
//! The short form uses the simulator's profile, which CI has already built: optimised, with all checks on.

use crate::Done;
use crate::repo::Repo;

/// The length of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Full,
    Quick,
}

pub(crate) fn run(repo: &Repo, length: Length) -> Done {
    let (profile, flags): (_, &[&str]) = match length {
        Length::Full => ("release", &[]),
        Length::Quick => ("sim", &["--quick"]),
    };
    let of_profile = ["--quiet", "--profile", profile, "--package"];
    repo.cargo(["build"].iter().chain(&of_profile).chain(&["buttonwood"])).run()?;
    let head = ["buttonwood-bench", "--", "overload"];
    repo.cargo(["run"].iter().chain(&of_profile).chain(&head).chain(flags)).run_heard()
}
