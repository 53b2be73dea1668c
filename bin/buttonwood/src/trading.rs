//! The simulated traders of a sandbox: clients of the running exchange like any other.

use crate::directory::secret;
use crate::reference::Reference;
use crate::trouble::Trouble;
use buttonwood_engine::State;
use buttonwood_model::SymbolId;
use buttonwood_rest::Steps;
use buttonwood_sandbox::{Market, Pace, TraderKey, Traders, simulated};
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

/// Traders with the keys that were founded for them, on the main symbols; `None` if one of these keys has ended.
pub(crate) fn traders(
    exchange: &Exchange,
    vault: &Opened,
    base_url: &str,
    seed: u64,
) -> Result<Option<Traders>, Trouble> {
    let views = exchange.views();
    let mut keys = Vec::new();
    let access = views.state().access();
    for entry in simulated(access).into_iter().filter_map(|session| access.session(session)) {
        let Some(secret) = secret(vault, &entry.key.api_key)? else {
            tracing::warn!(api_key = entry.key.api_key, "no simulated traders: this key of theirs has ended");
            return Ok(None);
        };
        // The traders' own nonces fit into 64 bits. The clock may have been set back since the last one.
        let nonce = entry.highest_nonce().to_string().parse().unwrap_or_default();
        keys.push(TraderKey { api_key: entry.key.api_key.clone(), secret, nonce });
    }
    let markets = markets(views.state(), &views)?;
    let pace = if exchange.has_manual_clock() { Pace::InTurn } else { Pace::Together };
    let traders = Traders::connect(base_url, keys, markets, seed, pace);
    traders.map(Some).map_err(|error| Trouble::System(error.to_string()))
}

/// The main symbols, each with its last price, or else its start price.
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
