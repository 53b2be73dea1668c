//! The state of the room: terms, stakes and open redemptions.

use crate::day::day_of;
use crate::pair::{Pair, Work};
use crate::queue_totals::QueueTotals;
use crate::row::Row;
use crate::{PairId, PairTerms, Provider, Receipt, Redemption, terms};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use buttonwood_ledger::{Ledger, STAKING_REWARDS};
use buttonwood_model::{AccountId, Code, Codes, CurrencyId, Day, Fingerprint, RowHash, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The state of the room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staking {
    /// The codes of transactions; none before the key was drawn.
    codes: Option<Codes>,
    /// The number of the last transaction.
    pub(crate) last: u64,
    pairs: Vec<Pair>,
    places: BTreeMap<(Provider, CurrencyId), PairId>,
    pub(crate) rows: BTreeMap<(PairId, AccountId), Row>,
    /// The interest so far of accounts without a row.
    totals: BTreeMap<(PairId, AccountId), Money>,
    /// The month in which an account staked last with a pair, and the dollars that it staked in it.
    pub(crate) used: BTreeMap<(PairId, AccountId), (u32, Money)>,
    /// The open redemptions, in the order in which they are paid.
    pub(crate) queue: BTreeMap<(PairId, Time, u64), Redemption>,
    /// The same by account, with their times.
    pub(crate) open: BTreeMap<(AccountId, PairId, u64), Time>,
    /// Running totals of the same.
    pub(crate) queue_totals: QueueTotals,
    /// The replies to requests with a client id, kept for ever as the ids are (D-104).
    pub(crate) receipts: BTreeMap<u64, Receipt>,
    /// The accounts whose stakes may have to repay a debt.
    pub(crate) debtors: BTreeSet<AccountId>,
    pub(crate) fingerprint: Fingerprint,
}

/// What `staking_rewards` has of a currency beyond an amount.
fn rest(ledger: &Ledger, currency: CurrencyId, reserved: Money) -> Money {
    let Some(rewards) = ledger.house(STAKING_REWARDS.name) else { return Money::ZERO };
    ledger.balance(rewards, currency).available.checked_sub(reserved).unwrap_or(Money::ZERO)
}

const TERMS: RowHash = RowHash::of("terms");
const STAKE: RowHash = RowHash::of("stake");
const REDEMPTION: RowHash = RowHash::of("redemption");

impl Staking {
    /// Every pair, in the order in which they were set.
    pub fn pairs(&self) -> impl Iterator<Item = (PairId, &Pair)> {
        (0..).map(PairId).zip(&self.pairs)
    }

    /// A pair.
    pub fn pair(&self, id: PairId) -> Option<&Pair> {
        self.pairs.get(usize::from(id.0))
    }

    /// The pair of a provider and a currency.
    pub fn find(&self, provider: Provider, currency: CurrencyId) -> Option<(PairId, &Pair)> {
        let id = *self.places.get(&(provider, currency))?;
        Some((id, self.pair(id)?))
    }

    /// Whether a provider has a pair.
    pub fn has_provider(&self, provider: Provider) -> bool {
        let first = (provider, CurrencyId(0));
        self.places.range(first..).next().is_some_and(|((found, _), _)| *found == provider)
    }

    /// The amount that an account has staked with a pair.
    pub fn staked(&self, account: AccountId, pair: PairId) -> Money {
        self.rows.get(&(pair, account)).map_or(Money::ZERO, |row| row.amount)
    }

    /// The interest of an account with a pair so far.
    pub fn accrued(&self, account: AccountId, pair: PairId) -> Money {
        let row = self.rows.get(&(pair, account)).map(|row| row.total);
        row.or_else(|| self.totals.get(&(pair, account)).copied()).unwrap_or(Money::ZERO)
    }

    /// The open redemptions of an account, by pair and in the order of their requests.
    pub fn open_of(&self, account: AccountId) -> impl Iterator<Item = &Redemption> {
        let own = self.open.range((account, PairId(0), 0)..).take_while(move |((of, ..), _)| *of == account);
        own.filter_map(|((_, pair, number), due)| self.queue.get(&(*pair, *due, *number)))
    }

    /// The amount that an account is owed from redemptions of a pair.
    pub fn owed(&self, account: AccountId, pair: PairId) -> Money {
        let own = self.open.range((account, pair, 0)..=(account, pair, u64::MAX));
        let rows = own.filter_map(|((.., number), due)| self.queue.get(&(pair, *due, *number)));
        rows.fold(Money::ZERO, |sum, redemption| sum.capped_add(redemption.left()))
    }

    /// What an account has with each pair: what is staked, and what redemptions owe it; no line where both are zero.
    pub fn holdings(&self, account: AccountId) -> impl Iterator<Item = (PairId, &Pair, [Money; 2])> {
        let all = self
            .pairs()
            .map(move |(id, pair)| (id, pair, [self.staked(account, id), self.owed(account, id)]));
        all.filter(|(.., amounts)| amounts.iter().any(|amount| *amount != Money::ZERO))
    }

    /// The pairs of which an ended day will still pay an account interest.
    pub fn waiting_for(&self, account: AccountId) -> impl Iterator<Item = &Pair> {
        let own = self.pairs().filter_map(move |(id, pair)| Some((pair, self.rows.get(&(id, account))?)));
        { own }.filter(|(pair, row)| row.waits_for(&pair.ended)).map(|(pair, _)| pair)
    }

    /// All that accounts have staked, and are owed from redemptions. An account may have several lines of a currency.
    pub fn amounts(&self) -> impl Iterator<Item = (CurrencyId, AccountId, Money)> {
        let staked = self.rows.iter().map(|((id, account), row)| (*id, *account, row.amount));
        let owed = self.queue.values().map(|row| (row.pair, row.account, row.left()));
        let all = staked.chain(owed).filter(|(.., amount)| *amount != Money::ZERO);
        all.filter_map(|(id, account, amount)| Some((self.pair(id)?.currency, account, amount)))
    }

    /// The code of a transaction; none before the key was drawn.
    pub fn code(&self, number: u64) -> Option<Code> {
        self.codes.map(|codes| codes.code(number))
    }

    /// The number of the transaction with a code; none if no transaction has it.
    pub fn number(&self, code: Code) -> Option<u64> {
        self.codes.map(|codes| codes.number(code)).filter(|number| (1..=self.last).contains(number))
    }

    /// Whether the key of the codes was drawn.
    pub fn has_key(&self) -> bool {
        self.codes.is_some()
    }

    /// The number of the next transaction.
    pub(crate) fn next_number(&self) -> u64 {
        self.last + 1
    }

    pub(crate) fn set_key(&mut self, key: [u8; 16]) {
        self.codes = Some(Codes::of(key));
    }

    pub(crate) fn pair_mut(&mut self, id: PairId) -> Option<&mut Pair> {
        self.pairs.get_mut(usize::from(id.0))
    }

    /// The pair, made if there is none: its first rate counts at once.
    pub(crate) fn pair_or_new(&mut self, set: &PairTerms, seconds: u64) -> PairId {
        if let Some(id) = self.places.get(&(set.provider, set.currency)) {
            return *id;
        }
        let id = PairId(u16::try_from(self.pairs.len()).unwrap_or(u16::MAX));
        self.pairs.push(Pair {
            provider: set.provider,
            currency: set.currency,
            terms: set.terms,
            day: day_of(seconds),
            running: set.terms.rate,
            ended: VecDeque::new(),
            work: Work::Idle,
            paid: (Day(0), Money::ZERO),
            ready: Time(0),
            price: None,
            terms_set: Time(0),
        });
        self.places.insert((set.provider, set.currency), id);
        id
    }

    /// Skips the days of a pair on which nothing was staked.
    pub(crate) fn roll(&mut self, id: PairId, seconds: u64) {
        let day = day_of(seconds);
        let is_used = self.has_rows(id);
        if let Some(pair) = self.pair_mut(id)
            && !is_used
            && pair.ended.is_empty()
            && pair.day < day
        {
            (pair.day, pair.running) = (day, pair.terms.rate);
        }
    }

    /// Whether an account has a row with the pair.
    pub(crate) fn has_rows(&self, id: PairId) -> bool {
        let mut own = self.rows.range((id, AccountId(0))..=(id, AccountId(u32::MAX)));
        own.next().is_some()
    }

    /// Changes the row of an account, which is made if there is none, and goes if nothing is left of it.
    pub(crate) fn change(
        &mut self,
        (id, account): (PairId, AccountId),
        seconds: u64,
        change: impl FnOnce(&mut Row),
    ) {
        let totals = &mut self.totals;
        let row = self
            .rows
            .entry((id, account))
            .or_insert_with(|| Row::new(seconds, totals.remove(&(id, account)).unwrap_or(Money::ZERO)));
        change(row);
        self.fingerprint.add(STAKE.word(id.0.into()).word(account.0.into()).money(row.amount));
        if row.is_idle() {
            self.retire((id, account));
        }
    }

    /// Drops a row of which nothing is left but the interest so far.
    pub(crate) fn retire(&mut self, key: (PairId, AccountId)) {
        if let Some(row) = self.rows.remove(&key).filter(|row| row.total != Money::ZERO) {
            self.totals.insert(key, row.total);
        }
    }

    /// The part of `staking_rewards` in a currency that no day under way will take.
    pub fn free(&self, ledger: &Ledger, currency: CurrencyId) -> Money {
        rest(ledger, currency, self.reserved_of(currency))
    }

    /// The part that days under way will take.
    fn reserved_of(&self, currency: CurrencyId) -> Money {
        let own = self.pairs.iter().filter(|pair| pair.currency == currency);
        own.fold(Money::ZERO, |sum, pair| sum.capped_add(pair.reserved()))
    }

    /// The same for every currency in which a day waits for money, with one look at each pair.
    pub(crate) fn free_where_short(&self, ledger: &Ledger) -> BTreeMap<CurrencyId, Money> {
        let short = self.pairs.iter().filter(|pair| pair.needed().is_some());
        let mut all: BTreeMap<_, _> = short.map(|pair| (pair.currency, Money::ZERO)).collect();
        for pair in &self.pairs {
            if let Some(reserved) = all.get_mut(&pair.currency) {
                *reserved = reserved.capped_add(pair.reserved());
            }
        }
        for (currency, reserved) in &mut all {
            *reserved = rest(ledger, *currency, *reserved);
        }
        all
    }

    /// Notes that `staking_rewards`, which had this much of a currency, has more.
    pub(crate) fn note_money(&mut self, before: Money, currency: CurrencyId, now: Time) {
        let free = before.checked_sub(self.reserved_of(currency)).unwrap_or(Money::ZERO);
        self.note_free(free, currency, now);
    }

    /// Notes, where this much was free before, that the days which wait for more may be ready.
    pub(crate) fn note_free(&mut self, free: Money, currency: CurrencyId, now: Time) {
        let own = self.pairs.iter_mut().filter(|pair| pair.currency == currency);
        for pair in own.filter(|pair| pair.needed().is_some_and(|total| total > free)) {
            pair.ready = now;
        }
    }

    /// Notes that an account owes more for a returned advance: its stakes may have to repay it (D-167).
    pub(crate) fn note_debtor(&mut self, account: AccountId) {
        let has_stake = self.pairs().any(|(id, _)| self.rows.contains_key(&(id, account)));
        if has_stake {
            self.debtors.insert(account);
        }
    }

    pub(crate) fn note_terms(&mut self, id: PairId, set: &PairTerms) {
        self.fingerprint.add(terms::hashed(TERMS, id, set));
    }

    pub(crate) fn note_redemption(&mut self, redemption: &Redemption) {
        let row = REDEMPTION.word(redemption.number).word(redemption.account.0.into());
        self.fingerprint.add(row.money(redemption.amount).money(redemption.paid).word(redemption.due.0));
    }

    /// Notes an accrual's row.
    pub(crate) fn note_row(&mut self, id: PairId, account: AccountId, amount: Money) {
        self.fingerprint.add(STAKE.word(id.0.into()).word(account.0.into()).money(amount));
    }
}
