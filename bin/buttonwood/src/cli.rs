//! Commands and flags. Each flag is an environment variable and a key of the configuration file too.

use crate::admin::Admin;
use crate::public_url;
use buttonwood_feeds::Feed;
use buttonwood_model::Cidr;
use buttonwood_sequencer::Keep;
use clap::builder::BoolishValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::fmt;
use std::net::{Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// The constant in the `exchange` field where no flag sets another.
pub(crate) const SERVICE_NAME: &str = "svc";

/// A complete digital-asset exchange in one binary.
///
/// Without a command it starts the sandbox. A flag beats its environment variable, which beats the configuration file.
#[derive(Debug, Parser)]
#[command(name = "buttonwood", version, max_term_width = 110, flatten_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The test environment: seeded accounts, keys, symbols, live books.
    Sandbox(Sandbox),
    /// A venue: no test funds, no simulated traders, no second-factor bypass.
    Serve(Serve),
    /// Reads a data directory, recomputes every hash, balance, hold and past row, prints what it found; exit 0 only if all are right.
    Verify(Verify),
    /// Makes a consistent copy of a data directory, running or stopped; prints its last command, files and bytes as JSON.
    Backup(Backup),
    /// Writes past orders, trades or candles of a data directory, running or stopped, as CSV.
    Export(Export),
    /// Operates the exchange that runs on a data directory.
    Admin(Admin),
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    #[value(aliases = ["true", "yes", "1"])]
    On,
    #[value(aliases = ["false", "no", "0"])]
    Off,
}

/// Where time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockKind {
    /// The system's clock.
    Real,
    /// Stands still until moved by POST /sandbox/clock/advance.
    Manual,
}

/// Deposits and withdrawals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Funds {
    /// Refused.
    Off,
    /// Through simulated chains and banks.
    Simulated,
}

/// The form of the log's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    Text,
    /// A JSON object a line.
    Json,
}

/// The least important lines of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// No log.
    Off,
    /// Faults that need an operator.
    Error,
    /// Conditions that may become a fault.
    Warn,
    /// Starts, stops, snapshots, refused control calls.
    Info,
    /// A line for each request as well.
    Debug,
    /// Everything.
    Trace,
}

