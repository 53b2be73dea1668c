//! Starting, serving and stopping an exchange.

use crate::cli::{ClockKind, Common, Funds, Sandbox, Serve, Switch};
use crate::trouble::Trouble;
use crate::welcome::{self, Welcome};
use crate::{founding, reference::Reference};
use buttonwood_engine::{Mode, State};
use buttonwood_gate::{Gate, HeaderNames, Key, Limit, Limits};
use buttonwood_journal::Options as JournalOptions;
use buttonwood_model::{SessionId, SymbolId, Time};
use buttonwood_rest::{App, Page, Settings, Steps};
use buttonwood_sandbox::{Market, TraderKey, Traders, is_simulated, write_credentials};
use buttonwood_sequencer::{Clock, Exchange, Options, Recovered, Running, recover_if};
use buttonwood_vault::{Secret, Vault};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time between two turns of the simulated traders under a real clock (D-35).
const TURN: Duration = Duration::from_millis(1_200);

/// Runs the test environment until it is told to stop.
pub(crate) fn sandbox(flags: &Sandbox) -> Result<(), Trouble> {
    check_common(&flags.common)?;
    if flags.funds == Funds::Simulated {
        let line = "--funds simulated: simulated chains and banks are not built yet; start without it";
        return Err(Trouble::Flag(line.to_owned()));
    }
    let start_time = start_time(&flags.start_time)?;
    let names = header_names(&flags.common)?;
    let connections_max = connections_max()?;
    let mut signals = signals()?;
    // Before the directory is touched: a port in use changes nothing.
    let listener = bind(flags.common.listen)?;
    let (data, ephemeral) = data_dir(flags)?;
    let (mut recovered, (clock, mut vault, seed)) = open(&data, &flags.common, |state| {
        let clock = clock(flags.clock, state, start_time)?;
        let seed = check_opening(state, Mode::Sandbox, flags.seed)?;
        Ok((clock, open_vault(&data, state)?, seed))
    })?;
    let seed = match seed {
        Some(seed) => seed,
        None => {
            let seed = flags.seed.map_or_else(random_seed, Ok)?;
            founding::sandbox(&mut recovered, &mut vault, seed, flags.seed.is_some(), clock.now())?;
            seed
        }
    };
    let running = Exchange::start(recovered, clock, options(&flags.common))?;
    let exchange = running.exchange();
    let base_url = base_url(&listener)?;
    let gate = gate(names, &flags.common, exchange.views().state(), &vault)?;
    let traders = match flags.activity {
        Switch::Off => None,
        Switch::On => Some(Arc::new(tokio::sync::Mutex::new(traders(&exchange, &vault, &base_url, seed)?))),
    };
    let manual = exchange.has_manual_clock();
    let steps = traders.clone().filter(|_| manual).map(steps);
    let credentials = write_credentials(&data, &base_url, exchange.views().state(), &vault)?;
    let about = Welcome {
        base_url: &base_url,
        data: &data,
        credentials: &credentials,
        seed,
        prefixes: &flags.common.header_prefix,
    };
    welcome::sandbox(&about, exchange.views().state(), &vault);
    let settings = Settings {
        service: flags.common.service_name.clone(),
        sandbox: true,
        steps,
        pages: site_page,
        connections_max,
    };
    let active = traders.filter(|_| !manual);
    serve_until_told(listener, &base_url, App::new(exchange, gate, settings), running, active, &mut signals)?;
    drop(ephemeral);
    Ok(())
}

/// Runs a venue until it is told to stop.
pub(crate) fn serve(flags: &Serve) -> Result<(), Trouble> {
    check_common(&flags.common)?;
    if flags.common.config.is_none() {
        return Err(Trouble::Flag(
            "serve needs --config FILE: a venue's settings are kept in writing".to_owned(),
        ));
    }
    let names = header_names(&flags.common)?;
    let connections_max = connections_max()?;
    let mut signals = signals()?;
    let listener = bind(flags.common.listen)?;
    let data = flags.common.data.clone();
    make_dir(&data)?;
    let (mut recovered, (clock, vault, seed)) = open(&data, &flags.common, |state| {
        let clock = clock(ClockKind::Real, state, Time(0))?;
        let seed = check_opening(state, Mode::Venue, None)?;
        Ok((clock, open_vault(&data, state)?, seed))
    })?;
    if seed.is_none() {
        founding::venue(&mut recovered, clock.now())?;
    }
    let running = Exchange::start(recovered, clock, options(&flags.common))?;
    let exchange = running.exchange();
    let base_url = base_url(&listener)?;
    let gate = gate(names, &flags.common, exchange.views().state(), &vault)?;
    welcome::venue(&base_url, &data);
    let settings = Settings {
        service: flags.common.service_name.clone(),
        sandbox: false,
        steps: None,
        pages: site_page,
        connections_max,
    };
    serve_until_told(listener, &base_url, App::new(exchange, gate, settings), running, None, &mut signals)
}

