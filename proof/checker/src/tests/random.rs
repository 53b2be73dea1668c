//! Generated legal histories. The sequential exchange processes calls in some order, each call gets a random span
//! around its turn, and crashes remove replies. Each is explained; with one reply changed, none is.

use super::told::world;
use crate::decimal::{Dec, dec};
use crate::dice::Dice;
use crate::exchange::Exchange;
use crate::names::Names;
use crate::operation::{History, Operation, Place, Policy, Request, Side, Terms, Which};
use crate::reply::Reply;
use crate::verdict::{Tally, Verdict};

const CLIENTS: usize = 16;
/// Time between two turns.
const TURN: u64 = 10;

/// One call before it is answered, and whether it takes effect.
struct Turn {
    operation: Operation,
    responded: u64,
    point: Option<u64>,
}

fn request(dice: &mut Dice, name: &str, orders: u64) -> Request {
    let which = |dice: &mut Dice| match dice.below(2) {
        0 => Which::ClientId(format!("o{}", dice.below(orders + 1))),
        _ => Which::Id(1000 + dice.below(orders + 1)),
    };
    match dice.below(20) {
        0..10 => {
            let amount = Dec::parse(&format!("0.{}", 1 + dice.below(9))).unwrap();
            let price = Dec::parse(&format!("{}", 98 + dice.below(5))).unwrap();
            let policies = [Policy::MakerOrCancel, Policy::ImmediateOrCancel, Policy::FillOrKill];
            let policy = if dice.below(3) == 0 { Some(dice.pick(&policies)) } else { None };
            let side = dice.pick(&[Side::Buy, Side::Sell]);
            let terms = match (dice.below(10), side) {
                (0, _) => Terms::Market { amount },
                (1, Side::Buy) => Terms::Spend { money: amount * dec("100") },
                _ => Terms::Limit { amount, price, policy },
            };
            Request::Place(Place { symbol: "btcusd".into(), side, terms, client_id: Some(name.to_owned()) })
        }
        10..13 => Request::Cancel(which(dice)),
        13 => dice.pick(&[Request::CancelSession, Request::CancelAll]),
        14 | 15 => Request::Status(which(dice), dice.below(2) == 0),
        16 => Request::Orders,
        17 => Request::Balances,
        18 => Request::Trades,
        _ => Request::Book("btcusd".into()),
    }
}

/// The calls of all clients with their spans, and a crash after every `life` turns.
fn turns(dice: &mut Dice, count: u64, life: u64) -> (Vec<Turn>, Vec<u64>) {
    let mut free = [0_u64; CLIENTS];
    let (mut turns, mut deaths) = (Vec::new(), Vec::new());
    let (mut now, mut orders) = (1000, 0);
    for turn in 0..count {
        now += TURN;
        let client = (0..CLIENTS).filter(|client| free[*client] < now).collect::<Vec<_>>();
        if client.is_empty() {
            continue;
        }
        let client = dice.pick(&client);
        let invoked =
            (now - dice.below(12 * TURN)).max(free[client] + 1).max(deaths.last().map_or(0, |d| d + 1));
        let responded = now + dice.below(12 * TURN);
        free[client] = responded;
        let request = request(dice, &format!("o{orders}"), orders);
        orders += u64::from(matches!(request, Request::Place(_)));
        let operation =
            Operation { key: Some(format!("key{client}")), nonce: now, invoked, request, answer: None };
        turns.push(Turn { operation, responded, point: Some(now) });
        if turn % life == life - 1 {
            deaths.push(now + 1);
            crash(dice, now + 1, &mut turns);
            now += 20 * TURN;
            free = [now; CLIENTS];
        }
    }
    (turns, deaths)
}

/// Calls in flight are lost, and half of them did not take effect. A client that lost an order queries it afterwards.
fn crash(dice: &mut Dice, death: u64, turns: &mut Vec<Turn>) {
    let mut asked = Vec::new();
    for turn in turns.iter_mut().filter(|turn| turn.responded >= death && turn.operation.invoked < death) {
        turn.responded = u64::MAX;
        if dice.below(2) == 0 {
            turn.point = None;
        }
        if let Request::Place(Place { client_id: Some(name), .. }) = &turn.operation.request {
            asked.push((turn.operation.key.clone(), Which::ClientId(name.clone())));
        }
    }
    for (at, (key, which)) in (1..).zip(asked) {
        let at = death + at;
        let operation =
            Operation { key, nonce: at, invoked: at, request: Request::Status(which, false), answer: None };
        turns.push(Turn { operation, responded: at + 30, point: Some(at) });
    }
}