/// The flags of every server.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Address of the REST interface and the pages, or a name with a port such as localhost:8080; port 0 takes a free one.
    #[arg(long, env = "BUTTONWOOD_LISTEN", default_value = "127.0.0.1:8080", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// A second address, which then alone serves the pages, their calls and the authorization server: --listen answers 404 for them.
    /// `auth_url` names it, unless --public-url is given.
    #[arg(long, env = "BUTTONWOOD_AUTH_LISTEN", value_parser = address)]
    pub(crate) auth_listen: Option<SocketAddr>,
    /// The address under which browsers reach the pages and the authorization server, if a proxy stands in front of them, such as
    /// https://exchange.example. Links, `auth_url` and cookies follow it, and pages of other origins are refused. With https, cookies are
    /// `Secure`.
    #[arg(long, env = "BUTTONWOOD_PUBLIC_URL", value_name = "URL", value_parser = public_url::read)]
    pub(crate) public_url: Option<String>,
    /// A second address for the sockets of event streams, which then alone serves them: --listen answers 404 for them.
    #[arg(long, env = "BUTTONWOOD_STREAM_LISTEN", value_parser = address)]
    pub(crate) stream_listen: Option<SocketAddr>,
    /// Bytes that may wait for the client of one socket; beyond them the socket closes, unless what waits can be replaced or merged.
    #[arg(long, env = "BUTTONWOOD_STREAM_BUFFER_BYTES", default_value_t = 1 << 20)]
    pub(crate) stream_buffer_bytes: u64,
    /// Bytes that may wait for the clients of all sockets together; beyond them the socket with the longest queue closes.
    #[arg(long, env = "BUTTONWOOD_STREAM_TOTAL_BYTES", default_value_t = 256 << 20)]
    pub(crate) stream_total_bytes: u64,
    /// Journal, snapshots, history and keys; created if absent, resumed if present.
    #[arg(long, env = "BUTTONWOOD_DATA", default_value = "./buttonwood-data")]
    pub(crate) data: PathBuf,
    /// A name prefix of the authentication headers that is read in addition to X-SVC, without the last dash; repeatable, or several
    /// with commas between them. Without it, a sandbox reads any prefix X-NAME, one in a request, and a venue X-SVC alone.
    #[arg(long, env = "BUTTONWOOD_HEADER_PREFIX", value_delimiter = ',')]
    pub(crate) header_prefix: Vec<String>,
    /// The constant in the `exchange` field.
    #[arg(long, env = "BUTTONWOOD_SERVICE_NAME", default_value = SERVICE_NAME)]
    pub(crate) service_name: String,
    /// The first part of the symbols of contracts that are listed from now on: 1 to 8 of the letters A to Z and digits.
    #[arg(long, env = "BUTTONWOOD_CONTRACT_PREFIX", default_value = buttonwood_operate::CONTRACT_PREFIX)]
    pub(crate) contract_prefix: String,
    /// Requests a second: the limits of the specification, and that of the pages.
    #[arg(long, env = "BUTTONWOOD_RATE_LIMITS", value_enum, default_value = "on")]
    pub(crate) rate_limits: Switch,
    /// Whether a page that is open and seen counts as use of its session, up to the session's 12 hours; without it a session ends after
    /// 30 minutes without an act. Pages of operators never count.
    #[arg(long, env = "BUTTONWOOD_WATCHING", value_enum, default_value = "on")]
    pub(crate) watching: Switch,
    /// Connections that one client address may have open, in percent of all that there is room for; from 1 to 100.
    #[arg(long, env = "BUTTONWOOD_CONNECTIONS_PER_ADDRESS", allow_negative_numbers = true,
        value_parser = |text: &str| number(text, 1), default_value_t = 80)]
    pub(crate) connections_per_address: u64,
    /// A proxy whose Forwarded or X-Forwarded-For names the client, as an address or a block such as 10.0.0.0/8; repeatable, or
    /// several with commas between them.
    #[arg(long, env = "BUTTONWOOD_TRUSTED_PROXY", value_delimiter = ',')]
    pub(crate) trusted_proxy: Vec<Cidr>,
    /// Commands between two snapshots.
    #[arg(
        long,
        env = "BUTTONWOOD_SNAPSHOT_EVERY",
        allow_negative_numbers = true,
        value_parser = |text: &str| number(text, 1),
        default_value_t = 1_000_000
    )]
    pub(crate) snapshot_every: u64,
    /// Bytes of a journal segment, at most; each is made in one piece, so a small disk wants small ones. From 64 KiB to 1 GiB.
    #[arg(long, env = "BUTTONWOOD_SEGMENT_BYTES", allow_negative_numbers = true, value_parser = |text: &str| number(text, 0),
        default_value_t = 64 * 1024 * 1024)]
    pub(crate) segment_bytes: u64,
    /// Bytes of disk kept back so that cancels can still be journaled when it is full, at most 1 GiB; 0 for none.
    #[arg(long, env = "BUTTONWOOD_BALLAST_BYTES", allow_negative_numbers = true, value_parser = |text: &str| number(text, 0),
        default_value_t = 64 * 1024 * 1024)]
    pub(crate) ballast_bytes: u64,
    /// The group whose members may operate the exchange with `admin`; without it its owner alone.
    #[arg(long, env = "BUTTONWOOD_ADMIN_GROUP")]
    pub(crate) admin_group: Option<String>,
    /// How much of the journal to keep besides what the snapshots need: `all`, a number of days, or a size such as 2GiB; older
    /// segments are moved to --archive, and a sandbox without one deletes them [default: 2GiB in a sandbox, all in a venue].
    #[arg(long, env = "BUTTONWOOD_KEEP_JOURNAL", value_name = "all|DAYS|SIZE", allow_negative_numbers = true,
        value_parser = keep_journal)]
    pub(crate) keep_journal: Option<Keep>,
    /// The folder that old segments of the journal are moved to, and read from when they are needed.
    #[arg(long, env = "BUTTONWOOD_ARCHIVE")]
    pub(crate) archive: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) vault_key: VaultKey,
    /// Core files of this process: without them its memory, which signs for every key, never reaches a disk.
    #[arg(long, env = "BUTTONWOOD_CORE_DUMPS", value_enum, default_value = "off")]
    pub(crate) core_dumps: Switch,
    /// A feed of index prices: a file or the URL of a JSON object of dollars by currency, such as {"BTC":"50000.1"}; read every 5
    /// seconds, or as many as stand after the name, such as lab/10=http://127.0.0.1:9000/prices; repeatable, or several with commas
    /// between them.
    #[arg(
        long,
        env = "BUTTONWOOD_FEEDS",
        value_name = "NAME[/SECONDS]=FILE|URL",
        value_delimiter = ',',
        hide_env_values = true,
        value_parser = Feed::parse
    )]
    pub(crate) feeds: Vec<Feed>,
    /// Address of Prometheus metrics, at /metrics; without it nothing is measured.
    #[arg(long, env = "BUTTONWOOD_METRICS_LISTEN", value_parser = address)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The form of the log on standard error.
    #[arg(long, env = "BUTTONWOOD_LOG_FORMAT", value_enum, default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// The least important lines of the log.
    #[arg(long, env = "BUTTONWOOD_LOG_LEVEL", value_enum, default_value = "info")]
    pub(crate) log_level: LogLevel,
    /// TOML file with the same names as the flags; `serve` needs one.
    #[arg(long, env = "BUTTONWOOD_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// Where the key of the vault comes from.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the flags have these names")]
