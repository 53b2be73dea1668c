//! `/sandbox/chains/{network}` and below: a simulated chain, as the rest of the world moves it (D-62). A real node is only shown.
//!
//! Each call first lets the exchange send what it owes to the chain, and is answered once what the chain shows is journaled.

use crate::funds::field::{amount, check_simulated};
use buttonwood_address::Network;
use buttonwood_call::{App, Asked, ControlCall, Later, Route};
use buttonwood_custody::Output;
use buttonwood_custody::simulated::{Incoming, Refusal as ChainRefusal, Treatment};
use buttonwood_driver::{Failed, Shown, Work};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{
    Decimal, DecimalText, Done, Flag, InPayload, InQuery, Label, Needed, Nullable, Text, WholeUpTo,
};
use buttonwood_wire::field::{bad_value, busy, failed};
use buttonwood_wire::{answer, json, request, words};

/// This machine only.
pub(crate) const SHOW: Route = Route::control_asking("/sandbox/chains/{network}", show)
    .about("Shows a chain: its height and, of a simulated one, what waits for a block and what arrived at an address.")
    .notes(&[
        "With a real clock a simulated chain has a block every 3 seconds while a payment waits for \
         confirmations, except one that its wallet cannot pay.",
    ])
    .takes::<AtAddress>()
    .gives::<Chain>();

/// This machine only.
pub(crate) const SEND: Route = Route::control("/sandbox/chains/{network}/send", |call, asked, fields| {
    Box::pin(send(call, asked, fields))
})
.about("Sends a payment from outside to an address; it waits for a block.")
.notes(&["Takes the assets of the network alone. Refused for a network with a real node."])
.takes::<Payment>()
.gives::<PaymentSent>();

/// This machine only.
pub(crate) const MINE: Route = Route::control("/sandbox/chains/{network}/mine", |call, asked, fields| {
    Box::pin(mine(call, asked, fields))
})
.about("Adds blocks; the first takes in everything that waits.")
.notes(&["Refused for a network with a real node, whose blocks come from the node."])
.takes::<Blocks>()
.gives::<Mined>();

/// This machine only.
pub(crate) const REORG: Route = Route::control("/sandbox/chains/{network}/reorg", |call, asked, fields| {
    Box::pin(reorg(call, asked, fields))
})
.about("Replaces the newest blocks by empty ones, plus one more. Their transactions wait again, or vanish.")
.notes(&["Refused for a network with a real node."])
.takes::<Reorganisation>()
.gives::<Reorganised>();

/// This machine only.
pub(crate) const NODE: Route = Route::control("/sandbox/chains/{network}/node", |call, asked, fields| {
    Box::pin(node(call, asked, fields))
})
.about("Says how the node treats the next payments of the exchange.")
.notes(&["Refused for a network with a real node."])
.takes::<NodeTerms>()
.gives::<NodeSet>();

request! {
    /// Which address.
    pub(crate) struct AtAddress in InQuery {
        /// The address whose payments are listed.
        address: Text,
    }
}

request! {
    /// A payment from outside.
    struct Payment in InPayload {
        /// The receiver.
        address: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
        /// A memo for the receiver.
        memo: Text,
    }
}

request! {
    /// How many blocks are added.
    struct Blocks in InPayload {
        /// The number of blocks: 1 to 10,000.
        blocks: Needed<WholeUpTo<10_000>>,
    }
}

request! {
    /// Which blocks are replaced.
    struct Reorganisation in InPayload {
        /// The number of blocks: 1 to 60.
        depth: Needed<WholeUpTo<60>>,
        /// Whether payments from outside in them vanish.
        drop: Flag<false>,
    }
}

words! {
    /// How a node treats a payment.
    struct Broadcast: "lose_reply", "time_out", "refuse", "revert", "normal"
}

request! {
    /// How the node behaves.
    struct NodeTerms in InPayload {
        /// The node's treatment of a payment.
        broadcast: Needed<Broadcast>,
        /// With how many of the next payments: one if it is absent.
        times: WholeUpTo<1_000_000>,
    }
}

