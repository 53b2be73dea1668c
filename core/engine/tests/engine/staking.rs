//! Staking: stakes and their limit, days of interest, redemptions and debts.

use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt, Settlement};
use buttonwood_engine::staking::{
    Command as Own, OPEN_MAX, PairId, PairTerms, Provider, Rate, Reject, Request, Short, Terms,
};
use buttonwood_engine::{
    AccessCommand, AccessReject, Adjustment, Answer, Body, Command, FeeSchedule, FundsCommand, LedgerCommand,
    LedgerReject, Made, Operation, Place, Reject as AnyReject, StakingAnswer, StakingCommand, TradingCommand,
    TransferMethod, perp,
};
use buttonwood_model::{AccountId, CurrencyId, Role, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Decimal, Money};
use buttonwood_oracle::{Exchange, caller};
use std::sync::Arc;

const DAY: u64 = 86_400 * Time::SECOND;
const NOON: u64 = 43_200 * Time::SECOND;

/// An exchange with a pair of a provider and a coin, and two customers.
struct Stage {
    exchange: Exchange,
    sol: CurrencyId,
    ann: AccountId,
    bob: AccountId,
    keys: [SessionId; 2],
    nonce: u64,
}

fn money(text: &str) -> Money {
    Money::from_decimal(Decimal::parse(text.as_bytes()).expect("the test writes decimals"))
        .expect("an amount of money")
}

fn provider(last: u8) -> Provider {
    let mut bytes = [0; 16];
    (bytes[6], bytes[8], bytes[15]) = (0x40, 0x80, last);
    Provider(bytes)
}

/// 365 basis points: one ten-thousandth a day.
fn terms(basis_points: u64) -> Terms {
    Terms {
        rate: Rate(basis_points * Rate::BASIS_POINT),
        limit: money("1000000"),
        wait: 0,
        per_day: None,
        paused: false,
    }
}

fn refused(reject: Reject) -> Answer {
    Answer::Rejected(AnyReject::Staking(reject))
}

impl Stage {
    /// Its journal and its snapshot lead to the same state.
    fn replays(&mut self) {
        let mut again = Exchange::blank();
        for frame in self.exchange.journal.take().expect("it is recorded") {
            again.replay(&frame);
        }
        assert_eq!(again.state.fingerprint(), self.exchange.state.fingerprint());
        assert_eq!(again.state.staking(), self.exchange.state.staking());
        assert_eq!(self.exchange.stored().staking(), again.state.staking());
    }

    /// At noon of the second day of the calendar.
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), Some(Vec::new()));
        let (_, sol) = (exchange.find_currency("USD"), exchange.find_currency("SOL"));
        exchange.symbol(["SOL", "USD"], ["0.001", "0.000001", "0.001"], &[]);
        let (ann, bob) = (exchange.account("ann", ""), exchange.account("bob", ""));
        let keys =
            [("ann", ann), ("bob", bob)].map(|(name, account)| exchange.key(name, account, Role::Trader));
        for account in [ann, bob] {
            assert_eq!(exchange.own(Body::credit(account, vec![(sol, money("1000"))])), Answer::Done);
        }
        let mut stage = Self { exchange, sol, ann, bob, keys, nonce: 0 };
        stage.pass_to(DAY + NOON);
        assert_eq!(stage.own(Own::SetKey([7; 16])), Answer::Done);
        assert_eq!(stage.own(perp::Command::PinIndex(sol, Some(money("100")))), Answer::Done);
        assert_eq!(stage.set(1, terms(365)), Answer::Done);
        stage
    }

    fn set(&mut self, last: u8, terms: Terms) -> Answer {
        let set = PairTerms { provider: provider(last), currency: self.sol, terms };
        self.own(Own::SetTerms(Arc::new(set)))
    }

    fn fund(&mut self, amount: &str) {
        let command = Own::Fund(self.sol, money(amount));
        assert_eq!(self.own(command), Answer::Done);
    }

    fn own(&mut self, body: impl Into<Body>) -> Answer {
        self.run(None, body.into())
    }

    fn run(&mut self, caller: Option<buttonwood_engine::Caller>, body: Body) -> Answer {
        let answer = self.exchange.submit(1, &Command { caller, body });
        while self.exchange.state.has_follow_up() {
            let due = self.exchange.state.next_due().expect("a follow-up is due");
            let answer = self.exchange.own(due.command);
            assert_eq!(answer, Answer::Done);
        }
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    /// Lets time pass, and runs what falls due at its time.
    fn pass_to(&mut self, micros: u64) {
        while let Some(due) = self.exchange.state.next_due().filter(|due| due.time.0 <= micros) {
            let wait = due.time.0.saturating_sub(self.exchange.stamp.time.0);
            let command = Command { caller: None, body: due.command };
            assert_eq!(self.exchange.submit(wait, &command), Answer::Done, "{command:?}");
        }
        let wait = micros.saturating_sub(self.exchange.stamp.time.0 + 1);
        let body = buttonwood_engine::Founding::MoveClock.into();
        self.exchange.submit(wait, &Command { caller: None, body });
    }

    fn request(&mut self, account: AccountId, amount: &str, id: &str, stakes: bool) -> Answer {
        self.request_of((1, self.sol), account, amount, id, stakes)
    }

    fn request_of(
        &mut self,
        (last, currency): (u8, CurrencyId),
        account: AccountId,
        amount: &str,
        id: &str,
        stakes: bool,
    ) -> Answer {
        let (provider, client_id) = (provider(last), id.to_owned());
        let request = Arc::new(Request { provider, currency, amount: money(amount), client_id });
        let [ann, bob] = self.keys;
        let session = if account == self.bob { bob } else { ann };
        self.nonce += 1;
        let caller = Some(caller(session, account, self.nonce));
        let command = if stakes { StakingCommand::Stake(request) } else { StakingCommand::Unstake(request) };
        self.run(caller, command.into())
    }

    fn stake(&mut self, account: AccountId, amount: &str) -> Answer {
        self.request(account, amount, "", true)
    }

    fn unstake(&mut self, account: AccountId, amount: &str) -> Answer {
        self.request(account, amount, "", false)
    }

    fn set_wait(&mut self, set: PairTerms) {
        assert_eq!(self.own(Own::SetTerms(Arc::new(set))), Answer::Done);
    }

    /// An order of one coin at 100 dollars.
    fn order(&mut self, account: AccountId, side: Side) {
        let grid = &self.exchange.state.symbol(SymbolId(0)).expect("it is listed").grid;
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).expect("the test writes decimals");
        let place = Place::limit(
            SymbolId(0),
            side,
            grid.price(decimal("100")).expect("a price of the grid"),
            grid.qty(decimal("1")).expect("a quantity of the grid"),
        );
        let [ann, bob] = self.keys;
        let session = if account == self.bob { bob } else { ann };
        self.nonce += 1;
        let caller = Some(caller(session, account, self.nonce));
        let answer = self.run(caller, TradingCommand::Place(place).into());
        assert!(matches!(answer, Answer::Trading(_)), "{answer:?}");
    }

    /// Lets time pass, and runs nothing of what falls due.
    fn wait_until(&mut self, micros: u64) {
        let wait = micros.saturating_sub(self.exchange.stamp.time.0);
        let body = buttonwood_engine::Founding::MoveClock.into();
        self.exchange.submit(wait, &Command { caller: None, body });
    }

    /// Runs the next due commands, 10 microseconds apart: each with the time at which it fell due.
    fn take_due(&mut self, count: usize) -> Vec<(u64, Body)> {
        let mut all = Vec::new();
        for _ in 0..count {
            let due = self.exchange.state.next_due().expect("something is due");
            all.push((due.time.0, due.command.clone()));
            let command = Command { caller: None, body: due.command };
            assert_eq!(self.exchange.submit(10, &command), Answer::Done);
        }
        all
    }

    /// Runs what is due now.
    fn catch_up(&mut self) {
        self.pass_to(self.exchange.stamp.time.0 + 1);
    }

    /// Staked, and available.
    fn has(&self, account: AccountId) -> [Money; 2] {
        let staked = self.exchange.state.staking().staked(account, PairId(0));
        [staked, self.exchange.balance(account, self.sol).available]
    }
}