pub(crate) struct VaultKey {
    /// File with the key that seals the API secrets: 32 bytes in Base64 on one line. `serve` needs one outside --data, or
    /// --vault-key-command [default: `vault.key` in --data, which a sandbox makes].
    #[arg(long, env = "BUTTONWOOD_VAULT_KEY_FILE")]
    pub(crate) vault_key_file: Option<PathBuf>,
    /// Command that prints this key, run by the shell at the start and whenever secrets are added; in place of --vault-key-file.
    #[arg(long, env = "BUTTONWOOD_VAULT_KEY_COMMAND", hide_env_values = true)]
    pub(crate) vault_key_command: Option<String>,
    /// The folder in which `admin vault rotate` makes new keys, of this process's user or root's alone to write; without it that of
    /// --vault-key-file.
    #[arg(long, env = "BUTTONWOOD_VAULT_NEW_KEYS")]
    pub(crate) vault_new_keys: Option<PathBuf>,
}

/// Flags of `sandbox`.
#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    #[command(flatten)]
    pub(crate) common: Common,
    /// A fresh data directory under the system's temporary folder, removed at a clean exit; in place of --data.
    #[arg(long, env = "BUTTONWOOD_EPHEMERAL", num_args = 0..=1, default_value_t = false, default_missing_value = "true",
        value_parser = BoolishValueParser::new())]
    pub(crate) ephemeral: bool,
    /// Seeds simulated traders, key and counterparty ids, and, only when given, secrets [default: random, printed].
    #[arg(long, env = "BUTTONWOOD_SEED", allow_negative_numbers = true, value_parser = |text: &str| number(text, 0))]
    pub(crate) seed: Option<u64>,
    /// Simulated traders that keep every book of spot, and of every perpetual with an index, alive.
    #[arg(long, env = "BUTTONWOOD_ACTIVITY", value_enum, default_value = "on")]
    pub(crate) activity: Switch,
    /// Refuses calls with a field that their endpoint does not know, by its name; without it such fields are ignored.
    #[arg(long, env = "BUTTONWOOD_STRICT", value_enum, default_value = "off")]
    pub(crate) strict: Switch,
    /// Where time comes from.
    #[arg(long, env = "BUTTONWOOD_CLOCK", value_enum, default_value = "real")]
    pub(crate) clock: ClockKind,
    /// Where a manual clock of a new directory starts, ISO 8601; one that is resumed goes on at its last stamp.
    #[arg(long, env = "BUTTONWOOD_START_TIME", default_value = "2026-01-01T00:00:00Z")]
    pub(crate) start_time: String,
    /// Peers other than this machine that may make control calls, as an address or a block such as 172.17.0.0/16; repeatable, or
    /// several with commas between them.
    #[arg(long, env = "BUTTONWOOD_CONTROL_FROM", value_delimiter = ',')]
    pub(crate) control_from: Vec<Cidr>,
    /// A host name under which control calls may reach the exchange, in addition to those of this machine; repeatable, or several
    /// with commas between them.
    #[arg(long, env = "BUTTONWOOD_CONTROL_HOST", value_delimiter = ',', value_parser = host)]
    pub(crate) control_host: Vec<String>,
    /// Deposits and withdrawals.
    #[arg(long, env = "BUTTONWOOD_FUNDS", value_enum, default_value = "off")]
    pub(crate) funds: Funds,
    /// A real node in place of a network's simulated chain, such as ethereum=http://user:password@127.0.0.1:8545; repeatable, or
    /// several with commas between them. Needs --funds simulated.
    #[arg(
        long,
        env = "BUTTONWOOD_CHAIN",
        value_name = "NETWORK=URL",
        value_delimiter = ',',
        hide_env_values = true
    )]
    pub(crate) chain: Vec<String>,
    /// The contract of a token at a real node, such as ethereum/GUSD=0x056F…; repeatable, or several with commas between them. A main
    /// chain's are known; a test chain has the tokens that are named here alone.
    #[arg(long, env = "BUTTONWOOD_CHAIN_TOKEN", value_name = "NETWORK/CODE=CONTRACT", value_delimiter = ',')]
    pub(crate) chain_token: Vec<String>,
}

