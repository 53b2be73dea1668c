//! New programs out of old ones, and out of what people who know the rules do: short patterns with random numbers.

mod bets;
mod crowd;
mod moving;

use super::program::{Act, Amount, OPTIONS, Program};
use super::thefts::{THEFTS, Theft};
use super::world::{COINS, FIRST_GROUP, MARKETS, ONE, PEOPLE, POOLS, WRAPPING};
use buttonwood_engine::AccountKind;
use buttonwood_model::{ExecutionOption, Product, Side};
use buttonwood_oracle::Dice;

/// The most acts of a program.
pub(super) const ACTS_MAX: usize = 24;

/// Prices as ten-thousandths of the index: around it, at the bounds that rules set, and far away.
const NEAR: [i128; 18] = [
    5_000, 9_000, 9_400, 9_490, 9_500, 9_890, 9_990, 9_995, 10_000, 10_000, 10_005, 10_010, 10_110, 10_490,
    10_500, 10_600, 11_000, 15_000,
];
const FAR: [i128; 6] = [1, 100, 1_000, 20_000, 1_000_000, 100_000_000];

/// Shares of what an account has.
const SHARES: [u8; 7] = [1, 10, 30, 50, 90, 99, 100];

/// Dollars that an amount is worth.
const WORTH: [i128; 9] = [1, 10, 100, 1_000, 9_800, 20_000, 100_000, 1_000_000, 10_000_000];

/// Seconds of a wait: below, at and above what rules count in.
const WAITS: [u64; 11] = [1, 30, 59, 60, 61, 120, 3_600, 6 * 3_600, 12 * 3_600, 24 * 3_600, 5 * 24 * 3_600];

/// One pattern of so many repeats acts.
const CROWDED: u64 = 400;

/// The largest decimal that a client can write, without its fraction.
const MOST: i128 = 999_999_999_999_999_999 * ONE;

/// Values far off every grid and every range.
const EXTREMES: [i128; 6] =
    [1, 100, ONE / 10_000, 1_844_674_407_370_955 * ONE, 1_000_000_000_000_000 * ONE, MOST];

/// Makes programs.
pub(super) struct Maker<'a> {
    pub(super) dice: &'a mut Dice,
    /// It leaves out acts with one of these words.
    pub(super) without: &'a [String],
    /// The indices move, and one group is alone.
    pub(super) moves: bool,
    /// Acts may repeat others.
    pub(super) repeats: bool,
}

