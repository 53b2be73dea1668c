//! Runs both exchanges together: after each command they must agree on the answer, on what happened, on every balance
//! and on every queue, and every law must hold.

use crate::counts::{Before, Counts};
use crate::dealer::Dealer;
use crate::exchange::{Exchange, Happening, next_step};
use crate::naive::{Auctions, Naive, Refused};
use crate::worlds::{NETS, World};
use buttonwood_engine::funds::{Scope, custody};
use buttonwood_engine::{
    Answer, Body, Command, Eid, FundsCommand, OrderState, Outcome, State, TradingAnswer, TradingCommand,
};
use buttonwood_model::{Due, OrderId, Side};
use buttonwood_num::{Money, Qty};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs one command against both; returns the outcome, or the difference.
pub fn step(
    exchange: &mut Exchange,
    naive: &mut Naive,
    micros: u64,
    command: &Command,
) -> Result<Answer, String> {
    let tied = tied_to(exchange, command);
    let got = exchange.submit(micros, command);
    let expected = naive.submit(exchange.stamp.time, command);
    if got != expected {
        return Err(format!("answer {got:?}\nexpected {expected:?}"));
    }
    if let Outcome::Trading(TradingAnswer::Order(order)) = got
        && (order.is_live() != exchange.order(order.id.0).is_some()
            || (order.is_live() && order.reason.is_some()))
    {
        return Err(format!("an order lives exactly while something of it remains uncancelled: {order:?}"));
    }
    let is_left = |order: &&OrderId| {
        exchange.order(order.0).is_some() && !exchange.happened.contains(&Happening::CancelRejected(order.0))
    };
    if let Some(left) = tied.iter().find(is_left) {
        return Err(format!("{left:?} outlives its connection"));
    }
    agree(exchange, naive)?;
    Ok(got)
}

/// The orders that must not live after the command: those of the connection that it closes.
fn tied_to(exchange: &Exchange, command: &Command) -> Vec<OrderId> {
    let Body::Trading(TradingCommand::CloseConnection(connection)) = &command.body else { return Vec::new() };
    let open = exchange.state.floor().connections.get(*connection);
    let live = open.into_iter().flat_map(|open| open.live(exchange.state.orders()));
    live.map(|(_, order)| order).collect()
}