/// Staking moves the amount at once, a day earns a ten-thousandth, which joins the stake, and a redemption without a redemption time is paid
/// at once. Proves STK-006, STK-010, STK-021.
#[test]
fn a_stake_earns_and_comes_back() {
    let mut stage = Stage::new();
    stage.fund("10");
    let ann = stage.ann;
    let answer = stage.stake(ann, "100");
    assert!(matches!(answer.of(), Ok(StakingAnswer::Staked { number: 1, .. })), "{answer:?}");
    assert_eq!(stage.has(ann), [money("100"), money("900")]);
    stage.pass_to(2 * DAY + NOON);
    // Eight hours of the first day: one third of a ten-thousandth.
    assert_eq!(stage.has(ann), [money("100.0033333333333333333"), money("900")]);
    stage.pass_to(3 * DAY + NOON);
    let all = money("100.0033333333333333333").units();
    let second = all + all / 10_000;
    assert_eq!(stage.has(ann)[0], Money::from_units(second));
    let answer = stage.unstake(ann, "100");
    assert!(matches!(answer.of(), Ok(StakingAnswer::Redeemed { .. })), "{answer:?}");
    assert_eq!(stage.has(ann)[1], money("1000"));
    assert_eq!(stage.unstake(ann, "1"), refused(Reject::TooLittleStaked));
}

/// A month of stakes and redemptions at odd seconds, with a changed rate, against a sum over every second's amount: to the last digit. The rest
/// of each division is lost each day, and what is left of the money is exact.
#[test]
fn a_month_is_right_to_the_last_digit() {
    let mut stage = Stage::new();
    stage.fund("1000000");
    let mut books = [Plain::default(), Plain::default()];
    let (mut rate, mut running) = (365_000_000_u128, 365_000_000_u128);
    let mut word = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: u64| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        word % below
    };
    let mut now = DAY + NOON;
    let end = 32 * DAY + NOON;
    while now < end {
        let until = now + (next(20_000) + 1) * 997_003 * 5;
        while let Some(at) = Plain::next_accrual(now).filter(|at| *at <= until) {
            for book in &mut books {
                book.accrue(at / Time::SECOND, running);
            }
            running = rate;
            now = at + 1;
        }
        now = until;
        stage.pass_to(until);
        let seconds = (stage.exchange.stamp.time.0 + 1) / Time::SECOND;
        let [ann, bob] = [stage.ann, stage.bob];
        let who = usize::try_from(next(2)).unwrap();
        let (account, book) = ([ann, bob][who], &mut books[who]);
        match next(5) {
            0 => {
                rate = u128::from(next(100_000_000_000) + 1);
                let rate = Rate(u64::try_from(rate).unwrap());
                assert_eq!(stage.set(1, Terms { rate, ..terms(0) }), Answer::Done);
            }
            1 | 2 => {
                let amount = Money::from_units(i128::from(next(1 << 62)) + 1);
                assert!(matches!(stage.stake(account, &shown(amount)), Answer::Staking(_)));
                book.change(seconds, amount.units());
            }
            _ if book.staked == 0 => {}
            all => {
                let whole = i128::try_from(book.staked).unwrap();
                let amount = if all == 3 { whole } else { whole / 3 + 1 };
                let amount = Money::from_units(amount.min(whole));
                assert!(matches!(stage.unstake(account, &shown(amount)), Answer::Staking(_)));
                book.change(seconds, -amount.units());
            }
        }
        let expected = books.iter().map(|book| i128::try_from(book.staked).unwrap());
        let staked = [ann, bob].map(|account| stage.has(account)[0].units());
        assert!(expected.eq(staked), "{books:?} {staked:?} at {now}");
    }
    for (account, book) in [stage.ann, stage.bob].into_iter().zip(&books) {
        let total = stage.exchange.state.staking().accrued(account, PairId(0));
        assert_eq!((total.units(), book.accruals > 20), (i128::try_from(book.total).unwrap(), true));
        let all: Money = stage.has(account).into_iter().sum();
        assert_eq!(all, money("1000") + total, "interest that did not join the stake is in the balance");
    }
    stage.replays();
}

