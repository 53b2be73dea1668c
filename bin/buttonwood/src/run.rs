//! Starting, serving and stopping an exchange.

use crate::cli::{ClockKind, Common, Funds, Sandbox, Serve, Switch};
use crate::core_dumps;
use crate::deposit_seed;
use crate::directory::{
    check_opening, clock, data_dir, named_dir, open, open_vault, random_seed, reserves_secret, secret,
};
use crate::doors::{Doors, Urls};
use crate::ephemeral::adopt;
use crate::flags::{bounds, check_common, header_names, options, start_time};
use crate::founding;
use crate::mail;
use crate::metrics;
use crate::new_keys::NewKeys;
use crate::peers;
use crate::people;
use crate::places;
use crate::predictions;
use crate::rates_file::RatesFile;
use crate::settings;
use crate::signals::Stop;
use crate::staking;
use crate::trading::{Trading, keep_trading, steps};
use crate::trouble::Trouble;
use crate::vault_key;
use crate::welcome::{self, Welcome};
use buttonwood_address::Seed;
use buttonwood_call::{App, Settings, Steps};
use buttonwood_driver::{Driver, Nodes, Wallets};
use buttonwood_engine::{Mode, Standing, State};
use buttonwood_feeds::{Feed, Feeds};
use buttonwood_gate::{Gate, HeaderNames, Key, Limits, Proxies};
use buttonwood_http::Listeners;
use buttonwood_model::{Day, GroupId, SessionId, Time};
use buttonwood_operate::keys::{Keeper, KeeperFault};
use buttonwood_operate::{Access, Socket};
use buttonwood_sandbox::write_credentials;
use buttonwood_sequencer::{Clock, Exchange, Recovered, Running};
use buttonwood_stream::Streams;
use buttonwood_vault::{KEY_FILE, Opened, Secret, Vault};
use buttonwood_views::Views;
use parking_lot::RwLockReadGuard;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The folder of the simulated chains in a data directory.
pub(crate) const CHAINS: &str = "chains";

/// Runs the test environment until a signal stops it.
pub(crate) fn sandbox(flags: &Sandbox) -> Result<(), Trouble> {
    check_common(&flags.common, Mode::Sandbox)?;
    core_dumps::settle(flags.common.core_dumps)?;
    let start_time = start_time(&flags.start_time)?;
    let names = sandbox_header_names(&flags.common)?;
    let access = Access::of(flags.common.admin_group.as_deref())?;
    let nodes = nodes(flags)?;
    let key = vault_key::of_sandbox(&flags.common);
    // A signal during the start ends the process at once, but not with an ephemeral directory: it must be removed, and
    // its start does not take long.
    let stop = Stop::listen(!flags.ephemeral)?;
    // The port is bound before the directory is touched, so that a port in use changes nothing.
    let doors = Doors::open(&flags.common)?;
    let (data, ephemeral) = data_dir(flags)?;
    vault_key::check(&key, &data, false)?;
    let new_keys = new_keys(&flags.common, &data, false)?;
    let (mut recovered, (clock, (vault, mut opened), seed)) =
        open(&data, &flags.common, Mode::Sandbox, |state| {
            let seed = check_opening(state, Mode::Sandbox, flags.seed)?;
            let clock = clock(flags.clock, state, start_time)?;
            Ok((clock, open_vault(&data, state, key.clone())?, seed))
        })?;
    if !flags.ephemeral {
        adopt(&data);
    }
    let seed = furnish(&mut recovered, (&vault, &mut opened), seed, clock.now(), flags)?;
    let deposit_seed =
        simulate_funds(flags, recovered.views().state(), (&vault, &mut opened), (&nodes, &data))?;
    let running = start(recovered, clock, &flags.common, (&vault, &mut opened))?;
    let exchange = running.exchange();
    let urls = Urls::of(&doors, &flags.common)?;
    let gate = gate(names, (&flags.common, exchange.now()), exchange.views().state(), &opened)?;
    let driver = drive(&exchange, deposit_seed.as_ref(), &data, &nodes)?;
    let (trading, steps) = begin_trading(flags.activity, &exchange, seed)?;
    let credentials =
        write_credentials(&data, urls.both(), RwLockReadGuard::map(exchange.views(), Views::state), &opened)?;
    let streams = Arc::new(Streams::new(bounds(&flags.common)));
    let settings =
        settings::of_sandbox((flags, &urls, &credentials), nodes, deposit_seed, driver.as_ref(), steps);
    let settings = Settings { streams: Some(served(&streams)), ..settings };
    let vault = Arc::new(vault);
    let (credit, shared) = (founding::start_balances()?, shared_settings(&flags.common, &urls, &vault));
    let known = buttonwood_people::Settings { is_sandbox: true, credit, ..shared };
    let people = people::start(exchange.clone(), known, &opened)?;
    let keeper = keeper(vault, data.clone(), Some(urls.clone()), new_keys);
    let app = App::new(exchange, gate, people, settings, keeper);
    let socket = Socket::open(&data, access, Arc::clone(app.shared()))?;
    // After the socket: a start that cannot open it says one line.
    let about = Welcome { urls: &urls, data: &data, credentials: &credentials, seed };
    welcome::sandbox(&about, running.exchange().views().state(), &opened);
    wipe(opened);
    vault_key::warn(&key);
    let feeds = flags.common.feeds.clone();
    let parts = Parts { running, socket, trading, driver, feeds, streams };
    serve_until_told(doors, &data, app, parts, &stop)?;
    drop(ephemeral);
    Ok(())
}

