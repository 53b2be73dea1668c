//! The third party: an honest group that quotes around the index, holds positions, stakes and offers a deal.
//!
//! Its quotes gain at the index by each fill, and its perpetuals are hedged, so its worth at the index never falls but for the claims that its
//! own orders bought. A fall is the cost of an act to somebody who had no part in it.

use super::value::{Breach, ROUNDING};
use super::world::{Actor, ONE, POOLS, Person, Scene, person, provider};
use buttonwood_engine::clearing::{HOURS, New, Parties, Terms};
use buttonwood_engine::staking::{PairId, Request};
use buttonwood_engine::{
    AccountKind, Body, Caller, ClearingCommand, Command, Place, PredictionCommand, StakingCommand, State,
    TradingCommand,
};
use buttonwood_model::{Claim, Side, SymbolId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_oracle::nonce;
use std::sync::Arc;

/// The accounts of the honest group.
pub(super) const HONEST: [Person; 4] = [
    person("h.maker", AccountKind::Exchange, [200_000, 60_000, 4, 40, 5_000]),
    person("h.better", AccountKind::Exchange, [1_000, 0, 0, 0, 0]),
    person("h.long", AccountKind::Derivatives, [0, 25_000, 0, 0, 0]),
    person("h.short", AccountKind::Derivatives, [0, 25_000, 0, 0, 0]),
];
const MAKER: usize = 0;
const BETTER: usize = 1;
const LONG: usize = 2;
const SHORT: usize = 3;

/// The quotes of the maker: the market, the price in dollars of bid and ask as hundredths, and the quantity in hundredths.
const QUOTES: [(usize, [i128; 2], i128); 3] =
    [(0, [4_950_000, 5_050_000], 100), (1, [198_000, 202_000], 1_000), (2, [990, 1_010], 100_000)];
/// The price in cents at which it buys either outcome of the first contract, and how many.
const BET: (u64, u128) = (45, 100);
/// The market and the quantity of the hedged position, in hundredths.
const SWAP: (usize, i128) = (6, 100);
/// The pool from which a coin is redeemed at the start, and that in which one stays.
const REDEEMED: usize = 3;
const STAKED: usize = 0;
/// A hundredth in units.
const HUNDREDTH: i128 = ONE / 100;

/// The most that its orders may pay for claims, with their fees, in units.
const AT_STAKE: i128 = 91 * ONE;

/// The figures of the honest group, in units of 10⁻¹⁹ dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Worth {
    /// All that its maker has at the index.
    maker: i128,
    /// The dollars of the account that trades contracts; its claims count nothing.
    better: i128,
    /// The same with its claims, at what their outcomes pay.
    claims: i128,
    /// The worth of the accounts with perpetuals; none once their positions are no hedge, since deleveraging took a part of one.
    hedged: Option<i128>,
    /// The coins that it still waits for, though their redemption was asked for before the program.
    waits: i128,
}

/// The honest group of a scene acts once, before the program. It holds positions only where the index stands still: marks go by it.
pub(super) fn open(scene: &mut Scene, has_positions: bool) {
    for (market, [bid, ask], qty) in QUOTES {
        for (side, price) in [(Side::Buy, bid), (Side::Sell, ask)] {
            let place = limit(scene, (market, side), price * HUNDREDTH, qty * HUNDREDTH);
            act(scene, MAKER, TradingCommand::Place(place));
        }
    }
    if has_positions {
        hedge(scene);
    }
    bet(scene);
    deal(scene);
    for pool in [STAKED, REDEEMED] {
        let request = || request(scene, pool);
        let staked = request();
        act(scene, MAKER, StakingCommand::Stake(staked));
    }
    let redeemed = request(scene, REDEEMED);
    act(scene, MAKER, StakingCommand::Unstake(redeemed));
}

fn actor(scene: &Scene, who: usize) -> Actor {
    *scene.honest.get(who).expect("a place of the table of honest people")
}

/// Submits a command of an honest account, which must be accepted.
fn act(scene: &mut Scene, who: usize, body: impl Into<Body>) {
    let actor = actor(scene, who);
    scene.acts += 1;
    let nonce = nonce(1_000 + scene.acts);
    let caller = Caller { session: actor.session, account: Some(actor.account), nonce };
    let command = Command { caller: Some(caller), body: body.into() };
    let answer = scene.exchange.submit(1, &command);
    assert!(answer.done().is_ok(), "an honest act is accepted: {:?} {answer:?}", command.body);
}

fn limit(scene: &Scene, (market, side): (usize, Side), price: i128, qty: i128) -> Place {
    let listed = scene.markets.get(market).expect("a place of the table of markets");
    order(listed.symbol, side, super::player::price_of(listed, price), super::player::qty_of(listed, qty))
}

fn order(symbol: SymbolId, side: Side, price: Price, qty: Qty) -> Place {
    Place::limit(symbol, side, price, qty)
}