/// Flags of `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) common: Common,
    /// File of exchange rates, a line each: time, pair, rate, provider. Lines that are new are added at the start.
    #[arg(long, env = "BUTTONWOOD_FX_RATES")]
    pub(crate) fx_rates: Option<PathBuf>,
    /// Operators that it takes to resume, to set a symbol's status, and for what moves money, keys, fees or terms: 1, or 2 (the second
    /// one approves). A command that halts, disables or ends something takes one.
    #[arg(long, env = "BUTTONWOOD_APPROVALS", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u8).range(1..=2), default_value_t = 1)]
    pub(crate) approvals: u8,
    #[command(flatten)]
    pub(crate) mail: MailFlags,
}

/// The mail server of a venue.
#[derive(Args)]
pub(crate) struct MailFlags {
    /// The server that sends mail: smtp://HOST:PORT, which needs STARTTLS unless it is on this machine or ?tls=off is given, or
    /// smtps://HOST:PORT. USER:PASSWORD@ may stand before the host. Without it no one can sign up or reset a password.
    #[arg(long, env = "BUTTONWOOD_SMTP", value_name = "URL", hide_env_values = true)]
    pub(crate) smtp: Option<String>,
    /// File with the password of the user in --smtp, on one line.
    #[arg(long, env = "BUTTONWOOD_SMTP_PASSWORD_FILE", value_name = "FILE")]
    pub(crate) smtp_password_file: Option<PathBuf>,
    /// The sender of mail: an address, or a name with an address such as 'Exchange <exchange@example.com>'.
    #[arg(long, env = "BUTTONWOOD_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,
}

impl fmt::Debug for MailFlags {
    /// Does not show the server: its URL may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { smtp_password_file, mail_from, .. } = self;
        let mut shown = f.debug_struct("MailFlags");
        shown
            .field("smtp_password_file", smtp_password_file)
            .field("mail_from", mail_from)
            .finish_non_exhaustive()
    }
}

/// Flags of `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The data directory.
    #[arg(long, env = "BUTTONWOOD_DATA")]
    pub(crate) data: PathBuf,
    /// The folder that old segments of the journal were moved to; without it the proof begins with the oldest snapshot.
    #[arg(long, env = "BUTTONWOOD_ARCHIVE")]
    pub(crate) archive: Option<PathBuf>,
}