/// Checks that both report the same events and have the same state, and that every law holds.
pub fn agree(exchange: &Exchange, naive: &Naive) -> Result<(), String> {
    if exchange.happened != naive.happened {
        return Err(format!("happened {:?}\nexpected {:?}", exchange.happened, naive.happened));
    }
    let refused: Vec<_> = exchange.of.refused.iter().map(Refused::of).collect();
    if refused != naive.refused {
        return Err(format!("refused {refused:?}\nexpected {:?}", naive.refused));
    }
    let access = exchange.state.access();
    if access.accounts().len() != naive.names.len() {
        return Err(format!("{} accounts, expected {}", access.accounts().len(), naive.names.len()));
    }
    if !access.groups().iter().map(|group| group.terms).eq(naive.terms.iter().copied()) {
        return Err(format!("groups are {:?}, expected {:?}", access.groups(), naive.terms));
    }
    if !access.groups().iter().map(|group| &group.addresses).eq(&naive.group_addresses) {
        return Err(format!("groups are {:?}, expected {:?}", access.groups(), naive.group_addresses));
    }
    if access.sessions().len() != naive.keys.len() {
        return Err(format!("{} sessions, expected {}", access.sessions().len(), naive.keys.len()));
    }
    if let Some((session, _)) =
        access.sessions().iter().zip(&naive.keys).find(|(session, key)| !key.is_of(session))
    {
        return Err(format!("the naive exchange has another session than {session:?}"));
    }
    for ((id, account), names) in exchange.accounts().zip(access.accounts()).zip(&naive.names) {
        if !names.are_of(account, access.is_closed(id)) {
            return Err(format!("an account is {account:?}, expected {names:?}"));
        }
    }
    if let Some(difference) = naive.differs_from(exchange.state.rates(), exchange.stamp.time) {
        return Err(difference);
    }
    let reserved = naive.reserved();
    for account in exchange.accounts() {
        for currency in exchange.currencies() {
            let got = exchange.balance(account, currency);
            let held = reserved.get(&(account, currency)).copied().unwrap_or(0);
            let total = naive.totals.get(&(account, currency)).copied().unwrap_or(0);
            if (got.available.units(), got.held.units()) != (total - held, held) {
                return Err(format!(
                    "{account:?} {currency:?} has {got:?}, expected {total} of it held {held}"
                ));
            }
        }
    }
    for symbol in exchange.symbols() {
        for side in [Side::Buy, Side::Sell] {
            if !exchange.queue(symbol, side).eq(naive.queue(symbol, side)) {
                return Err(format!("queues of {symbol:?} {side:?} differ"));
            }
            if !exchange.waiting(symbol, side).eq(naive.waiting(symbol, side)) {
                return Err(format!("those who wait for an auction of {symbol:?} {side:?} differ"));
            }
        }
        let (last, expected) = (exchange.state.orders().last(symbol), naive.last(symbol));
        if last != expected {
            return Err(format!("the last price of {symbol:?} is {last:?}, expected {expected:?}"));
        }
        let got = exchange.state.auctions(symbol).map(|auctions| Auctions {
            schedule: auctions.schedule().copied(),
            number: auctions.number(),
            opened: auctions.opened(),
            told: auctions.next_indication(),
            cut: auctions.settling().map(|settling| (settling.finding, settling.before)),
        });
        if got.as_ref() != naive.auctions(symbol) {
            return Err(format!("auctions {got:?}\nexpected {:?}", naive.auctions(symbol)));
        }
    }
    agree_on_standings(exchange, naive)?;
    agree_on_connections(exchange, naive)?;
    if exchange.state.operations().is_halted() != naive.halted {
        return Err(format!("halted: {:?}", exchange.state.operations()));
    }
    if exchange.state.has_follow_up() != follows_up(naive) {
        return Err(format!("something follows up: {}", exchange.state.has_follow_up()));
    }
    if exchange.state.floor().stops.due() != naive.due.first().copied() {
        return Err(format!("the first triggered order differs from {:?}", naive.due));
    }
    if next_step(&exchange.state) != naive.next_step() {
        return Err(format!("next {:?}, expected {:?}", next_step(&exchange.state), naive.next_step()));
    }
    for account in exchange.accounts() {
        let (got, expected) = (exchange.state.volumes().total(account), naive.volumes.total(account));
        if got.units() != expected {
            return Err(format!("{account:?} traded {got:?} in 30 days, expected {expected}"));
        }
    }
    agree_on_funds(exchange, naive)?;
    exchange.state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
}

/// Checks the places in the queues that the core reports, now and then and for one account, each in its turn: what is ahead of an order is the sum of the
/// orders that come before it at its price in the naive queue.
fn agree_on_standings(exchange: &Exchange, naive: &Naive) -> Result<(), String> {
    // Queues are sorted for each question, which would take as long as all other comparisons together.
    const EVERY: u64 = 8;
    let seq = exchange.stamp.seq.0;
    if !seq.is_multiple_of(EVERY) {
        return Ok(());
    }
    let turn = usize::try_from(seq / EVERY).unwrap() % exchange.accounts().count();
    let account = exchange.accounts().nth(turn).unwrap();
    let orders = exchange.state.orders();
    for symbol in exchange.symbols() {
        let got = orders.standings(account, symbol).into_iter();
        let got: BTreeMap<_, _> =
            got.map(|place| (orders.get(place.slot).id, (place.ahead, place.level))).collect();
        let mut expected = BTreeMap::new();
        for queue in [Side::Buy, Side::Sell].map(|side| naive.queue(symbol, side)) {
            for (at, own) in queue.iter().enumerate().filter(|(_, order)| order.account == account) {
                let open = |orders: &[OrderState]| -> Qty {
                    let level = orders.iter().filter(|order| order.price == own.price);
                    level.map(|order| order.remaining).sum()
                };
                expected.insert(own.id, (open(&queue[..at]), open(&queue)));
            }
        }
        if got != expected {
            return Err(format!("{account:?} stands in {symbol:?} at {got:?}, expected {expected:?}"));
        }
    }
    Ok(())
}

