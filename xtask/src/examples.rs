//! The programs of `docs/STREAMS.md`, as readers copy them, against a fresh sandbox.

use std::fs;

use crate::Done;
use crate::exchange::Exchange;
use crate::repo::Repo;

const PAGE: &str = "docs/STREAMS.md";
/// Where a program is written before it runs.
const FOLDER: &str = "target/examples-of-docs";
/// The longest program; a line may have so many characters.
const LINES_MAX: usize = 40;

/// Runs the programs that the page shows under the words behind the fence, such as `python` or `js ccxt`; at least one must be there.
pub(crate) fn run(repo: &Repo, exchange: &Exchange, fence: &str, program: &str, modules: &str) -> Done {
    let programs = programs(&repo.read(PAGE)?, fence);
    if programs.is_empty() {
        return Err(format!("{PAGE} has no program under ```{fence}"));
    }
    fs::create_dir_all(repo.path(FOLDER)).map_err(|error| format!("{FOLDER}: {error}"))?;
    for (number, text) in programs.iter().enumerate() {
        let lines = text.lines().count();
        if lines > LINES_MAX {
            return Err(format!(
                "{PAGE}: a program under ```{fence} has {lines} lines; at most {LINES_MAX} are read"
            ));
        }
        let ending = if fence.starts_with("js") { "cjs" } else { "py" };
        let path = format!("{FOLDER}/{}-{number}.{ending}", fence.replace(' ', "-"));
        fs::write(repo.path(&path), text).map_err(|error| format!("{path}: {error}"))?;
        let step =
            repo.step(program, [&path, &exchange.url]).env("BUTTONWOOD_CREDENTIALS", &exchange.credentials);
        let ran = step.env("NODE_PATH", repo.path(modules).join("node_modules")).run();
        ran.map_err(|why| {
            exchange.trouble(&format!("was no match for a program of {PAGE} (```{fence}): {why}"))
        })?;
    }
    Ok(())
}

/// The texts between fences with these words.
fn programs(page: &str, fence: &str) -> Vec<String> {
    let mut programs = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix("```") == Some(fence) {
            let program: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            programs.push(program.join("\n") + "\n");
        }
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::programs;

    #[test]
    fn fences_are_told_apart() {
        let page = "# A\n```python\na\nb\n```\n```python ccxt\nc\n```\n```js\nd\n```\n```python\ne\n```\n";
        assert_eq!(programs(page, "python"), ["a\nb\n", "e\n"]);
        assert_eq!(programs(page, "python ccxt"), ["c\n"]);
        assert_eq!(programs(page, "js ccxt"), [""; 0]);
    }
}
