//! `positions@account`: the positions of an account that changed.

use buttonwood_call::{AccountRows, App, Ended, Report, SocketRight};
use buttonwood_model::{AccountId, Claim, Role, Scope, SymbolId};
use buttonwood_num::Money;
use buttonwood_views::{PositionPaid, Views};
use buttonwood_wire::contract::{DecimalText, Shape};
use buttonwood_wire::standing::{AccountPosition, positions_of};
use buttonwood_wire::{Names, frame, json, words};

/// Trader or Auditor.
pub(crate) const REPORT: Report = Report {
    name: "positions@account",
    right: SocketRight { roles: &[Role::Trader, Role::Auditor], scope: Scope::OrdersRead },
    frame: "positionReport",
    about: "Positions that changed (positions@account, with @1s too); the first frame has all.",
    list: "P",
    names_account: true,
    rows,
    row_schema: PositionRow::node,
    ended: Some(Ended { key: key_of_paid, row: last_row }),
};

words! {
    /// The product: a perpetual or an event contract.
    struct PositionProduct: "perp", "ec"
}

words! {
    /// The outcome of a contract.
    struct PositionOutcome: "YES", "NO", "UNSPECIFIED"
}

words! {
    /// The sense of an amount.
    struct AmountKind: "position", "settlement_payout"
}

frame! {
    /// A position.
    struct PositionRow {
        product as "t": PositionProduct,
        symbol as "s": String,
        amounts as "a": Vec<PositionAmount>,
        outcome as "o": PositionOutcome,
    }
}

frame! {
    /// An amount of a position.
    struct PositionAmount {
        /// The second once, when the contract has ended.
        kind as "t": AmountKind,
        /// The quantity, or the money that was paid for it.
        value as "v": DecimalText,
        /// The currency of the money.
        currency as "c": Option<String>,
    }
}

/// The rows, by symbol and outcome.
fn rows(app: &App, views: &Views, account: AccountId) -> AccountRows {
    let names = app.names_as_of(views);
    let positions = positions_of(views.state(), account).into_iter();
    positions.map(|position| (key(position.symbol, position.claim), row(names, &position, None))).collect()
}

/// The number of the row of a position.
fn key(symbol: SymbolId, claim: Option<Claim>) -> u64 {
    u64::from(symbol.0) << 1 | u64::from(claim == Some(Claim::No))
}

fn key_of_paid(paid: &PositionPaid) -> u64 {
    key(paid.contract, Some(paid.claim))
}

fn row(names: &Names, position: &AccountPosition, paid: Option<Money>) -> Vec<u8> {
    let symbol = names.symbol(position.symbol);
    let amount = |kind, value, currency| PositionAmount {
        kind: AmountKind(kind),
        value: DecimalText::exact(value),
        currency,
    };
    let held = amount("position", position.quantity, None);
    let paid =
        paid.map(|paid| amount("settlement_payout", paid, Some(names.currency(symbol.quote).code.clone())));
    let mut text = json::body(&PositionRow {
        product: PositionProduct(if position.claim.is_some() { "ec" } else { "perp" }),
        symbol: symbol.name.to_ascii_uppercase(),
        amounts: std::iter::once(held).chain(paid).collect(),
        outcome: PositionOutcome(match position.claim {
            None => "UNSPECIFIED",
            Some(Claim::Yes) => "YES",
            Some(Claim::No) => "NO",
        }),
    });
    // It is kept until the row changes.
    text.shrink_to_fit();
    text
}

/// The row of a position that is no more, with what was paid for it when its contract ended.
fn last_row(app: &App, key: u64, paid: Option<Money>) -> Option<Vec<u8>> {
    let symbol = SymbolId(u32::try_from(key >> 1).ok()?);
    let claim = symbol.is_contract().then_some(if key & 1 == 1 { Claim::No } else { Claim::Yes });
    Some(row(&app.names, &AccountPosition { symbol, claim, quantity: Money::ZERO }, paid))
}
