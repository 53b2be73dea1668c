//! Histories written as text, one call per line:
//!
//! ```text
//! 1..4 alice buy btcusd 0.5 @ 100 as a1   => 10 live executed 0
//! 5.. bob/7 sell btcusd 1 at market
//! died 9
//! ```
//!
//! Start and end (no end: no reply), the key and its nonce if it matters, the request, the reply. `alice` and
//! `alice2` are keys of one account, `bob` and `carol` of two others; each account has 10 BTC and 1000 USD.

use std::collections::BTreeMap;

use crate::decimal::{Dec, dec};
use crate::operation::{
    History, KeyChange, Operation, Place, Policy, Request, Side, Symbol, Terms, Which, World,
};
use crate::reply::{Order, Reply, Trade};
use crate::verdict::{Tally, Verdict};

/// Three accounts and a symbol.
pub(super) fn world() -> World {
    let symbol = Symbol { base: "BTC".into(), quote: "USD".into(), lot: dec("0.00000001") };
    let keys = [("alice", "a"), ("alice2", "a"), ("bob", "b"), ("carol", "c")];
    let money = || [("BTC".to_owned(), dec("10")), ("USD".to_owned(), dec("1000"))].into();
    World {
        symbols: [("btcusd".to_owned(), symbol)].into(),
        fees: [20, 40],
        accounts: ["a", "b", "c"].map(|name| (name.to_owned(), money())).into(),
        keys: keys.map(|(key, account)| (key.to_owned(), account.to_owned())).into(),
    }
}

/// Checks that some order of events explains it.
#[track_caller]
pub(super) fn legal(text: &str) -> Tally {
    match history(text).judge() {
        Verdict::Legal(tally) => tally,
        Verdict::Illegal(why) | Verdict::Undecided(why) => panic!("{why}"),
    }
}

/// Checks that nothing explains it, and that the report contains these words.
#[track_caller]
pub(super) fn illegal(text: &str, words: &str) {
    match history(text).judge() {
        Verdict::Illegal(report) => assert!(report.contains(words), "{report}"),
        other @ (Verdict::Legal(_) | Verdict::Undecided(_)) => panic!("{other:?}"),
    }
}

/// Parses a history.
#[track_caller]
pub(super) fn history(text: &str) -> History {
    let mut teller =
        Teller { history: History { world: world(), ..History::default() }, orders: BTreeMap::new() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        teller.tell(line).unwrap_or_else(|| panic!("not understood: {line}"));
    }
    teller.history
}

struct Teller {
    history: History,
    /// The placed orders by id.
    orders: BTreeMap<u64, Place>,
}

impl Teller {
    fn tell(&mut self, line: &str) -> Option<()> {
        if let Some(death) = line.strip_prefix("died ") {
            self.history.deaths.push(death.parse().ok()?);
            return Some(());
        }
        let (call, reply) = line.split_once("=>").unwrap_or((line, ""));
        let mut words = call.split_whitespace();
        let (from, until) = words.next()?.split_once("..")?;
        let by = words.next()?;
        let (key, nonce) = by.split_once('/').unwrap_or((by, from));
        let request = request(&words.collect::<Vec<_>>())?;
        let answer = match until {
            "" => None,
            until => Some((until.parse().ok()?, self.reply(&request, reply.trim())?)),
        };
        let (nonce, invoked) = (nonce.parse().ok()?, from.parse().ok()?);
        let key = (key != "anyone").then(|| key.to_owned());
        self.history.operations.push(Operation { key, nonce, invoked, request, answer });
        Some(())
    }

    fn reply(&mut self, request: &Request, text: &str) -> Option<Reply> {
        if let Some(refusal) = text.strip_prefix("refused ") {
            let (status, reason) = refusal.split_once(' ')?;
            return Some(Reply::refused(status.parse().ok()?, reason));
        }
        let rows = || text.split(';').map(str::trim).filter(|row| !row.is_empty() && *row != "none");
        Some(match request {
            Request::Place(place) => {
                self.orders.entry(text.split(' ').next()?.parse().ok()?).or_insert_with(|| place.clone());
                Reply::order(self.order(text)?)
            }
            Request::Cancel(_) | Request::Status(..) => Reply::order(self.order(text)?),
            Request::CancelSession | Request::CancelAll => {
                Reply::Cancelled(rows().map(str::parse).collect::<Result<_, _>>().ok()?)
            }
            Request::Orders => Reply::Orders(rows().map(|row| self.order(row)).collect::<Option<_>>()?),
            Request::Trades => Reply::Trades(rows().map(|row| self.trade(row)).collect::<Option<_>>()?),
            Request::Balances => Reply::Balances(rows().map(balance).collect::<Option<_>>()?),
            Request::Key(..) => (text == "done").then_some(Reply::Changed)?,
            Request::Book(_) => {
                let (bids, asks) = text.strip_prefix("bids ")?.split_once("; asks ")?;
                let side = |text: &str| -> Option<_> {
                    text.split(", ").filter(|level| *level != "none").map(level).collect()
                };
                Reply::Book(side(bids)?, side(asks)?)
            }
        })
    }

