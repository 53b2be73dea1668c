//! Prediction markets: terms, events with their contracts, positions, and rewards.

use super::{Text, account_name, money};
use buttonwood_engine::State;
use buttonwood_engine::prediction::{Act, Contract, Event, Leg, LiquidityRow, RewardTerms};
use buttonwood_model::{AccountId, Claim, EventId, GroupId, SymbolId};
use std::fmt::Write;

pub(super) fn predictions(state: &State, text: &mut Text) {
    terms(state, text);
    for (at, event) in state.predictions().events().iter().enumerate() {
        let id = EventId::from_index(at);
        self::event(state, id, event, text);
        for contract in event.contracts() {
            self::contract(state, contract, text);
        }
    }
    for account in (0..state.ledger().accounts()).map(AccountId) {
        positions(state, account, text);
    }
    rewards(state, text);
}

fn name_of(claim: Claim) -> &'static str {
    match claim {
        Claim::Yes => "yes",
        Claim::No => "no",
    }
}

fn symbol_name(state: &State, contract: SymbolId) -> &str {
    &state.symbol(contract).expect("a contract has a symbol").name
}

fn terms(state: &State, text: &mut Text) {
    let room = state.predictions();
    if let Some(published) = room.published_terms() {
        let (version, time) = (room.terms_version(), published.time.0);
        text.line(&format!("terms of contracts {version} at {time}: {}", published.content));
    }
    for (at, group) in state.access().groups().iter().enumerate() {
        let id = GroupId(u32::try_from(at).expect("a few groups"));
        if let Some(accepted) = room.acceptance(id) {
            let (version, session, time) = (accepted.version, accepted.session.0, accepted.time.0);
            text.line(&format!(
                "group {} accepted terms {version} by session {session} at {time}",
                group.name
            ));
        }
    }
}

fn event(state: &State, id: EventId, event: &Event, text: &mut Text) {
    let Event { ticker, title, category, kind, status, listed, start, expiry, dispute, .. } = event;
    let (kind, status) = (kind.name(), status.name());
    let mut line = format!(
        "event {ticker} {kind} {status} '{title}' of {category} listed {} from {} until {} disputed {dispute}",
        listed.0, start.0, expiry.0
    );
    for (is_set, what) in [
        (event.is_exclusive, "exclusive"),
        (event.is_halted, "halted"),
        (event.is_closed, "closed"),
        (event.awaits_void, "waits for a void"),
        (state.predictions().is_at_work_for(id), "is worked for"),
    ] {
        if is_set {
            write!(line, " {what}").expect("a string");
        }
    }
    if let Some(strike) = &event.strike {
        let value = strike.value.as_deref().unwrap_or("none");
        write!(line, " strike {} {value} at {}", strike.kind.name(), strike.available.0).expect("a string");
    }
    if !event.closed_to.is_empty() {
        write!(line, " closed to {}", event.closed_to.join(", ")).expect("a string");
    }
    if let Some(source) = &event.source {
        write!(line, " by '{source}'").expect("a string");
    }
    for Leg { contract, required } in &event.legs {
        write!(line, " leg {} {}", symbol_name(state, *contract), name_of(*required)).expect("a string");
    }
    if let Some(time) = event.resolved {
        write!(line, " resolved {}", time.0).expect("a string");
    }
    text.line(&line);
    resolution(event, text);
}

fn resolution(event: &Event, text: &mut Text) {
    let Some(resolution) = &event.resolution else { return };
    let outcomes =
        |claims: &[Claim]| claims.iter().map(|claim| name_of(*claim)).collect::<Vec<_>>().join(" ");
    let mut line = format!(
        "resolution of {} {} '{}' by '{}'",
        event.ticker,
        resolution.stage.name(),
        outcomes(&resolution.outcomes),
        resolution.source
    );
    if let Some(time) = resolution.settles {
        write!(line, " settles {}", time.0).expect("a string");
    }
    text.line(&line);
    for past in &resolution.history {
        let what = match &past.act {
            Act::Proposed(claims, source) => format!("proposed '{}' by '{source}'", outcomes(claims)),
            Act::Disputed(reason) => format!("disputed '{reason}'"),
            Act::Final => "final".to_owned(),
            Act::Void(reason) => format!("void '{reason}'"),
        };
        text.line(&format!("past of {} at {} {what}", event.ticker, past.time.0));
    }
}