/// Open files asked for: twenty thousand connections and room to spare.
const OPEN_FILES: u64 = 20_000 + OWN_FILES;
/// Open files that are kept from connections: journal, history, snapshots, and the simulated traders' calls.
const OWN_FILES: u64 = 64;

type SharedTraders = Arc<tokio::sync::Mutex<Traders>>;

fn serve_until_told(
    listener: TcpListener,
    base_url: &str,
    app: App,
    running: Running,
    traders: Option<SharedTraders>,
    signals: &mut Signals,
) -> Result<(), Trouble> {
    let app = Arc::new(app);
    app.set_ready(true);
    let server = buttonwood_rest::serve(listener, Arc::clone(&app))
        .map_err(|error| Trouble::System(format!("cannot start a serving thread: {error}")))?;
    let active = traders.map(keep_trading).transpose()?;
    let mut out = std::io::stdout();
    // Nobody may be reading; the exchange runs all the same.
    let _ = writeln!(out, "ready {base_url}").and_then(|()| out.flush());
    let signal = signals.forever().next();
    tracing::info!(signal, "stopping: open requests finish, then a snapshot is written");
    app.set_ready(false);
    drop(active);
    server.stop();
    running.stop()?;
    tracing::info!("stopped");
    Ok(())
}

/// A thread that lets the traders take their turns; dropping the sender ends it.
fn keep_trading(traders: SharedTraders) -> Result<std::sync::mpsc::Sender<()>, Trouble> {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let trouble =
        |error: std::io::Error| Trouble::System(format!("cannot start the simulated traders: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(trouble)?;
    let trade = move || loop {
        runtime.block_on(async { traders.lock().await.turn().await });
        match stopped.recv_timeout(TURN) {
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
        }
    };
    std::thread::Builder::new().name("traders".to_owned()).spawn(trade).map_err(trouble)?;
    Ok(stop)
}

/// Turns that a manual clock's moves drive; they run on the thread that answers the move.
fn steps(traders: SharedTraders) -> Steps {
    Steps::new(move || {
        let traders = Arc::clone(&traders);
        Box::pin(async move { traders.lock().await.turn().await })
    })
}

fn traders(exchange: &Exchange, vault: &Vault, base_url: &str, seed: u64) -> Result<Traders, Trouble> {
    let views = exchange.views();
    let mut keys = Vec::new();
    for (session, entry) in (0u32..).zip(views.state().access().sessions()) {
        if !is_simulated(&entry.key.name) {
            continue;
        }
        if let Some(secret) = vault.get(session, &entry.key.api_key)? {
            let secret = String::from_utf8_lossy(secret.expose()).into_owned();
            keys.push(TraderKey { api_key: entry.key.api_key.clone(), secret });
        }
    }
    let markets = markets(views.state(), &views)?;
    Traders::connect(base_url, keys, markets, seed).map_err(|error| Trouble::System(error.to_string()))
}

/// The main symbols, where they stand or where they start.
fn markets(state: &State, views: &buttonwood_rest::Views) -> Result<Vec<Market>, Trouble> {
    let starts = Reference::load()?.symbols;
    let listed = (0..state.symbols().len()).map(SymbolId::from_index).zip(state.symbols());
    Ok(listed
        .filter_map(|(id, symbol)| {
            let start = starts.iter().find(|listed| listed.symbol.name == symbol.name)?.start?;
            Some(Market {
                symbol: symbol.name.clone(),
                grid: symbol.grid.clone(),
                qty_min: symbol.qty_min,
                start: views.tape().last(id).unwrap_or(start),
            })
        })
        .collect())
}

fn site_page(exchange: &Exchange, path: &str) -> Option<Page> {
    buttonwood_site::page(exchange, path)
        .map(|page| Page { content_type: page.content_type, body: page.body })
}

fn gate(names: HeaderNames, common: &Common, state: &State, vault: &Vault) -> Result<Gate, Trouble> {
    let limits = if common.rate_limits == Switch::On { Limits::default() } else { Limits::off() };
    let gate = Gate::new(names, common.service_name.clone(), limits);
    for (session, entry) in (0u32..).zip(state.access().sessions()) {
        let key = &entry.key;
        let secret = secret(vault, session, &key.api_key)?;
        let known = Key {
            api_key: key.api_key.clone(),
            session: SessionId(session),
            owner: key.owner,
            roles: key.roles,
            require_heartbeat: key.require_heartbeat,
            time_based_nonce: key.time_based_nonce,
        };
        gate.keys().insert(known, &secret, entry.highest_nonce(), Time(0));
        if is_simulated(&key.name) {
            // A bucket of their own: filling the books at the start takes many calls at once (D-35).
            gate.keys().set_limit(&key.api_key, Limit::per_second(1_000));
        }
    }
    Ok(gate)
}

/// The vault, once it is known to hold the secret of every key.
fn open_vault(data: &Path, state: &State) -> Result<Vault, Trouble> {
    if !state.access().sessions().is_empty() && !Vault::is_in(data) {
        let line = format!(
            "there are keys, but {} has no file 'vault' with their secrets: put it back",
            data.display()
        );
        return Err(Trouble::System(line));
    }
    let vault = Vault::open(data)?;
    for (session, entry) in (0u32..).zip(state.access().sessions()) {
        secret(&vault, session, &entry.key.api_key)?;
    }
    Ok(vault)
}

fn secret(vault: &Vault, session: u32, api_key: &str) -> Result<Secret, Trouble> {
    vault.get(session, api_key)?.ok_or_else(|| {
        Trouble::System(format!(
            "the vault holds no secret for key '{api_key}': was the file 'vault' removed?"
        ))
    })
}

/// Recovers the directory; `admit` says before its journal is written to whether it is to be opened at all.
fn open<T>(
    data: &Path,
    common: &Common,
    admit: impl FnOnce(&State) -> Result<T, Trouble>,
) -> Result<(Recovered, T), Trouble> {
    let (recovered, admitted) = recover_if(data, journal_options(common), admit)?;
    for note in &recovered.notes {
        tracing::warn!("{note}");
    }
    Ok((recovered, admitted))
}

fn options(common: &Common) -> Options {
    Options { snapshot_every: common.snapshot_every.max(1) }
}

fn journal_options(common: &Common) -> JournalOptions {
    let (segment_bytes, ballast_bytes) = (common.segment_bytes, common.ballast_bytes);
    let first_segment_bytes = JournalOptions::default().first_segment_bytes.min(segment_bytes);
    JournalOptions { first_segment_bytes, segment_bytes, ballast_bytes }
}

/// The least a journal segment may have: some batches, so that turning to the next is no work of every command.
const SEGMENT_BYTES_MIN: u64 = 64 * 1024;
/// The most it may have, ballast too: what is made in one piece and zeroed must not take minutes.
const SEGMENT_BYTES_MAX: u64 = 1024 * 1024 * 1024;

fn check_sizes(common: &Common) -> Result<(), Trouble> {
    let (segment, ballast) = (common.segment_bytes, common.ballast_bytes);
    if !(SEGMENT_BYTES_MIN..=SEGMENT_BYTES_MAX).contains(&segment) {
        return Err(Trouble::Flag(format!(
            "--segment-bytes {segment}: from {SEGMENT_BYTES_MIN} (64 KiB) to {SEGMENT_BYTES_MAX} (1 GiB)"
        )));
    }
    if ballast > SEGMENT_BYTES_MAX {
        return Err(Trouble::Flag(format!(
            "--ballast-bytes {ballast}: at most {SEGMENT_BYTES_MAX} (1 GiB), or 0 for none"
        )));
    }
    Ok(())
}

fn check_common(common: &Common) -> Result<(), Trouble> {
    let split = [
        ("--auth-listen", common.auth_listen, "OAuth is"),
        ("--stream-listen", common.stream_listen, "event streams are"),
    ];
    for (flag, value, what) in split {
        if let Some(address) = value {
            return Err(Trouble::Flag(format!("{flag} {address}: {what} not built yet; start without it")));
        }
    }
    check_sizes(common)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if common.service_name.is_empty() || !common.service_name.bytes().all(plain) {
        return Err(Trouble::Flag(format!(
            "--service-name '{}' must be letters, digits and - _ .",
            common.service_name
        )));
    }
    Ok(())
}

fn header_names(common: &Common) -> Result<HeaderNames, Trouble> {
    HeaderNames::new(common.header_prefix.iter().map(String::as_str))
        .map_err(|error| Trouble::Flag(format!("--header-prefix: {error}")))
}

fn start_time(text: &str) -> Result<Time, Trouble> {
    let bad = || {
        Trouble::Flag(format!(
            "--start-time '{text}' is no ISO 8601 time from 1970 on, such as 2026-01-01T00:00:00Z"
        ))
    };
    let stamp: jiff::Timestamp = text.parse().map_err(|_| bad())?;
    u64::try_from(stamp.as_microsecond()).map(Time).map_err(|_| bad())
}

fn clock(kind: ClockKind, state: &State, start: Time) -> Result<Clock, Trouble> {
    let last = state.stamp().time;
    match kind {
        ClockKind::Manual if state.opening().is_some() => Ok(Clock::manual(last)),
        ClockKind::Manual => Ok(Clock::manual(start)),
        ClockKind::Real if last > Clock::Real.now() => {
            let line = "--clock real: this directory's last command lies ahead of now; it was run with --clock manual";
            Err(Trouble::Flag(line.to_owned()))
        }
        ClockKind::Real => Ok(Clock::Real),
    }
}

/// A directory keeps its mode and its seed for ever. The seed, unless it is still to be founded.
fn check_opening(state: &State, mode: Mode, seed: Option<u64>) -> Result<Option<u64>, Trouble> {
    let Some(opening) = state.opening() else { return Ok(None) };
    if opening.mode != mode {
        let line = format!(
            "this data directory was made by '{}'; '{}' does not open it",
            opening.mode.name(),
            mode.name()
        );
        return Err(Trouble::Flag(line));
    }
    match seed {
        Some(seed) if seed != opening.seed => Err(Trouble::Flag(format!(
            "--seed {seed}: this data directory was made with seed {}",
            opening.seed
        ))),
        Some(_) | None => Ok(Some(opening.seed)),
    }
}

fn random_seed() -> Result<u64, Trouble> {
    // Short enough to type.
    getrandom::u32()
        .map(u64::from)
        .map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))
}