    /// `ID [live|filled|cancelled REASON] executed E [average A] [as NAME SIDE AMOUNT @ PRICE]`; the last part for an
    /// order that no line placed.
    fn order(&self, text: &str) -> Option<Order> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let after =
            |word: &str| words.iter().position(|at| *at == word).and_then(|at| words.get(at + 1)).copied();
        let id = words.first()?.parse().ok()?;
        let place = match self.orders.get(&id) {
            Some(place) => place.clone(),
            None => {
                let at = words.iter().position(|word| *word == "as")?;
                let (name, rest) = (words.get(at + 1)?, words.get(at + 2..)?);
                let Request::Place(place) = request(&[rest, &["as", name]].concat())? else { return None };
                place
            }
        };
        let executed = Dec::parse(after("executed")?)?;
        let (kind, amount, price, policy) = match place.terms {
            Terms::Limit { amount, price, policy } => ("exchange limit", Some(amount), Some(price), policy),
            Terms::Market { amount } => (market(place.side), Some(amount), None, None),
            Terms::Spend { .. } => (market(place.side), None, None, None),
        };
        Some(Order {
            id,
            client_id: place.client_id,
            symbol: place.symbol,
            side: place.side,
            kind: kind.to_owned(),
            policy,
            price,
            average: after("average").map_or(Some(Dec::ZERO), Dec::parse)?,
            executed,
            remaining: amount.map(|amount| amount - executed),
            original: amount,
            is_live: words.contains(&"live"),
            reason: after("cancelled").map(str::to_owned),
            trades: None,
        })
    }

    /// `TID of ORDER AMOUNT @ PRICE buy|sell maker|taker fee F`.
    fn trade(&self, text: &str) -> Option<Trade> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [tid, "of", order, amount, "@", price, of_side, role, "fee", fee] = words.as_slice() else {
            return None;
        };
        let order = order.parse().ok()?;
        Some(Trade {
            tid: tid.parse().ok()?,
            order,
            client_id: self.orders.get(&order).and_then(|place| place.client_id.clone()),
            price: dec(price),
            amount: dec(amount),
            side: side(of_side)?,
            aggressor: *role == "taker",
            fee: dec(fee),
        })
    }
}

fn market(side: Side) -> &'static str {
    if side == Side::Buy { "market buy" } else { "market sell" }
}

fn side(word: &str) -> Option<Side> {
    match word {
        "buy" => Some(Side::Buy),
        "sell" => Some(Side::Sell),
        _ => None,
    }
}

/// `USD 1000 available 900`; without the last part, all of it is available.
fn balance(text: &str) -> Option<(String, [Dec; 2])> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (currency, amount) = (words.first()?, dec(words.get(1)?));
    Some(((*currency).to_owned(), [amount, words.get(3).map_or(amount, |available| dec(available))]))
}

/// `0.5 @ 100`; the reply has the price first.
fn level(text: &str) -> Option<(Dec, Dec)> {
    let (amount, price) = text.split_once(" @ ")?;
    Some((dec(price), dec(amount)))
}

fn key_change(words: &[&str]) -> Option<KeyChange> {
    let cancel_orders = words.get(1) == Some(&"cancelling");
    Some(match *words.first()? {
        "disable" => KeyChange::Disable { cancel_orders },
        "enable" => KeyChange::Enable,
        "end" => KeyChange::End { cancel_orders },
        "trader" => KeyChange::Trader,
        "auditor" => KeyChange::Auditor,
        _ => return None,
    })
}

fn request(words: &[&str]) -> Option<Request> {
    let which = |words: &[&str]| match words {
        ["as", name] => Some(Which::ClientId((*name).to_owned())),
        [id] => Some(Which::Id(id.parse().ok()?)),
        _ => None,
    };
    Some(match words {
        ["key", key, change @ ..] => Request::Key((*key).to_owned(), key_change(change)?),
        ["cancel", "session"] => Request::CancelSession,
        ["cancel", "all"] => Request::CancelAll,
        ["cancel", rest @ ..] => Request::Cancel(which(rest)?),
        ["status", rest @ ..] => Request::Status(which(rest)?, false),
        ["orders"] => Request::Orders,
        ["balances"] => Request::Balances,
        ["trades"] => Request::Trades,
        ["book", symbol] => Request::Book((*symbol).to_owned()),
        [of_side, rest @ ..] => {
            let (rest, client_id) = match rest {
                [rest @ .., "as", name] => (rest, Some((*name).to_owned())),
                rest => (rest, None),
            };
            let terms = match rest {
                [_, amount, "@", price] => limit(amount, price, None)?,
                [_, amount, "@", price, policy] => limit(amount, price, Some(policy))?,
                [_, "for", money, "at", "market"] => Terms::Spend { money: dec(money) },
                [_, amount, "at", "market"] => Terms::Market { amount: dec(amount) },
                _ => return None,
            };
            Request::Place(Place { symbol: "btcusd".to_owned(), side: side(of_side)?, terms, client_id })
        }
        [] => return None,
    })
}

fn limit(amount: &str, price: &str, policy: Option<&str>) -> Option<Terms> {
    let all = [Policy::MakerOrCancel, Policy::ImmediateOrCancel, Policy::FillOrKill];
    let policy = match policy {
        None => None,
        Some(name) => Some(all.into_iter().find(|policy| policy.name() == name)?),
    };
    Some(Terms::Limit { amount: dec(amount), price: dec(price), policy })
}