/// The headers that sign calls of a sandbox: those of any prefix, unless the flags name one.
fn sandbox_header_names(common: &Common) -> Result<HeaderNames, Trouble> {
    if common.header_prefix.is_empty() { Ok(HeaderNames::any()) } else { header_names(common) }
}

/// Where funds are simulated, the seed of deposit addresses, and the directory then follows these nodes alone.
fn simulate_funds(
    flags: &Sandbox,
    state: &State,
    (vault, opened): (&Vault, &mut Opened),
    (nodes, data): (&Nodes, &Path),
) -> Result<Option<Seed>, Trouble> {
    if flags.funds != Funds::Simulated {
        return Ok(None);
    }
    let seed = deposit_seed::of_vault(vault, opened, state, flags.seed)?;
    nodes.bind(&data.join(CHAINS)).map_err(|fault| Trouble::Flag(fault.to_string()))?;
    Ok(Some(seed))
}

/// The simulated traders, if the sandbox has any. They have filled the books. With a manual clock they act in the steps of the clock.
fn begin_trading(
    activity: Switch,
    exchange: &Exchange,
    seed: u64,
) -> Result<(Option<Arc<Trading>>, Option<Steps>), Trouble> {
    if activity == Switch::Off {
        return Ok((None, None));
    }
    let trading = Trading::new(exchange.clone(), seed)?;
    trading.open()?;
    let trading = Arc::new(trading);
    let is_manual = exchange.has_manual_clock();
    Ok(if is_manual { (None, Some(steps(trading))) } else { (Some(trading), None) })
}

/// Gives a sandbox's directory what it lacks: a new one everything, with a market one day before now. Returns its seed.
fn furnish(
    recovered: &mut Recovered,
    (vault, opened): (&Vault, &mut Opened),
    seed: Option<u64>,
    now: Time,
    flags: &Sandbox,
) -> Result<u64, Trouble> {
    let (trades, given) = (flags.activity == Switch::On, flags.seed.is_some());
    let is_new = seed.is_none();
    let time = if is_new && trades { Time(now.0.saturating_sub(Day::MICROS)) } else { now };
    let seed = match seed {
        Some(seed) => seed,
        None => {
            let seed = flags.seed.map_or_else(random_seed, Ok)?;
            founding::sandbox(recovered, (vault, opened), seed, given, time)?;
            seed
        }
    };
    founding::complete(recovered, 1, time)?;
    founding::stock(recovered, time)?;
    staking::furnish(recovered, seed, given, time)?;
    founding::people(recovered, (vault, opened), seed, given, time)?;
    founding::socket_keys(recovered, (vault, opened), seed, given, time)?;
    if trades {
        founding::perpetual_traders(recovered, (vault, opened), seed, given, time)?;
        founding::refill_traders(recovered, time)?;
        if is_new {
            founding::past_day(recovered, seed, now)?;
        }
    }
    predictions::furnish(recovered, &flags.common.contract_prefix, now)?;
    founding::accounts_of_traders(recovered, seed, now)?;
    Ok(seed)
}