impl Maker<'_> {
    /// A program of one to three patterns.
    pub(super) fn fresh(&mut self) -> Program {
        let mut program = Program::default();
        for _ in 0..=self.dice.below(3) {
            let acts = self.pattern();
            program.acts.extend(acts);
        }
        self.trim(program)
    }

    /// A changed copy; `other` lends it acts at times.
    pub(super) fn changed(&mut self, program: &Program, other: &Program) -> Program {
        let mut program = program.clone();
        for _ in 0..=self.dice.below(3) {
            self.change(&mut program, other);
        }
        self.trim(program)
    }

    fn trim(&mut self, mut program: Program) -> Program {
        if !self.without.is_empty() {
            program.acts.retain(|act| {
                let text = act.to_string();
                !text.split_whitespace().any(|word| self.without.iter().any(|without| without == word))
            });
        }
        self.thin(&mut program);
        if self.moves {
            program.acts.retain(moving::is_judged);
        }
        program.acts.truncate(ACTS_MAX);
        program
    }

    fn place_in(&mut self, program: &Program) -> usize {
        let end = u64::try_from(program.acts.len()).expect("a short program") + 1;
        usize::try_from(self.dice.below(end)).expect("a short program")
    }

    fn change(&mut self, program: &mut Program, other: &Program) {
        let at = self.place_in(program);
        match self.dice.below(12) {
            0..3 => {
                let acts = self.pattern();
                program.acts.splice(at..at, acts);
            }
            3 => {
                let act = self.act();
                program.acts.insert(at, act);
            }
            4..6 if at < program.acts.len() => {
                program.acts.remove(at);
            }
            6 if at + 1 < program.acts.len() => program.acts.swap(at, at + 1),
            7 => {
                let from = self.place_in(other);
                let taken: Vec<Act> = other.acts.iter().skip(from).take(6).copied().collect();
                program.acts.splice(at..at, taken);
            }
            8 => {
                if let Some(act) = program.acts.get(at).copied() {
                    program.acts.insert(at, act);
                }
            }
            _ => {
                if let Some(act) = program.acts.get(at).copied() {
                    let changed = self.vary(act);
                    program.acts.splice(at..=at, [changed]);
                }
            }
        }
    }

    /// The act with another number, person, market or side.
    fn vary(&mut self, act: Act) -> Act {
        let roll = self.dice.below(6);
        match act {
            Act::Place { who, market, side, amount, price, option, margin, stop } => {
                let mut place = (who, market, side, amount, price, option, margin, stop);
                match roll {
                    0 => place.0 = self.person(),
                    1 => place.2 = side.opposite(),
                    2 => place.3 = self.varied(amount, market),
                    3 => place.4 = self.scaled(price),
                    4 => place.4 = self.price(market),
                    _ => place.6 = !margin,
                }
                let (who, market, side, amount, price, option, margin, stop) = place;
                Act::Place { who, market, side, amount, price, option, margin, stop }
            }
            Act::Market { who, market, side, amount, margin } => match roll {
                0 => Act::Market { who: self.person(), market, side, amount, margin },
                1 => Act::Market { who, market, side: side.opposite(), amount, margin },
                _ => Act::Market { who, market, side, amount: self.varied(amount, market), margin },
            },
            Act::Quote { who, market, side, amount } => match roll {
                0 => Act::Quote { who: self.person(), market, side, amount },
                1 => Act::Quote { who, market, side: side.opposite(), amount },
                _ => Act::Quote { who, market, side, amount: self.varied(amount, market) },
            },
            Act::Wrap { who, side, amount } => Act::Wrap { who, side, amount: self.varied(amount, WRAPPING) },
            Act::Send { who, to, coin, amount } => match roll {
                0 => Act::Send { who, to: self.person(), coin, amount },
                1 => Act::Send { who, to, coin: self.coin(), amount },
                _ => Act::Send { who, to, coin, amount: self.varied(amount, WRAPPING) },
            },
            Act::Ach { who, amount } => Act::Ach { who, amount: self.varied(amount, WRAPPING) },
            Act::Pay { who, amount } => Act::Pay { who, amount: self.varied(amount, WRAPPING) },
            Act::Withdraw { who, amount, .. } if roll == 0 => {
                Act::Withdraw { who, coin: self.coin(), amount }
            }
            Act::Withdraw { who, coin, amount } => {
                Act::Withdraw { who, coin, amount: self.varied(amount, WRAPPING) }
            }
            Act::Wait { seconds } => Act::Wait {
                seconds: match roll {
                    0 => seconds.saturating_add(1),
                    1 => (seconds * 2).min(6 * 24 * 3_600),
                    2 => seconds / 2 + 1,
                    _ => self.dice.pick(&WAITS),
                },
            },
            Act::Deal { who, to, market, side, amount, price, by } => match roll {
                0 => Act::Deal { who: self.person(), to, market, side, amount, price, by },
                1 => Act::Deal { who, to, market, side: side.opposite(), amount, price, by },
                2 => Act::Deal { who, to, market, side, amount: self.varied(amount, market), price, by },
                _ => Act::Deal { who, to, market, side, amount, price: self.price(market), by },
            },
            Act::Steal { way, .. } if roll == 0 => Act::Steal { who: self.person(), way },
            Act::Steal { who, .. } => Act::Steal { who, way: self.theft() },
            Act::Confirm { .. } => Act::Confirm { who: self.person() },
            Act::Retract { .. } => Act::Retract { who: self.person() },
            Act::Stake { who, pool, amount } => Act::Stake { who, pool, amount: self.varied(amount, 1) },
            Act::Unstake { who, pool, amount } => Act::Unstake { who, pool, amount: self.varied(amount, 1) },
            Act::Cancel { .. } => Act::Cancel { who: self.person() },
            Act::Execute { .. } => Act::Execute { who: self.person() },
            Act::Return { .. } => Act::Return { who: self.person() },
            Act::Bet { .. }
            | Act::Resolve { .. }
            | Act::Dispute { .. }
            | Act::Void { .. }
            | Act::Halt { .. } => self.vary_bet(act),
            Act::Repeat { acts, .. } => Act::Repeat { acts, times: self.times() },
            Act::Auction { .. } | Act::Break { .. } | Act::Promote { .. } | Act::Tiers => self.act(),
        }
    }

    fn scaled(&mut self, units: i128) -> i128 {
        let [up, down] = self.dice.pick(&[[2, 1], [1, 2], [10, 1], [1, 10], [101, 100], [99, 100]]);
        (units.saturating_mul(up) / down).clamp(1, MOST)
    }

    fn varied(&mut self, amount: Amount, market: usize) -> Amount {
        match amount {
            Amount::Exact(units) if !self.dice.once_in(3) => Amount::Exact(self.scaled(units)),
            Amount::Exact(_) | Amount::Share(_) => self.amount(market),
        }
    }

    fn person(&mut self) -> usize {
        let people = if self.moves { FIRST_GROUP } else { PEOPLE.len() };
        usize::try_from(self.dice.below(u64::try_from(people).expect("a few"))).expect("a few")
    }

    /// A person whose account is of one of these kinds.
    fn person_of(&mut self, kinds: &[AccountKind]) -> usize {
        loop {
            let who = self.person();
            if PEOPLE.get(who).is_some_and(|person| kinds.contains(&person.kind)) {
                return who;
            }
        }
    }

    /// A person who trades the market, and another one.
    fn traders(&mut self, market: usize) -> [usize; 2] {
        let is_swap = MARKETS.get(market).is_some_and(|market| market.product == Product::Swap);
        let kinds: &[AccountKind] =
            if is_swap { &[AccountKind::Derivatives] } else { &[AccountKind::Exchange, AccountKind::Margin] };
        let one = self.person_of(kinds);
        loop {
            let other = self.person_of(kinds);
            if other != one || self.dice.once_in(20) {
                return [one, other];
            }
        }
    }

    fn coin(&mut self) -> usize {
        self.dice.pick(&[0, 1, 2, 3, 4])
    }

    /// A market: most often one of two, so that acts meet.
    fn market(&mut self, product: Product) -> usize {
        loop {
            let market = self.dice.pick(&[0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 6, 6, 7]);
            if MARKETS.get(market).is_some_and(|known| known.product == product) {
                return market;
            }
        }
    }

    /// Units of quote for one of base at the index.
    fn index(market: usize) -> i128 {
        let dollars = |place: usize| COINS.get(place).map_or(1, |coin| coin.dollars);
        let [base, quote] = MARKETS.get(market).map_or([0, 0], |market| market.pair);
        dollars(base) * ONE / dollars(quote)
    }

    fn price(&mut self, market: usize) -> i128 {
        match self.dice.below(20) {
            0 => self.dice.pick(&EXTREMES),
            1..4 => Self::index(market) / 10_000 * self.dice.pick(&FAR),
            _ => Self::index(market) / 10_000 * self.dice.pick(&NEAR),
        }
    }

    /// An amount of base currency.
    fn amount(&mut self, market: usize) -> Amount {
        match self.dice.below(20) {
            0 => Amount::Exact(self.dice.pick(&EXTREMES)),
            1..9 => Amount::Share(self.dice.pick(&SHARES)),
            _ => {
                let units = self.dice.pick(&WORTH) * ONE / Self::dollars(market);
                Amount::Exact(units * i128::from(1 + self.dice.below(9)))
            }
        }
    }

    /// Dollars for one of the base currency.
    fn dollars(market: usize) -> i128 {
        MARKETS.get(market).and_then(|market| COINS.get(market.pair[0])).map_or(1, |coin| coin.dollars)
    }

    /// An amount that hardly counts.
    fn crumb(market: usize) -> Amount {
        Amount::Exact((10 * ONE / Self::dollars(market)).max(ONE / 1_000))
    }

    fn side(&mut self) -> Side {
        self.dice.pick(&[Side::Buy, Side::Sell])
    }

    fn order(who: usize, market: usize, side: Side, amount: Amount, price: i128) -> Act {
        Act::Place { who, market, side, amount, price, option: None, margin: false, stop: None }
    }

    /// Joint patterns of people who know the rules.
    fn pattern(&mut self) -> Vec<Act> {
        if self.moves && self.dice.once_in(3) {
            return self.borrow_by_painted_index();
        }
        if self.repeats && self.dice.once_in(CROWDED) {
            return self.crowd();
        }
        match self.dice.below(25) {
            0 | 1 => self.instant(),
            2 => self.paint(),
            3 | 4 => self.pair(),
            5 => self.spread(),
            6 | 7 => self.advance(),
            8 | 9 => self.loan(),
            10 => self.leave(),
            11 => self.meet(),
            12 => self.auction(),
            13 => self.huge(),
            14 | 15 => self.deal(),
            16 | 17 => self.stake(),
            18..21 => self.bets(),
            21 => self.unresolved(),
            22 => self.quoted(),
            23 => self.advanced_bet(),
            _ => vec![self.act(), self.act()],
        }
    }

    /// One rests an order, the other takes an instant price from it.
    fn instant(&mut self) -> Vec<Act> {
        let market = self.market(Product::Spot);
        let [one, other] = self.traders(market);
        let (side, price) = (self.side(), self.price(market));
        let (rests, takes) = (self.amount(market), self.amount(market));
        let mut acts = vec![Self::order(one, market, side, rests, price)];
        acts.push(Act::Quote { who: other, market, side: side.opposite(), amount: takes });
        if !self.dice.once_in(3) {
            acts.push(Act::Cancel { who: one });
        }
        acts.push(Act::Execute { who: other });
        acts
    }

    /// Two trade a crumb with each other, which moves the last price.
    fn paint(&mut self) -> Vec<Act> {
        let product = self.dice.pick(&[Product::Spot, Product::Swap]);
        let market = self.market(product);
        let [one, other] = self.traders(market);
        let (side, price) = (self.side(), self.price(market));
        [(one, side), (other, side.opposite())]
            .map(|(who, side)| Self::order(who, market, side, Self::crumb(market), price))
            .to_vec()
    }

    /// Two open opposite positions.
    fn pair(&mut self) -> Vec<Act> {
        let market = self.market(Product::Swap);
        let [one, other] = self.traders(market);
        let price = if self.dice.once_in(3) { self.price(market) } else { Self::index(market) };
        let (side, amount) = (self.side(), self.amount(market));
        [(one, side), (other, side.opposite())]
            .map(|(who, side)| Self::order(who, market, side, amount, price))
            .to_vec()
    }

    /// One rests crumbs on both sides far off the index, and time passes.
    fn spread(&mut self) -> Vec<Act> {
        let product = self.dice.pick(&[Product::Swap, Product::Swap, Product::Spot]);
        let market = self.market(product);
        let [one, _] = self.traders(market);
        let price = self.price(market);
        let ask = (price + price / 50 + 1).min(MOST);
        let seconds = self.dice.pick(&WAITS);
        vec![
            Self::order(one, market, Side::Buy, Self::crumb(market), price),
            Self::order(one, market, Side::Sell, Self::crumb(market), ask),
            Act::Wait { seconds },
        ]
    }

    /// One gets an advance and buys something dear from another; at times the money goes on, and the bank takes the advance back.
    fn advance(&mut self) -> Vec<Act> {
        let market = self.market(Product::Spot);
        let [one, other] = self.traders(market);
        let dollars = self.dice.pick(&[100, 1_000, 10_000, 25_000, 200_000]);
        let (price, amount) = (self.price(market), self.amount(market));
        let mut acts = vec![Act::Ach { who: one, amount: Amount::Exact(dollars * ONE) }];
        acts.push(Self::order(other, market, Side::Sell, amount, price));
        acts.push(if self.dice.once_in(3) {
            Act::Market {
                who: one,
                market,
                side: Side::Buy,
                amount: Amount::Share(99),
                margin: self.dice.once_in(3),
            }
        } else {
            Self::order(one, market, Side::Buy, amount, price)
        });
        if self.dice.once_in(2) {
            acts.extend(self.leave());
        }
        if self.dice.once_in(2) {
            acts.push(Act::Return { who: one });
        }
        acts
    }

    /// One buys on margin from another, and sends what it can to its group.
    fn loan(&mut self) -> Vec<Act> {
        let market = self.dice.pick(&[0, 0, 1]);
        let one = self.person_of(&[AccountKind::Margin]);
        let other = self.person_of(&[AccountKind::Exchange]);
        let (price, amount) = (self.price(market), self.amount(market));
        let coin = MARKETS.get(market).map_or(2, |market| market.pair[0]);
        let to = self.person();
        vec![
            Self::order(other, market, Side::Sell, amount, price),
            Act::Place {
                who: one,
                market,
                side: Side::Buy,
                amount,
                price,
                option: None,
                margin: true,
                stop: None,
            },
            Act::Send { who: one, to, coin, amount: self.amount(market) },
        ]
    }

    /// Money leaves, after it was wrapped at times.
    fn leave(&mut self) -> Vec<Act> {
        let who = self.person();
        let mut acts = Vec::new();
        if self.dice.once_in(2) {
            acts.push(Act::Wrap { who, side: self.side(), amount: Amount::Share(self.dice.pick(&SHARES)) });
        }
        let amount = Amount::Share(self.dice.pick(&SHARES));
        acts.push(match self.dice.below(3) {
            0 => Act::Withdraw { who, coin: 1 + self.coin() % 4, amount },
            1 => Act::Pay { who, amount },
            _ => Act::Send { who, to: self.person(), coin: self.coin(), amount },
        });
        acts
    }

    /// Two trade with each other at some price.
    fn meet(&mut self) -> Vec<Act> {
        let market = self.market(Product::Spot);
        let [one, other] = self.traders(market);
        let (side, price, amount) = (self.side(), self.price(market), self.amount(market));
        [(one, side), (other, side.opposite())]
            .map(|(who, side)| Self::order(who, market, side, amount, price))
            .to_vec()
    }

    /// Two meet in an auction.
    fn auction(&mut self) -> Vec<Act> {
        let market = self.market(Product::Spot);
        let [one, other] = self.traders(market);
        let (side, price, amount) = (self.side(), self.price(market), self.amount(market));
        let order = |who, side| Act::Place {
            who,
            market,
            side,
            amount,
            price,
            option: Some(ExecutionOption::AuctionOnly),
            margin: false,
            stop: None,
        };
        vec![
            Act::Auction { market },
            order(one, side),
            order(other, side.opposite()),
            Act::Wait { seconds: 130 },
        ]
    }

    /// One asks or offers a price beyond every reason for all that it has, which it may have wrapped before.
    fn huge(&mut self) -> Vec<Act> {
        let product = self.dice.pick(&[Product::Spot, Product::Spot, Product::Swap]);
        let market = if product == Product::Spot {
            self.dice.pick(&[0, 1, 2, 3, 3, 4, 5])
        } else {
            self.market(product)
        };
        let [who, _] = self.traders(market);
        let (side, price) = (self.side(), self.dice.pick(&EXTREMES));
        let amount = if self.dice.once_in(2) { Amount::Share(100) } else { self.amount(market) };
        let margin = self.dice.once_in(3);
        vec![
            Act::Wrap { who, side: self.side(), amount: Amount::Share(99) },
            Act::Place { who, market, side, amount, price, option: None, margin, stop: None },
        ]
    }

    /// Two agree on a trade off the book, at times with an advance that the bank takes back, or through a broker.
    fn deal(&mut self) -> Vec<Act> {
        let market = self.market(Product::Spot);
        let [who, other] = [(); 2].map(|()| self.person_of(&[AccountKind::Exchange]));
        let (side, amount, price) = (self.side(), self.amount(market), self.price(market));
        let to = Some(other).filter(|_| !self.dice.once_in(6));
        let by = if self.dice.once_in(4) { Some(self.person_of(&[AccountKind::Exchange])) } else { None };
        let mut acts = Vec::new();
        let advanced = self.dice.once_in(2);
        if advanced {
            let dollars = self.dice.pick(&[1_000, 10_000, 25_000, 200_000]);
            acts.push(Act::Ach { who, amount: Amount::Exact(dollars * ONE) });
        }
        acts.push(Act::Deal { who, to, market, side, amount, price, by });
        acts.push(Act::Confirm { who: other });
        if by.is_some() {
            acts.push(Act::Confirm { who });
        }
        if advanced {
            acts.extend(self.leave());
            acts.push(Act::Return { who });
        }
        acts
    }

    /// One stakes, and redeems after a time.
    fn stake(&mut self) -> Vec<Act> {
        let (who, pool) = (self.person_of(&[AccountKind::Exchange]), self.pool());
        let [all, part] = [(); 2].map(|()| Amount::Share(self.dice.pick(&SHARES)));
        let seconds = self.dice.pick(&WAITS);
        let mut acts = vec![Act::Stake { who, pool, amount: all }, Act::Wait { seconds }];
        if !self.dice.once_in(3) {
            acts.push(Act::Unstake { who, pool, amount: part });
        }
        if self.dice.once_in(3) {
            acts.extend(self.leave());
        }
        acts
    }

    fn pool(&mut self) -> usize {
        usize::try_from(self.dice.below(u64::try_from(POOLS.len()).expect("a few"))).expect("a few")
    }

    fn theft(&mut self) -> Theft {
        self.dice.pick(&THEFTS).1
    }

    /// Any one act.
    fn act(&mut self) -> Act {
        let product = self.dice.pick(&[Product::Spot, Product::Swap]);
        let market = self.market(product);
        let [who, to] = self.traders(market);
        let (side, amount, price) = (self.side(), self.amount(market), self.price(market));
        match self.dice.below(29) {
            0..5 => {
                let option = if self.dice.once_in(4) {
                    OPTIONS
                        .get(usize::try_from(self.dice.below(4)).expect("one of four"))
                        .map(|(_, option)| *option)
                } else {
                    None
                };
                let stop = if self.dice.once_in(6) { Some(self.price(market)) } else { None };
                Act::Place { who, market, side, amount, price, option, margin: self.dice.once_in(3), stop }
            }
            5 => Act::Market { who, market, side, amount, margin: self.dice.once_in(3) },
            6 => Act::Cancel { who },
            7 => Act::Quote { who, market, side, amount },
            8 => Act::Execute { who },
            9 => Act::Wrap { who, side, amount },
            10 | 11 => Act::Send { who: self.person(), to, coin: self.coin(), amount },
            12 => Act::Ach { who: self.person(), amount },
            13 => Act::Return { who: self.person() },
            14 => Act::Withdraw { who: self.person(), coin: self.coin(), amount },
            15 | 16 => Act::Wait { seconds: self.dice.pick(&WAITS) },
            17 => Act::Break { market },
            18 => Act::Promote { market },
            19 => Act::Confirm { who },
            20 => Act::Retract { who },
            21 => Act::Stake { who, pool: self.pool(), amount },
            22 => Act::Unstake { who, pool: self.pool(), amount },
            23..27 => self.bet_act(),
            27 => Act::Steal { who, way: self.theft() },
            _ => Act::Tiers,
        }
    }
}