/// The stake of an account, second by second.
#[derive(Debug, Default)]
struct Plain {
    staked: u128,
    since: u64,
    /// Amounts times seconds since the last accrual.
    sum: num_bigint::BigUint,
    total: u128,
    accruals: u32,
}

impl Plain {
    fn count(&mut self, seconds: u64) {
        self.sum += num_bigint::BigUint::from(self.staked) * (seconds - self.since);
        self.since = seconds;
    }

    fn change(&mut self, seconds: u64, by: i128) {
        self.count(seconds);
        self.staked = self.staked.checked_add_signed(by).expect("no more than is staked");
    }

    /// 20:00 of the day, or of the next one.
    fn next_accrual(now: u64) -> Option<u64> {
        (0..40).map(|day| day * DAY + 20 * 3_600 * Time::SECOND).find(|at| *at >= now)
    }

    fn accrue(&mut self, seconds: u64, rate: u128) {
        self.count(seconds);
        let sum = std::mem::take(&mut self.sum);
        let interest = sum * rate / (10_000_u128 * 1_000_000 * 365 * 86_400);
        let interest = u128::try_from(interest).expect("an amount of money");
        self.total += interest;
        if self.staked > 0 {
            self.staked += interest;
        }
        self.accruals += 1;
    }
}

fn shown(amount: Money) -> String {
    format!("{amount:?}")
}

/// What differs between two stages in the stakes and balances of their customers.
fn sums(stage: &Stage) -> Vec<[Money; 2]> {
    [stage.ann, stage.bob].map(|account| stage.has(account)).to_vec()
}

/// Without money a day waits, whole, and the days after it. They are paid in order as soon as the money is there, with their own dates, and
/// compound as if each had been paid in time (D-95). Stakes and redemptions in between change nothing of that.
#[test]
fn late_days_are_those_in_time() {
    let acts: [(u64, usize, &str, bool); 6] = [
        (2 * DAY + 7, 0, "10", true),
        (2 * DAY + NOON, 1, "3.5", false),
        (3 * DAY + 80_001 * Time::SECOND, 0, "25", false),
        (4 * DAY + 72_000 * Time::SECOND, 1, "100", true),
        (5 * DAY + 11, 0, "1", true),
        (5 * DAY + 12, 1, "0.0000000000000000001", false),
    ];
    let run = |pays_at: usize| {
        let mut stage = Stage::new();
        assert_eq!(stage.set(1, Terms { rate: Rate(7_654_321_987), ..terms(0) }), Answer::Done);
        for account in [stage.ann, stage.bob] {
            assert!(matches!(stage.stake(account, "123.4567890123456789"), Answer::Staking(_)));
        }
        for (place, (time, who, amount, stakes)) in acts.into_iter().enumerate() {
            if place == pays_at {
                stage.fund("1000");
            }
            stage.pass_to(time);
            let account = [stage.ann, stage.bob][who];
            let answer = stage.request(account, amount, "", stakes);
            assert!(matches!(answer, Answer::Staking(_)), "{answer:?}");
        }
        if pays_at == acts.len() {
            let short = stage.exchange.state.staking().pair(PairId(0)).unwrap();
            assert_eq!((short.waiting().count(), short.needed().is_some()), (4, true));
            let needed = short.needed().unwrap();
            let less = needed - Money::from_units(1);
            stage.fund(&shown(less));
            stage.catch_up();
            let waits = stage.exchange.state.staking().pair(PairId(0)).unwrap();
            assert_eq!(waits.waiting().count(), 4, "a day is not paid in part");
            stage.fund("0.0000000000000000001");
            stage.catch_up();
            let waits = stage.exchange.state.staking().pair(PairId(0)).unwrap();
            assert_eq!(waits.waiting().count(), 3, "the first day is paid as soon as it can be");
            stage.fund("1000");
        }
        stage.pass_to(6 * DAY + NOON);
        assert_eq!(stage.exchange.state.staking().pair(PairId(0)).unwrap().waiting().count(), 0);
        stage.replays();
        sums(&stage)
    };
    let in_time = run(0);
    for pays_at in 1..=acts.len() {
        assert_eq!(run(pays_at), in_time, "{pays_at}");
    }
}

