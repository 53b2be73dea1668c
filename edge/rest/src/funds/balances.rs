//! `POST /v1/balances`: the account's balances (BAL-001 to BAL-008).

use buttonwood_call::{App, Call, Route};
use buttonwood_engine::funds::Pending;
use buttonwood_engine::{Balance as Amounts, State};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyId, Role, Scope};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{DecimalText, Flag, InPayload, IsoTime};
use buttonwood_wire::standing::{is_shown, usable};
use buttonwood_wire::time::iso_micros;
use buttonwood_wire::{answer, json, request, words};
use std::collections::BTreeMap;

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/balances", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::BalancesRead])
    .about("Lists what the account has, a row for each currency.")
    .notes(&[
        "A balance below the last decimal that is shown has no row. It is kept, and gets a row as soon as \
         it grows.",
    ])
    .takes::<Balances>()
    .gives::<Vec<Balance>>();

request! {
    /// Which balances.
    pub(crate) struct Balances in InPayload {
        /// Whether pending amounts are shown.
        show_pending as "showPendingBalances": Flag<false>,
    }
}

words! {
    /// The kind of a balance.
    pub(super) struct BalanceType: "exchange"
}

answer! {
    /// The account's balance of a currency.
    struct Balance {
        /// Always `exchange`.
        kind as "type": BalanceType,
        /// The currency.
        currency: String,
        /// The whole balance, holds of orders included.
        amount: DecimalText,
        /// The part that orders may use.
        available: DecimalText,
        /// The part that a withdrawal may take.
        available_for_withdrawal as "availableForWithdrawal": DecimalText,
        /// Withdrawals that have not left, if they are wanted and anything is pending in the currency.
        pending_withdrawal as "pendingWithdrawal": Option<DecimalText>,
        /// Deposits that have not come, in the same case.
        pending_deposit as "pendingDeposit": Option<DecimalText>,
        /// The time of the balance.
        stamp as "_timestamp": IsoTime,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let shows_pending = Balances::of(call.payload()).show_pending()?;
    let account = call.account();
    let (now, rows) = {
        let views = app.exchange.views();
        let state = views.state();
        let (ledger, funds, leave) = (state.ledger(), state.funds(), state.leave().of(account));
        let usable = |id, balance: Amounts| usable(state, account, id, balance);
        let mut pending = if shows_pending { funds.pending(account) } else { BTreeMap::new() };
        let mut rows: Vec<Row> = ledger
            .balances_of(account)
            .map(|(id, balance)| {
                let shares = [usable(id, balance), takeable(state, id, leave.free(id))];
                (id, balance, shares, pending.remove(&id))
            })
            .collect();
        // A deposit may be pending in a currency of which the account has never had anything.
        let others = pending.into_iter();
        rows.extend(others.map(|(id, sums)| (id, Amounts::default(), [Money::ZERO; 2], Some(sums))));
        rows.sort_unstable_by_key(|(id, ..)| *id);
        (app.now_of(&views), rows)
    };
    let stamp = iso_micros(now);
    let rows = rows
        .into_iter()
        .map(|(id, balance, shares, pending)| (app.names.currency(id), balance, shares, pending));
    let shown = rows.filter(|(currency, balance, _, pending)| {
        pending.is_some() || is_shown(balance.total(), currency.decimals)
    });
    let rows = shown.map(|(currency, balance, [usable, free], pending)| {
        let amount = |amount: Money| DecimalText::of(|out| amount.push_floored(out, currency.decimals));
        Balance {
            kind: BalanceType("exchange"),
            currency: currency.code.clone(),
            amount: amount(balance.total()),
            available: amount(usable),
            available_for_withdrawal: amount(free),
            pending_withdrawal: pending.map(|pending| amount(pending.withdrawal)),
            pending_deposit: pending.map(|pending| amount(pending.deposit)),
            stamp: IsoTime(stamp.clone()),
        }
    });
    Ok(Reply::json(json::body(&rows.collect::<Vec<_>>())))
}

/// A currency, its balance, what of it orders may use and what may leave, and what is pending.
type Row = (CurrencyId, Amounts, [Money; 2], Option<Pending>);

/// The part of a free amount that a withdrawal can take: it is cut to the decimals that the currency has on its home network.
pub(super) fn takeable(state: &State, currency: CurrencyId, free: Money) -> Money {
    let home = state.funds().networks().home(currency);
    let step = home.map_or(0, |asset| MONEY_DECIMALS.saturating_sub(asset.decimals));
    let units = 10_i128.pow(u32::from(step));
    Money::from_units(free.units() / units * units)
}
