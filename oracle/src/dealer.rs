//! A seeded source of commands that keep a few small markets busy: orders of every kind around one price, cancels of
//! every kind, funds that run out and come again, symbols that close and open.

use crate::exchange::{Exchange, caller, nonce, orders_of};
use buttonwood_engine::{Body, Command, FeeSchedule, OrderRef, Place, State};
use buttonwood_model::{
    AccountId, ClientId, CurrencyId, ExecutionOption, Nonce, OrderId, OrderKind, Role, SessionId, Side,
    SymbolId, SymbolStatus,
};
use buttonwood_num::{Bps, Money, Price, Qty};

/// Where random numbers come from.
#[derive(Clone)]
enum Source {
    /// One seed (splitmix64).
    Seed(u64),
    /// Given bytes from last to first, and zeros when they are used up.
    Bytes(Vec<u8>),
}

/// Random numbers, of a seed or out of given bytes.
#[derive(Clone)]
pub struct Dice(Source);

impl Dice {
    /// The numbers of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seed(seed))
    }

    /// Numbers out of bytes, as few of them for each number as its range needs, so that a changed byte changes one
    /// choice and those after it stay.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Source::Bytes(bytes.iter().rev().copied().collect()))
    }

    /// Whether the given bytes are used up; those of a seed never are.
    pub fn is_spent(&self) -> bool {
        matches!(&self.0, Source::Bytes(bytes) if bytes.is_empty())
    }

    /// A number evenly from a range of at least `end`.
    fn draw(&mut self, end: u64) -> u64 {
        match &mut self.0 {
            Source::Seed(seed) => {
                *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut word = *seed;
                word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                word ^ (word >> 31)
            }
            Source::Bytes(bytes) => {
                let width = (u64::BITS - (end - 1).leading_zeros()).div_ceil(8);
                (0..width).fold(0, |word, _| word << 8 | u64::from(bytes.pop().unwrap_or(0)))
            }
        }
    }

    /// Evenly from 0 to `end`, which is not among them.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw(end) % end
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.below(u64::try_from(from.len()).unwrap());
        from[usize::try_from(at).unwrap()]
    }

    /// Once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// A symbol and where its orders lie.
#[derive(Clone, Copy)]
pub struct Range {
    /// Base and quote.
    pub pair: [&'static str; 2],
    /// Minimum, lot and tick.
    pub steps: [&'static str; 3],
    /// Jurisdictions it is closed to.
    pub closed_to: &'static [&'static str],
    /// The price orders lie around, in ticks.
    pub mid: u64,
    /// How far from it most of them lie.
    pub span: u64,
    /// The quantities of most of them, in hundredths of a lot: one step.
    pub qty_step: u128,
    /// How many steps at most.
    pub qty_steps: u64,
}

/// A world to trade in.
#[derive(Clone, Copy)]
pub struct World {
    /// Fee rates.
    pub fees: FeeSchedule,
    /// What trades.
    pub ranges: &'static [Range],
    /// How many units of money (10⁻¹⁹) a credit gives at most, per currency code.
    pub credits: &'static [(&'static str, i128)],
    /// Live orders above which cancels come more often.
    pub crowd: usize,
    /// Of how many orders one reaches across the middle.
    pub across: u64,
    /// Accounts, the last one in a place that some symbols are closed to.
    pub traders: usize,
}

/// One key.
#[derive(Clone, Copy)]
struct Key {
    session: SessionId,
    account: AccountId,
    nonce: u64,
}

/// Deals commands.
pub struct Dealer {
    dice: Dice,
    world: &'static World,
    keys: Vec<Key>,
    credits: Vec<(CurrencyId, i128)>,
}

/// Client ids in use; few, so that they meet again.
const CLIENT_IDS: [&str; 4] = ["a", "b", "a-client-id-longer-than-one-chunk-of-28", "c"];

impl Dealer {
    /// Founds the world on an exchange of its own.
    pub fn found(world: &'static World, seed: u64) -> (Exchange, Self) {
        Self::found_on(Exchange::open(world.fees, None), world, seed)
    }

