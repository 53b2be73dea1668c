//! Benchmark 9: against the alternative of a user, PostgreSQL with every commit on the disk.
//!
//! The order transaction (`order.sql`: hold funds, insert the order, write a ledger row) runs through pgbench at the
//! client count that is fastest on the machine; ours is the load of benchmark 7. The cluster is temporary: made in
//! the benchmarks' data folder, with its socket in its own folder, stopped and removed afterwards.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::figures::Spread;
use crate::http::{Stock, durable_run, durable_stock};
use crate::place::Place;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

const SCHEMA: &str = include_str!("database/schema.sql");
const ORDER: &str = include_str!("database/order.sql");
/// The required programs, all in one folder.
const PROGRAMS: [&str; 4] = ["initdb", "pg_ctl", "psql", "pgbench"];
/// The client counts to try.
const CLIENTS: [u32; 4] = [8, 16, 32, 64];
/// A usual setup for a server of this size; syncing is the default but set explicitly.
const SETTINGS: &str = "-c listen_addresses= -c shared_buffers=1GB -c max_wal_size=4GB -c fsync=on \
                        -c synchronous_commit=on -c full_page_writes=on";

/// User and group id for the server if root starts it.
type User = Option<(u32, u32)>;

/// A running PostgreSQL that belongs to this benchmark.
struct Cluster {
    programs: PathBuf,
    user: User,
    /// Dropped last, after the server is stopped.
    data: TempDir,
    socket: TempDir,
}

/// Figures of the transaction in one run.
struct Tally {
    per_second: f64,
    transactions: u64,
}

/// The folder of the programs: Debian has one per version, and the newest is used.
fn find_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort_by_key(|folder| {
        let version = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        version.and_then(|version| version.parse::<u32>().ok())
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut known = folders.into_iter().rev().chain(std::env::split_paths(&path));
    known.find(|folder| PROGRAMS.iter().all(|program| folder.join(program).is_file()))
}

/// Root may not run a server, so it runs as the user that the package created.
fn find_user() -> Result<User, String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let ids = fields
        .filter(|fields| fields.first() == Some(&"postgres"))
        .find_map(|fields| Some((fields.get(2)?.parse::<u32>().ok()?, fields.get(3)?.parse::<u32>().ok()?)));
    ids.map(Some).ok_or_else(|| "there is no user 'postgres' for a server that root starts".to_owned())
}

fn own(dir: &Path, user: User) {
    if let Some((uid, gid)) = user {
        chown(dir, Some(uid), Some(gid)).expect("root gives folders away");
    }
}

impl Cluster {
    /// Makes and starts a cluster; the error says in a sentence why it cannot.
    fn start() -> Result<Self, String> {
        let programs = find_programs()
            .ok_or_else(|| format!("{} are not installed (Debian: postgresql)", PROGRAMS.join(", ")))?;
        let user = find_user()?;
        let data = Place::Disk.fresh();
        let socket = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        for dir in [&data, &socket] {
            own(dir.path(), user);
        }
        let cluster = Self { programs, user, data, socket };
        let files = cluster.data.path().join("files").display().to_string();
        cluster.ask("initdb", &["--pgdata", &files, "--auth", "trust", "--username", "bench"])?;
        let settings = format!("-c unix_socket_directories={} {SETTINGS}", cluster.socket.path().display());
        cluster.ask(
            "pg_ctl",
            &["start", "--wait", "--silent", "-D", &files, "-l", &format!("{files}.log"), "-o", &settings],
        )?;
        for (name, text) in [("schema.sql", SCHEMA), ("order.sql", ORDER)] {
            let path = cluster.script(name);
            fs::write(&path, text).map_err(|error| format!("{path}: {error}"))?;
            fs::set_permissions(&path, Permissions::from_mode(0o644))
                .map_err(|error| format!("{path}: {error}"))?;
        }
        cluster.query(&["-f", &cluster.script("schema.sql")])?;
        for setting in ["fsync", "synchronous_commit"] {
            let is = cluster.query(&["-c", &format!("SHOW {setting}")])?;
            assert_eq!(is.trim(), "on", "{setting} is on, or it is no comparison");
        }
        Ok(cluster)
    }

    fn script(&self, name: &str) -> String {
        self.socket.path().join(name).display().to_string()
    }

    /// Runs one of the programs as the server's user; returns its output, or why it failed.
    fn ask(&self, program: &str, words: &[&str]) -> Result<String, String> {
        let mut command = Command::new(self.programs.join(program));
        command.args(words).current_dir(self.socket.path()).env("LC_ALL", "C");
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        // A file, not a pipe: a server started by pg_ctl keeps an inherited pipe open, which would then never end.
        let said = tempfile::tempfile().map_err(|error| format!("no temporary file: {error}"))?;
        let copy = |file: &fs::File| file.try_clone().map_err(|error| error.to_string());
        let status = command.stdout(copy(&said)?).stderr(copy(&said)?).status();
        let text = std::io::read_to_string(rewound(said)?).map_err(|error| error.to_string())?;
        match status {
            Ok(status) if status.success() => Ok(text),
            Ok(status) => Err(format!("{program} failed with {status}: {}", text.trim())),
            Err(error) => Err(format!("{program} does not run: {error}")),
        }
    }

