//! The simulated traders of a sandbox: clients of the running exchange like any other.

use crate::directory::secret;
use crate::reference::Reference;
use crate::trouble::Trouble;
use buttonwood_engine::State;
use buttonwood_model::{SessionId, Symbol, SymbolId};
use buttonwood_num::{Money, Price};
use buttonwood_rest::Steps;
use buttonwood_sandbox::{Cast, Fair, Index, Market, Pace, TraderKey, Traders, simulated};
use buttonwood_sequencer::Exchange;
use buttonwood_vault::Opened;
use std::sync::Arc;
use std::time::Duration;

/// Time between two turns of the simulated traders under a real clock (D-35).
const TURN: Duration = Duration::from_millis(1_200);

/// Traders, between their turns.
pub(crate) type SharedTraders = Arc<tokio::sync::Mutex<Traders>>;

/// A thread that lets the traders take their turns; dropping the sender ends it.
pub(crate) fn keep_trading(traders: SharedTraders) -> Result<std::sync::mpsc::Sender<()>, Trouble> {
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
pub(crate) fn steps(traders: SharedTraders) -> Steps {
    Steps::new(move || {
        let traders = Arc::clone(&traders);
        Box::pin(async move { traders.lock().await.turn().await })
    })
}

/// The perpetuals that they trade.
const PERPETUALS: [&str; 2] = ["btcgusdperp", "ethgusdperp"];

/// Traders with the keys that were founded for them, on the main symbols and on perpetuals; `None` if a key for spot has ended.
pub(crate) fn traders(
    exchange: &Exchange,
    vault: &Opened,
    base_url: &str,
    seed: u64,
) -> Result<Option<Traders>, Trouble> {
    let views = exchange.views();
    let state = views.state();
    let simulated = simulated(state.access());
    let Some(spot) = keys(state, vault, &simulated.spot)? else { return Ok(None) };
    let mut casts = vec![Cast { keys: spot, markets: markets(state, &views)? }];
    if !simulated.perpetuals.is_empty()
        && let Some(keys) = keys(state, vault, &simulated.perpetuals)?
    {
        casts.push(Cast { keys, markets: perpetuals(exchange, state) });
    }
    let pace = if exchange.has_manual_clock() { Pace::InTurn } else { Pace::Together };
    let traders = Traders::connect(base_url, casts, seed, pace);
    traders.map(Some).map_err(|error| Trouble::System(error.to_string()))
}

/// These keys with their secrets; `None` if one of them has ended.
fn keys(state: &State, vault: &Opened, sessions: &[SessionId]) -> Result<Option<Vec<TraderKey>>, Trouble> {
    let mut keys = Vec::new();
    for entry in sessions.iter().filter_map(|session| state.access().session(*session)) {
        let Some(secret) = secret(vault, &entry.key.api_key)? else {
            let api_key = &entry.key.api_key;
            tracing::warn!(api_key, "no simulated traders: this key of theirs has ended");
            return Ok(None);
        };
        // The traders' own nonces fit into 64 bits. The clock may have been set back since the last one.
        let nonce = entry.highest_nonce().to_string().parse().unwrap_or_default();
        keys.push(TraderKey { api_key: entry.key.api_key.clone(), secret, nonce });
    }
    Ok(Some(keys))
}

/// The main symbols, each with its last price, or else its start price.
fn markets(state: &State, views: &buttonwood_rest::Views) -> Result<Vec<Market>, Trouble> {
    let starts = Reference::load()?.symbols;
    let listed = (0..).map(SymbolId).zip(state.symbols());
    Ok(listed
        .filter_map(|(id, symbol)| {
            let start = starts.iter().find(|listed| listed.symbol.name == symbol.name)?.start?;
            Some(market(symbol, Fair::Walk(views.tape().last(id).unwrap_or(start))))
        })
        .collect())
}

fn perpetuals(exchange: &Exchange, state: &State) -> Vec<Market> {
    let listed = (0..).map(SymbolId).zip(state.symbols());
    let traded = listed.filter(|(_, symbol)| PERPETUALS.contains(&symbol.name.as_str()));
    traded.map(|(id, symbol)| market(symbol, Fair::Index(index(exchange.clone(), id, symbol)))).collect()
}

/// The index of a perpetual in price steps, while it has enough sources. It is read here and not through the interface, whose public calls
/// share the limit of this machine's address with users.
fn index(exchange: Exchange, id: SymbolId, symbol: &Symbol) -> Index {
    let tick = symbol.grid.value(Money::ONE, Price::from_ticks(1));
    Box::new(move || {
        let views = exchange.views();
        let contract = views.state().perps().contract(id).filter(|contract| contract.is_fresh)?;
        u64::try_from(contract.index.units().checked_div(tick.units())?).ok().filter(|ticks| *ticks > 0)
    })
}

fn market(symbol: &Symbol, fair: Fair) -> Market {
    Market { symbol: symbol.name.clone(), grid: symbol.grid.clone(), qty_min: symbol.qty_min, fair }
}