/// Late days come after all that fell due before their money came, and after all that falls due between their steps: the end of the day that
/// runs, for one. It is the same for both ways in which `staking_rewards` gets money.
#[test]
fn late_days_outrank_nothing() {
    for by_credit in [false, true] {
        let mut stage = Stage::new();
        let (ann, bob, sol) = (stage.ann, stage.bob, stage.sol);
        stage.stake(ann, "100");
        stage.stake(bob, "100");
        stage.set(1, Terms { wait: 2 * 86_400, ..terms(365) });
        stage.unstake(bob, "50");
        let due = stage.exchange.stamp.time.0 + 2 * DAY;
        stage.pass_to(due - 3);
        // Neither the redemption nor the end of the day has run when the money comes.
        let eight = 3 * DAY + 72_000 * Time::SECOND;
        stage.wait_until(eight + 5);
        if by_credit {
            let rewards = stage.exchange.state.ledger().house("staking_rewards").expect("it is open");
            assert_eq!(stage.own(Body::credit(rewards, vec![(sol, money("10"))])), Answer::Done);
        } else {
            stage.fund("10");
        }
        let funded = stage.exchange.stamp.time.0;
        let order = stage.take_due(7);
        let late =
            [0, 30, 40, 50, 60].map(|after| (funded + after, StakingCommand::Accrue(PairId(0)).into()));
        let pay = (due, StakingCommand::Pay(PairId(0)).into());
        let end = (eight, StakingCommand::Accrue(PairId(0)).into());
        assert_eq!(order, [[pay, end].as_slice(), &late].concat(), "{by_credit}");
        let pair = stage.exchange.state.staking().pair(PairId(0)).expect("it is set");
        assert_eq!(pair.waiting().count(), 0);
        assert!(stage.has(ann)[0] > money("100.02"));
        stage.replays();
    }
}

/// A coin that has lost its price accrues at the last one that was known: that of the last stake, or of the last accrual (STK-013).
#[test]
fn an_accrual_has_the_last_known_price() {
    let mut stage = Stage::new();
    let (ann, sol) = (stage.ann, stage.sol);
    let pin = |stage: &mut Stage, price: Option<&str>| {
        assert_eq!(stage.own(perp::Command::PinIndex(sol, price.map(money))), Answer::Done);
    };
    stage.stake(ann, "10");
    pin(&mut stage, None);
    stage.pass_to(2 * DAY);
    pin(&mut stage, Some("120"));
    stage.pass_to(3 * DAY);
    pin(&mut stage, None);
    stage.pass_to(4 * DAY);
    let pair = stage.exchange.state.staking().pair(PairId(0)).expect("it is set");
    let prices: Vec<Option<Money>> = pair.waiting().map(|ended| ended.price).collect();
    assert_eq!(prices, ["100", "120", "120"].map(|price| Some(money(price))));
    stage.replays();
}

/// While a day is paid, an operator cannot take the part of `staking_rewards` that it needs.
#[test]
fn a_day_under_way_is_paid_in_full() {
    let mut stage = Stage::new();
    let (ann, sol) = (stage.ann, stage.sol);
    stage.stake(ann, "100");
    stage.fund("1");
    stage.wait_until(2 * DAY);
    let steps = stage.take_due(2);
    assert_eq!(steps.len(), 2, "the day has ended, and its interest is counted");
    let rewards = stage.exchange.state.ledger().house("staking_rewards").expect("it is open");
    let take = |amount: &str| {
        let amount = -money(amount);
        let adjustment = Adjustment { account: rewards, currency: sol, amount, reference: String::new() };
        LedgerCommand::Adjust(Arc::new(adjustment))
    };
    // A third of a ten-thousandth of 100 is promised.
    let free = money("0.9966666666666666667");
    let short = Answer::Rejected(AnyReject::Ledger(LedgerReject::Short(free)));
    assert_eq!(stage.own(take("0.9966666666666666668")), short);
    assert_eq!(stage.own(take("0.9966666666666666667")), Answer::Done);
    stage.catch_up();
    assert_eq!(stage.has(ann)[0], money("100.0033333333333333333"));
    assert_eq!(stage.exchange.balance(rewards, sol).available, Money::ZERO);
    stage.replays();
}

/// Redemptions that a maximum held back come after all that fell due before it was raised.
#[test]
fn freed_redemptions_outrank_nothing() {
    let mut stage = Stage::new();
    let ann = stage.ann;
    stage.set(1, Terms { per_day: Some(money("1")), ..terms(0) });
    stage.stake(ann, "100");
    stage.unstake(ann, "50");
    stage.pass_to(3 * DAY);
    assert_eq!(stage.has(ann)[1], money("903"));
    stage.set(1, terms(0));
    let set = stage.exchange.stamp.time.0;
    assert_eq!(stage.take_due(1), [(set, StakingCommand::Pay(PairId(0)).into())]);
    assert_eq!(stage.has(ann)[1], money("950"));
    stage.replays();
}

/// Who has unstaked everything while a day waits gets its interest in the balance, and no dust is staked (D-98).
#[test]
fn interest_of_a_stake_that_is_gone_is_paid_out() {
    let mut stage = Stage::new();
    let ann = stage.ann;
    stage.stake(ann, "100");
    stage.pass_to(2 * DAY + NOON);
    stage.unstake(ann, "100");
    stage.pass_to(3 * DAY + NOON);
    assert_eq!(stage.has(ann), [Money::ZERO, money("1000")]);
    stage.fund("10");
    stage.catch_up();
    let first = money("0.0033333333333333333");
    // 16 hours of 100, and of the first day's interest.
    let sum = (money("100") + first).units() * 57_600;
    let second = Money::from_units(sum / (86_400 * 10_000));
    assert_eq!(stage.has(ann), [Money::ZERO, money("1000") + first + second]);
    assert_eq!(stage.exchange.state.staking().accrued(ann, PairId(0)), first + second);
    stage.pass_to(5 * DAY);
    assert!(matches!(stage.stake(ann, "1"), Answer::Staking(_)));
    assert_eq!(stage.exchange.state.staking().accrued(ann, PairId(0)), first + second, "it is kept");
    stage.replays();
}

