//! What a run is founded with: coins with a dollar book and an index, desks, a broker, pools of staking and a little that pays their interest.

use crate::trial::found::{Listing, Market, commands_of, credit, list, open, open_exchange};
use buttonwood_engine::clearing::Codes;
use buttonwood_engine::staking::{PairTerms, Provider, Rate, Terms};
use buttonwood_engine::{AccountKind, Body, ClearingCommand, Command, StakingCommand};
use buttonwood_model::{AccountId, CurrencyId, Product, SessionId};
use buttonwood_num::{Bps, Money};
use buttonwood_oracle::Dice;
use std::sync::Arc;

/// Desks that trade and stake; the last of them is a broker.
pub(super) const DESKS: usize = 5;

/// The pools: the place of the coin, basis points, seconds of a redemption, the most coins of a day.
pub(super) const POOLS: [(usize, u64, u64, Option<i128>); 3] =
    [(0, 3_650, 0, None), (0, 500, 21_600, Some(3)), (1, 10_000, 0, Some(40))];

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) usd: CurrencyId,
    pub(super) markets: Vec<Market>,
    pub(super) desks: Vec<(AccountId, SessionId)>,
}

impl Founded {
    /// The provider and the currency of a pool.
    pub(super) fn pool(&self, pool: usize) -> (Provider, CurrencyId) {
        let (coin, ..) = POOLS.get(pool).copied().expect("a place of the table of pools");
        (provider(pool), self.markets.get(coin).expect("there are two").base)
    }

    /// The command that sets the terms of a pool: a paused one pays out in half of the time.
    pub(super) fn terms(&self, pool: usize, rate: u64, per_day: Option<i128>, paused: bool) -> Body {
        let (_, _, wait, _) = POOLS.get(pool).copied().expect("a place of the table of pools");
        let (provider, currency) = self.pool(pool);
        let terms = Terms {
            rate: Rate(rate * Rate::BASIS_POINT),
            limit: coins(1_000_000_000),
            wait: if paused { wait / 2 } else { wait },
            per_day: per_day.map(coins),
            paused,
        };
        StakingCommand::SetTerms(Arc::new(PairTerms { provider, currency, terms })).into()
    }
}

/// So many coins.
pub(super) fn coins(amount: i128) -> Money {
    Money::from_units(amount * Money::ONE.units())
}

fn provider(pool: usize) -> Provider {
    let mut bytes = [0; 16];
    (bytes[6], bytes[8]) = (0x40, 0x80);
    bytes[15] = u8::try_from(pool).expect("a few pools");
    Provider(bytes)
}

/// The commands that found the exchange.
pub(super) fn found(dice: &mut Dice) -> Founded {
    let mut exchange = open_exchange();
    let usd = exchange.find_currency("USD");
    let (lot, tick) = ("0.00000001", "0.01");
    let spot = Listing { quote: "USD", product: Product::Spot, lot, tick, least: 100, wraps: false };
    let markets: Vec<Market> =
        [("BTC", 10_000), ("ETH", 500)].map(|(code, ticks)| list(&mut exchange, code, &spot, ticks)).into();
    for market in &markets {
        exchange.own(market.pin());
    }
    exchange.own(Body::add_group("desks".into()));
    exchange.own(ClearingCommand::SetKey(Codes::of([9; 16])).into());
    exchange.own(StakingCommand::SetKey([7; 16]).into());
    exchange.own(ClearingCommand::SetFee(Bps(dice.pick(&[0, 3]))).into());
    let mut desks = Vec::new();
    for number in 0..DESKS {
        let desk = open(&mut exchange, &format!("desk-{number}"), AccountKind::Exchange);
        credit(&mut exchange, desk.0, usd, 300);
        for market in &markets {
            credit(&mut exchange, desk.0, market.base, 20);
        }
        desks.push(desk);
    }
    let broker = desks.last().expect("there are desks").0;
    exchange.own(ClearingCommand::SetBroker(broker, true).into());
    let mut founded = Founded { commands: Vec::new(), usd, markets, desks };
    for (place, (coin, rate, _, per_day)) in POOLS.into_iter().enumerate() {
        exchange.own(founded.terms(place, rate, per_day, false));
        let base = founded.markets.get(coin).expect("there are two").base;
        let amount = Money::from_units(coins(1).units() / dice.pick(&[1, 100]));
        exchange.own(StakingCommand::Fund(base, amount).into());
    }
    founded.commands = commands_of(&exchange);
    founded
}
