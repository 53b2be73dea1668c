//! The events of the prediction markets: `event`, `combo`, `terms` and `predictions` (PM-027).

pub(crate) mod combo;
pub(crate) mod event;
pub(crate) mod fees;
mod grid;
pub(crate) mod life;
pub(crate) mod resolve;
pub(crate) mod rewards;
pub(crate) mod strike;
pub(crate) mod terms;
pub(crate) mod void;

use buttonwood_engine::{PredictionReject, Reject};
use buttonwood_gate::{LATEST, Refusal, Value};
use buttonwood_model::{EventId, SymbolId, Time};
use buttonwood_operate::{Command, Operator};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::text::{PLAIN, is_plain, visible};
use buttonwood_wire::words;
use std::time::Duration;

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[Command] = &[
    event::COMMAND,
    life::COMMAND,
    strike::COMMAND,
    resolve::RESOLVE,
    resolve::DISPUTE,
    void::COMMAND,
    combo::COMMAND,
    terms::COMMAND,
    fees::COMMAND,
    rewards::COMMAND,
];

/// The longest title, label, category, source or reason, in bytes. Six labels with their separators fit into the title of a combo.
const TEXT_MAX: usize = 400;
/// The longest ticker.
const TICKER_MAX: usize = 24;

words! {
    /// Where an event stands.
    pub(crate) struct EventStatusName: "approved", "active", "closed", "under_review", "settled", "invalid"
}

/// An event that a command names.
struct Named {
    id: EventId,
    /// Its ticker, in upper case.
    ticker: String,
}

/// The event with a ticker, in any letter case; a combo's is its symbol.
fn find_event(operator: &Operator<'_>, text: &str) -> Result<Named, Refusal> {
    let ticker = text.to_ascii_uppercase();
    let found = operator.exchange.views().state().predictions().find_event(&ticker);
    let id = found.ok_or_else(|| bad_value("event", "the ticker of an event", text))?;
    Ok(Named { id, ticker })
}

