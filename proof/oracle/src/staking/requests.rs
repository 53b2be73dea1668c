//! What customers ask, and the replies that they must get.

use super::books::{ONE, Why};
use super::{Known, World, provider};
use buttonwood_engine::staking::{Provider, Request};
use buttonwood_engine::{Answer, Outcome, Reject, StakingAnswer, StakingCommand, StakingReject};
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::Money;
use std::sync::Arc;

impl World {
    fn anyone(&mut self) -> usize {
        if self.dice.once_in(24) {
            return 3;
        }
        let crowd = u64::try_from(self.accounts.len() - 4).unwrap();
        if crowd > 0 && self.dice.once_in(4) {
            let who = 4 + usize::try_from(self.dice.below(crowd)).unwrap();
            if !self.books.closed.contains(&self.accounts[who].0) {
                return who;
            }
        }
        self.dice.pick(&[0, 1, 2])
    }

    /// A pair, mostly one that is set.
    fn some_pair(&mut self) -> (Provider, CurrencyId) {
        let (last, place) = self.dice.pick(&[(0, 0), (0, 0), (0, 1), (1, 0), (1, 0), (2, 2), (3, 2)]);
        let last = if self.dice.once_in(40) { 9 } else { last };
        (provider(last), self.currencies()[place])
    }

    /// A request of a random amount, which is compared with the naive figures.
    pub(super) fn ask(&mut self, stakes: bool) -> Result<(), String> {
        let (who, (provider, currency)) = (self.anyone(), self.some_pair());
        let amount = self.amount(who, (provider, currency), stakes);
        let client_id = if self.dice.once_in(3) { format!("id-{}", self.nonce) } else { String::new() };
        let request = Request { provider, currency, amount: Money::from_units(amount), client_id };
        self.request(who, stakes, &request)?;
        self.agree()
    }

    /// An amount near the bounds: of the balance or the stake, and of the limit.
    fn amount(&mut self, who: usize, (provider, currency): (Provider, CurrencyId), stakes: bool) -> i128 {
        let (account, now) = (self.accounts[who].0, self.exchange.stamp.time);
        let at = self.books.find(provider, currency);
        let whole = match (stakes, at) {
            (true, _) => self.books.available(account, currency),
            (false, Some(at)) => self.books.staked(at, account),
            (false, None) => 0,
        };
        let room = at.filter(|_| stakes).and_then(|at| self.books.room(at, account, now));
        let usual = room.map_or(whole, |room| whole.min(room.max(0)));
        match self.dice.below(16) {
            0 => whole + 1,
            1 | 2 => whole,
            3 => room.unwrap_or(whole),
            7 | 8 => usual + i128::from(usual < whole),
            4 => room.unwrap_or(whole) + 1,
            5 => 1,
            6 if self.dice.once_in(4) => 0,
            _ => {
                usual / 1_000_000 * i128::from(self.dice.below(400_000)) + i128::from(self.dice.below(1_000))
            }
        }
    }

    /// Sends a request, and compares the reply.
    pub(super) fn request(&mut self, who: usize, stakes: bool, request: &Request) -> Result<(), String> {
        let (account, amount) = (self.accounts[who].0, request.amount.units());
        let at = self.books.find(request.provider, request.currency);
        let now = Time(self.now() + 1);
        let mut against = match at {
            None => vec![Why::Pair],
            Some(at) if stakes => self.books.against_stake(at, account, amount, now),
            Some(at) => self.books.against_unstake(at, account, amount, now),
        };
        against.extend((who == 3).then_some(Why::Kind));
        against.extend((stakes && self.books.halted).then_some(Why::Halted));
        let shared = Arc::new(request.clone());
        let command = if stakes { StakingCommand::Stake(shared) } else { StakingCommand::Unstake(shared) };
        let answer = self.send(who, command)?;
        if let Some(at) = at.filter(|_| against.is_empty()) {
            self.take(at, (who, stakes), request, &answer)?;
        } else {
            refused_for(&answer, &against)?;
            self.counts.refused += 1;
            self.counts.beyond_limit += u64::from(against == [Why::Limit]);
        }
        Ok(())
    }

    /// Notes a request that was accepted, and compares its reply.
    fn take(
        &mut self,
        at: usize,
        (who, stakes): (usize, bool),
        request: &Request,
        answer: &Answer,
    ) -> Result<(), String> {
        let (account, now, amount) = (self.accounts[who].0, self.exchange.stamp.time, request.amount);
        let Ok(reply) = answer.of::<StakingAnswer>().copied() else {
            return Err(format!("{request:?} (stakes: {stakes}) is refused: {answer:?}"));
        };
        let (StakingAnswer::Staked { number, pair, .. } | StakingAnswer::Redeemed { number, pair, .. }) =
            reply;
        self.books.number(number)?;
        let expected = if stakes {
            let accrued = Money::from_units(self.books.interest(at, account));
            let rate = self.books.pairs[at].terms().rate;
            self.books.stake(at, account, amount.units(), now);
            self.counts.staked += 1;
            StakingAnswer::Staked { number, pair, amount, rate, accrued }
        } else {
            let paid = self.books.unstake(at, (account, amount.units()), number, now);
            self.counts.redeemed += 1;
            StakingAnswer::Redeemed { number, pair, amount, paid: Money::from_units(paid), requested: now }
        };
        if reply != expected || usize::from(pair.0) != at {
            return Err(format!("{reply:?}, expected {expected:?} of pair {at}"));
        }
        if !request.client_id.is_empty() {
            self.known.push(Known { who, stakes, request: request.clone(), answer: answer.clone() });
        }
        Ok(())
    }