    /// Founds the world on an exchange that was just opened.
    pub fn found_on(mut exchange: Exchange, world: &'static World, seed: u64) -> (Exchange, Self) {
        for range in world.ranges {
            for code in range.pair {
                exchange.find_currency(code);
            }
            exchange.symbol(range.pair, range.steps, range.closed_to);
        }
        let mut keys = Vec::new();
        for at in 0..world.traders {
            let name = format!("trader{at}");
            let account = exchange.account(&name, if at == world.traders - 1 { "US-NY" } else { "" });
            // The second one must be heard of, which only a sequencer cares about.
            let sessions = [
                exchange.key(&format!("{name}-0"), account, Role::Trader),
                exchange.beating_key(&format!("{name}-1"), account, Role::Trader),
            ];
            keys.extend(sessions.map(|session| Key { session, account, nonce: 1 }));
        }
        let session = exchange.key("auditor", keys[0].account, Role::Auditor);
        keys.push(Key { session, account: keys[0].account, nonce: 1 });
        let credits =
            world.credits.iter().map(|(code, amount)| (exchange.find_currency(code), *amount)).collect();
        (exchange, Self { dice: Dice::seeded(seed), world, keys, credits })
    }

    /// A copy that deals by other dice.
    #[must_use]
    pub fn taking(&self, dice: Dice) -> Self {
        Self { dice, keys: self.keys.clone(), credits: self.credits.clone(), ..*self }
    }

    /// Whether the bytes it deals by are used up.
    pub fn is_spent(&self) -> bool {
        self.dice.is_spent()
    }

    /// A call that only reads: whose, and the nonce it uses.
    pub fn read(&mut self) -> (SessionId, Nonce) {
        let at = usize::try_from(self.dice.below(u64::try_from(self.keys.len()).unwrap())).unwrap();
        let key = &mut self.keys[at];
        key.nonce += 1;
        (key.session, nonce(key.nonce))
    }

    /// The next command, and how many microseconds after the last one it comes.
    pub fn deal(&mut self, exchange: &Exchange) -> (u64, Command) {
        self.deal_to(&exchange.state)
    }

    /// As [`Dealer::deal`], for an exchange of which only the state is at hand.
    pub fn deal_to(&mut self, state: &State) -> (u64, Command) {
        let micros = self.dice.below(3) * self.dice.below(100_000);
        let roll = self.dice.below(1000);
        let command = match roll {
            0..40 => Command { caller: None, body: self.credit() },
            40..43 => Command { caller: None, body: self.status() },
            43..45 => {
                let key = self.dice.pick(&self.keys);
                Command { caller: None, body: Body::ExpireSession(key.session) }
            }
            45..47 => {
                let key = self.dice.pick(&self.keys);
                Command { caller: None, body: Body::ResetNonces(key.session) }
            }
            _ => self.call(state),
        };
        (micros, command)
    }