/// Connections at most: the files this process may open, raised to what the system grants, less those it needs itself.
/// With none left, the journal could not begin a segment.
fn connections_max() -> Result<usize, Trouble> {
    let granted = getrlimit(Resource::Nofile);
    let wanted = granted.maximum.unwrap_or(OPEN_FILES).min(OPEN_FILES);
    let raised = Rlimit { current: Some(wanted), ..granted };
    let files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wanted,
        Err(_) => granted.current.unwrap_or(wanted),
    };
    let left = files.checked_sub(OWN_FILES).filter(|left| *left > 0);
    let left = left.ok_or_else(|| {
        Trouble::System(format!(
            "only {files} open files are allowed (ulimit -n), at least {} are needed",
            2 * OWN_FILES
        ))
    })?;
    Ok(usize::try_from(left).unwrap_or(usize::MAX))
}

fn signals() -> Result<Signals, Trouble> {
    Signals::new([SIGTERM, SIGINT])
        .map_err(|error| Trouble::System(format!("cannot listen for signals: {error}")))
}

fn bind(address: SocketAddr) -> Result<TcpListener, Trouble> {
    TcpListener::bind(address).map_err(|error| Trouble::Listen(address, error))
}

fn base_url(listener: &TcpListener) -> Result<String, Trouble> {
    let address = listener.local_addr().map_err(|error| Trouble::System(format!("no address: {error}")))?;
    Ok(format!("http://{address}"))
}

fn make_dir(path: &Path) -> Result<(), Trouble> {
    std::fs::create_dir_all(path).map_err(|error| Trouble::Data(path.to_owned(), error))
}

/// The data directory, and what removes it at a clean exit if it is ephemeral.
fn data_dir(flags: &Sandbox) -> Result<(PathBuf, Option<tempfile::TempDir>), Trouble> {
    if flags.ephemeral {
        let fresh = tempfile::Builder::new()
            .prefix("buttonwood-")
            .tempdir()
            .map_err(|error| Trouble::Data(std::env::temp_dir(), error))?;
        return Ok((fresh.path().to_owned(), Some(fresh)));
    }
    make_dir(&flags.common.data)?;
    Ok((flags.common.data.clone(), None))
}
