//! Withdrawals to the chains: the parts that the calls share.
//!
//! The pair of network and currency is looked up first, then the address, then everything else (issue 18, "Withdrawals").

pub(crate) mod estimate;
pub(crate) mod home;
pub(crate) mod named;

use super::field;
use buttonwood_address::{Network, check_memo};
use buttonwood_call::{ALL_WORD, App, Call, core_refusal, refuse_short, transfer_client_id};
use buttonwood_engine::funds::withdrawal::{Reject as WithdrawReject, Withdraw};
use buttonwood_engine::funds::{NewTransfer, Short};
use buttonwood_engine::{FundsReject, Reject, Transfer};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::CurrencyId;
use buttonwood_num::Money;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{DecimalOrAll, DecimalText, InPayload, Label, Needed, Sent, Text};
use buttonwood_wire::field::{bad_value, busy, closed_account, failed};
use buttonwood_wire::request;

request! {
    /// The withdrawal.
    pub(super) struct Order in InPayload {
        /// Where it goes: an approved address.
        address: Needed<Text>,
        /// How much arrives there; `all` is all that may leave the account, without the fee and as far as the network can carry it.
        amount: Needed<DecimalOrAll>,
        /// The memo of the approved address, on cosmos, solana and xrpl; without it the withdrawal carries that one.
        memo: Sent<Text>,
        /// The client's id of the transfer, 1 to 100 characters: a repeated call with the same id withdraws nothing again.
        client_id as "clientTransferId": Sent<Text>,
    }
}

/// A currency on a network.
#[derive(Debug)]
pub(super) struct Pair {
    /// The name of the network.
    network: String,
    /// The format of its addresses.
    format: Network,
    /// The currency.
    currency: CurrencyId,
    /// The currency that the account gives, where it is wrapped first.
    wraps: Option<CurrencyId>,
}

impl Pair {
    /// A currency on the network of this name, if the table has both, and the network's node can pay it.
    fn find(app: &App, network: &str, currency: CurrencyId) -> Option<Self> {
        let views = app.exchange.views();
        views.state().funds().outlet(network, currency)?;
        let code = &app.names.currency(currency).code;
        app.settings().nodes.moves(views.state(), network, code).then_some(())?;
        Some(Self { network: network.into(), format: Network::serving(network)?, currency, wraps: None })
    }
}

/// Money leaves only on simulated chains or real nodes (D-62). The path ends with the currency.
pub(super) fn check_open(app: &App, call: &Call) -> Result<(), Refusal> {
    let ticker = call.parameter().rsplit('/').next().unwrap_or_default();
    field::check_moves(app, || {
        format!("This exchange pays no withdrawals of {}", quoted(&ticker.to_uppercase()))
    })
}

/// The pair of network and ticker in the path (XFER-018).
pub(super) fn named_pair(app: &App, call: &Call) -> Result<Pair, Refusal> {
    let (network, ticker) = call.parameter().split_once('/').unwrap_or_default();
    let currency = app.names.find_currency(ticker);
    currency
        .and_then(|currency| Pair::find(app, network, currency))
        .ok_or_else(|| unsupported_network(&quoted(ticker), &quoted(network)))
}

/// The address, in both spellings, and the memo of a payload.
pub(super) fn destination(app: &App, pair: &Pair, payload: &Payload) -> Result<[String; 3], Refusal> {
    let sent = Order::of(payload);
    let text = sent.address()?;
    let address = app.address(pair.format, &text)?;
    // An empty memo is none (D-172).
    let memo = payload.text("memo")?.unwrap_or_default();
    if !memo.is_empty() {
        check_memo(pair.format, &memo).map_err(|error| {
            let message = format!("Field 'memo' is refused, {error}: '{}'", quoted(&memo));
            Refusal::new(Reason::InvalidParameterValue, message)
        })?;
    }
    Ok([text.into_owned(), address.canonical().into_owned(), memo.into_owned()])
}

/// Reads the withdrawal of a call.
pub(super) fn read(app: &App, call: &Call, pair: Pair) -> Result<Withdraw, Refusal> {
    let [address, canonical, memo] = destination(app, &pair, call.payload())?;
    let text = Order::of(call.payload()).amount()?;
    let amount = field::amount_or_all(app.names.currency(pair.currency), &text)?;
    let client_id = transfer_client_id(call.payload())?;
    let Pair { network, currency, wraps, .. } = pair;
    let account = call.account();
    Ok(Withdraw { account, network, currency, wraps, address, canonical, memo, amount, client_id })
}

/// The row that a withdrawal has made, or the refusal.
pub(super) fn row<'a>(
    app: &App,
    call: &Call,
    pair: &Pair,
    receipt: &'a Receipt,
) -> Result<&'a Transfer, Refusal> {
    receipt.transfer().map_err(|reject| {
        let Reject::Funds(FundsReject::Withdrawal(own)) = reject else {
            return core_refusal(app, call, reject);
        };
        refusal(app, call, pair, own)
    })
}