/// Checks that both have the same open connections, with the same live orders.
fn agree_on_connections(exchange: &Exchange, naive: &Naive) -> Result<(), String> {
    let (floor, orders) = (exchange.state.floor(), exchange.state.orders());
    let open = floor.open_connections();
    let got: Vec<_> = open
        .map(|(id, open)| {
            (id, open.session, open.account, open.live(orders).map(|(_, order)| order).collect())
        })
        .collect();
    let expected = naive.connections();
    if got != expected {
        return Err(format!("connections {got:?}\nexpected {expected:?}"));
    }
    Ok(())
}

/// Whether something must happen before any other command.
fn follows_up(naive: &Naive) -> bool {
    naive.is_settling() || !naive.due.is_empty() && !naive.halted || naive.can_repay()
}

/// Checks that both have the same transfers, and what belongs to them.
fn agree_on_funds(exchange: &Exchange, naive: &Naive) -> Result<(), String> {
    let funds = exchange.state.funds();
    let count = u64::try_from(naive.funds.rows.len()).unwrap();
    if funds.next_eid().0 != count + 1 {
        return Err(format!("the next transfer is {:?}, expected {count} of them", funds.next_eid()));
    }
    for (eid, row) in (1..).map(Eid).zip(&naive.funds.rows) {
        let transfer = funds.transfer(eid).unwrap();
        if !row.is(transfer) {
            return Err(format!("a transfer is {transfer:?}, expected {row:?}"));
        }
    }
    agree_on_chains(exchange, naive)?;
    let sent: Vec<_> = funds.custody_moves_sent().collect();
    if sent != naive.moves_sent() {
        return Err(format!("moves sent {sent:?}, expected {:?}", naive.moves_sent()));
    }
    for (group, lost) in &naive.funds.given_up {
        let open = exchange.state.advances().of(*group);
        if open.is_none_or(|open| open.given_up.units() != *lost) {
            return Err(format!("{group:?} has given up {open:?}, expected {lost}"));
        }
    }
    if funds.reserves().last_cut() != naive.funds.cut {
        return Err(format!("cut at {:?}, expected {:?}", funds.reserves().last_cut(), naive.funds.cut));
    }
    if !funds.reserves().short().eq(naive.funds.short.iter().copied()) {
        return Err(format!("other currencies are short than {:?}", naive.funds.short));
    }
    let due = funds_due(&exchange.state).map(|due| due.time);
    if due.is_some() && due != naive.funds_due() {
        return Err(format!("funds are due at {due:?}, expected {:?}", naive.funds_due()));
    }
    Ok(())
}