/// A stake at 20:00 sharp begins a day of its own, and what comes between the steps of an accrual does not change it (D-96).
#[test]
fn an_accrual_is_that_of_its_instant() {
    let eight = DAY + 72_000 * Time::SECOND;
    let mut stage = Stage::new();
    stage.fund("10");
    let (ann, bob) = (stage.ann, stage.bob);
    stage.stake(ann, "100");
    stage.stake(bob, "50");
    // No accrual has run when the clock passes 20:00, and others come before it.
    let wait = eight - stage.exchange.stamp.time.0 - 1;
    let body = buttonwood_engine::Founding::MoveClock.into();
    stage.exchange.submit(wait, &Command { caller: None, body });
    stage.stake(ann, "800");
    stage.unstake(bob, "50");
    stage.set(1, terms(3_650));
    for _ in 0..2 {
        let due = stage.exchange.state.next_due().expect("the accrual is due");
        assert_eq!(due.time, Time(eight));
        assert_eq!(stage.own(due.command), Answer::Done);
        stage.stake(ann, "1");
        stage.stake(bob, "7");
    }
    stage.catch_up();
    let third = |amount: &str| Money::from_units(money(amount).units() * 28_800 / (86_400 * 10_000));
    assert_eq!(stage.has(ann)[0], money("902") + third("100"));
    assert_eq!(stage.has(bob), [money("14"), money("986") + third("50")]);
    // The day that began before the rate was changed keeps its own.
    stage.pass_to(3 * DAY);
    let before = stage.has(ann)[0];
    stage.pass_to(4 * DAY);
    let tenth = stage.has(ann)[0] - before;
    assert_eq!(tenth, Money::from_units(before.units() / 1_000));
    let first_day = before - money("902") - third("100");
    assert!(first_day < money("0.1") && first_day > money("0.09"), "{first_day:?}");
    stage.replays();
}

/// The month's limit is in dollars, at the higher of last trade and index; exactly the limit is allowed, and unstaking gives no room back
/// (STK-008, D-101).
#[test]
fn a_month_has_a_limit_in_dollars() {
    let mut stage = Stage::new();
    stage.set(1, Terms { limit: money("10000"), ..terms(365) });
    let (ann, beyond) = (stage.ann, refused(Reject::BeyondLimit(money("10000"))));
    assert_eq!(stage.stake(ann, "100.0000000000000000001"), beyond);
    assert!(matches!(stage.stake(ann, "60"), Answer::Staking(_)));
    assert!(matches!(stage.unstake(ann, "60"), Answer::Staking(_)));
    assert_eq!(stage.stake(ann, "40.0000000000000000001"), beyond);
    assert!(matches!(stage.stake(ann, "40"), Answer::Staking(_)));
    assert_eq!(stage.stake(ann, "0.0000000000000000001"), beyond);
    let bob = stage.bob;
    assert!(matches!(stage.stake(bob, "100"), Answer::Staking(_)), "each account has its own");
    stage.set(2, Terms { limit: money("100"), ..terms(365) });
    let sol = stage.sol;
    assert!(matches!(stage.request_of((2, sol), ann, "1", "", true), Answer::Staking(_)));
    // 1 February.
    stage.pass_to(31 * DAY - 2);
    assert_eq!(stage.stake(ann, "1"), beyond);
    stage.pass_to(31 * DAY);
    assert!(matches!(stage.stake(ann, "100"), Answer::Staking(_)));
    assert_eq!(stage.own(perp::Command::PinIndex(sol, None)), Answer::Done);
    assert_eq!(stage.stake(bob, "1"), refused(Reject::NoPrice));
}

/// Amounts, pairs, kinds of accounts and the balance bound a stake; a refused one changes nothing (STK-007, STK-011).
#[test]
fn a_stake_is_refused_for_its_reason() {
    let mut stage = Stage::new();
    let (ann, sol) = (stage.ann, stage.sol);
    let before = stage.exchange.state.staking().clone();
    assert_eq!(stage.stake(ann, "0"), refused(Reject::BadAmount));
    assert_eq!(stage.stake(ann, "1000.1"), refused(Reject::Short(Short::TooLittle)));
    assert_eq!(stage.request_of((9, sol), ann, "1", "", true), refused(Reject::UnknownProvider));
    assert_eq!(stage.request_of((9, sol), ann, "1", "", false), refused(Reject::UnknownProvider));
    assert_eq!(stage.request_of((1, CurrencyId(0)), ann, "1", "", true), refused(Reject::UnknownPair));
    assert_eq!(stage.unstake(ann, "0.5"), refused(Reject::TooLittleStaked));
    assert_eq!(*stage.exchange.state.staking(), before);
    assert!(matches!(stage.stake(ann, "1000"), Answer::Staking(_)), "the whole balance may be staked");
    stage.set(1, Terms { paused: true, ..terms(365) });
    assert_eq!(stage.stake(ann, "1"), refused(Reject::Paused));
    assert_eq!(stage.own(Operation::Halt), Answer::Done);
    assert_eq!(stage.stake(ann, "1"), Answer::Rejected(AnyReject::Halted));
    assert!(matches!(stage.unstake(ann, "1"), Answer::Staking(_)), "unstaking always works");
    let close = AccessCommand::CloseAccount(ann);
    assert_eq!(stage.own(close), Answer::Rejected(AnyReject::Access(AccessReject::InUse("Staking"))));
    for wrong in [
        Terms { rate: Rate(Rate::MAX.0 + 1), ..terms(1) },
        Terms { limit: -money("1"), ..terms(1) },
        Terms { wait: u64::MAX, ..terms(1) },
        Terms { per_day: Some(Money::ZERO), ..terms(1) },
    ] {
        assert_eq!(stage.set(1, wrong), refused(Reject::BadTerms), "{wrong:?}");
    }
    assert_eq!(stage.own(Own::SetKey([1; 16])), refused(Reject::HasKey));
    assert_eq!(stage.own(Own::Fund(sol, Money::ZERO)), refused(Reject::BadAmount));
    assert_eq!(stage.own(Own::Fund(sol, Money::MAX)), refused(Reject::OutOfRange));
    assert_eq!(stage.own(Own::Accrue(PairId(0))), refused(Reject::NotDue));
    assert_eq!(stage.own(Own::Pay(PairId(0))), refused(Reject::NotDue));
    assert_eq!(stage.own(Own::Recover(ann)), refused(Reject::NotDue));
}