    fn credit(&mut self) -> Body {
        let account = self.dice.pick(&self.keys).account;
        let mut amounts = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let (currency, most) = self.dice.pick(&self.credits);
            let share = i128::from(self.dice.below(1_000_000));
            amounts.push((
                currency,
                Money::from_units(most / 1_000_000 * share + i128::from(self.dice.below(1000))),
            ));
        }
        Body::credit(account, amounts)
    }

    fn status(&mut self) -> Body {
        let status =
            if self.dice.once_in(3) { self.dice.pick(&SymbolStatus::ALL) } else { SymbolStatus::Open };
        Body::SetSymbolStatus(self.some_symbol(), status)
    }

    fn some_symbol(&mut self) -> SymbolId {
        let count = u64::try_from(self.world.ranges.len()).unwrap();
        SymbolId(u16::try_from(self.dice.below(count)).unwrap())
    }

    fn call(&mut self, state: &State) -> Command {
        let traders = u64::try_from(self.keys.len()).unwrap() - 1;
        let at = if self.dice.once_in(100) { traders } else { self.dice.below(traders) };
        let at = usize::try_from(at).unwrap();
        if !self.dice.once_in(100) {
            self.keys[at].nonce += 1;
        }
        let key = self.keys[at];
        let number = if self.dice.once_in(150) { self.old(key.nonce) } else { key.nonce };
        // Now and then a session that there is not.
        let session =
            if self.dice.once_in(500) { SessionId::from_index(self.keys.len() + at) } else { key.session };
        let account = if self.dice.once_in(200) { self.dice.pick(&self.keys).account } else { key.account };
        let crowded = state.orders().len() > self.world.crowd;
        let body = match self.dice.below(1000) {
            0..3 => Body::CancelAll,
            3..8 => Body::CancelSession,
            8..10 => Body::UseNonce,
            10..150 => self.cancel(state, account),
            150..500 if crowded => self.cancel(state, account),
            _ => Body::Place(self.place()),
        };
        Command { caller: Some(caller(session, account, number)), body }
    }

    /// A nonce that was dealt before, most likely one of the last few.
    fn old(&mut self, last: u64) -> u64 {
        let reach = self.dice.pick(&[4, 20, 1_000]);
        last.saturating_sub(self.dice.below(reach)).max(1)
    }

    fn cancel(&mut self, state: &State, account: AccountId) -> Body {
        if self.dice.once_in(5) {
            return Body::Cancel(OrderRef::ClientId(ClientId::new(self.dice.pick(&CLIENT_IDS)).unwrap()));
        }
        let whose = if self.dice.once_in(10) { self.dice.pick(&self.keys).account } else { account };
        let live: Vec<u64> = orders_of(state, whose).map(|order| order.id.0).collect();
        let id = if live.is_empty() { self.dice.below(1000) } else { self.dice.pick(&live) };
        Body::Cancel(OrderRef::Id(OrderId(id)))
    }

    fn place(&mut self) -> Place {
        let symbol = self.some_symbol();
        let range = self.world.ranges[symbol.index()];
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let kind = match self.dice.below(20) {
            0..2 => OrderKind::Market,
            2..4 if side == Side::Buy => OrderKind::MarketSpend,
            _ => OrderKind::Limit,
        };
        let option = match self.dice.below(12) {
            0 if kind == OrderKind::Limit => Some(ExecutionOption::MakerOrCancel),
            1 => Some(ExecutionOption::ImmediateOrCancel),
            2 => Some(ExecutionOption::FillOrKill),
            _ => None,
        };
        let mut place = Place {
            symbol,
            side,
            kind,
            option,
            price: Price::default(),
            qty: Qty::ZERO,
            spend: Money::ZERO,
            client_id: None,
        };
        if self.dice.once_in(400) {
            // One that is not listed.
            place.symbol = SymbolId::from_index(self.world.ranges.len());
        }
        if self.dice.once_in(3) {
            place.client_id = Some(ClientId::new(self.dice.pick(&CLIENT_IDS)).unwrap());
        }
        if kind == OrderKind::Limit {
            place.price = self.price(&range, side);
        }
        if kind == OrderKind::MarketSpend {
            let per_step = i128::from(range.mid) * i128::try_from(range.qty_step).unwrap();
            place.spend = self.spend(exchange_unit(&range) * per_step, range.qty_steps);
        } else {
            place.qty = self.qty(&range);
        }
        place
    }

    fn price(&mut self, range: &Range, side: Side) -> Price {
        let span = match self.dice.below(20) {
            0 => range.mid - 1,
            1..3 => range.mid / 12 + 1,
            _ => range.span,
        };
        let far = self.dice.below(span + 1);
        // Buys lie below and sells above, but for those that reach across.
        let below = (side == Side::Buy) != self.dice.once_in(self.world.across);
        Price::from_ticks(if below { range.mid.saturating_sub(far).max(1) } else { range.mid + far })
    }

    fn qty(&mut self, range: &Range) -> Qty {
        let steps = match self.dice.below(50) {
            0 => self.dice.below(range.qty_steps * 1000),
            1..10 => self.dice.below(range.qty_steps * 10),
            _ => self.dice.below(range.qty_steps),
        };
        Qty::from_hundredths(u128::from(steps + u64::from(!self.dice.once_in(100))) * range.qty_step)
    }

    /// Around what some steps of quantity cost; sometimes a few units, sometimes everything.
    fn spend(&mut self, step_cost: i128, steps: u64) -> Money {
        let most = step_cost * i128::from(self.dice.below(steps * 4) + 1);
        Money::from_units(match self.dice.below(10) {
            0 => 1 + i128::from(self.dice.below(3000)),
            1 => most * 1000,
            _ => 1 + most * i128::from(self.dice.below(1_000_000)) / 1_000_000,
        })
    }
}

/// Units of money of one tick times one hundredth of a lot, reckoned from the printed steps.
pub(crate) fn exchange_unit(range: &Range) -> i128 {
    let [_, lot, tick] = range.steps.map(units);
    tick * lot / 10i128.pow(19) / 100
}

/// A printed decimal in units of 10⁻¹⁹.
pub(crate) fn units(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 19, "at most 19 decimals: {text}");
    let digits = format!("{whole}{fraction:0<19}");
    digits.parse().unwrap()
}