fn contract(state: &State, id: SymbolId, text: &mut Text) {
    let room = state.predictions();
    let symbol = state.symbol(id).expect("a contract has a symbol");
    let Contract { ticker, label, outcome, value, resolved, traded, costs, .. } =
        room.contract(id).expect("an event has its contracts");
    let (escrow, [yes, no]) = room.collateral(state.ledger(), id);
    let mut line = format!(
        "contract {} {} {ticker} '{label}' escrow {} yes {} no {} traded {} costs {}",
        symbol.name,
        symbol.status.name(),
        money(escrow),
        money(yes),
        money(no),
        money(*traded),
        money(*costs)
    );
    if let Some(outcome) = outcome {
        write!(line, " outcome {}", name_of(*outcome)).expect("a string");
    }
    if let Some(value) = value {
        write!(line, " value {}", money(*value)).expect("a string");
    }
    if let Some(time) = resolved {
        write!(line, " resolved {}", time.0).expect("a string");
    }
    text.line(&line);
}

fn positions(state: &State, account: AccountId, text: &mut Text) {
    for held in state.predictions().holdings_of(state.ledger(), account) {
        let [quantity, on_hold, cost, realised] =
            [held.quantity, held.held, held.cost, held.realised].map(money);
        text.line(&format!(
            "position {} {} {} {quantity} held {on_hold} cost {cost} realised {realised}",
            account_name(state, account),
            symbol_name(state, held.contract),
            name_of(held.claim)
        ));
    }
}

fn rewards(state: &State, text: &mut Text) {
    let room = state.predictions();
    let rewards = room.rewards();
    let ticker = |id: EventId| room.event(id).map_or("", |event| event.ticker.as_str());
    if *rewards.terms() != RewardTerms::default() {
        let RewardTerms { enabled, rebate_bps, spread_cents, min_payout, pools } = rewards.terms();
        let mut line = format!(
            "rewards {enabled} rebate {rebate_bps} spread {spread_cents} least {}",
            money(*min_payout)
        );
        for (event, pool) in pools {
            write!(line, " pool {} {}", ticker(*event), money(*pool)).expect("a string");
        }
        text.line(&line);
    }
    for rule in rewards.rules() {
        let until = rule.until.map_or("now".to_owned(), |time| time.0.to_string());
        text.line(&format!("rebate rule {} from {} until {until}", rule.bps, rule.from.0));
    }
    if let Some(day) = rewards.last_score_day() {
        text.line(&format!("scored until day {}", day.0));
    }
    for account in (0..state.ledger().accounts()).map(AccountId) {
        let name = account_name(state, account);
        for rebate in rewards.rebates(account) {
            let [fees, volume, amount] = [rebate.traded.fees, rebate.traded.volume, rebate.amount].map(money);
            let (id, fills, run, paid) = (rebate.id, rebate.traded.fills, rebate.run.0, rebate.paid.0);
            text.line(&format!(
                "rebate {id} {name} {amount} of {fees} volume {volume} fills {fills} run {run} paid {paid}"
            ));
        }
        for row in rewards.payouts(account) {
            text.line(&format!("reward {name} {}", reward(row, ticker)));
        }
    }
}

fn reward<'a>(row: &LiquidityRow, ticker: impl Fn(EventId) -> &'a str) -> String {
    let mut line =
        format!("{} {:?} {} of {}", row.day.0, row.payment, money(row.amount), row.total_snapshots);
    for share in &row.shares {
        let (event, part, amount) = (ticker(share.event), money(share.share), money(share.amount));
        write!(line, " {event} share {part} snapshots {} {amount}", share.snapshots).expect("a string");
    }
    if let Some(time) = row.paid {
        write!(line, " paid {}", time.0).expect("a string");
    }
    line
}