/// A client id stands for one request: equal terms get the same reply and move nothing, others are refused (D-104).
#[test]
fn a_retry_gets_the_same_reply() {
    let mut stage = Stage::new();
    let (ann, bob) = (stage.ann, stage.bob);
    let first = stage.request(ann, "10", "mine", true);
    let after = stage.has(ann);
    stage.set(1, Terms { rate: Rate(5), paused: true, wait: 60, ..terms(0) });
    assert_eq!(stage.request(ann, "10", "mine", true), first);
    assert_eq!(stage.request(ann, "10.1", "mine", true), refused(Reject::OtherTerms));
    assert_eq!(stage.request(ann, "10", "mine", false), refused(Reject::OtherTerms));
    let sol = stage.sol;
    assert_eq!(stage.request_of((9, sol), ann, "10", "mine", true), refused(Reject::OtherTerms));
    assert_eq!(stage.request(bob, "10", "mine", true), refused(Reject::Paused), "ids are an account's own");
    assert_eq!(stage.request(ann, "99", "next", false), refused(Reject::TooLittleStaked));
    let redeemed = stage.request(ann, "4", "next", false);
    assert!(matches!(redeemed.of(), Ok(StakingAnswer::Redeemed { paid: Money::ZERO, .. })));
    stage.pass_to(2 * DAY);
    assert_eq!(stage.request(ann, "4", "next", false), redeemed, "as it was then");
    assert_eq!(stage.own(Operation::Halt), Answer::Done);
    assert_eq!(stage.request(ann, "10", "mine", true), first, "also while the exchange is halted");
    assert_eq!(stage.request(ann, "10.1", "mine", true), refused(Reject::OtherTerms));
    assert_eq!(stage.request(ann, "10", "third", true), Answer::Rejected(AnyReject::Halted));
    assert_eq!(stage.own(Operation::Resume), Answer::Done);
    let stored = stage.exchange.stored();
    stage.exchange.state = stored;
    assert_eq!(stage.request(ann, "4", "next", false), redeemed, "also after a restart");
    assert_eq!(stage.has(ann), [after[0] - money("4"), after[1] + money("4")]);
    stage.replays();
}

/// Redemptions are paid when their time has passed, first come, first served, in parts within the day's maximum (D-99, D-100).
#[test]
fn redemptions_are_paid_in_their_order() {
    let mut stage = Stage::new();
    let (ann, bob) = (stage.ann, stage.bob);
    stage.set(1, Terms { wait: 3_600, per_day: Some(money("10")), ..terms(0) });
    stage.stake(ann, "100");
    stage.stake(bob, "100");
    stage.unstake(ann, "4");
    stage.unstake(bob, "13");
    stage.unstake(ann, "5");
    let at = stage.exchange.stamp.time.0 + 3_600 * Time::SECOND;
    stage.pass_to(at - 3);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("900"), money("900")], "nothing early");
    assert_eq!(stage.exchange.state.staking().owed(ann, PairId(0)), money("9"));
    stage.pass_to(at + 1);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("904"), money("906")]);
    // Who redeems at once does not overtake.
    stage.set(1, Terms { per_day: Some(money("10")), ..terms(0) });
    assert!(matches!(stage.unstake(ann, "1").of(), Ok(StakingAnswer::Redeemed { paid: Money::ZERO, .. })));
    stage.pass_to(2 * DAY - 2);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("904"), money("906")]);
    stage.pass_to(2 * DAY);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("907"), money("913")]);
    stage.pass_to(3 * DAY);
    assert_eq!(stage.has(ann)[1], money("910"));
    assert_eq!(stage.exchange.state.staking().open_of(ann).count(), 0);
    stage.replays();
}

/// Who asks after the terms became shorter does not overtake those who wait: these get the shorter end too, and are paid first, as they asked,
/// also where the days' maximum leaves parts for later.
#[test]
fn shorter_terms_hold_for_those_who_wait() {
    let mut stage = Stage::new();
    let (ann, bob) = (stage.ann, stage.bob);
    let wait = |wait| Terms { wait, per_day: Some(money("10")), ..terms(0) };
    stage.set(1, wait(20 * 86_400));
    for account in [ann, bob] {
        stage.stake(account, "100");
    }
    stage.unstake(ann, "12");
    stage.set(1, wait(30 * 86_400));
    stage.unstake(ann, "2");
    stage.set(1, wait(3_600));
    stage.unstake(bob, "9");
    let expected = stage.exchange.state.staking().expected_of(ann, stage.exchange.stamp.time);
    let days: Vec<_> = expected.iter().map(|(_, time)| time.0 / DAY).collect();
    let today = stage.exchange.stamp.time.0 / DAY;
    assert_eq!(days, [today + 1, today + 1]);
    let at = stage.exchange.stamp.time.0 + 3_600 * Time::SECOND;
    stage.pass_to(at + 1);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("910"), money("900")], "as they asked");
    stage.pass_to((today + 1) * DAY + 1);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("914"), money("906")], "no more than it needs");
    stage.pass_to((today + 2) * DAY + 1);
    assert_eq!([stage.has(ann)[1], stage.has(bob)[1]], [money("914"), money("909")]);
    assert_eq!(stage.exchange.state.staking().open_of(ann).count(), 0);
    // Longer terms change nothing for those who wait.
    stage.set(1, wait(60));
    stage.unstake(ann, "1");
    stage.set(1, wait(30 * 86_400));
    stage.pass_to(stage.exchange.stamp.time.0 + 61 * Time::SECOND);
    assert_eq!(stage.has(ann)[1], money("915"));
    stage.replays();
}

