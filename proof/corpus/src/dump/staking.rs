//! Staking: terms, days that wait, stakes with their interest, and open redemptions.

use super::{Text, account_name, asset_name, money};
use buttonwood_engine::State;
use buttonwood_engine::staking::{Pair, PairId, Terms};
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use std::fmt::Write;

pub(super) fn staking(state: &State, text: &mut Text) {
    let room = state.staking();
    for (id, pair) in room.pairs() {
        let name = format!("{} {}", pair.provider, asset_name(state, pair.currency.into()));
        terms(&name, &pair.terms, text);
        days(&name, pair, text);
        for account in (0..state.ledger().accounts()).map(AccountId) {
            holding(state, (id, &name), account, text);
        }
        for redemption in room.queue_of(id) {
            let account = account_name(state, redemption.account);
            let [amount, paid] = [redemption.amount, redemption.paid].map(money);
            let (number, requested, due) = (redemption.number, redemption.requested.0, redemption.due.0);
            text.line(&format!(
                "redemption {number} {name} {account} {amount} paid {paid} requested {requested} due {due}"
            ));
        }
    }
}

fn terms(name: &str, terms: &Terms, text: &mut Text) {
    let Terms { rate, limit, wait, per_day, paused } = *terms;
    let mut line = format!("staking {name} rate {} limit {} takes {wait}", rate.0, money(limit));
    if let Some(most) = per_day {
        write!(line, " {} a day", money(most)).expect("a string");
    }
    if paused {
        line.push_str(" paused");
    }
    text.line(&line);
}

fn days(name: &str, pair: &Pair, text: &mut Text) {
    for ended in pair.waiting() {
        let price = ended.price.map_or("none".to_owned(), money);
        text.line(&format!("day {} {name} waits rate {} price {price}", ended.day, ended.rate.0));
    }
    if let Some(needed) = pair.needed() {
        text.line(&format!("{name} needs {}", money(needed)));
    }
}

fn holding(state: &State, (id, name): (PairId, &str), account: AccountId, text: &mut Text) {
    let room = state.staking();
    let (staked, accrued) = (room.staked(account, id), room.accrued(account, id));
    if (staked, accrued) != (Money::ZERO, Money::ZERO) {
        let (account, staked, accrued) = (account_name(state, account), money(staked), money(accrued));
        text.line(&format!("stake {name} {account} {staked} accrued {accrued}"));
    }
}
