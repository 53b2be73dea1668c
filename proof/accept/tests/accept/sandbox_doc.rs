//! Every control call of the sandbox, as `docs/SANDBOX.md` shows it.

use buttonwood_accept::{Value, binary, private_folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

const DOCUMENT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SANDBOX.md"));
const CONTRACT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/openapi.json"));

/// The first segment of a control call's path.
const CONTROL: &str = "/sandbox/";

/// The blocks of the document that are marked `sh`, as one script.
fn blocks() -> String {
    let blocks = DOCUMENT.split("\n```sh\n").skip(1);
    blocks.map(|block| block.split_once("\n```\n").expect("a block ends").0.to_owned() + "\n").collect()
}

/// The control calls of the contract: paths, with their parameters in braces.
fn control_calls() -> Vec<String> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let paths = contract["paths"].as_object().unwrap().keys();
    paths.filter(|path| path.starts_with(CONTROL)).cloned().collect()
}

/// The paths of the control calls that the script makes.
fn made_calls(script: &str) -> Vec<String> {
    let paths = script.match_indices(CONTROL).map(|(at, _)| {
        let end = |character: char| !(character.is_ascii_alphanumeric() || "/-".contains(character));
        script[at..].split(end).next().unwrap_or_default().to_owned()
    });
    paths.collect()
}

/// The path of the contract that a call means: one without parameters goes before one with them.
fn means<'a>(call: &str, paths: &'a [String]) -> Option<&'a String> {
    let fits = |path: &&String| {
        path.split('/').count() == call.split('/').count()
            && path.split('/').zip(call.split('/')).all(|(part, own)| part == own || part.starts_with('{'))
    };
    paths.iter().filter(fits).min_by_key(|path| path.matches('{').count())
}

/// Every control call of the contract has a block, and no block calls anything else.
#[test]
fn every_control_call_has_a_block() {
    let (paths, made) = (control_calls(), made_calls(&blocks()));
    assert!(paths.len() > 40, "{paths:?}");
    for call in &made {
        assert!(means(call, &paths).is_some(), "{call} is no control call");
    }
    let missing: Vec<_> =
        paths.iter().filter(|path| !made.iter().any(|call| means(call, &paths) == Some(path))).collect();
    assert!(missing.is_empty(), "docs/SANDBOX.md lacks a block for {missing:?}");
}

/// The blocks run from top to bottom; every call in them succeeds.
#[test]
fn the_blocks_are_true() {
    let missing = ["bash", "curl", "openssl", "jq"]
        .into_iter()
        .find(|program| Command::new(program).arg("--version").output().is_err());
    if let Some(program) = missing {
        return eprintln!("SKIPPED the script of docs/SANDBOX.md: {program} is not installed");
    }
    let home = private_folder();
    symlink(binary(), home.path().join("buttonwood")).unwrap();
    let path = format!("{}:{}", home.path().display(), std::env::var("PATH").unwrap_or_default());
    let script = blocks().replace("127.0.0.1:8080", "127.0.0.1:0");
    // The trap reports the failed line and ends the exchange.
    let script = format!(
        "set -eEu -o pipefail\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n\
         trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n{script}"
    );
    let run = Command::new("bash")
        .args(["-c", &script])
        .current_dir(home.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let log = fs::read_to_string(home.path().join("log")).unwrap_or_default();
    let [out, err] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(run.status.success(), "{out}\n{err}\n{log}");
}