    /// A request is sent again, now and then with other terms or on the other endpoint. It is no new request, so a halted exchange takes it too.
    pub(super) fn repeat(&mut self) -> Result<(), String> {
        if self.known.is_empty() {
            return Ok(());
        }
        let place = self.dice.below(u64::try_from(self.known.len()).unwrap());
        let Known { who, stakes, mut request, answer } = self.known[usize::try_from(place).unwrap()].clone();
        let (other, swaps) = (self.dice.once_in(4), self.dice.once_in(4));
        if other {
            request.amount = Money::from_units(request.amount.units() + 1);
        }
        let request = Arc::new(request);
        let is_stake = stakes != swaps;
        let command =
            if is_stake { StakingCommand::Stake(request) } else { StakingCommand::Unstake(request) };
        let got = self.send(who, command)?;
        if other || swaps {
            refused_for(&got, &[Why::OtherTerms])?;
            self.counts.refused += 1;
        } else if got == answer {
            self.counts.repeated += 1;
        } else {
            return Err(format!("{got:?} to a retry, {answer:?} to the request"));
        }
        self.agree()
    }

    /// A customer redeems all.
    pub(super) fn redeem_all(&mut self, who: usize) -> Result<(), String> {
        for at in 0..self.books.pairs.len() {
            let (pair, staked) = (&self.books.pairs[at], self.books.staked(at, self.accounts[who].0));
            let (provider, currency, amount) = (pair.provider, pair.currency, Money::from_units(staked));
            let request = Request { provider, currency, amount, client_id: String::new() };
            if staked > 0 {
                self.request(who, false, &request)?;
            }
        }
        Ok(())
    }

    /// Most of the crowd redeems the half.
    pub(super) fn rush(&mut self) -> Result<(), String> {
        let (provider, currency, left_out) = (provider(0), self.coins[0].currency, 2 + self.dice.below(9));
        for who in 4..self.accounts.len() {
            let half = self.books.staked(0, self.accounts[who].0) / 2;
            if half > 0 && !self.dice.once_in(left_out) {
                let (amount, client_id) = (Money::from_units(half), String::new());
                self.request(who, false, &Request { provider, currency, amount, client_id })?;
            }
        }
        self.agree()?;
        self.be_down()
    }

    /// More redemptions than an account may have open.
    pub(super) fn burst(&mut self) -> Result<(), String> {
        let (who, (provider, currency)) = (self.dice.pick(&[0, 1, 2]), self.some_pair());
        let at = self.books.find(provider, currency);
        if at.is_none_or(|at| self.books.staked(at, self.accounts[who].0) < ONE) {
            return Ok(());
        }
        for _ in 0..102 {
            let (amount, client_id) = (Money::from_units(1), String::new());
            self.request(who, false, &Request { provider, currency, amount, client_id })?;
        }
        self.agree()
    }
}

/// A request was refused for one of the reasons against it.
fn refused_for(answer: &Answer, against: &[Why]) -> Result<(), String> {
    if against.iter().any(|why| names(answer, *why)) {
        return Ok(());
    }
    Err(format!("{answer:?}, expected a refusal for one of {against:?}"))
}

/// Whether an answer refuses a request for a reason.
fn names(answer: &Answer, why: Why) -> bool {
    let reject = match why {
        Why::Halted => return *answer == Outcome::Rejected(Reject::Halted),
        Why::Funds => return matches!(answer, Outcome::Rejected(Reject::Staking(StakingReject::Short(_)))),
        Why::Limit => {
            return matches!(answer, Outcome::Rejected(Reject::Staking(StakingReject::BeyondLimit(_))));
        }
        Why::Pair => return is_unknown(answer),
        Why::Kind => StakingReject::WrongKind,
        Why::OtherTerms => StakingReject::OtherTerms,
        Why::Amount => StakingReject::BadAmount,
        Why::Paused => StakingReject::Paused,
        Why::Price => StakingReject::NoPrice,
        Why::Staked => StakingReject::TooLittleStaked,
        Why::Open => StakingReject::TooManyOpen,
    };
    *answer == Outcome::Rejected(Reject::Staking(reject))
}

/// Whether an answer refuses a request for its provider, or for its currency with the provider.
fn is_unknown(answer: &Answer) -> bool {
    let unknown = [StakingReject::UnknownProvider, StakingReject::UnknownPair];
    unknown.into_iter().any(|reject| *answer == Outcome::Rejected(Reject::Staking(reject)))
}