answer! {
    /// A chain.
    struct Chain {
        /// Number of blocks below the newest.
        height: u64,
        /// Confirmations that make a payment final.
        confirmations: u64,
        /// The hashes of what waits for a block; absent for a real node.
        mempool: Option<Vec<String>>,
        /// The payments that arrived at the address, newest first; absent for a real node.
        transactions: Option<Vec<Arrival>>,
    }
}

answer! {
    /// A payment to an address.
    struct Arrival {
        /// The hash of its transaction.
        tx_hash as "txHash": String,
        /// Its output; 0 where a chain has no outputs.
        output as "outputIdx": u64,
        /// The height of its block; null while it waits.
        height: Nullable<u64>,
        /// The receiver.
        address: Label,
        /// The memo; null without one.
        memo: Nullable<Label>,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

answer! {
    /// A payment that was sent.
    struct PaymentSent {
        /// The hash of its transaction.
        tx_hash as "txHash": String,
        /// Its output; 0 where a chain has no outputs.
        output as "outputIdx": u64,
    }
}

answer! {
    /// Blocks were added.
    struct Mined {
        /// Number of blocks below the newest.
        height: u64,
    }
}

answer! {
    /// Blocks were replaced.
    struct Reorganised {
        /// Number of blocks below the newest.
        height: u64,
        /// The hashes of the transactions that have vanished.
        dropped: Vec<String>,
    }
}

answer! {
    /// The node behaves so from now on.
    struct NodeSet {
        /// Always `ok`.
        result: Done,
    }
}

/// The format of a network's addresses, if a chain of it is simulated here.
fn format(app: &App, name: &str) -> Result<Network, Refusal> {
    check_simulated(app)?;
    let is_listed = app.exchange.views().state().funds().networks().find(name).is_some();
    let format = Network::serving(name).filter(|_| is_listed && buttonwood_custody::network(name).is_some());
    format.ok_or_else(|| {
        let message = format!("The path names no network: '{}'", quoted(name));
        Refusal::new(Reason::InvalidParameterValue, message)
    })
}

/// Does something to the chain in the path.
async fn work(app: &App, asked: &Asked<'_>, work: Work) -> Result<Shown, Refusal> {
    let chains = app.settings().chains.as_ref().ok_or_else(failed)?;
    chains.call(asked.parameter, work).await.map_err(|failed| refusal(&failed))
}

fn refusal(failure: &Failed) -> Refusal {
    match failure {
        Failed::Refused(ChainRefusal::Amount { .. }) => {
            let message = "Field 'amount' must be more than zero, and no more than a chain can count";
            Refusal::new(Reason::InvalidQuantity, message)
        }
        Failed::Refused(ChainRefusal::Text { field }) => {
            Refusal::new(Reason::InvalidParameterValue, format!("Field '{field}' is empty or too long"))
        }
        Failed::Refused(ChainRefusal::Range { field, value, least, most }) => {
            bad_value(field, &format!("{least} to {most}"), &value.to_string())
        }
        Failed::Refused(ChainRefusal::NoRevert) => {
            bad_value("broadcast", "another word: payments of this network do not fail in a block", "revert")
        }
        Failed::Refused(refused @ ChainRefusal::RealNode) => {
            Refusal::new(Reason::InvalidParameterValue, format!("Nothing is done to this chain: {refused}"))
        }
        Failed::Refused(ChainRefusal::Broken) => failed(),
        Failed::Unable(why) => busy(&format!("The chain does not answer: {why}")),
    }
}

fn show<'a>(app: &'a App, asked: &'a Asked<'a>) -> Later<'a> {
    Box::pin(async move {
        let format = format(app, asked.parameter)?;
        // Addresses of bitcoincash begin with a name and a colon, the one character of addresses that clients may escape.
        let sent =
            AtAddress::of(asked.query).address().map(|sent| sent.replace("%3A", ":").replace("%3a", ":"));
        let found = sent.map(|sent| app.address(format, &sent)).transpose()?;
        let canonical = found.as_ref().map(|found| found.canonical().into_owned());
        let shown = work(app, asked, Work::Show(canonical)).await?;
        let spelling = found.map(|found| found.display().to_owned()).unwrap_or_default();
        let arrival = |incoming: Incoming| Arrival {
            tx_hash: incoming.tx.as_str().to_owned(),
            output: u64::from(incoming.index),
            height: Nullable(incoming.height),
            address: Label(spelling.clone()),
            memo: Nullable(incoming.output.memo.map(Label)),
            currency: incoming.output.currency,
            amount: DecimalText::of(|out| incoming.output.amount.push_floored(out, MONEY_DECIMALS)),
        };
        let is_simulated = !shown.is_real;
        Ok(Reply::json(json::body(&Chain {
            height: shown.height,
            confirmations: u64::from(shown.confirmations),
            mempool: is_simulated.then(|| shown.mempool.iter().map(|tx| tx.as_str().to_owned()).collect()),
            transactions: is_simulated.then(|| shown.received.into_iter().map(arrival).collect()),
        })))
    })
}

