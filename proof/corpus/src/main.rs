//! `cargo xtask corpus [NAME…]`: makes directories of this build and adds them to the corpus.

use buttonwood_corpus::{RECIPES, make};
use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| RECIPES.iter().all(|(known, _)| known != name)) {
        let known: Vec<_> = RECIPES.iter().map(|(name, _)| *name).collect();
        eprintln!("corpus: no recipe '{unknown}'; there are: {}", known.join(", "));
        return ExitCode::FAILURE;
    }
    for (name, recipe) in RECIPES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            make(name, recipe);
            println!("corpus: made {name}");
        }
    }
    ExitCode::SUCCESS
}
