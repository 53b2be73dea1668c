//! Settings that contradict each other, and mistakes in the configuration file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use buttonwood_accept::{Exchange, binary, private_folder};
use rustix::process::{Pid, Signal, kill_process};

/// The configuration file's name.
const CONFIG: &str = "sandbox.toml";

/// The sandbox on a free port without simulated traders, in its own folder.
fn sandbox(home: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(binary());
    command
        .args(["sandbox", "--listen", "127.0.0.1:0", "--activity", "off"])
        .args(arguments)
        .envs(environment.iter().copied())
        .env("TMPDIR", home)
        .current_dir(home);
    command
}

/// The line with which a start is refused. It must create nothing.
fn refused(home: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let before = made(home);
    let mut command = sandbox(home, arguments, environment);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    if !ready.is_empty() {
        // Otherwise it would serve until the test times out.
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), ready.as_str()),
        (Some(2), ""),
        "{arguments:?} {environment:?}: {line}"
    );
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.starts_with("buttonwood: "), "{line}");
    assert_eq!(made(home), before, "{line}");
    line
}

/// The content of the folder while the sandbox runs; also checks that it can be stopped.
fn made_by(home: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let mut command = sandbox(home, arguments, environment);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let made = made(home);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success() && line.starts_with("ready"), "{arguments:?}: {line:?}");
    made
}

fn made(home: &Path) -> Vec<String> {
    let names = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != CONFIG).collect();
    names.sort();
    names
}

fn config(home: &Path, lines: &str) -> String {
    let path = home.join(CONFIG);
    fs::write(&path, lines).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// An ephemeral and a named directory contradict each other if set at the same rank; otherwise the higher rank
/// applies.
#[test]
fn ephemeral_and_data() {
    let home = private_folder();
    let home = home.path();
    let file = config(home, "ephemeral = true\ndata = \"file\"\n");
    for (arguments, environment) in [
        (&["--ephemeral", "--data", "flag"][..], &[][..]),
        (&[], &[("BUTTONWOOD_EPHEMERAL", "true"), ("BUTTONWOOD_DATA", "env")]),
        (&["--config", &file], &[]),
    ] {
        let line = refused(home, arguments, environment);
        assert!(line.contains("--ephemeral") && line.contains("--data "), "{line}");
    }
    let ephemeral = made_by(home, &["--ephemeral"], &[("BUTTONWOOD_DATA", "env")]);
    assert!(matches!(&ephemeral[..], [one] if one.starts_with("buttonwood-")), "{ephemeral:?}");
    assert_eq!(made(home), [""; 0], "it is removed");
    assert_eq!(made_by(home, &["--data", "flag"], &[("BUTTONWOOD_EPHEMERAL", "true")]), ["flag"]);
    let environment = [("BUTTONWOOD_EPHEMERAL", "false")];
    assert_eq!(made_by(home, &["--config", &file], &environment), ["file", "flag"]);
}

/// A switch in the environment or in the file accepts all usual words.
#[test]
fn words_of_switches() {
    let home = private_folder();
    let home = home.path();
    for word in ["1", "yes", "on"] {
        let ephemeral =
            made_by(home, &[], &[("BUTTONWOOD_EPHEMERAL", word), ("BUTTONWOOD_RATE_LIMITS", word)]);
        assert!(matches!(&ephemeral[..], [one] if one.starts_with("buttonwood-")), "{word}: {ephemeral:?}");
    }
    for word in ["0", "\"no\"", "\"off\"", "false"] {
        let file = config(home, &format!("ephemeral = {word}\nrate-limits = {word}\n"));
        assert_eq!(made_by(home, &["--config", &file], &[]), ["buttonwood-data"], "{word}");
    }
}

/// A real clock has no start time: setting one is refused, unless the clock ranks higher.
#[test]
fn start_time_and_clock() {
    let home = private_folder();
    let home = home.path();
    let time = ["--start-time", "2026-03-04"];
    for (arguments, environment) in [
        (&time[..], &[][..]),
        (&["--start-time", "2026-03-04", "--clock", "real"], &[]),
        (&time, &[("BUTTONWOOD_CLOCK", "real")]),
        (&[], &[("BUTTONWOOD_START_TIME", "2026-03-04")]),
    ] {
        let line = refused(home, arguments, environment);
        assert!(line.contains("--start-time 2026-03-04") && line.contains("--clock manual"), "{line}");
    }
    let environment = [("BUTTONWOOD_START_TIME", "2026-03-04")];
    assert_eq!(made_by(home, &["--data", "a", "--clock", "real"], &environment), ["a"]);
    for _ in 0..2 {
        // On an existing directory, it continues at its last stamp.
        let manual = ["--data", "b", "--clock", "manual", "--start-time", "2026-03-04"];
        assert_eq!(made_by(home, &manual, &[]), ["a", "b"]);
    }
}

/// The file may give a time as a TOML date or as text.
#[test]
fn times_in_the_file() {
    let home = private_folder();
    for value in ["2026-05-05T00:00:00Z", "2026-05-05 02:00:00+02:00", "2026-05-05", "\"2026-05-05\""] {
        let file = config(home.path(), &format!("start-time = {value}\n"));
        let x = Exchange::builder().flag("--config", &file).start();
        assert_eq!(x.now_ms(), 1_777_939_200_000, "{value}");
    }
    let file = config(home.path(), "clock = \"manual\"\nstart-time = 2026-05-05T00:00:00\n");
    let line = refused(home.path(), &["--config", &file], &[]);
    assert!(line.contains("--start-time '2026-05-05T00:00:00'") && line.contains("zone"), "{line}");
}

/// A mistake in the file is reported with the file, one in a flag is not.
#[test]
fn mistakes_in_the_file() {
    let home = private_folder();
    let home = home.path();
    for (setting, value) in [
        ("rate-limits", "\"perhaps\""),
        ("rate_limits", "7"),
        ("clock", "\"sundial\""),
        ("seed", "\"seven\""),
        ("auth_listen", "\"nowhere\""),
        ("start_time", "[\"2026-01-01\", \"2026-01-02\"]"),
    ] {
        let file = config(home, &format!("{setting} = {value}\n"));
        let line = refused(home, &["--config", &file], &[]);
        let flag = format!("'--{} ", setting.replace('_', "-"));
        assert!(line.contains(&format!("--config {file}: ")) && line.contains(&flag), "{line}");
        assert!(value.starts_with('[') || line.contains(value.trim_matches('"')), "{line}");
    }
    // A value that can be read but is invalid is reported with the file too.
    for (setting, value) in [
        ("header_prefix", "[\"X-GEMINI\", \"X-\"]"),
        ("service-name", "\"a b\""),
        ("segment_bytes", "1"),
        ("start_time", "2026-01-01"),
    ] {
        let file = config(home, &format!("{setting} = {value}\n"));
        let line = refused(home, &["--config", &file], &[]);
        let flag = format!("--{}", setting.replace('_', "-"));
        assert!(line.starts_with(&format!("buttonwood: --config {file}: {flag}")), "{line}");
    }
    for (lines, words) in
        [("seed = 1.5\n", "'seed' must be"), ("[sandbox]\nseed = 7\n", "'[sandbox]' is a table")]
    {
        let file = config(home, lines);
        let line = refused(home, &["--config", &file], &[]);
        assert!(line.contains(&file) && line.contains(words), "{line}");
        assert!(!lines.contains("1.5") || line.contains(": 1.5"), "{line}");
    }
    let file = config(home, "seed = 7\n");
    let output = sandbox(home, &["--config", &file, "--seed", "seven"], &[]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("--seed") && !text.contains(&file), "{text}");
}

/// A mistake in the environment is reported with the variable's name: there may be no flag to look for. A flag
/// overrides it.
#[test]
fn mistakes_in_the_environment() {
    let home = private_folder();
    let home = home.path();
    for (variable, value) in [
        ("BUTTONWOOD_SEED", "seven"),
        ("BUTTONWOOD_ACTIVITY", "perhaps-not"),
        ("BUTTONWOOD_SERVICE_NAME", "a b"),
        ("BUTTONWOOD_START_TIME", "2026-03-04"),
        ("BUTTONWOOD_CONFIG", ""),
    ] {
        // The helper sets `--activity` itself.
        let arguments = ["sandbox", "--listen", "127.0.0.1:0"];
        let output =
            Command::new(binary()).args(arguments).env(variable, value).current_dir(home).output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.starts_with(&format!("buttonwood: {variable}: ")) && line.contains(value), "{line}");
    }
    assert_eq!(made_by(home, &["--seed", "7", "--data", "a"], &[("BUTTONWOOD_SEED", "seven")]), ["a"]);
    let line = refused(home, &["--service-name=a b"], &[("BUTTONWOOD_SERVICE_NAME", "fine")]);
    assert!(line.starts_with("buttonwood: --service-name 'a b'"), "{line}");
}