/// Runs a venue until a signal stops it.
pub(crate) fn serve(flags: &Serve) -> Result<(), Trouble> {
    check_common(&flags.common, Mode::Venue)?;
    if flags.common.config.is_none() {
        return Err(Trouble::Flag(
            "serve needs --config FILE: a venue's settings are kept in writing".to_owned(),
        ));
    }
    core_dumps::settle(flags.common.core_dumps)?;
    peers::check(flags.approvals)?;
    let key = vault_key::of_venue(&flags.common)?;
    let names = header_names(&flags.common)?;
    let access = Access::of(flags.common.admin_group.as_deref())?;
    let mail_server = mail::server(&flags.mail)?;
    let fx_rates = flags.fx_rates.as_deref().map(RatesFile::read).transpose()?;
    let stop = Stop::listen(true)?;
    let doors = Doors::open(&flags.common)?;
    let data = flags.common.data.clone();
    vault_key::check(&key, &data, true)?;
    let new_keys = new_keys(&flags.common, &data, true)?;
    named_dir(&data)?;
    let (mut recovered, (clock, (vault, mut opened), seed)) =
        open(&data, &flags.common, Mode::Venue, |state| {
            let seed = check_opening(state, Mode::Venue, None)?;
            let clock = clock(ClockKind::Real, state, Time(0))?;
            Ok((clock, open_vault(&data, state, key.clone())?, seed))
        })?;
    if seed.is_none() {
        founding::venue(&mut recovered, clock.now())?;
    }
    founding::complete(&mut recovered, flags.approvals, clock.now())?;
    staking::draw_key(&mut recovered, None, clock.now())?;
    warn_of_instant_debts(recovered.views().state());
    if let Some(file) = fx_rates {
        file.import(&mut recovered, clock.now())?;
    }
    let running = start(recovered, clock, &flags.common, (&vault, &mut opened))?;
    let exchange = running.exchange();
    let urls = Urls::of(&doors, &flags.common)?;
    let gate = gate(names, (&flags.common, exchange.now()), exchange.views().state(), &opened)?;
    let vault = Arc::new(vault);
    let outgoing = mail_server.map(mail::start).transpose()?;
    let known = buttonwood_people::Settings { outgoing, ..shared_settings(&flags.common, &urls, &vault) };
    let people = people::start(exchange.clone(), known, &opened)?;
    wipe(opened);
    vault_key::warn(&key);
    let streams = Arc::new(Streams::new(bounds(&flags.common)));
    let settings = settings::of_venue(&flags.common, &urls);
    let settings = Settings { streams: Some(served(&streams)), ..settings };
    let app = App::new(exchange, gate, people, settings, keeper(vault, data.clone(), None, new_keys));
    let socket = Socket::open(&data, access, Arc::clone(app.shared()))?;
    welcome::venue(&urls, &data);
    let feeds = flags.common.feeds.clone();
    let parts = Parts { running, socket, trading: None, driver: None, feeds, streams };
    serve_until_told(doors, &data, app, parts, &stop)
}

/// The settings of people and apps that venue and sandbox share: those of a venue that sends no mail.
fn shared_settings(common: &Common, urls: &Urls, vault: &Arc<Vault>) -> buttonwood_people::Settings {
    buttonwood_people::Settings {
        vault: Arc::new(people::OfDirectory(Arc::clone(vault))),
        service: people::shown_name(&common.service_name),
        auth_url: urls.auth.clone(),
        has_public_url: common.public_url.is_some(),
        is_sandbox: false,
        outgoing: None,
        credit: Vec::new(),
        limits_mail: common.rate_limits == Switch::On,
        watching_is_use: common.watching == Switch::On,
    }
}

