//! `POST /v1/deposit/{network}/newAddress`: makes a deposit address (ADDR-003 to ADDR-006).
//!
//! The address of the next number is derived here from the sealed seed; the core refuses a number that was used before. A client sees
//! an address only after its command is durable, so that none is shown twice, not after a crash either.

use super::addresses::Address;
use super::field;
use buttonwood_address::{Branch, DeriveError, derive};
use buttonwood_call::{App, Call, Route, Write, core_refusal};
use buttonwood_engine::funds::NetworkId;
use buttonwood_engine::funds::address::{Command, NewAddress, Reject as IssueReject};
use buttonwood_engine::{Body, FundsCommand, FundsReject, Reject};
use buttonwood_gate::{AccountLimit, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::AddressNetwork;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{Flag, InPayload, Text};
use buttonwood_wire::field::{closed_account, failed};
use buttonwood_wire::{json, request};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fund Manager only; the account's limit of calls about addresses (LIM-009).
pub(crate) const ROUTE: Route =
    Route::writing("/v1/deposit/{network}/newAddress", Write { command, answer, closed: None })
        .right(Command::RIGHT)
        .limited(AccountLimit::Addresses)
        .about("Makes a deposit address on a network.")
        .notes(&[
            "On cosmos and xrpl each call gives the exchange's address with a memo that was never given \
             before.",
        ])
        .takes::<Wanted>()
        .gives::<Address>();

request! {
    /// The address to make.
    struct Wanted in InPayload {
        /// A name for it: at most 100 characters without control and format characters, no blank at either end.
        label: Text,
        /// Whether a litecoin address has the older form, a script hash.
        legacy: Flag<false>,
    }
}

/// The highest number taken on each network since the start. A number is never given to two calls; one whose command is refused stays
/// unused.
#[derive(Debug, Default)]
struct AddressNumbers(Mutex<BTreeMap<NetworkId, u32>>);

impl AddressNumbers {
    /// The next number, at least `first`: the first one that the state has not seen.
    fn take(&self, network: NetworkId, first: u32) -> u32 {
        let mut taken = self.0.lock();
        let number = taken.get(&network).map_or(first, |last| last.saturating_add(1).max(first));
        taken.insert(network, number);
        number
    }
}

fn command(app: &App, call: &Call) -> Result<Body, Refusal> {
    let what = || format!("This exchange takes no deposits of {}", field::moved_on(app, call.parameter()));
    field::check_moves(app, what)?;
    let network = app.address_network("The path", call.parameter())?;
    let wanted = Wanted::of(call.payload());
    let (label, legacy) = (wanted.label()?.unwrap_or_default(), wanted.legacy()?);
    let label = if label.is_empty() { String::new() } else { field::label(&label)? };
    let first = app.exchange.views().state().funds().addresses().next_number(network.id);
    let (number, text, canonical) = derived(app, network, legacy, first)?;
    let new = NewAddress {
        account: call.account(),
        network: network.format.name().to_owned(),
        number,
        text,
        canonical,
        memo: if network.format.shares_address() { memo(number) } else { String::new() },
        label,
    };
    Ok(FundsCommand::from(Command::IssueAddress(Arc::new(new))).into())
}

/// The next number that has an address, and the address as shown and in canonical spelling.
fn derived(
    app: &App,
    network: AddressNetwork,
    legacy: bool,
    first: u32,
) -> Result<(u32, String, String), Refusal> {
    let seed = app.settings().deposit_seed.as_ref().ok_or_else(failed)?;
    loop {
        let number = app.part::<AddressNumbers>().take(network.id, first);
        let branch = Branch::deposit(legacy);
        match derive(&app.formats, seed, network.format, branch, number) {
            Ok(derived) => {
                let address = derived.address;
                return Ok((number, address.display().to_owned(), address.canonical().into_owned()));
            }
            Err(DeriveError::NoKey(_)) => {}
            Err(DeriveError::Index(_)) => {
                let message = format!("No more addresses can be made on {}", network.format);
                return Err(Refusal::new(Reason::InvalidFundTransfer, message));
            }
        }
    }
}

/// The memo of a number: a destination tag, since xrpl takes nothing else. Neighbouring numbers have memos far apart, so that a memo
/// with a wrong digit is rarely another account's. The factor is odd, so that different numbers have different memos.
fn memo(number: u32) -> String {
    number.wrapping_mul(2_654_435_761).to_string()
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let address = receipt.address().map_err(|reject| refusal(app, call, reject))?;
    let network = app.address_network("The path", call.parameter())?;
    Ok(Reply::json(json::body(&Address::of(network.format.name(), address))))
}

fn refusal(app: &App, call: &Call, reject: Reject) -> Refusal {
    let Reject::Funds(FundsReject::Address(reject)) = reject else {
        return core_refusal(app, call, reject);
    };
    match reject {
        IssueReject::Closed => closed_account(""),
        IssueReject::Full(most) => {
            let message =
                format!("The account may have at most {most} deposit addresses, and has no room for another");
            Refusal::new(Reason::InvalidParameterValue, message)
        }
        IssueReject::Foreign
        | IssueReject::NoNetwork
        | IssueReject::BadMemo
        | IssueReject::UsedNumber
        | IssueReject::UsedText => failed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers continue after those of the state, and none is taken twice.
    #[test]
    fn numbers_are_taken_once() {
        let numbers = AddressNumbers::default();
        let (one, other) = (NetworkId(0), NetworkId(1));
        assert_eq!([5, 1, 7, 9].map(|first| numbers.take(one, first)), [5, 6, 7, 9]);
        assert_eq!(numbers.take(other, 1), 1);
    }

    /// Memos are destination tags, and near numbers have different ones.
    #[test]
    fn memos_differ() {
        let memos: std::collections::BTreeSet<String> = (1..10_000).map(memo).collect();
        assert_eq!(memos.len(), 9_999);
        for memo in memos {
            buttonwood_address::check_memo(buttonwood_address::Network::Xrpl, &memo).unwrap();
        }
    }
}
