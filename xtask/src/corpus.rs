//! The corpus of data directories: makes new ones with this build.

use crate::Done;
use crate::repo::Repo;

/// Builds the exchange, and makes the directories named in `words`, or one for each recipe.
pub(crate) fn run(repo: &Repo, words: &[&str]) -> Done {
    let exchange = ["build", "--quiet", "--package", "buttonwood-accept", "--bins"];
    repo.cargo(exchange).run()?;
    let corpus = ["run", "--quiet", "--package", "buttonwood-corpus", "--"];
    repo.cargo(corpus.iter().chain(words)).run()
}