/// Checks that both have the same addresses, approvals, payments, arrivals and halts.
fn agree_on_chains(exchange: &Exchange, naive: &Naive) -> Result<(), String> {
    let funds = exchange.state.funds();
    let expected = &naive.funds;
    let addresses = funds.addresses().iter().map(|known| (known.account, known.number, known.memo.as_str()));
    if !addresses.eq(expected.addresses.iter().map(|own| (own.account, own.number, own.memo.as_str()))) {
        return Err(format!("addresses differ from {:?}", expected.addresses));
    }
    for entry in &expected.entries {
        let got = funds.approvals().get(&entry.place).map(|known| (known.requested, known.standing));
        if got != Some((entry.requested, entry.standing)) {
            return Err(format!("an approval is {got:?}, expected {entry:?}"));
        }
    }
    let listed: BTreeSet<_> = expected.lists.iter().copied().collect();
    let places = listed.iter().flat_map(|scope| NETS.iter().map(move |net| (*scope, net.name)));
    let count: usize = places.map(|(scope, name)| funds.approvals().of(scope, name).count()).sum();
    if count != expected.entries.len() {
        return Err(format!("{count} approvals, expected {:?}", expected.entries));
    }
    for payment in &expected.payments {
        let Some(got) = funds.withdrawals().payment(Eid(payment.row)) else {
            return Err(format!("there is no {payment:?}"));
        };
        let is_sent = payment.sent.iter().all(|tx| got.sent.contains(tx));
        if !is_sent
            || got.sent.len() != payment.sent.len()
            || got.attempts != payment.attempts
            || got.settled != payment.end
        {
            return Err(format!("a payment is {got:?}, expected {payment:?}"));
        }
    }
    let links =
        (1..).map_while(|number| funds.banks().get(number)).map(|bank| (&bank.link, bank.is_verified));
    if !links.eq(expected.links.iter().map(|link| (&link.bank, link.is_verified))) {
        return Err(format!("links to banks differ from {:?}", expected.links));
    }
    for account in exchange.accounts() {
        let own = expected.debts.iter().filter(|((owner, _), _)| *owner == account);
        let own = own.map(|((_, currency), owed)| (*currency, Money::from_units(*owed)));
        if !funds.debts_of(account).eq(own) {
            return Err(format!("debts of {account:?} differ from {:?}", expected.debts));
        }
    }
    for arrival in &expected.arrivals {
        let got = funds.deposits().get(&arrival.key).map(|got| (got.eid.0, got.state, got.block.as_ref()));
        if got != Some((arrival.row, arrival.state, arrival.block.as_ref())) {
            return Err(format!("a deposit is {got:?}, expected {arrival:?}"));
        }
    }
    if !funds.halts().assets().eq(expected.halted.iter().copied())
        || funds.halts().has(Scope::Withdrawals) != expected.are_withdrawals_halted
    {
        return Err(format!("halts are {:?}, expected {:?}", funds.halts(), expected.halted));
    }
    Ok(())
}

/// The task of funds that falls due next; not the settlement of a custody move, which follows from its chain.
pub(crate) fn funds_due(state: &State) -> Option<Due<FundsCommand>> {
    let due = state.next_due_in(state.funds())?;
    let settles = matches!(due.command, FundsCommand::Custody(custody::Command::SettleCustodyMove(_)));
    (!settles).then_some(due)
}

/// The trouble with a command that panics.
const PANIC: &str = "panic, see above";

/// Runs the commands from the start; returns the place and description of the first problem, including a panic.
fn run(world: &'static World, seed: u64, commands: &[(u64, Command)]) -> Option<(usize, String)> {
    let (mut exchange, _) = Dealer::found(world, seed);
    let mut naive = Naive::found(world, &exchange);
    for (at, (micros, command)) in commands.iter().enumerate() {
        let step = AssertUnwindSafe(|| step(&mut exchange, &mut naive, *micros, command));
        match catch_unwind(step) {
            Ok(Ok(_)) => {}
            Ok(Err(trouble)) => return Some((at, trouble)),
            Err(_) => return Some((at, PANIC.into())),
        }
    }
    None
}

/// Removes commands as long as the rest still fails: with a panic exactly if all of them do, since a command that lacks an earlier
/// one may panic the naive exchange.
fn shortest(
    world: &'static World,
    seed: u64,
    mut commands: Vec<(u64, Command)>,
    panics: bool,
) -> Vec<(u64, Command)> {
    let mut piece = commands.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < commands.len() {
            let mut fewer = commands.clone();
            fewer.drain(at..commands.len().min(at + piece));
            match run(world, seed, &fewer) {
                Some((last, trouble)) if (trouble == PANIC) == panics => {
                    fewer.truncate(last + 1);
                    commands = fewer;
                }
                Some(_) | None => at += piece,
            }
        }
        piece /= 2;
    }
    commands
}