/// A negative number is refused as one, not as an unknown flag.
#[test]
fn numbers_below_zero() {
    let home = private_folder();
    for flag in
        ["--seed", "--snapshot-every", "--connections-per-address", "--segment-bytes", "--ballast-bytes"]
    {
        let output = sandbox(home.path(), &[flag, "-1"], &[]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("'-1'") && text.contains(flag), "{text}");
    }
}

/// Real nodes are named in the file and the environment too; a refusal names the source, and shows no password.
#[test]
fn real_nodes_elsewhere() {
    const NOBODY: &str = "ethereum=http://user:secret@127.0.0.1:1";
    let home = private_folder();
    let home = home.path();
    let path =
        config(home, &format!("funds = 'simulated'\nchain = ['{NOBODY}', 'base=http://127.0.0.1:1']\n"));
    let line = refused(home, &["--config", &path], &[]);
    assert!(line.contains(&format!("--config {path}: --chain ")), "{line}");
    let line = refused(home, &["--funds", "simulated"], &[("BUTTONWOOD_CHAIN", NOBODY)]);
    assert!(
        line.contains("BUTTONWOOD_CHAIN: --chain ethereum=http://127.0.0.1:1/: the node did not answer"),
        "{line}"
    );
    assert!(!line.contains("secret"), "{line}");
    let token = ("BUTTONWOOD_CHAIN_TOKEN", "base/GUSD=0x05");
    let line = refused(home, &["--config", &path, "--chain", NOBODY], &[token]);
    assert!(line.contains("BUTTONWOOD_CHAIN_TOKEN: --chain-token base/GUSD: no --chain names"), "{line}");
}