/// Rates in basis points.
const fn rates(maker: u16, taker: u16) -> FeeSchedule {
    FeeSchedule { maker: Bps(maker), taker: Bps(taker) }
}

/// The specification's majors at its default rates.
pub static MAJORS: World = World {
    fees: rates(20, 40),
    ranges: &[
        Range {
            pair: ["BTC", "USD"],
            steps: ["0.00001", "0.00000001", "0.01"],
            closed_to: &[],
            mid: 3_000_000,
            span: 12,
            qty_step: 100_000,
            qty_steps: 60,
        },
        Range {
            pair: ["ETH", "USD"],
            steps: ["0.001", "0.000001", "0.01"],
            closed_to: &[],
            mid: 2_000,
            span: 60,
            qty_step: 100_000,
            qty_steps: 40,
        },
        Range {
            pair: ["ETH", "BTC"],
            steps: ["0.001", "0.000001", "0.00001"],
            closed_to: &["US-NY"],
            mid: 6_666,
            span: 5,
            qty_step: 100_000,
            qty_steps: 20,
        },
    ],
    credits: &[
        ("BTC", 1_000_000_000_000_000_000),
        ("USD", 20_000_000_000_000_000_000_000),
        ("ETH", 1_000_000_000_000_000_000),
    ],
    crowd: 40,
    across: 3,
    traders: 8,
};

/// Increments whose products end at the very last decimal, and quantities of a few lots: every fee rounds.
pub static FINE: World = World {
    fees: rates(20, 40),
    ranges: &[
        Range {
            pair: ["DOGE", "BTC"],
            steps: ["0.00000001", "0.00000001", "0.000000001"],
            closed_to: &[],
            mid: 41,
            span: 3,
            qty_step: 100,
            qty_steps: 12,
        },
        Range {
            pair: ["ELON", "USD"],
            steps: ["0.000001", "0.000001", "0.00000000001"],
            closed_to: &["US-NY"],
            mid: 7_001,
            span: 40,
            qty_step: 100,
            qty_steps: 9,
        },
    ],
    credits: &[
        ("DOGE", 10_000_000_000_000),
        ("BTC", 6_000_000),
        ("ELON", 200_000_000_000_000),
        ("USD", 90_000_000),
    ],
    crowd: 40,
    across: 3,
    traders: 8,
};

/// Rates that never come out even, equal for both parties, so that a buyer's last fee meets the end of his hold.
pub static ODD: World = World {
    fees: rates(37, 37),
    ranges: &[
        Range {
            pair: ["DOGE", "BTC"],
            steps: ["0.00000001", "0.00000001", "0.000000001"],
            closed_to: &[],
            mid: 3,
            span: 1,
            qty_step: 1,
            qty_steps: 300,
        },
        Range {
            pair: ["DOGE", "USD"],
            steps: ["0.1", "0.000001", "0.00001"],
            closed_to: &[],
            mid: 8_123,
            span: 30,
            qty_step: 10_000_100,
            qty_steps: 30,
        },
    ],
    credits: &[("DOGE", 100_000_000_000_000_000_000), ("BTC", 50_000), ("USD", 4_000_000_000_000_000_000)],
    crowd: 40,
    across: 3,
    traders: 8,
};

/// Many accounts with much money and one symbol for all: more than a hundred orders live, and one may trade with dozens.
pub static DEEP: World = World {
    fees: rates(20, 40),
    ranges: &[Range {
        pair: ["SOL", "USD"],
        steps: ["0.001", "0.000001", "0.001"],
        closed_to: &["US-NY"],
        mid: 150_000,
        span: 40,
        qty_step: 100_000,
        qty_steps: 25,
    }],
    credits: &[("SOL", 1_000_000_000_000_000_000_000), ("USD", 150_000_000_000_000_000_000_000)],
    crowd: 140,
    across: 12,
    traders: 40,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_drawn_one_choice_at_a_time() {
        let mut dice = Dice::of_bytes(&[7, 1, 2, 3]);
        assert_eq!(dice.below(1), 0, "no choice, no byte");
        assert_eq!(dice.below(5), 2);
        assert_eq!(dice.below(1000), 0x0102);
        assert!(!dice.is_spent());
        assert_eq!(dice.below(256), 3);
        assert!(dice.is_spent());
        assert_eq!(dice.below(9), 0);
    }
}