/// Deals `count` commands of a seed to both exchanges. Returns counts of what happened, so that a test can check that
/// it covered its subject.
pub fn compare(world: &'static World, seed: u64, count: usize) -> HashMap<&'static str, u64> {
    let (mut exchange, mut dealer) = Dealer::found(world, seed);
    let mut naive = Naive::found(world, &exchange);
    let mut commands = Vec::with_capacity(count);
    let mut counts = Counts::default();
    for _ in 0..count {
        let (micros, command) = dealer.deal(&exchange);
        commands.push((micros, command.clone()));
        let before = Before::of(&exchange);
        let step = AssertUnwindSafe(|| step(&mut exchange, &mut naive, micros, &command));
        match catch_unwind(step).unwrap_or_else(|_| Err(PANIC.into())) {
            Ok(answer) => counts.count(&before, &exchange, &command, &answer),
            Err(trouble) => {
                let commands = shortest(world, seed, commands, trouble == PANIC);
                let listed: Vec<_> = commands.iter().map(|(_, command)| format!("{command:?}")).collect();
                let now = run(world, seed, &commands);
                panic!(
                    "seed {seed}: {trouble}\n{} commands suffice:\n{}\n{now:?}",
                    commands.len(),
                    listed.join("\n")
                );
            }
        }
    }
    counts.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::caller;
    use crate::worlds::DEEP;
    use buttonwood_engine::Place;
    use buttonwood_model::{OrderKind, Role, SymbolId};
    use buttonwood_num::{Money, Price, Qty};

    /// The deep world has orders that trade with many makers at once.
    #[test]
    fn some_orders_trade_with_many() {
        let counts = [1, 2].map(|seed| compare(&DEEP, seed, 12_000));
        let many: u64 = counts.iter().filter_map(|counts| counts.get("many makers")).sum();
        assert!(many >= 5, "{counts:?}");
    }

    /// A market buy requires its notional and the taker's fees, even where makers pay more: exact to the last
    /// quantum.
    #[test]
    fn a_market_buy_needs_what_a_taker_pays() {
        for (spare, fills) in [(0, true), (-1, false)] {
            let (mut exchange, _) = Dealer::found(&DEEP, 1);
            let keys = ["seller", "buyer"].map(|name| {
                let account = exchange.account(name, "");
                (exchange.key(name, account, Role::Trader), account)
            });
            let [seller, buyer] = keys.map(|(_, account)| account);
            let mut naive = Naive::found(&DEEP, &exchange);
            let [base, quote] = ["SOL", "USD"].map(|code| exchange.find_currency(code));
            // A tenth at a price of 150, and 20 basis points of that.
            let cost = Money::from_units(1_503 * 10_i128.pow(17) + spare);
            let mut run =
                |body: Body, caller| step(&mut exchange, &mut naive, 1, &Command { caller, body }).unwrap();
            run(Body::credit(seller, vec![(base, Money::from_units(10_i128.pow(19)))]), None);
            run(Body::credit(buyer, vec![(quote, cost)]), None);
            let place = |side, kind, ticks| Place {
                kind,
                ..Place::limit(SymbolId(0), side, Price::from_ticks(ticks), Qty::from_hundredths(10_000_000))
            };
            let sell = place(Side::Sell, OrderKind::Limit, 150_000);
            let buy = place(Side::Buy, OrderKind::Market, 0);
            let answers = [(0, sell), (1, buy)].map(|(at, place)| {
                let (session, account) = keys[at];
                run(Body::Trading(TradingCommand::Place(place)), Some(caller(session, account, 1)))
            });
            assert_eq!(matches!(answers[1], Outcome::Trading(TradingAnswer::Order(_))), fills, "{answers:?}");
        }
    }
}