/// Names to the operator the currencies whose withdrawals stop.
fn warn_of_instant_debts(state: &State) {
    for currency in founding::owed_by_instant(state) {
        tracing::warn!(
            currency,
            "the house owes this currency from instant orders: its withdrawals stop until `admin house fund instant` covers it"
        );
    }
}

/// Starts a recovered exchange, which proves its reserves with the vault's secret.
fn start(
    recovered: Recovered,
    clock: Clock,
    common: &Common,
    (vault, opened): (&Vault, &mut Opened),
) -> Result<Running, Trouble> {
    let running = Exchange::start(recovered, clock, options(common))?;
    running.exchange().prove_reserves(reserves_secret(vault, opened)?.expose());
    Ok(running)
}

/// Where the flags let new keys of the vault be made.
fn new_keys(common: &Common, data: &Path, is_venue: bool) -> Result<NewKeys, Trouble> {
    let flags = &common.vault_key;
    // A sandbox's own key is in its data directory.
    let own = (!is_venue && flags.vault_key_command.is_none()).then(|| data.join(KEY_FILE));
    let key_file = flags.vault_key_file.as_ref().or(own.as_ref());
    NewKeys::of(flags.vault_new_keys.as_deref(), key_file.map(PathBuf::as_path), data, is_venue)
}

/// The keeper of a running exchange on a directory: it stores secrets in the vault, rotates its key and, for a sandbox, which
/// gives its addresses, writes `credentials.json` again after each change.
fn keeper(vault: Arc<Vault>, data: PathBuf, sandbox: Option<Urls>, new_keys: NewKeys) -> Keeper {
    let fault = |fault: &dyn std::fmt::Display| KeeperFault(fault.to_string());
    let (keys, sealed, emptied) = (Arc::clone(&vault), Arc::clone(&vault), Arc::clone(&vault));
    let store =
        move |api_key: &str, secret: &Secret| vault.put(api_key, secret).map_err(|error| fault(&error));
    let forget = move |api_key: &str| emptied.forget(&[api_key]).map_err(|error| fault(&error));
    let changed = move |exchange: &Exchange| {
        let Some(urls) = &sandbox else { return Ok(()) };
        let opened = keys.open().map_err(|error| fault(&error))?;
        let state = RwLockReadGuard::map(exchange.views(), Views::state);
        let written = write_credentials(&data, urls.both(), state, &opened);
        wipe(opened);
        written.map(drop).map_err(|error| fault(&error))
    };
    let rotate = move |to: &Path, only_checks: bool| {
        let place = new_keys.place(to).map_err(|why| fault(&why))?;
        if only_checks {
            return Ok(None);
        }
        let rotated = sealed.rotate_through(to, &place.at()).map_err(|error| fault(&error))?;
        Ok(Some((rotated.before, rotated.records)))
    };
    Keeper::new(store, forget, changed, rotate)
}

/// The real nodes of a sandbox, each of which has answered.
fn nodes(flags: &Sandbox) -> Result<Nodes, Trouble> {
    let named = [("--chain", &flags.chain), ("--chain-token", &flags.chain_token)];
    if flags.funds != Funds::Simulated
        && let Some((flag, _)) = named.iter().find(|(_, values)| !values.is_empty())
    {
        return Err(Trouble::Flag(format!("{flag}: real nodes need --funds simulated")));
    }
    Nodes::reach(&flags.chain, &flags.chain_token, places::token_decimals)
        .map_err(|fault| Trouble::Flag(fault.to_string()))
}

/// Connects the chains of a directory, simulated or at real nodes, with its exchange.
fn drive(
    exchange: &Exchange,
    seed: Option<&Seed>,
    data: &Path,
    nodes: &Nodes,
) -> Result<Option<Driver>, Trouble> {
    let Some(seed) = seed else { return Ok(None) };
    let wallets = Wallets { formats: nodes.formats(), seed: seed.clone(), nodes: nodes.clone() };
    let driver = Driver::start(exchange.clone(), wallets, data.join(CHAINS));
    driver
        .map(Some)
        .map_err(|error| Trouble::System(format!("cannot start the thread of the chains: {error}")))
}

/// The parts that run next to the listener.
struct Parts {
    running: Running,
    socket: Socket,
    trading: Option<Arc<Trading>>,
    driver: Option<Driver>,
    feeds: Vec<Feed>,
    streams: Arc<Streams>,
}