async fn send(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let (app, request): (&App, _) = (call, Payment::of(fields));
    let format = format(app, asked.parameter)?;
    let receiver = app.address(format, &request.address()?)?;
    let code = request.currency()?;
    let listed = app.names.find_currency(&code).and_then(|currency| {
        let outlet = app.exchange.views().state().funds().outlet(asked.parameter, currency)?;
        Some((app.names.currency(currency), outlet))
    });
    let (currency, outlet) = listed.ok_or_else(|| {
        let message =
            format!("Field 'currency' is none of '{}': '{}'", quoted(asked.parameter), quoted(&code));
        Refusal::new(Reason::InvalidCurrency, message)
    })?;
    let text = request.amount()?;
    let amount = amount(currency, &text)?;
    if !outlet.fits(amount) {
        let expected = format!("an amount of {} with at most {} decimals", currency.code, outlet.decimals);
        return Err(bad_value("amount", &expected, &text).with_reason(Reason::InvalidQuantity));
    }
    let memo = request.memo()?.filter(|memo| !memo.is_empty()).map(std::borrow::Cow::into_owned);
    let address = receiver.canonical().into_owned();
    let output = Output { address, memo, currency: currency.code.clone(), amount };
    call.operator().note().await?;
    let sent = work(app, asked, Work::Send(output)).await?.sent.ok_or_else(failed)?;
    let answer = PaymentSent { tx_hash: sent.tx.as_str().to_owned(), output: u64::from(sent.index) };
    Ok(Reply::json(json::body(&answer)))
}

async fn mine(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    format(call, asked.parameter)?;
    let blocks = count(Blocks::of(fields).blocks()?);
    call.operator().note().await?;
    let height = work(call, asked, Work::Mine(blocks)).await?.height;
    Ok(Reply::json(json::body(&Mined { height })))
}

async fn reorg(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    format(call, asked.parameter)?;
    let request = Reorganisation::of(fields);
    let (depth, drop) = (count(request.depth()?), request.drop()?);
    call.operator().note().await?;
    let shown = work(call, asked, Work::Reorg { depth, drop }).await?;
    let dropped = shown.dropped.iter().map(|tx| tx.as_str().to_owned()).collect();
    Ok(Reply::json(json::body(&Reorganised { height: shown.height, dropped })))
}

async fn node(call: &ControlCall<'_>, asked: &Asked<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    format(call, asked.parameter)?;
    let request = NodeTerms::of(fields);
    let name = request.broadcast()?;
    let treatment = Treatment::named(&name).ok_or_else(|| {
        bad_value("broadcast", "'lose_reply', 'time_out', 'refuse', 'revert' or 'normal'", &name)
    })?;
    let times = count(request.times()?.unwrap_or(1));
    call.operator().note().await?;
    work(call, asked, Work::Node { treatment, times }).await?;
    Ok(Reply::json(json::body(&NodeSet { result: Done })))
}

/// A number that its field has bounded.
fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