/// The memo that a withdrawal carries, if it carries one.
pub(super) fn memo(row: &NewTransfer) -> Option<Label> {
    row.chain().map(|chain| &chain.memo).filter(|memo| !memo.is_empty()).cloned().map(Label)
}

/// An amount of a currency, with the decimals that it is shown with.
pub(super) fn shown(app: &App, currency: CurrencyId, amount: Money) -> DecimalText {
    let decimals = app.names.currency(currency).decimals;
    DecimalText::of(|out| amount.push_floored(out, decimals))
}

fn text(app: &App, currency: CurrencyId, amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, app.names.currency(currency).decimals);
    String::from_utf8(out).unwrap_or_default()
}

fn refusal(app: &App, call: &Call, pair: &Pair, reject: WithdrawReject) -> Refusal {
    let sent = Order::of(call.payload());
    let (address, amount) = (sent.address().unwrap_or_default(), sent.amount().unwrap_or_default());
    let code = &app.names.currency(pair.currency).code;
    match reject {
        WithdrawReject::Foreign => {
            Refusal::new(Reason::InvalidAccountName, "The key does not act for the account")
        }
        WithdrawReject::Closed => closed_account(&short_name(app, call)),
        WithdrawReject::UnsupportedNetwork => unsupported_network(code, &pair.network),
        WithdrawReject::OtherTerms => {
            let id = transfer_client_id(call.payload()).unwrap_or_default();
            bad_value("clientTransferId", "an id that no transfer with other terms has", &id)
        }
        WithdrawReject::Halted => busy(&format!("Withdrawals of {code} are halted")),
        WithdrawReject::NoList => Refusal::new(
            Reason::CryptoAddressWhitelistsNotEnabled,
            "The account has no list of approved addresses; request one first",
        ),
        WithdrawReject::NotApproved => not_approved(&address),
        WithdrawReject::OtherMemo => other_memo(call.payload(), &address),
        WithdrawReject::BadAmount(decimals) => {
            let expected = format!("a positive amount of {code} with at most {decimals} decimals");
            bad_value("amount", &expected, &amount).with_reason(Reason::InvalidQuantity)
        }
        WithdrawReject::BelowMinimum(least) => {
            let expected = format!("at least {} {code}", text(app, pair.currency, least));
            bad_value("amount", &expected, &amount).with_reason(Reason::InvalidQuantity)
        }
        WithdrawReject::Short(short, fee) => unpaid(app, call, pair, &amount, (short, fee)),
        WithdrawReject::Unknown
        | WithdrawReject::OtherSpends
        | WithdrawReject::OtherTransaction
        | WithdrawReject::Settled
        | WithdrawReject::Unsigned
        | WithdrawReject::MayConfirm
        | WithdrawReject::Remedied => failed(),
    }
}

/// The refusal of a currency on a network that does not have it.
fn unsupported_network(ticker: &str, network: &str) -> Refusal {
    let message = format!("UnsupportedNetwork: '{ticker}' on '{network}'");
    Refusal::new(Reason::UnsupportedNetwork, message)
}

/// The refusal of an address that the account's list does not have, or does not have yet.
fn not_approved(address: &str) -> Refusal {
    let message =
        format!("Field 'address' is no active approved address of the account: '{}'", quoted(address));
    Refusal::new(Reason::AddressNotApproved, message)
}

/// The refusal of an approved address with the memo of another payee.
fn other_memo(payload: &Payload, address: &str) -> Refusal {
    let memo = payload.text("memo").ok().flatten().unwrap_or_default();
    let message = format!(
        "Field 'memo' differs from the memo of the approved address '{}'; leave it out to use that memo: '{}'",
        quoted(address),
        quoted(&memo)
    );
    Refusal::new(Reason::AddressNotApproved, message)
}

/// The refusal of an amount that may not leave the account, or not together with its fee.
fn unpaid(app: &App, call: &Call, pair: &Pair, amount: &str, (short, fee): (Short, Money)) -> Refusal {
    let given = &app.names.currency(pair.wraps.unwrap_or(pair.currency)).code;
    match short {
        Short::Debt | Short::Advances => refuse_short(app, call.account(), short, (amount, given)),
        Short::TooLittle => {
            let fee = text(app, pair.currency, fee);
            if amount == ALL_WORD {
                let message = format!(
                    "Account '{}' has no {given} beyond the fee of {fee} {given} that may leave it",
                    quoted(&short_name(app, call))
                );
                return Refusal::new(Reason::InsufficientFunds, message);
            }
            let message = format!(
                "Account '{}' has less than {} {given} and the fee of {fee} {given} that may leave it",
                quoted(&short_name(app, call)),
                quoted(amount)
            );
            Refusal::new(Reason::InsufficientFunds, message)
        }
    }
}

fn short_name(app: &App, call: &Call) -> String {
    let views = app.exchange.views();
    let account = views.state().access().account(call.account());
    account.map_or(String::new(), |account| account.short_name.clone())
}