/// An account has at most 100 open redemptions of a pair; one that is paid at once is none (STK-009).
#[test]
fn open_redemptions_are_bounded() {
    let mut stage = Stage::new();
    let ann = stage.ann;
    stage.set(1, Terms { wait: 60, ..terms(0) });
    stage.stake(ann, "500");
    for _ in 0..OPEN_MAX {
        assert!(matches!(stage.unstake(ann, "1"), Answer::Staking(_)));
    }
    assert_eq!(stage.unstake(ann, "1"), refused(Reject::TooManyOpen));
    // Shorter terms hold for those that wait.
    stage.set(1, terms(0));
    stage.catch_up();
    assert!(matches!(stage.unstake(ann, "1"), Answer::Staking(_)), "nothing is open");
    stage.pass_to(DAY + NOON + 90 * Time::SECOND);
    assert_eq!(stage.has(ann), [money("399"), money("601")]);
    assert_eq!(stage.exchange.state.staking().holdings(ann).count(), 1);
    stage.replays();
}

/// Thousands of stakes and of redemptions that are due at one instant are worked off in bounded steps, each paid once.
#[test]
fn many_accounts_take_bounded_steps() {
    const MANY: u32 = 1_005;
    let mut stage = Stage::new();
    stage.fund("10");
    stage.set(1, Terms { wait: 5 * 86_400, ..terms(365) });
    let mut accounts = Vec::new();
    for place in 0..MANY {
        let name = format!("a{place}");
        let account = stage.exchange.account(&name, "");
        stage.exchange.own(Body::credit(account, vec![(stage.sol, money("2"))]));
        accounts.push((account, stage.exchange.key(&name, account, Role::FundManager)));
    }
    let send = |stage: &mut Stage, stakes: bool, amount: &str| {
        for (account, key) in &accounts {
            stage.keys[0] = *key;
            let answer = stage.request(*account, amount, "", stakes);
            assert!(matches!(answer, Answer::Staking(_)), "{answer:?}");
        }
    };
    stage.pass_to(2 * DAY - 14_400 * Time::SECOND);
    send(&mut stage, true, "2");
    let started = stage.exchange.stamp.seq.0;
    stage.pass_to(3 * DAY - 14_300 * Time::SECOND);
    let steps = stage.exchange.stamp.seq.0 - started;
    assert!((5..12).contains(&steps), "the end of the day, two counts, two payments: {steps}");
    let has = |stage: &Stage, account| stage.has(account)[0] > money("2.00019");
    assert!(accounts.iter().all(|(account, _)| has(&stage, *account)));
    send(&mut stage, false, "2");
    stage.pass_to(8 * DAY - 14_200 * Time::SECOND);
    assert_eq!(stage.exchange.state.broken_law(), None);
    assert!(accounts.iter().all(|(account, _)| stage.has(*account)[1] == money("2")));
    stage.replays();
}

/// Two pairs of a currency share the rewards: what one day under way will take, the other does not get (D-95).
#[test]
fn a_day_under_way_keeps_its_money() {
    let mut stage = Stage::new();
    stage.set(2, terms(365));
    let (ann, bob, sol) = (stage.ann, stage.bob, stage.sol);
    stage.pass_to(2 * DAY - 14_400 * Time::SECOND);
    assert!(matches!(stage.request_of((1, sol), ann, "100", "", true), Answer::Staking(_)));
    assert!(matches!(stage.request_of((2, sol), bob, "100", "", true), Answer::Staking(_)));
    stage.fund("0.015");
    stage.pass_to(3 * DAY - 14_300 * Time::SECOND);
    let staked = |stage: &Stage, account, pair| stage.exchange.state.staking().staked(account, PairId(pair));
    let [one, two] = [staked(&stage, ann, 0), staked(&stage, bob, 1)];
    assert!((one > money("100")) != (two > money("100")), "{one:?} {two:?}");
    stage.fund("0.005");
    stage.catch_up();
    let both = [staked(&stage, ann, 0), staked(&stage, bob, 1)];
    assert!(both.iter().all(|amount| *amount > money("100.009")), "{both:?}");
    stage.replays();
}

/// While a group has an open advance, a stake is bounded as a withdrawal is, by what is left (D-181 b). It gives up nothing against the index,
/// however large it is, nor does its redemption (D-181 d).
#[test]
fn a_stake_gives_up_nothing_of_an_advance() {
    let mut stage = Stage::new();
    let (ann, usd) = (stage.ann, CurrencyId(0));
    let receipt = Receipt {
        account: ann,
        currency: usd,
        amount: money("900"),
        method: TransferMethod::Ach,
        number: "0123451111".into(),
        routing: "021000021".into(),
    };
    let answer = stage.own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt))));
    assert!(matches!(answer, Answer::Funds(Made::Transfer(_))), "{answer:?}");
    let group = stage.exchange.state.access().account(ann).and_then(|account| account.group);
    let given_up = |stage: &Stage| {
        let open = group.and_then(|group| stage.exchange.state.advances().of(group));
        open.map(|open| (open.amount, open.given_up))
    };
    // 5 % of the advance are 45 dollars, and this is 99,000.
    assert!(matches!(stage.stake(ann, "990"), Answer::Staking(_)));
    assert!(matches!(stage.unstake(ann, "990"), Answer::Staking(_)));
    assert!(matches!(stage.stake(ann, "1000"), Answer::Staking(_)), "the dollars are worth the advance");
    assert_eq!(given_up(&stage), Some((money("900"), Money::ZERO)));
    stage.replays();
    // The dollars buy 9 coins. Of all coins 10 stay for the advance, at 90 % of the index.
    assert!(matches!(stage.unstake(ann, "1000"), Answer::Staking(_)));
    assert_eq!(stage.own(Body::credit(ann, vec![(usd, money("3.6"))])), Answer::Done);
    for _ in 0..9 {
        stage.order(stage.bob, Side::Sell);
        stage.order(ann, Side::Buy);
    }
    assert_eq!(stage.exchange.balance(ann, usd).available, Money::ZERO);
    assert_eq!(stage.stake(ann, "999.0000000000000000001"), refused(Reject::Short(Short::Advances)));
    assert!(matches!(stage.stake(ann, "999"), Answer::Staking(_)));
    assert_eq!(given_up(&stage), Some((money("900"), Money::ZERO)));
}