    fn address(&self) -> [String; 4] {
        ["-h".to_owned(), self.socket.path().display().to_string(), "-U".to_owned(), "bench".to_owned()]
    }

    fn query(&self, words: &[&str]) -> Result<String, String> {
        let address = self.address();
        let head = ["-qAt", "-v", "ON_ERROR_STOP=1", "postgres"];
        let words: Vec<&str> =
            address.iter().map(String::as_str).chain(head).chain(words.iter().copied()).collect();
        self.ask("psql", &words)
    }

    /// Runs the order transaction with this many clients for this many seconds.
    fn orders(&self, clients: u32, seconds: u32) -> Tally {
        let (address, script) = (self.address(), self.script("order.sql"));
        let [clients, seconds] = [clients, seconds].map(|number| number.to_string());
        let mut words: Vec<&str> = address.iter().map(String::as_str).collect();
        words.extend([
            "-n", "-M", "prepared", "-j", "2", "-f", &script, "-c", &clients, "-T", &seconds, "postgres",
        ]);
        let said = self.ask("pgbench", &words).unwrap_or_else(|why| panic!("{why}"));
        let after = |head: &str| {
            let line = said.lines().find_map(|line| line.strip_prefix(head)?.split_ascii_whitespace().next());
            line.unwrap_or_else(|| panic!("pgbench says {head:?}: {said}"))
        };
        Tally {
            per_second: after("tps =").parse().expect("a rate is a number"),
            transactions: after("number of transactions actually processed:").parse().expect("a count"),
        }
    }

    /// Checks that every transaction did all of its work: orders, holds and ledger must agree.
    fn check(&self, transactions: u64) {
        let sums = "SELECT count(*), sum(px * qty), (SELECT sum(held) FROM bal), (SELECT count(*) FROM ledger), \
                    (SELECT -sum(delta) FROM ledger) FROM orders";
        let said = self.query(&["-c", sums]).unwrap_or_else(|why| panic!("{why}"));
        let sums: Vec<u64> = said.trim().split('|').map(|sum| sum.parse().expect("a sum")).collect();
        let [orders, notional, held, rows, delta] = sums[..] else { panic!("five sums, not {said}") };
        assert_eq!((orders, rows), (transactions, transactions), "a row each for every transaction");
        assert_eq!((held, delta), (notional, notional), "what is held is what the orders need");
    }
}

fn rewound(mut file: fs::File) -> Result<fs::File, String> {
    use std::io::Seek;
    file.rewind().map(|()| file).map_err(|error| error.to_string())
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let files = self.data.path().join("files").display().to_string();
        // A cluster that never started cannot be stopped.
        let _ = self.ask("pg_ctl", &["stop", "--wait", "--silent", "-m", "immediate", "-D", &files]);
    }
}

/// Benchmark 9.
pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => return report.skip(9, &why),
    };
    let seconds = if settings.quick { 1 } else { 4 };
    let mut transactions = 0;
    let mut run = |clients| {
        let tally = cluster.orders(clients, seconds);
        transactions += tally.transactions;
        tally.per_second
    };
    // One run that does not count, to warm tables and plans.
    run(CLIENTS[0]);
    let tried: Vec<(f64, u32)> = CLIENTS.iter().map(|clients| (run(*clients), *clients)).collect();
    let (_, best) =
        tried.iter().copied().max_by(|one, other| one.0.total_cmp(&other.0)).expect("some were tried");
    let mut stock: Stock = durable_stock(settings);
    let (mut ratios, mut theirs, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let mut disturbed = 0;
    for pair in 1..=settings.pairs {
        let (mut reference, mut own, mut calm) = (0.0, 0.0, false);
        for _ in 0..settings.tries() {
            reference = run(best);
            (own, calm) = durable_run(settings, &mut stock);
            if calm {
                break;
            }
            say("others used the machine: once more");
        }
        disturbed += usize::from(!calm);
        say(&format!(
            "pair {pair}: PostgreSQL {reference:.0} orders a second, {best} clients; ours {own:.0}"
        ));
        ratios.push(own / reference);
        theirs.push(reference);
        ours.push(own);
    }
    cluster.check(transactions);
    let tried: Vec<String> = tried.iter().map(|(rate, clients)| format!("{clients}: {rate:.0}")).collect();
    let mut detail = format!(
        "ours {:.0} durable signed requests a second (new orders and cancels), {} {:.0} order transactions with {best} \
         clients (tried {})",
        Spread::of(ours).median,
        cluster
            .query(&["-c", "SELECT 'PostgreSQL ' || current_setting('server_version')"])
            .unwrap_or_default()
            .trim(),
        Spread::of(theirs).median,
        tried.join(", ")
    );
    if disturbed > 0 {
        detail.push_str(&format!("; neighbours disturbed {disturbed} of {} pairs", settings.pairs));
    }
    report.add(Row { number: 9, what: goal.what, goal, spread: Spread::of(ratios), detail });
}