/// Opens two opposite positions at the index.
fn hedge(scene: &mut Scene) {
    for (who, side) in [(SHORT, Side::Sell), (LONG, Side::Buy)] {
        let index = 50_000 * ONE;
        let place = limit(scene, (SWAP.0, side), index, SWAP.1 * HUNDREDTH);
        act(scene, who, TradingCommand::Place(place));
    }
}

/// Buys both outcomes of the first contract below half a dollar.
fn bet(scene: &mut Scene) {
    act(scene, BETTER, PredictionCommand::AcceptTerms);
    let (cents, qty) = BET;
    let symbol = SymbolId::contract(0);
    let qty = Qty::from_hundredths(qty * 10_000);
    let yes = order(symbol, Side::Buy, Price::from_ticks(cents), qty);
    act(scene, BETTER, TradingCommand::Place(yes));
    let no = order(symbol, Side::Sell, Price::from_ticks(100 - cents), qty);
    act(scene, BETTER, TradingCommand::Place(Place { claim: Claim::No, ..no }));
}

/// Offers a deal to anyone, one per cent above the index.
fn deal(scene: &mut Scene) {
    let place = limit(scene, (1, Side::Sell), 2_020 * ONE, ONE);
    let Place { symbol, side, price, qty, .. } = place;
    let terms = Terms { symbol, side, price, qty, hours: HOURS, parties: Parties::Open };
    act(scene, MAKER, ClearingCommand::New(Arc::new(New { terms, client_id: String::new() })));
}

fn request(scene: &Scene, pool: usize) -> Arc<Request> {
    let currency = scene.currency(POOLS.get(pool).expect("a place of the table of pools").coin);
    let (provider, client_id) = (provider(pool), String::new());
    Arc::new(Request { provider, currency, amount: Money::from_units(ONE), client_id })
}

impl Scene {
    /// The worth of the honest group; nothing where there is none.
    pub(super) fn honest_worth(&self, state: &State) -> Worth {
        if self.honest.is_empty() {
            return Worth::default();
        }
        let net = |who: usize| self.net(state, actor(self, who).account);
        let position = |who: usize| {
            let rows = state.perps().rows_of(actor(self, who).account);
            rows.map(|row| row.position.quantity.units()).sum::<i128>()
        };
        let redeemed = PairId(u16::try_from(REDEEMED).expect("a few pools"));
        let held = state.staking().holdings(actor(self, MAKER).account);
        let waits = held.filter(|(id, ..)| *id == redeemed);
        let is_hedge = position(LONG) + position(SHORT) == 0;
        let dollars = state.ledger().balance(actor(self, BETTER).account, self.currency(0)).total();
        Worth {
            maker: net(MAKER),
            better: dollars.units(),
            claims: net(BETTER),
            hedged: is_hedge.then(|| net(LONG) + net(SHORT)),
            waits: waits.map(|(_, _, [staked, open])| staked.units() + open.units()).sum(),
        }
    }
}

/// The dollars that the honest bets have lost to others, which are no gain of theirs at the cost of the house.
pub(super) fn lost_bets(before: &Worth, after: &Worth) -> i128 {
    (before.claims - after.claims).clamp(0, AT_STAKE)
}

/// The harm that a program did to the honest group beside what its own orders agreed to.
pub(super) fn harm(before: &Worth, after: &Worth) -> Option<Breach> {
    let lost = [
        ("its maker", before.maker - after.maker),
        ("its bets", before.better - after.better - AT_STAKE),
        ("its hedge", before.hedged.zip(after.hedged).map_or(0, |(before, after)| before - after)),
        ("a redemption that is late", after.waits),
    ];
    let worst = lost.into_iter().filter(|(_, lost)| *lost > ROUNDING).max_by_key(|(_, lost)| *lost);
    worst.map(|(what, lost)| Breach::Harm(what, lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The honest group may lose what its bets cost, and nothing else. Proves INV-HOUSE.
    #[test]
    fn only_bets_may_lose() {
        let before =
            Worth { maker: 10 * ONE, better: 100 * ONE, hedged: Some(ONE), waits: ONE, ..Worth::default() };
        let after = Worth { waits: 0, ..before };
        assert_eq!(harm(&before, &after), None);
        assert_eq!(harm(&before, &Worth { better: 9 * ONE, ..after }), None);
        assert_eq!(harm(&before, &Worth { hedged: None, ..after }), None);
        let lost = |claims| lost_bets(&Worth { claims: 100 * ONE, ..before }, &Worth { claims, ..after });
        assert_eq!([60 * ONE, 0, 101 * ONE].map(lost), [40 * ONE, AT_STAKE, 0]);
        let kinds = [
            Worth { maker: 9 * ONE, ..after },
            Worth { better: 8 * ONE, ..after },
            Worth { hedged: Some(0), ..after },
            Worth { waits: ONE, ..after },
        ];
        for lost in kinds {
            assert!(matches!(harm(&before, &lost), Some(Breach::Harm(_, units)) if units == ONE), "{lost:?}");
        }
    }
}
