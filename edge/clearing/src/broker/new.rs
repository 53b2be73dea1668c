//! `POST /v1/clearing/broker/new`: enters an order between two other accounts (CLR-022, CLR-027).

use crate::new::{ClearingEntered, answer};
use crate::terms;
use buttonwood_call::{App, Call, Kinds, Route, Write};
use buttonwood_engine::clearing::Parties;
use buttonwood_engine::{Body, ClearingCommand};
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::Hours;
use buttonwood_wire::contract::{Decimal, InPayload, Loose, Needed, Sent, Text};
use buttonwood_wire::request;

/// Trader only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/clearing/broker/new", Write { command, answer, closed: None })
        .right(ClearingCommand::RIGHT)
        .kinds(Kinds::Exchange)
        .about("Enters a clearing order between two other accounts, which both confirm.")
        .notes(&[
            "Only an account that the operator has marked as a broker enters such orders; others are refused with 403 `MissingRole` \
             before any field is read. The broker, the source and the target are three accounts.",
        ])
        .takes::<NewBrokered>()
        .gives::<ClearingEntered>()
        .refuses(&[406]);

request! {
    /// A new clearing order of a broker.
    struct NewBrokered in InPayload {
        /// The account whose side the order names.
        source_counterparty_id: Needed<Text>,
        /// The account at the other side.
        target_counterparty_id: Needed<Text>,
        /// The symbol, of spot, in any letter case.
        symbol: Needed<Loose<Text>>,
        /// The quantity, a multiple of the symbol's `tick_size` and at least its `min_order_size`.
        amount: Needed<Decimal>,
        /// The price, a multiple of the symbol's `quote_increment`.
        price: Needed<Decimal>,
        /// The side of the source; the target has the other one.
        side: Needed<Loose<SideName>>,
        /// The hours until it expires.
        expires_in_hrs: Hours<true>,
        /// The client's id of the call, 1 to 100 characters; also `clientTransferId`.
        client_id as "client_transfer_id": Sent<Text>,
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let entry = entry(app, call);
    let is_repeated = entry.is_ok() && terms::is_repeated(app, call);
    if is_marked(app, call) || is_repeated { entry } else { Err(unmarked(app, call)) }
}

fn is_marked(app: &App, call: &Call) -> bool {
    let views = app.exchange.views();
    views.state().access().account(call.account()).is_some_and(|account| account.broker)
}

fn entry(app: &App, call: &Call) -> Result<Body, Refusal> {
    let sent = NewBrokered::of(call.payload());
    let (source, target) = (sent.source_counterparty_id()?, sent.target_counterparty_id()?);
    let parties =
        || Ok(Parties::Between { source: terms::named(app, &source), target: terms::named(app, &target) });
    terms::entry(app, call, parties, || sent.expires_in_hrs().map(Some))
}

/// The refusal of an account without the mark of a broker (D-94).
pub(crate) fn unmarked(app: &App, call: &Call) -> Refusal {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    let name = account.map_or("", |account| &account.short_name);
    let message = format!(
        "This endpoint needs the role Trader on an account that is marked as a broker, and account '{}' is not marked",
        quoted(name)
    );
    Refusal::new(Reason::MissingRole, message)
}