/// A history with the replies of the sequential exchange.
fn make(seed: u64, count: u64, life: u64) -> History {
    let mut dice = Dice::of_seed(seed);
    let (turns, deaths) = turns(&mut dice, count, life);
    let operations: Vec<Operation> = turns.iter().map(|turn| turn.operation.clone()).collect();
    let mut world = world();
    world.keys =
        (0..CLIENTS).map(|client| (format!("key{client}"), ["a", "b", "c"][client % 3].to_owned())).collect();
    let mut history = History { world, operations, deaths, ..History::default() };
    let mut happening: Vec<usize> = (0..turns.len()).filter(|at| turns[*at].point.is_some()).collect();
    happening.sort_by_key(|at| (turns[*at].point, *at));
    let names = Names::made(
        happening.iter().filter(|at| matches!(history.operations[**at].request, Request::Place(_))),
    );
    let mut replies = Vec::new();
    let mut exchange = Exchange::open(&history, &names);
    for at in happening {
        let reply = exchange.apply(at);
        for row in 0..exchange.state.prints().len() {
            exchange.state.name_print(row, 500 + u64::try_from(row).unwrap());
        }
        if turns[at].responded != u64::MAX {
            replies.push((at, reply));
        }
    }
    for (at, reply) in replies {
        history.operations[at].answer = Some((turns[at].responded, reply));
    }
    history
}

#[track_caller]
fn explained(seed: u64, history: &History) -> Tally {
    match history.judge() {
        Verdict::Legal(tally) => tally,
        Verdict::Illegal(why) | Verdict::Undecided(why) => panic!("seed {seed}: {why}"),
    }
}

/// An amount smaller than any that is placed or paid.
fn grain() -> Dec {
    dec("0.00000001")
}

/// Changes a reply so that nothing can explain it; `None` if it has nothing to change.
fn corrupt(dice: &mut Dice, reply: &mut Reply) -> Option<()> {
    match reply {
        Reply::Order(order) => match dice.below(3) {
            0 => order.executed = order.executed + grain(),
            1 => order.client_id = Some("another".to_owned()),
            _ => order.is_live = !order.is_live,
        },
        Reply::Orders(orders) if orders.len() > 1 && dice.below(2) == 0 => orders.swap(0, 1),
        Reply::Orders(orders) => {
            let first = orders.first_mut()?;
            first.remaining = first.remaining.map(|remaining| remaining + grain());
        }
        Reply::Cancelled(ids) => ids.push(7),
        Reply::Balances(rows) => {
            let row = rows.values_mut().next()?;
            row[usize::try_from(dice.below(2)).unwrap()] = row[0] + grain();
        }
        Reply::Trades(trades) => {
            let trade = trades.first_mut()?;
            match dice.below(3) {
                0 => trade.price = trade.price + grain(),
                1 => trade.fee = trade.fee + grain(),
                _ => trade.aggressor = !trade.aggressor,
            }
        }
        Reply::Book(bids, asks) => {
            let level = bids.first_mut().or(asks.first_mut())?;
            level.1 = level.1 + grain();
        }
        Reply::Changed => *reply = Reply::refused(500, "System"),
        Reply::Refused(status, _) => *status = 500,
    }
    Some(())
}

/// Thousands of calls of sixteen clients, with crashes.
#[test]
fn made_histories_are_explained() {
    let (mut lost, mut happened) = (0, 0);
    for seed in 1..6 {
        let tally = explained(seed, &make(seed, 2_000, 400));
        assert!(tally.width > 8 && tally.windows > 5, "{tally}");
        lost += tally.lost;
        happened += tally.happened;
    }
    assert!(lost > 50 && happened > 5, "{lost} {happened}");
}

/// One changed reply is noticed, no matter which.
#[test]
fn one_changed_reply_is_noticed() {
    let mut noticed = 0;
    for seed in 1..100 {
        let mut history = make(seed, 60, 25);
        explained(seed, &history);
        let mut dice = Dice::of_seed(seed ^ 0x00C0_FFEE);
        let answered: Vec<usize> =
            (0..history.operations.len()).filter(|at| history.operations[*at].answer.is_some()).collect();
        let at = dice.pick(&answered);
        let Some((_, reply)) = &mut history.operations[at].answer else { panic!("answered") };
        if corrupt(&mut dice, reply).is_some() {
            let verdict = history.judge();
            assert!(matches!(verdict, Verdict::Illegal(_)), "seed {seed}, #{at}: {verdict:?}");
            noticed += 1;
        }
    }
    assert!(noticed > 60, "{noticed}");
}
