//! The simulated traders on contracts of the prediction markets (D-35).
//!
//! One account buys yes and no around a chance that walks within its bounds, so that its quotes are on both sides of the book without any
//! contracts; the other one takes, mostly by buying, so that pairs are minted. An account's pairs of yes and no net, and the one that
//! takes goes the other way when it holds many.

use super::Traders;
use super::stance::{Hand, Stance};
use crate::market::noise::{below, mix, of_text};
use crate::market::quotes::{Quote, Quotes, SIDES};
use crate::market::schedule::BEAT;
use buttonwood_engine::prediction::Event;
use buttonwood_engine::{Command, Owner, Place, PredictionCommand, State, TradingCommand};
use buttonwood_model::{Claim, ExecutionOption, OrderKind, Side, Symbol, SymbolId, Time};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty, Round};
use std::collections::BTreeMap;

/// The contracts of a beat at most; where more are open, they take turns.
const A_BEAT: usize = 40;
/// A chance of one.
const ONE: u64 = 1_000_000;
/// The least chance, and one less the highest.
const LEAST: u64 = 30_000;
/// Seconds from one turn of a chance's walk to the next.
const TURN: u64 = 1_800;
/// Trades of a contract in an hour, on average.
const HOURLY: u64 = 30;
/// Half of the distance between the best bid and the best ask, as a part of a dollar.
const STEP: u64 = 50;
/// How far the levels of a side are from the chance, in steps.
const LEVELS: [u64; 2] = [1, 3];
/// How far from the chance a trade may be, in steps.
const REACH: u64 = 4;
/// Contracts of a quote: at least this many, and up to twice as many.
const QUOTED: u64 = 100;
/// A quote with less than this part of them left is replaced.
const LEFT: u64 = 4;
/// Contracts of a trade at most.
const TAKEN: u64 = 20;
/// The account that takes goes the other way from this many contracts on.
const HELD_BY_TAKER: i128 = 300;
/// The account that quotes buys no more of an outcome from this many contracts on.
const HELD_BY_QUOTER: i128 = 20_000;

/// The numbers that part draws from each other.
const BASE: u64 = 31;
const NODE: u64 = 32;
const SIZE: u64 = 33;
const COUNT: u64 = 34;
const WAY: u64 = 35;
const PLACE: u64 = 36;

/// A contract as the traders see it in a beat.
#[derive(Debug)]
struct Contract<'a> {
    id: SymbolId,
    symbol: &'a Symbol,
    /// The number of its name.
    number: u64,
    second: u64,
    /// Price steps in a dollar.
    one: u64,
    /// The price of yes by its chance, in price steps.
    fair: u64,
    /// Price steps of half the spread.
    step: u64,
}

impl Traders {
    /// Quotes and trades contracts, if the terms allow it: the traders accept them by themselves.
    pub(super) fn trade_contracts(
        &self,
        state: &State,
        now: Time,
        stance: &mut Stance,
        quotes: &mut BTreeMap<SymbolId, Quotes>,
        out: &mut Vec<Command>,
    ) {
        let room = state.predictions();
        let events = room.events().iter().filter(|event| event.is_open());
        let open: Vec<SymbolId> = events.flat_map(Event::contracts).collect();
        if open.is_empty() {
            return;
        }
        let group = state.access().group_of(Owner::Account(stance.quoter.account()));
        if group.is_some_and(|group| !room.has_accepted(group)) {
            out.push(stance.quoter.send(PredictionCommand::AcceptTerms));
        }
        let turns = u64::try_from(open.len().div_ceil(A_BEAT)).unwrap_or(1);
        let beat = now.seconds() / BEAT;
        let turn = below(mix(self.seed, &[PLACE, beat]), turns);
        let due = (0..).zip(open).filter(|(place, _): &(u64, _)| place % turns == turn);
        for (_, id) in due {
            let Some(contract) = self.contract(state, id, now) else { continue };
            let quotes = quotes.remove(&id).unwrap_or_default();
            self.quote_contract(&contract, state, &quotes, &mut stance.quoter, out);
            self.take_contract(&contract, state, turns, &mut stance.taker, out);
        }
    }

