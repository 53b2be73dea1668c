//! The files of `ops/`: alert rules, dashboard, systemd unit, log rotation and container file, each checked by the program that reads it.
//!
//! A real Prometheus scrapes a fresh sandbox, and every query of the dashboard must find something.
//! A program that cannot be installed is skipped by name.

mod container;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::exchange::Exchange;
use crate::repo::{Repo, last_line, tail};
use crate::{Done, debian, skipped};

/// The rating of the unit that must not be exceeded, in tenths, as `systemd-analyze` takes it.
const EXPOSURE_MAX: &str = "20";
const UNIT: &str = "ops/buttonwood.service";
const DASHBOARD: &str = "ops/dashboard.json";
/// How long Prometheus may take until every query has an answer.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) fn run(repo: &Repo) -> Done {
    unit(repo)?;
    rotation(repo)?;
    container::check(repo)?;
    match have(repo, "promtool", &["--version"], "prometheus") {
        Err(why) => skipped::say("alerts and dashboard", &why),
        Ok(()) => {
            alerts(repo)?;
            live(repo)?;
        }
    }
    Ok(())
}

/// Installs a package unless its program works.
fn have(repo: &Repo, program: &str, words: &[&str], package: &str) -> Done {
    if repo.step(program, words).works() { Ok(()) } else { debian::install(repo, package) }
}

fn unit(repo: &Repo) -> Done {
    if let Err(why) = have(repo, "systemd-analyze", &["--version"], "systemd") {
        skipped::say("systemd unit", &why);
        return Ok(());
    }
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    let rated = repo.step("systemd-analyze", ["security", "--offline=true", &threshold, UNIT]).output()?;
    let said = String::from_utf8_lossy(&rated.stdout).into_owned();
    println!("ops: {}", last_line(&said));
    if !rated.status.success() {
        return Err(format!("{UNIT} is rated above {EXPOSURE_MAX} tenths:\n{}", tail(&said)));
    }
    // `verify` wants the program where the unit has it; everything else that it reports is an error.
    let verified = repo.step("systemd-analyze", ["verify", UNIT]).output()?;
    let said = String::from_utf8_lossy(&verified.stderr).into_owned();
    let is_wrong = |line: &&str| line.contains("buttonwood") && !line.contains("is not executable");
    match said.lines().find(is_wrong) {
        Some(line) => Err(format!("{UNIT}: {line}")),
        None => Ok(()),
    }
}

/// Rotates a log that a process keeps open, with the configuration's own rules.
fn rotation(repo: &Repo) -> Done {
    if let Err(why) = have(repo, "logrotate", &["--version"], "logrotate") {
        skipped::say("log rotation", &why);
        return Ok(());
    }
    let folder = Scratch::new("logrotate")?;
    let (log, config) = (folder.path("buttonwood.log"), folder.path("logrotate.conf"));
    let failed = |error: std::io::Error| format!("log rotation: {error}");
    let mut open = fs::File::options().create(true).append(true).open(&log).map_err(failed)?;
    writeln!(open, "before").map_err(failed)?;
    let rules = repo.read("ops/logrotate.conf")?;
    let rules = rules.replace("/var/log/buttonwood/buttonwood.log", &log.display().to_string());
    // The service's user does not exist here.
    let rules =
        rules.lines().filter(|line| !line.trim_start().starts_with("su ")).collect::<Vec<_>>().join("\n");
    fs::write(&config, rules + "\n").map_err(failed)?;
    let state = folder.path("state");
    let words = ["--force", "--state", &state.display().to_string(), &config.display().to_string()];
    let rotated = repo.step("logrotate", words).output()?;
    if !rotated.status.success() {
        return Err(format!("ops/logrotate.conf: {}", tail(&String::from_utf8_lossy(&rotated.stderr))));
    }
    writeln!(open, "after").map_err(failed)?;
    let (now, kept) = (fs::read_to_string(&log), fs::read_to_string(folder.path("buttonwood.log.1")));
    match (now.as_deref(), kept.as_deref()) {
        (Ok("after\n"), Ok("before\n")) => {
            println!("ops: the log rotates while it is open");
            Ok(())
        }
        other => Err(format!("ops/logrotate.conf loses or repeats lines: {other:?}")),
    }
}

fn alerts(repo: &Repo) -> Done {
    repo.step("promtool", ["check", "config", "ops/prometheus.yml"]).run()?;
    repo.step("promtool", ["test", "rules", "ops/alerts.test.yml"]).run()
}

/// Checks the metrics of a running sandbox, then has Prometheus scrape it and asks every query of the dashboard.
fn live(repo: &Repo) -> Done {
    let exchange = Exchange::start(repo, &["--metrics-listen", "127.0.0.1:0", "--seed", "7"])?;
    let log = fs::read_to_string(exchange.scratch.join("stderr.log")).unwrap_or_default();
    let address = log.split_once("metrics are at http://").and_then(|(_, rest)| rest.split_once('/'));
    let (address, _) = address.ok_or_else(|| exchange.trouble("shows no address of metrics"))?;
    let page = fetch(address, "/metrics").map_err(|error| format!("http://{address}/metrics: {error}"))?;
    lint(repo, &page)?;
    named_metrics(repo, &page)?;
    if repo.step("prometheus", ["--version"]).works() {
        dashboard(repo, address, exchange.url.trim_start_matches("http://"))?;
    } else {
        skipped::say("dashboard", "promtool is there, but no prometheus");
    }
    exchange.stop()
}