/// How often a call looks whether all is done that it began.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until the orders of an event, and of the combos on it, are cancelled, and its claims are paid where nothing delays that. The
/// exchange does this in bounded steps, between which others have their turns; a move of the clock to now would do all of them at once
/// . Nothing is done while the disk is nearly full, and the call does not wait for that.
async fn finish(operator: &Operator<'_>, event: EventId) {
    let exchange = &operator.exchange;
    let is_ending = || {
        let views = exchange.views();
        let room = views.state().predictions();
        // A window for disputes of no length has ended with the proposal.
        let resolution = room.event(event).and_then(|event| event.resolution.as_ref());
        let settles = resolution.and_then(|resolution| resolution.settles);
        room.is_ending(event) || settles.is_some_and(|at| at <= exchange.now())
    };
    while is_ending() && !exchange.is_short_of_space() {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Where an event stands now.
fn status_of(operator: &Operator<'_>, id: EventId) -> EventStatusName {
    let views = operator.exchange.views();
    let event = views.state().predictions().event(id);
    EventStatusName(event.map_or("approved", |event| event.status.name()))
}

/// The symbol of a contract, in upper case.
fn symbol_of(operator: &Operator<'_>, contract: SymbolId) -> String {
    let views = operator.exchange.views();
    views.state().symbol(contract).map_or_else(String::new, |symbol| symbol.name.to_ascii_uppercase())
}

/// The events that a command takes, by its reject of any other.
const WRONG_EVENT: [(PredictionReject, &str); 7] = [
    (PredictionReject::UnknownEvent, "the ticker of an event"),
    (PredictionReject::IsCombo, "an event that is no combo: its legs decide a combo"),
    (PredictionReject::NotTrading, "an event that is approved or active"),
    (PredictionReject::NoStrike, "an event with a strike"),
    (PredictionReject::AlreadyProposed, "an event without proposed outcomes, or whose proposal is disputed"),
    (PredictionReject::NotProposed, "an event with proposed outcomes that are not disputed"),
    (PredictionReject::Ended, "an event that is not paid, being paid or void"),
];

/// The refusal of an event as it stands.
fn wrong_event(operator: &Operator<'_>, event: &Named, reject: Reject) -> Option<Refusal> {
    let Reject::Prediction(reject) = reject else { return None };
    let (_, expected) = WRONG_EVENT.into_iter().find(|(of, _)| *of == reject)?;
    let EventStatusName(status) = status_of(operator, event.id);
    Some(bad_value("event", expected, &event.ticker).and(&format!("it is {status}")))
}

/// Refuses a text that nobody could read, or that is too long.
fn check_text(field: &str, text: &str) -> Result<(), Refusal> {
    if text.len() <= TEXT_MAX && is_plain(text, TEXT_MAX) {
        return Ok(());
    }
    Err(bad_value(field, &format!("1 to {TEXT_MAX} bytes, {PLAIN}"), &visible(text)))
}

/// Refuses a text that is no ticker.
fn check_ticker(field: &str, text: &str) -> Result<(), Refusal> {
    let is_good = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if (1..=TICKER_MAX).contains(&text.len()) && text.bytes().all(is_good) {
        return Ok(());
    }
    Err(bad_value(field, &format!("1 to {TICKER_MAX} of the letters A to Z and digits"), text))
}

/// A time in milliseconds, within the range of times.
fn time(field: &str, millis: u64) -> Result<Time, Refusal> {
    if millis > LATEST.millis() {
        return Err(bad_value(field, "no later than 5138-01-01T00:00:00Z", &millis.to_string()));
    }
    Ok(Time(millis.saturating_mul(1_000)))
}

/// A switch, which the command line gives as a text.
fn switch(field: &str, sent: Option<Value<'_>>) -> Result<Option<bool>, Refusal> {
    let on = match &sent {
        None => return Ok(None),
        Some(Value::Bool(on)) => Some(*on),
        Some(Value::Text(text)) if text == "true" => Some(true),
        Some(Value::Text(text)) if text == "false" => Some(false),
        Some(Value::Text(_) | Value::Number(_) | Value::Null | Value::Array(_) | Value::Object(_)) => None,
    };
    match (on, sent) {
        (None, Some(other)) => Err(Refusal::bad_field(field, "true or false", &other)),
        (on, _) => Ok(on),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ticker has upper-case letters and digits, and a text can be read.
    #[test]
    fn texts_are_checked() {
        for (ticker, is_good) in
            [("A", true), ("B2", true), ("", false), ("a", false), ("A-B", false), ("\u{c4}", false)]
        {
            assert_eq!(check_ticker("ticker", ticker).is_ok(), is_good, "{ticker}");
        }
        assert!(check_ticker("ticker", &"A".repeat(TICKER_MAX)).is_ok());
        assert!(check_ticker("ticker", &"A".repeat(TICKER_MAX + 1)).is_err());
        for (text, is_good) in [("A b", true), ("", false), (" a", false), ("a\nb", false)] {
            assert_eq!(check_text("title", text).is_ok(), is_good, "{text}");
        }
        assert!(check_text("title", &"\u{c4}".repeat(TEXT_MAX / 2)).is_ok());
        assert!(check_text("title", &"\u{c4}".repeat(TEXT_MAX / 2 + 1)).is_err());
    }

    /// The command line sends switches as texts.
    #[test]
    fn switches_are_read() {
        let text = |text: &'static str| Some(Value::Text(text.into()));
        assert_eq!(switch("halted", None).unwrap(), None);
        assert_eq!(switch("halted", Some(Value::Bool(false))).unwrap(), Some(false));
        assert_eq!(
            [text("true"), text("false")].map(|sent| switch("halted", sent).unwrap()),
            [Some(true), Some(false)]
        );
        let message = switch("halted", text("yes")).unwrap_err().message;
        assert_eq!(message, "Field 'halted' must be true or false: yes");
    }
}