    fn contract<'a>(&self, state: &'a State, id: SymbolId, now: Time) -> Option<Contract<'a>> {
        let symbol = state.symbol(id)?;
        let one = symbol.grid.ticks_of_one()?;
        let step = (one / STEP).max(1);
        let fair = one.saturating_mul(self.chance(state, id, now)?) / ONE;
        let highest = one.saturating_sub(step + 1);
        let fair = fair.min(highest).max(step + 1);
        Some(Contract { id, symbol, number: of_text(&symbol.name), second: now.seconds(), one, fair, step })
    }

    /// The chance of yes, in millionths: of a combo, that of all its legs.
    fn chance(&self, state: &State, id: SymbolId, now: Time) -> Option<u64> {
        let room = state.predictions();
        let (_, event) = room.event_of(id)?;
        if event.legs.is_empty() {
            let number = of_text(&state.symbol(id)?.name);
            return Some(self.walk(number, self.base(state, event, number), now.seconds()));
        }
        let all = event.legs.iter().try_fold(ONE, |all, leg| {
            let yes = self.chance(state, leg.contract, now)?;
            let fits = if leg.required == Claim::Yes { yes } else { ONE.saturating_sub(yes) };
            Some(all * fits / ONE)
        });
        Some(all?.clamp(LEAST, ONE - LEAST))
    }

    /// The middle of a chance's walk. Of contracts that exclude each other, the middles sum to about one.
    fn base(&self, state: &State, event: &Event, number: u64) -> u64 {
        let drawn = |number| mix(self.seed, &[BASE, number]);
        if !event.is_exclusive || event.count < 2 {
            return LEAST * 5 + below(drawn(number), ONE - LEAST * 10);
        }
        let weight = |number| 1 + below(drawn(number), 9);
        let names = event.contracts().filter_map(|id| state.symbol(id)).map(|symbol| of_text(&symbol.name));
        let all: u64 = names.map(weight).sum();
        (ONE * weight(number) / all.max(1)).clamp(LEAST, ONE - LEAST)
    }

    /// The chance at a second: it goes from turn to turn around its middle, at most half the way to none and to one.
    fn walk(&self, number: u64, base: u64, second: u64) -> u64 {
        let room = base.min(ONE.saturating_sub(base)) / 2;
        let node = |turn: u64| below(mix(self.seed, &[NODE, number, turn]), 2 * room + 1);
        let (turn, into) = (second / TURN, second % TURN);
        let swing = (node(turn) * (TURN - into) + node(turn + 1) * into) / TURN;
        (base + swing).saturating_sub(room)
    }

    /// Brings the quotes of a contract to where they belong.
    fn quote_contract(
        &self,
        contract: &Contract<'_>,
        state: &State,
        quotes: &Quotes,
        hand: &mut Hand,
        out: &mut Vec<Command>,
    ) {
        let mut places = Vec::new();
        for ((side, quotes), claim) in SIDES.into_iter().zip(quotes).zip(Claim::ALL) {
            let held = held(state, contract.id, hand, claim).0;
            let levels = if held >= whole(HELD_BY_QUOTER) { &[][..] } else { &LEVELS[..] };
            let mut rest: Vec<Quote> = quotes.clone();
            for (level, distance) in (0..).zip(levels) {
                let Some(place) = contract.price(side, *distance) else { continue };
                let stays = |quote: &Quote| contract.stays(place, quote);
                match rest.iter().position(stays) {
                    Some(at) => drop(rest.remove(at)),
                    None => places.push((side, claim, level, place)),
                }
            }
            out.extend(rest.iter().map(|quote| hand.send(PredictionCommand::Cancel(quote.id))));
        }
        for (side, claim, level, price) in places {
            let drawn = mix(self.seed, &[SIZE, contract.number, contract.second, level]);
            if let Some(qty) = contract.qty(QUOTED + below(drawn, QUOTED)) {
                out.push(hand.send(contract.order((side, claim), price, qty, None)));
            }
        }
    }

    /// Takes what is quoted, now and then; the first time when the contract has never traded.
    fn take_contract(
        &self,
        contract: &Contract<'_>,
        state: &State,
        turns: u64,
        taker: &mut Hand,
        out: &mut Vec<Command>,
    ) {
        let draw = |of: u64, count| below(mix(self.seed, &[of, contract.number, contract.second]), count);
        let is_due = draw(COUNT, 3_600) < HOURLY * BEAT * turns;
        if !is_due && state.orders().last(contract.id).is_some() {
            return;
        }
        let [yes, no] = Claim::ALL.map(|claim| held(state, contract.id, taker, claim));
        let most = whole(HELD_BY_TAKER);
        let buys = yes.0 < most && (no.0 >= most || draw(WAY, 2) == 0);
        let side = if buys { Side::Buy } else { Side::Sell };
        let Some(qty) = contract.qty(1 + draw(SIZE, TAKEN)) else { return };
        let Some(price) = contract.price(side.opposite(), REACH).or(contract.price(side.opposite(), 1))
        else {
            return;
        };
        // A bid is a buy of yes or a sale of no, an ask the opposite; what is sold must be there.
        let (buys, sells, free) = match side {
            Side::Buy => (Claim::Yes, Claim::No, no.1),
            Side::Sell => (Claim::No, Claim::Yes, yes.1),
        };
        let has_enough = contract.symbol.grid.base(qty).is_some_and(|needed| needed <= free);
        let claim = if has_enough && draw(PLACE, 2) == 0 { sells } else { buys };
        let option = Some(ExecutionOption::ImmediateOrCancel);
        out.push(taker.send(contract.order((side, claim), price, qty, option)));
    }
}

