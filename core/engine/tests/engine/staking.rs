//! Staking: stakes and their limit, days of interest, redemptions and debts.

use buttonwood_engine::staking::{Command as Own, PairId, PairTerms, Provider, Rate, Reject, Request, Terms};
use buttonwood_engine::{
    Answer, Body, Command, FeeSchedule, Reject as AnyReject, StakingAnswer, StakingCommand, perp,
};
use buttonwood_model::{AccountId, CurrencyId, Role, SessionId, Time};
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
    /// At noon of the second day of the calendar.
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
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
        let (provider, currency, client_id) = (provider(1), self.sol, id.to_owned());
        let request = Arc::new(Request { provider, currency, amount: money(amount), client_id });
        let session = self.keys[usize::from(account == self.bob)];
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
    assert!(matches!(answer, Answer::Staking(StakingAnswer::Staked { number: 1, .. })), "{answer:?}");
    assert_eq!(stage.has(ann), [money("100"), money("900")]);
    stage.pass_to(2 * DAY + NOON);
    // Eight hours of the first day: one third of a ten-thousandth.
    assert_eq!(stage.has(ann), [money("100.0033333333333333333"), money("900")]);
    stage.pass_to(3 * DAY + NOON);
    let all = money("100.0033333333333333333").units();
    let second = all + all / 10_000;
    assert_eq!(stage.has(ann)[0], Money::from_units(second));
    let answer = stage.unstake(ann, "100");
    assert!(matches!(answer, Answer::Staking(StakingAnswer::Redeemed { .. })), "{answer:?}");
    assert_eq!(stage.has(ann)[1], money("1000"));
    assert_eq!(stage.unstake(ann, "1"), refused(Reject::TooLittleStaked));
}
