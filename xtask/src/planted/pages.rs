//! Bugs of the pages. Their scripts are served in place of those of a sandbox of the unchanged product, so nothing is built for them.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Output, Stdio};
use std::time::Instant;

use super::bugs::{Bug, PAGES};
use super::scratch::Scratch;
use crate::exchange::Exchange;
use crate::repo::{Repo, last_line, tail};
use crate::{Done, browser, skipped};

/// The script whose checks catch them, unless a bug names another.
const SCRIPT: &str = "trade";
const PROXY: &str = "proof/accept/browser/planted.py";

/// The bugs, unless there is no browser.
pub(super) fn usable<'a>(repo: &Repo, bugs: Vec<&'a Bug>) -> Vec<&'a Bug> {
    if bugs.is_empty() {
        return bugs;
    }
    match browser::prepare(repo) {
        Ok(()) => bugs,
        Err(why) => {
            skipped::say("planted bugs of pages", &why);
            Vec::new()
        }
    }
}

fn script_of(bug: &Bug) -> &str {
    bug.script.as_deref().unwrap_or(SCRIPT)
}

/// Runs the checks of all bugs on the unchanged scripts.
pub(super) fn pass_unchanged(repo: &Repo, scratch: &Scratch<'_>, bugs: &[&Bug]) -> Done {
    let start = Instant::now();
    let scripts: BTreeSet<&str> = bugs.iter().map(|bug| script_of(bug)).collect();
    for script in scripts {
        let of_script = bugs.iter().filter(|bug| script_of(bug) == script);
        let checks: Vec<&String> = of_script.flat_map(|bug| &bug.checks).collect();
        let output = visit(repo, scratch, script, &checks)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("planted: without a bug {script}.py fails too: {}", tail(&said)));
        }
    }
    println!("planted: without a bug the checks of pages pass in {:.1?}", start.elapsed());
    Ok(())
}

/// Serves one bug to the browser, whose last check must fail. A driver or a sandbox that fails is no catch: it raises another error.
pub(super) fn catch(repo: &Repo, scratch: &Scratch<'_>, bug: &Bug) -> Done {
    let Bug { name, says, breaks, checks, edits, .. } = bug;
    let (start, script) = (Instant::now(), script_of(bug));
    let output = scratch.with(edits, || visit(repo, scratch, script, &checks.iter().collect::<Vec<_>>()))?;
    let [said, trouble] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let passed = said.lines().filter(|line| line.starts_with("ok ")).count();
    let finding = trouble.lines().find(|line| line.starts_with("AssertionError"));
    match finding {
        Some(finding) if !output.status.success() && passed + 1 == checks.len() => {
            let finding: String = finding.chars().take(100).collect();
            println!("planted: {name} ({breaks}) caught in {:.1?}: {finding}", start.elapsed());
            Ok(())
        }
        _ => Err(format!(
            "{name} IS NOT CAUGHT by {script}.py ({}, {passed} checks passed): {says}; {}",
            output.status,
            last_line(&trouble)
        )),
    }
}

/// Runs the checks against a fresh sandbox with the scripts of the copy.
fn visit(repo: &Repo, scratch: &Scratch<'_>, script: &str, checks: &[&String]) -> Result<Output, String> {
    let exchange = Exchange::start(repo, &browser::FLAGS)?;
    let assets = scratch.repo().path(PAGES);
    let assets = assets.to_str().ok_or("the path of the copy is no text")?;
    let step = repo.step("python3", [PROXY, &exchange.url, assets]);
    let mut proxy = step
        .into_command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{PROXY}: {error}"))?;
    let output = address(&mut proxy).and_then(|url| {
        let screenshots = browser::folder(repo)?;
        browser::visit(repo, script, &url, &exchange.credentials, screenshots, checks).output()
    });
    // Its standard input ends, and it with that.
    drop(proxy.stdin.take());
    proxy.wait().map_err(|error| format!("{PROXY}: {error}"))?;
    exchange.stop()?;
    output
}

/// Where the proxy listens, which it says on its first line.
fn address(proxy: &mut Child) -> Result<String, String> {
    let mut line = String::new();
    let output = proxy.stdout.take().ok_or("it has no output")?;
    BufReader::new(output).read_line(&mut line).map_err(|error| format!("{PROXY}: {error}"))?;
    let url = line.trim().strip_prefix("ready ").ok_or(format!("{PROXY} did not listen"))?;
    Ok(url.to_owned())
}