/// Flags of `backup`.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The data directory; an exchange may be running on it, and goes on.
    #[arg(long, env = "BUTTONWOOD_DATA")]
    pub(crate) data: PathBuf,
    /// The folder for the copy: absent, or empty.
    #[arg(long)]
    pub(crate) to: PathBuf,
}

/// Flags of `export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The data directory; an exchange may be running on it.
    #[arg(long, env = "BUTTONWOOD_DATA")]
    pub(crate) data: PathBuf,
    /// The folder that old segments of the journal were moved to; needed only where no snapshot can be used.
    #[arg(long, env = "BUTTONWOOD_ARCHIVE")]
    pub(crate) archive: Option<PathBuf>,
    /// The table to export.
    #[arg(long, value_enum)]
    pub(crate) table: ExportTable,
    /// The earliest time of a trade, start of a candle or closing of an order, ISO 8601 or in milliseconds.
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) from: Option<String>,
    /// The first time that is out again, likewise.
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) to: Option<String>,
    /// The format of the lines.
    #[arg(long, value_enum, default_value = "csv")]
    pub(crate) format: ExportFormat,
    /// The file to write, readable by its owner alone; an existing one is replaced [default: standard output].
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
}

/// The tables that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ExportTable {
    /// Closed orders.
    Orders,
    /// The parts of accounts in trades.
    Trades,
    /// Trades as published.
    PublicTrades,
    /// Prices and volume by interval, of every time frame, without gaps.
    Candles,
    /// The changes of the accounts' balances.
    Statement,
}

impl ExportTable {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Trades => "trades",
            Self::PublicTrades => "public_trades",
            Self::Candles => "candles",
            Self::Statement => "statement",
        }
    }
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Values separated by commas, the first line with the names of the columns.
    Csv,
}

/// A whole number.
fn number(text: &str, least: u64) -> Result<u64, String> {
    let wanted = || format!("a whole number from {least} to {} is wanted", u64::MAX);
    text.parse().ok().filter(|number| *number >= least).ok_or_else(wanted)
}

/// A host name or address without a port.
fn host(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_ipv6 = || {
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        bare.is_some_and(|bare| bare.parse::<Ipv6Addr>().is_ok())
    };
    if (!text.is_empty() && text.bytes().all(plain)) || is_ipv6() {
        return Ok(text.to_owned());
    }
    Err("a host name, an IPv4 address or an IPv6 address in brackets is wanted, without a port".to_owned())
}

/// The part of the journal to keep.
fn keep_journal(text: &str) -> Result<Keep, String> {
    const MOST: u32 = 36_500;
    if text == "all" {
        return Ok(Keep::All);
    }
    let days = || text.parse().ok().filter(|days| *days <= MOST).map(Keep::Days);
    size(text).map(Keep::Bytes).or_else(days).ok_or_else(|| {
        format!(
            "'all' or a whole number of days from 0 to {MOST} is wanted, or a size from 1MiB to 1024TiB in KiB, MiB, GiB or TiB, such as 2GiB"
        )
    })
}

