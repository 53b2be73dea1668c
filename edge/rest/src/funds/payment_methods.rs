//! `POST /v1/payments/methods`: the account's state money and its verified banks (BANK-005, BANK-006, facts F§7).

use super::balances::{BalanceType, takeable};
use buttonwood_call::{App, Call, Route};
use buttonwood_engine::Bank;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyKind, Role, Scope};
use buttonwood_num::Money;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::standing::{is_shown, usable};
use buttonwood_wire::{answer, json};

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/payments/methods", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::BanksRead, Scope::BanksCreate])
    .about("Lists the account's state money, and its banks that a wire has verified.")
    .gives::<Methods>();

answer! {
    /// The account's means of payment.
    struct Methods {
        /// Its balances of state money.
        balances: Vec<FiatBalance>,
        /// Its verified banks, the oldest first.
        banks: Vec<VerifiedBank>,
    }
}

answer! {
    /// A balance of state money.
    struct FiatBalance {
        /// Always `exchange`.
        kind as "type": BalanceType,
        /// The currency.
        currency: String,
        /// The whole balance, holds included.
        amount: DecimalText,
        /// The part that orders may use.
        available: DecimalText,
        /// The part that a withdrawal may take.
        available_for_withdrawal as "availableForWithdrawal": DecimalText,
    }
}

answer! {
    /// A bank.
    struct VerifiedBank {
        /// Its name, its kind, and the last four characters of its number.
        bank: Label,
        /// Its id.
        id as "bankId": String,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let (state, account) = (views.state(), call.account());
    let leave = state.leave().of(account);
    let balances = state.ledger().balances_of(account);
    let fiat = balances.map(|(id, balance)| (id, app.names.currency(id), balance));
    let fiat = fiat.filter(|(_, currency, balance)| {
        currency.kind == CurrencyKind::Fiat && is_shown(balance.total(), currency.decimals)
    });
    let balances = fiat.map(|(id, currency, balance)| {
        let amount = |amount: Money| DecimalText::of(|out| amount.push_floored(out, currency.decimals));
        FiatBalance {
            kind: BalanceType("exchange"),
            currency: currency.code.clone(),
            amount: amount(balance.total()),
            available: amount(usable(state, account, id, balance)),
            available_for_withdrawal: amount(takeable(state, id, leave.free(id))),
        }
    });
    let verified = state.funds().banks().of_account(account).filter(|bank| bank.is_verified);
    let methods = Methods { balances: balances.collect(), banks: verified.map(shown).collect() };
    Ok(Reply::json(json::body(&methods)))
}

/// A bank as it is listed: the whole number stays with the exchange.
fn shown(bank: &Bank) -> VerifiedBank {
    let number = &bank.link.number;
    let hidden = number.chars().count().saturating_sub(4);
    let last: String = number.chars().skip(hidden).collect();
    let name = format!("{} {} - {last}", bank.link.name, bank.link.kind.name());
    VerifiedBank { bank: Label(name), id: bank.id.to_string() }
}