fn serve_until_told(doors: Doors, data: &Path, app: App, parts: Parts, stop: &Stop) -> Result<(), Trouble> {
    let Parts { running, socket, trading, driver, feeds, streams } = parts;
    let (app, base_url) = (Arc::new(app), doors.base_url()?);
    let hub = streams
        .start(&app)
        .map_err(|error| Trouble::System(format!("cannot start the thread of streams: {error}")))?;
    let Doors { listener, auth, stream, places, metrics } = doors;
    let listeners = Listeners { main: listener, side: auth, stream };
    if metrics.is_some() {
        app.measure();
    }
    stop.wait_from_now();
    // Orders of sockets that cancel on disconnect do not outlive a crash (D-150).
    while app.exchange.views().state().floor().open_connections().next().is_some() {
        std::thread::sleep(Duration::from_millis(1));
    }
    app.set_ready(true);
    let server = buttonwood_http::serve(listeners, Arc::clone(&app), places)
        .map_err(|error| Trouble::System(format!("cannot start a serving thread: {error}")))?;
    let connections = server.open_connections();
    app.count_connections(connections.clone());
    let metrics =
        metrics.map(|door| metrics::serve(door, Arc::clone(&app), connections, data)).transpose()?;
    let active = trading.map(|trading| keep_trading(trading, Arc::clone(&app))).transpose()?;
    let is_sandbox =
        app.exchange.views().state().opening().is_some_and(|opening| opening.mode == Mode::Sandbox);
    let feeds = Feeds::start(&running.exchange(), feeds, is_sandbox)
        .map_err(|error| Trouble::System(format!("cannot start the thread of a feed: {error}")))?;
    let mut out = std::io::stdout();
    // Standard output may be closed; the exchange runs anyway.
    let _ = writeln!(out, "ready {base_url}").and_then(|()| out.flush());
    let signal = stop.wait();
    tracing::info!(signal, "stopping: open requests finish, then a snapshot is written");
    app.set_ready(false);
    drop(active);
    drop(feeds);
    drop(socket);
    server.stop();
    hub.stop();
    app.people.stop_mail();
    if let Some(metrics) = metrics {
        metrics.stop();
    }
    drop(driver);
    running.stop()?;
    tracing::info!("stopped");
    Ok(())
}

/// Wipes the key of the vault, once the signers stand, and what reading the secrets left on the stack.
fn wipe(opened: Opened) {
    drop(opened);
    buttonwood_vault::wipe_stack();
}

fn gate(
    names: HeaderNames,
    (common, now): (&Common, Time),
    state: &State,
    vault: &Opened,
) -> Result<Gate, Trouble> {
    let limits = if common.rate_limits == Switch::On { Limits::default() } else { Limits::off() };
    let proxies = Proxies::new(common.trusted_proxy.clone());
    if common.public_url.is_some() && common.trusted_proxy.is_empty() {
        tracing::warn!(
            "--public-url without --trusted-proxy: throttles take all clients of the proxy for one"
        );
    }
    let gate = Gate::new(names, common.service_name.clone(), limits).behind(proxies).opened_at(now);
    let access = state.access();
    for (at, group) in access.groups().iter().enumerate() {
        gate.keys().restrict_group(GroupId::from_index(at), &group.addresses);
    }
    for (session, entry) in (0u32..).zip(access.sessions()) {
        let key = &entry.key;
        let Some(secret) = secret(vault, &key.api_key)? else {
            if entry.standing() != Standing::Ended {
                let api_key = &key.api_key;
                tracing::warn!(
                    api_key,
                    "this key cannot be used: it was ended while the directory was copied"
                );
            }
            continue;
        };
        let known = Key::of(access, SessionId(session)).expect("the session was found");
        gate.keys().insert(known, &secret, entry.highest_nonce());
    }
    Ok(gate)
}

/// Sockets, as the interface knows them.
fn served(streams: &Arc<Streams>) -> Arc<dyn buttonwood_call::Streams> {
    let streams: Arc<Streams> = Arc::clone(streams);
    streams
}