impl Contract<'_> {
    /// The price at a distance from the chance, in steps; none beyond a dollar.
    fn price(&self, side: Side, distance: u64) -> Option<Price> {
        let away = self.step.saturating_mul(distance);
        let ticks = match side {
            Side::Buy => self.fair.checked_sub(away)?,
            Side::Sell => self.fair.checked_add(away)?,
        };
        (1..self.one).contains(&ticks).then(|| Price::from_ticks(ticks))
    }

    /// Whether a quote is near enough to its place, and large enough.
    fn stays(&self, place: Price, quote: &Quote) -> bool {
        let is_near = place.ticks().abs_diff(quote.price.ticks()) <= self.step / 2;
        is_near && self.qty(QUOTED / LEFT).is_some_and(|least| quote.left >= least)
    }

    /// So many contracts in whole lots, at least the smallest order.
    fn qty(&self, contracts: u64) -> Option<Qty> {
        let amount = Money::ONE.mul_div(i128::from(contracts), 1, Round::Down)?;
        let lots = self.symbol.grid.qty_holding(amount)?.hundredths() / HUNDREDTHS_PER_LOT;
        Some(Qty::from_hundredths(lots * HUNDREDTHS_PER_LOT).max(self.symbol.qty_min))
    }

    fn order(
        &self,
        (side, claim): (Side, Claim),
        price: Price,
        qty: Qty,
        option: Option<ExecutionOption>,
    ) -> TradingCommand {
        TradingCommand::Place(Place {
            symbol: self.id,
            side,
            claim,
            kind: OrderKind::Limit,
            option,
            price,
            qty,
            spend: Money::ZERO,
            client_id: None,
            stop: Price::default(),
            margin: false,
        })
    }
}

/// The contracts on an outcome that an account holds, and those that no sale of it holds.
fn held(state: &State, contract: SymbolId, hand: &Hand, claim: Claim) -> (Money, Money) {
    let mut held = state.predictions().holdings(state.ledger(), contract, hand.account());
    let found = held.find(|holding| holding.claim == claim);
    found.map_or((Money::ZERO, Money::ZERO), |found| (found.quantity, found.quantity - found.held))
}

fn whole(contracts: i128) -> Money {
    Money::ONE.mul_div(contracts, 1, Round::Down).unwrap_or(Money::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chance stays within its bounds, moves, and follows from the seed.
    #[test]
    fn a_chance_walks_within_bounds() {
        let traders =
            |seed| Traders { seed, latent: crate::market::latent::Latent::new(seed, std::iter::empty()) };
        let walked = |seed: u64, base: u64| -> Vec<u64> {
            (0..5_000).map(|beat| traders(seed).walk(7, base, beat * BEAT)).collect()
        };
        for base in [LEAST, 200_000, 500_000, ONE - LEAST] {
            let chances = walked(1, base);
            let (low, high) = (chances.iter().min().unwrap(), chances.iter().max().unwrap());
            assert!(*low >= LEAST / 2 && *high <= ONE - LEAST / 2, "{base}: {low} to {high}");
            assert!(high - low > base.min(ONE - base) / 4, "{base}: {low} to {high}");
            assert_eq!(chances, walked(1, base));
            assert_ne!(chances, walked(2, base));
            let step = chances.windows(2).map(|two| two[0].abs_diff(two[1])).max().unwrap();
            assert!(step <= ONE / 400, "{base}: {step}");
        }
    }
}