/// A size of a journal in bytes.
fn size(text: &str) -> Option<u64> {
    const MIB: u64 = 1024 * 1024;
    let units = [("KiB", 1024), ("MiB", MIB), ("GiB", 1024 * MIB), ("TiB", MIB * MIB)];
    let (digits, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let bytes = digits.parse::<u64>().ok()?.checked_mul(*unit)?;
    (MIB..=1024 * MIB * MIB).contains(&bytes).then_some(bytes)
}

/// An address to listen at, or a name with a port. A name stands for its first IPv4 address, if it has one: clients
/// look there.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found =
        text.to_socket_addrs().map_err(|error| format!("{error}; an address and a port are wanted"))?;
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "no address has this name".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Switches take every usual word, whichever way they are given.
    #[test]
    fn switches_take_usual_words() {
        let read = |word: &str| {
            let flags = ["--ephemeral", "--activity", "--rate-limits"].map(|flag| format!("{flag}={word}"));
            let arguments = ["buttonwood", "sandbox"].map(str::to_owned).into_iter().chain(flags);
            match Cli::try_parse_from(arguments).map(|cli| cli.command) {
                Ok(Command::Sandbox(flags)) => {
                    Some((flags.ephemeral, flags.activity, flags.common.rate_limits))
                }
                Ok(_) | Err(_) => None,
            }
        };
        for word in ["on", "true", "yes", "1"] {
            assert_eq!(read(word), Some((true, Switch::On, Switch::On)), "{word}");
        }
        for word in ["off", "false", "no", "0"] {
            assert_eq!(read(word), Some((false, Switch::Off, Switch::Off)), "{word}");
        }
        assert_eq!(read("perhaps"), None);
    }

    /// Numbers are whole and in their range; the error names the range.
    #[test]
    fn numbers_are_whole() {
        assert_eq!((number("0", 0), number("18446744073709551615", 1)), (Ok(0), Ok(u64::MAX)));
        for text in ["", "abc", "-1", "1k", "1.5", "18446744073709551616", "0"] {
            let wanted = "a whole number from 1 to 18446744073709551615 is wanted";
            assert_eq!(number(text, 1), Err(wanted.to_owned()), "{text}");
        }
    }

    /// Hosts are taken without a port.
    #[test]
    fn a_host_has_no_port() {
        for text in ["exchange", "exchange.example.com", "172.17.0.2", "[fd00::2]", "a_b-c"] {
            assert_eq!(host(text), Ok(text.to_owned()));
        }
        for text in ["", "exchange:8080", "http://exchange", "fd00::2", "[exchange]", "a b", "*", "É"] {
            assert!(host(text).is_err(), "{text}");
        }
    }

    /// The journal is kept whole, for a number of days, or up to a size with its unit.
    #[test]
    fn a_journal_is_kept_by_days_or_size() {
        for (text, keep) in [
            ("all", Keep::All),
            ("0", Keep::Days(0)),
            ("36500", Keep::Days(36_500)),
            ("1024KiB", Keep::Bytes(1 << 20)),
            ("1MiB", Keep::Bytes(1 << 20)),
            ("2GiB", Keep::Bytes(2 << 30)),
            ("1024TiB", Keep::Bytes(1 << 50)),
        ] {
            assert_eq!(keep_journal(text), Ok(keep), "{text}");
        }
        for text in [
            "",
            "ALL",
            "-1",
            "1.5",
            "7d",
            "36501",
            "2GB",
            "2gib",
            "2 GiB",
            "1.5GiB",
            "-2GiB",
            "+2GiB",
            "GiB",
            "1023KiB",
            "1025TiB",
            "99999999999999999999GiB",
            "18446744073709551615TiB",
        ] {
            let wrong = keep_journal(text).unwrap_err();
            assert!(wrong.contains("from 0 to 36500") && wrong.contains("such as 2GiB"), "{text}");
        }
    }

    /// Addresses and names are taken with a port, and nothing without one.
    #[test]
    fn an_address_is_literal_or_a_name() {
        assert_eq!(address("127.0.0.1:8080"), Ok(SocketAddr::from(([127, 0, 0, 1], 8080))));
        assert_eq!(address("[::1]:0"), Ok(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], 0))));
        assert!(address("localhost:8080").unwrap().ip().is_loopback());
        for text in ["", "localhost", "8080", ":", "127.0.0.1", "127.0.0.1:70000", "localhost:http"] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    /// The URL of a mail server may hold a password, which no log shows.
    #[test]
    fn debug_shows_no_mail_server() {
        let flags = MailFlags {
            smtp: Some("smtps://exchange:s3cret@mail.example:465".to_owned()),
            smtp_password_file: None,
            mail_from: Some("exchange@example.com".to_owned()),
        };
        let shown = format!("{flags:?}");
        assert!(shown.contains("exchange@example.com") && !shown.contains("s3cret"), "{shown}");
    }
}