/// An account that owes for a returned advance stakes nothing, its stakes are unstaked up to the debt, and redemptions and interest repay it
/// first (D-167). What is staked, or owed from a redemption, covers no advance (D-181).
#[test]
fn a_debt_is_repaid_from_stakes() {
    let mut stage = Stage::new();
    let (ann, bob) = (stage.ann, stage.bob);
    let usd = CurrencyId(0);
    let set =
        |wait| PairTerms { provider: provider(3), currency: usd, terms: Terms { wait, ..terms(36_500) } };
    assert_eq!(stage.own(Own::SetTerms(Arc::new(set(0)))), Answer::Done);
    assert_eq!(stage.own(Own::Fund(usd, money("1000"))), Answer::Done);
    assert_eq!(stage.own(Body::credit(ann, vec![(usd, money("60.4"))])), Answer::Done);
    assert!(matches!(stage.request_of((3, usd), ann, "60", "", true), Answer::Staking(_)));
    stage.pass_to(DAY + NOON + 1_800 * Time::SECOND);
    let receipt = Receipt {
        account: ann,
        currency: usd,
        amount: money("100"),
        method: TransferMethod::Ach,
        number: "0123451111".into(),
        routing: "021000021".into(),
    };
    let answer = stage.own(FundsCommand::from(BankCommand::Receive(Arc::new(receipt))));
    let Answer::Funds(Made::Transfer(eid)) = answer else { panic!("{answer:?}") };
    assert_eq!(
        stage.request_of((3, usd), ann, "100", "", true),
        refused(Reject::Short(Short::TooLittle)),
        "an advance is not staked"
    );
    // It buys coins, and the payment is returned.
    stage.order(bob, Side::Sell);
    stage.order(ann, Side::Buy);
    assert_eq!(stage.exchange.balance(ann, usd).available, Money::ZERO);
    let settle = Settlement { eid, returned: true };
    stage.set_wait(set(3_600));
    // The account has as many open redemptions as it may request.
    for _ in 0..OPEN_MAX {
        assert!(matches!(stage.request_of((3, usd), ann, "0.01", "", false), Answer::Staking(_)));
    }
    assert_eq!(stage.request_of((3, usd), ann, "0.01", "", false), refused(Reject::TooManyOpen));
    let answer = stage.own(FundsCommand::from(BankCommand::Settle(settle)));
    assert_eq!(answer, Answer::Funds(Made::Loan(ann)));
    let staking = stage.exchange.state.staking();
    let pair = PairId(1);
    assert_eq!(staking.open_of(ann).count(), OPEN_MAX + 1, "the rest of the stake is redeemed too");
    assert_eq!([staking.staked(ann, pair), staking.owed(ann, pair)], [Money::ZERO, money("60")]);
    assert_eq!(stage.exchange.state.funds().owed(ann, usd), money("100"));
    assert_eq!(stage.stake(ann, "1"), refused(Reject::Short(Short::Debt)));
    stage.pass_to(stage.exchange.stamp.time.0 + 3_700 * Time::SECOND);
    assert_eq!(stage.exchange.state.funds().owed(ann, usd), money("40"));
    stage.pass_to(2 * DAY);
    let interest = stage.exchange.state.staking().accrued(ann, pair);
    assert!(interest > Money::ZERO);
    assert_eq!(stage.exchange.state.funds().owed(ann, usd), money("40") - interest);
    assert_eq!(stage.exchange.state.broken_law(), None);
    stage.replays();
}

/// An account without a stake can be closed at any time of the day, and gives up what it has not accrued: no money reaches a closed account.
/// While an ended day waits for money it stays open.
#[test]
fn a_closed_account_gets_nothing() {
    let mut stage = Stage::new();
    let (ann, bob, sol) = (stage.ann, stage.bob, stage.sol);
    let close = |account| AccessCommand::CloseAccount(account);
    let in_use = Answer::Rejected(AnyReject::Access(AccessReject::InUse("Staking")));
    for account in [ann, bob] {
        stage.stake(account, "1000");
        let at = stage.exchange.stamp.time.0;
        stage.pass_to(at + 9 * Time::SECOND);
        assert_eq!(stage.own(close(account)), in_use);
        stage.unstake(account, "1000");
        let amount = -money("1000");
        let adjustment = Adjustment { account, currency: sol, amount, reference: String::new() };
        assert_eq!(stage.own(LedgerCommand::Adjust(Arc::new(adjustment))), Answer::Done);
    }
    assert_eq!(stage.own(close(ann)), Answer::Done);
    stage.pass_to(3 * DAY);
    assert_eq!(stage.own(close(bob)), in_use, "a day waits");
    stage.fund("1");
    stage.catch_up();
    assert_eq!(stage.has(ann), [Money::ZERO; 2]);
    assert_eq!(stage.exchange.state.staking().accrued(ann, PairId(0)), Money::ZERO);
    assert!(stage.has(bob)[1] > Money::ZERO);
    stage.replays();
}
