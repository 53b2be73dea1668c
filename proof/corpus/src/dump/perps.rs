//! Perpetuals: prices and funding of contracts, pinned indices, risk settings, positions, what was lent, liquidations under way.

use super::{Text, account_name, asset_name, money};
use buttonwood_engine::State;
use buttonwood_model::{AccountId, CurrencyId, SymbolId};

pub(super) fn perps(state: &State, text: &mut Text) {
    contracts(state, text);
    for currency in (0..state.currencies().len()).map(CurrencyId::from_index) {
        if let Some(price) = state.indices().pin(currency) {
            text.line(&format!("index {} pinned to {}", asset_name(state, currency.into()), money(price)));
        }
    }
    for account in (0..state.ledger().accounts()).map(AccountId) {
        let (name, risk) = (account_name(state, account), state.perps().risk(account));
        if risk != buttonwood_engine::perp::Risk::default() {
            let cross = if risk.cross_collateral { " cross collateral" } else { "" };
            text.line(&format!("risk {name} leverage {} / 100{cross}", risk.leverage.hundredths()));
        }
        for (currency, owed) in state.perps().loans().of(account) {
            text.line(&format!("loan {name} {} {}", asset_name(state, currency.into()), money(owed)));
        }
    }
    let terms = state.perps().funding_terms();
    if terms != buttonwood_engine::perp::funding::Terms::default() {
        text.line(&format!("funding cap {} basis points depth {}", terms.cap.0, money(terms.depth)));
    }
    positions(state, text);
    for account in state.perps().liquidations().accounts() {
        text.line(&format!("liquidation of {}", account_name(state, account)));
    }
    if let Some(round) = state.perps().liquidations().round() {
        text.line(&format!("round {round:?}"));
    }
    if state.perps().has_follow_up() {
        text.line("a round or the payments of an hour go on");
    }
}

fn contracts(state: &State, text: &mut Text) {
    for (place, symbol) in state.symbols().iter().enumerate() {
        let id = SymbolId::from_index(place);
        if let Some(contract) = state.perps().contract(id) {
            let fresh = if contract.is_fresh { "" } else { " without sources" };
            let premium = contract.premium.map_or("none".to_owned(), money);
            text.line(&format!(
                "contract {} index {} mark {} premium {premium}{fresh}",
                symbol.name,
                money(contract.index),
                money(contract.mark)
            ));
        }
        if let Some(last) = state.perps().funding_amount(id) {
            let next = state.perps().funding_estimate(id, state.stamp().time);
            text.line(&format!(
                "funding {} at {} {} and so far {}",
                symbol.name,
                last.hour.0,
                money(last.amount),
                money(next)
            ));
        }
    }
}

fn positions(state: &State, text: &mut Text) {
    for row in state.perps().rows() {
        let [buys, sells] = row.live.map(money);
        let symbol = &state.symbol(row.symbol).expect("listed").name;
        text.line(&format!(
            "position {} {symbol} {} cost {} realised {} live {buys} and {sells}",
            account_name(state, row.account),
            money(row.position.quantity),
            money(row.position.cost),
            money(row.position.realised)
        ));
    }
}