/// The body of a page.
fn fetch(address: &str, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

fn lint(repo: &Repo, page: &str) -> Done {
    let mut child = repo
        .step("promtool", ["check", "metrics"])
        .into_command()
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| format!("promtool: {error}"))?;
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(page.as_bytes()).map_err(|error| format!("promtool: {error}"))?;
    drop(input);
    let status = child.wait().map_err(|error| format!("promtool: {error}"))?;
    if status.success() { Ok(()) } else { Err("promtool finds fault with /metrics".to_owned()) }
}

/// Every metric that alerts and dashboard name is one of the page.
fn named_metrics(repo: &Repo, page: &str) -> Done {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    for file in ["ops/alerts.yml", DASHBOARD] {
        let text = repo.read(file)?;
        let words = text.split(|character| !is_part(character));
        let own = words.filter(|word| word.starts_with("buttonwood_") || word.starts_with("process_"));
        for name in own {
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
            let is_there =
                [name, family.unwrap_or(name)].iter().any(|name| page.contains(&format!("# TYPE {name} ")));
            if !is_there {
                return Err(format!("{file} names '{name}', which /metrics does not have"));
            }
        }
    }
    Ok(())
}

/// Asks every query of the dashboard. `exchange` is called meanwhile, since nothing else makes requests.
fn dashboard(repo: &Repo, target: &str, exchange: &str) -> Done {
    let queries = queries(&repo.read(DASHBOARD)?)?;
    let prometheus = Prometheus::start(repo, target)?;
    let mut left = queries.clone();
    let begun = Instant::now();
    // Rates need two scrapes.
    while let Some(query) = left.last() {
        fetch(exchange, "/v1/symbols").map_err(|error| format!("http://{exchange}: {error}"))?;
        let expression = query.replace("$__rate_interval", "30s");
        let words = ["query", "instant", "--format=json", &prometheus.url, &expression];
        let output = repo.step("promtool", words).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() && String::from_utf8_lossy(&output.stdout).contains("\"value\"") {
            left.pop();
        } else if said.contains("bad_data") {
            return Err(format!("{DASHBOARD}: {query}: {}", last_line(&said)));
        } else if begun.elapsed() > PATIENCE {
            return Err(format!("{DASHBOARD}: {query} finds nothing {}", tail(&said)));
        } else {
            std::thread::sleep(Duration::from_millis(250));
        }
    }
    println!("ops: each of the dashboard's {} queries finds something", queries.len());
    Ok(())
}

/// The expressions of all panels.
fn queries(dashboard: &str) -> Result<Vec<String>, String> {
    let dashboard: Value =
        serde_json::from_str(dashboard).map_err(|error| format!("{DASHBOARD}: {error}"))?;
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let targets = list(&dashboard, "panels").into_iter().flat_map(|panel| list(&panel, "targets"));
    let queries: Vec<_> =
        targets.filter_map(|target| Some(target.get("expr")?.as_str()?.to_owned())).collect();
    if queries.is_empty() { Err(format!("{DASHBOARD} has no query")) } else { Ok(queries) }
}

/// A running Prometheus. It is killed when it is dropped.
struct Prometheus {
    child: Child,
    url: String,
    _folder: Scratch,
}

impl Prometheus {
    fn start(repo: &Repo, target: &str) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("prometheus: {error}");
        let folder = Scratch::new("prometheus")?;
        // The port is free now, and most likely still when Prometheus takes it.
        let address = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).map_err(failed)?;
        let config = repo.read("ops/prometheus.yml")?;
        let config = config.replace("127.0.0.1:9100", target).replace("15s", "1s");
        let config = config.replace("[alerts.yml]", &format!("[{}]", repo.path("ops/alerts.yml").display()));
        let file = folder.path("prometheus.yml");
        fs::write(&file, config).map_err(failed)?;
        let words = [
            format!("--config.file={}", file.display()),
            format!("--storage.tsdb.path={}", folder.path("data").display()),
            format!("--web.listen-address={address}"),
        ];
        let log = fs::File::create(folder.path("stderr.log")).map_err(failed)?;
        let mut command = repo.step("prometheus", words).into_command();
        let child = command.stdout(Stdio::null()).stderr(log).spawn().map_err(failed)?;
        Ok(Self { child, url: format!("http://{address}"), _folder: folder })
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder that is removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("buttonwood-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.0).join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_those_of_all_panels() {
        let text = r#"{"panels":[{"targets":[{"expr":"a"},{"expr":"b"}]},{"title":"t"},{"targets":[{"expr":"c"}]}]}"#;
        assert_eq!(queries(text), Ok(["a", "b", "c"].map(str::to_owned).to_vec()));
        assert!(queries("{}").is_err() && queries("no JSON").is_err());
    }
}
