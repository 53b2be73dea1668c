//! Clearing: the fee, names of counterparties, and the orders that are open or wait for money.

use super::{Text, account_name, digits};
use buttonwood_engine::State;
use buttonwood_model::AccountId;
use buttonwood_num::Bps;
use std::fmt::Write;

pub(super) fn clearing(state: &State, text: &mut Text) {
    let room = state.clearing();
    if room.fee() != Bps(0) {
        text.line(&format!("clearing fee {}", room.fee().0));
    }
    for account in (0..state.ledger().accounts()).map(AccountId) {
        for (other, alias) in room.aliases(account) {
            let [own, other] = [account, other].map(|account| account_name(state, account));
            text.line(&format!("alias of {own} for {other}: {alias}"));
        }
    }
    for order in room.orders() {
        let symbol = state.symbol(order.symbol).expect("a symbol");
        let side = |account: AccountId, has_agreed: bool| {
            format!("{}{}", account_name(state, account), if has_agreed { " (agreed)" } else { "" })
        };
        let mut line = format!(
            "clearing order {} {} {} {:?} {} @ {} of {} as {}",
            order.number,
            room.code(order.number),
            symbol.name,
            order.side,
            digits(|out| symbol.grid.push_qty(out, order.qty)),
            digits(|out| symbol.grid.push_price(out, order.price)),
            side(order.source, order.source_confirmed),
            order.source_order.0
        );
        if let Some(target) = order.target {
            write!(line, " to {}", side(target, order.target_order.is_some())).expect("a string");
        }
        if let Some(id) = order.target_order {
            write!(line, " as {}", id.0).expect("a string");
        }
        if let Some(broker) = order.broker {
            write!(line, " by {}", account_name(state, broker)).expect("a string");
        }
        let (submitted, expires, changed) = (order.submitted.0, order.expires.0, order.changed.0);
        write!(line, " {:?} since {changed}, from {submitted} to {expires}", order.status).expect("a string");
        text.line(&line);
    }
}
