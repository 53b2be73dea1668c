//! Parts of work that is too long for one commit: each commit's continuous integration runs the next part.

use std::fmt;
use std::ops::Range;

use crate::repo::Repo;

/// Part `k` of `n`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    k: usize,
    n: usize,
}

impl Part {
    /// Parses `K/N`; `None` unless K is below N.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (k, n) = text.split_once('/')?;
        let (k, n) = (k.parse().ok()?, n.parse().ok()?);
        (k < n).then_some(Self { k, n })
    }

    /// The part for the current commit, of a chore that one commit of `every` runs. It depends on the number of commits, or, in
    /// a shallow clone, which does not know that number, on the time of the commit. So a repeated run takes the same part.
    pub(crate) fn in_turn(repo: &Repo, n: usize, every: usize) -> Result<Self, String> {
        let is_shallow =
            repo.step("git", ["rev-parse", "--is-shallow-repository"]).stdout()?.trim() == "true";
        let number: &[&str] =
            if is_shallow { &["log", "-1", "--format=%ct"] } else { &["rev-list", "--count", "HEAD"] };
        let counted = repo.step("git", number).stdout()?;
        let commits: usize = counted.trim().parse().map_err(|_| format!("git counts {counted} commits"))?;
        Ok(Self { k: commits / every % n, n })
    }

    /// The part's range of `total` items.
    pub(crate) fn of(self, total: usize) -> Range<usize> {
        self.k * total / self.n..(self.k + 1) * total / self.n
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbers_below_their_count() {
        for text in ["0/1", "7/8"] {
            assert_eq!(Part::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "1/1", "8/8", "a/8", "-1/8", "1/8/9", "0/0"] {
            assert_eq!(Part::parse(text), None, "{text}");
        }
    }

    /// A shallow clone has one commit: its time decides, or every commit's part would be the same.
    #[test]
    fn a_shallow_clone_takes_the_part_of_its_time() {
        let home = std::env::temp_dir().join(format!("buttonwood-turn-{}", std::process::id()));
        std::fs::create_dir(&home).unwrap();
        let git = |words: &[&str]| {
            let identity = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"];
            let step = Repo::at(home.clone()).step("git", identity.iter().chain(words));
            step.stdout().unwrap();
        };
        git(&["init", "--quiet", "whole"]);
        for message in ["one", "two"] {
            git(&["-C", "whole", "commit", "--quiet", "--allow-empty", "--message", message]);
        }
        let whole = home.join("whole");
        git(&["clone", "--quiet", "--depth", "1", &format!("file://{}", whole.display()), "shallow"]);
        let turn = |every| Part::in_turn(&Repo::at(whole.clone()), 5, every);
        assert_eq!(turn(1), Ok(Part { k: 2, n: 5 }));
        assert_eq!(turn(2), Ok(Part { k: 1, n: 5 }));
        let shallow = Repo::at(home.join("shallow"));
        let time = shallow.step("git", ["log", "-1", "--format=%ct"]).stdout().unwrap();
        let k = time.trim().parse::<usize>().unwrap() % 5;
        assert_eq!(Part::in_turn(&shallow, 5, 1), Ok(Part { k, n: 5 }));
        std::fs::remove_dir_all(&home).unwrap();
    }

    /// Every item is in exactly one part, even if the parts differ in size.
    #[test]
    fn the_parts_are_the_whole() {
        for (total, n) in [(82, 28), (3, 5), (0, 2), (6, 3)] {
            let items: Vec<usize> = (0..n).flat_map(|k| Part { k, n }.of(total)).collect();
            assert_eq!(items, (0..total).collect::<Vec<_>>());
        }
    }
}
