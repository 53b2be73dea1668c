//! The truth about accounts, withdrawals and deposits, kept next to the exchange from the answers to clients and from the chains,
//! in plain lists.

use super::found::{Founded, Place};
use super::truth::Truth;
use crate::check::Finding;
use buttonwood_engine::funds::OutputKey;
use buttonwood_engine::funds::deposit::State as Arrived;
use buttonwood_engine::{Eid, State, TransferKind, TransferStatus};
use buttonwood_model::{AccountId, CurrencyId, Time};
use std::collections::BTreeMap;

/// Free withdrawals of an account in a currency and a month.
const FREE: usize = 10;

/// Microseconds for which a new approval waits, and for which an ACH credit is an advance.
pub(super) const HOLD: u64 = 7 * 86_400 * Time::SECOND;
pub(super) const CLEARING: u64 = 5 * 86_400 * Time::SECOND;

/// An accepted withdrawal.
#[derive(Clone, Debug)]
pub(super) struct Paid {
    pub(super) eid: Eid,
    pub(super) account: AccountId,
    pub(super) place: usize,
    pub(super) receiver: usize,
    pub(super) amount: i128,
    pub(super) fee: i128,
    /// The currency that the account gives.
    pub(super) given: CurrencyId,
    /// The month whose free withdrawal it has used.
    pub(super) free_in: Option<u64>,
    pub(super) client_id: String,
    /// Its payment had its confirmations once.
    was_final: bool,
}

/// A payment to an address of the exchange.
#[derive(Clone, Debug)]
struct Arrival {
    place: usize,
    owner: Option<AccountId>,
    amount: i128,
    /// It had its confirmations once.
    was_final: bool,
    is_there: bool,
}

/// A move between an account and custody.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    /// Its row at the source.
    pub(super) eid: Eid,
    pub(super) source: AccountId,
    pub(super) target: AccountId,
    pub(super) currency: CurrencyId,
    pub(super) amount: i128,
    /// It waits at its source for the run, instead of being advanced at its target.
    pub(super) is_held: bool,
    /// When the run sends it, unless its currency is halted.
    pub(super) run: Time,
}

impl Moved {
    /// Whether the chain has not confirmed it yet.
    fn is_open(&self, state: &State) -> bool {
        status(state, self.eid) != Some(TransferStatus::Complete)
    }
}

/// Money of a bank that may be taken back.
#[derive(Clone, Debug)]
pub(super) struct Advance {
    pub(super) eid: Eid,
    pub(super) account: AccountId,
    pub(super) amount: i128,
    pub(super) at: Time,
    pub(super) is_returned: bool,
}

/// Everything that must be true.
#[derive(Default)]
pub(super) struct Books {
    places: Vec<Place>,
    accounts: Vec<AccountId>,
    currencies: Vec<CurrencyId>,
    credit: i128,
    dollar: CurrencyId,
    pub(super) paid: Vec<Paid>,
    arrivals: BTreeMap<OutputKey, Arrival>,
    pub(super) moved: Vec<Moved>,
    pub(super) advances: Vec<Advance>,
    /// When each approval was requested, by account, place of its network's first asset, and receiver.
    pub(super) approvals: BTreeMap<(AccountId, &'static str, usize), Time>,
}

impl Books {
    pub(super) fn new(founded: &Founded) -> Self {
        let places = founded.places.clone();
        let currencies = places.iter().map(|place| place.currency).chain([founded.dollar]).collect();
        Self {
            places,
            accounts: founded.accounts.to_vec(),
            currencies,
            credit: founded.credit,
            dollar: founded.dollar,
            ..Self::default()
        }
    }

    pub(super) fn place(&self, at: usize) -> &Place {
        self.places.get(at).expect("the place exists")
    }

    /// Free withdrawals that were used, without those that came back.
    fn used(&self, state: &State, account: AccountId, currency: CurrencyId, month: u64) -> usize {
        let is_used = |paid: &&Paid| {
            let given_back = [TransferStatus::Failed, TransferStatus::Voided];
            paid.account == account
                && self.place(paid.place).currency == currency
                && paid.free_in == Some(month)
                && !status(state, paid.eid).is_some_and(|status| given_back.contains(&status))
        };
        self.paid.iter().filter(is_used).count()
    }

    /// The fee of the next withdrawal, and whether it uses a free one up.
    pub(super) fn terms(&self, state: &State, account: AccountId, place: usize, now: Time) -> (i128, bool) {
        let place = self.place(place);
        let free = if self.accounts.get(1) == Some(&account) { 0 } else { FREE };
        let is_free = self.used(state, account, place.currency, month(now)) < free;
        (if is_free { 0 } else { place.fee }, is_free)
    }

    /// The money that may leave an account: the balance, less holds and advances.
    pub(super) fn may_leave(
        &self,
        state: &State,
        account: AccountId,
        currency: CurrencyId,
        now: Time,
    ) -> i128 {
        let (total, held) = self.expected(state, account, currency);
        total - held - self.advanced(state, account, currency, now)
    }

    fn advanced(&self, state: &State, account: AccountId, currency: CurrencyId, now: Time) -> i128 {
        let banks = self.advances.iter().filter(|advance| {
            currency == self.dollar
                && advance.account == account
                && !advance.is_returned
                && now < advance.at.plus(CLEARING)
        });
        let moved = self.moved.iter().filter(|moved| {
            !moved.is_held && moved.target == account && moved.currency == currency && moved.is_open(state)
        });
        banks.map(|advance| advance.amount).sum::<i128>() + moved.map(|moved| moved.amount).sum::<i128>()
    }

    /// Total and held amount that an account must have.
    fn expected(&self, state: &State, account: AccountId, currency: CurrencyId) -> (i128, i128) {
        let (mut total, mut held) = (self.credit, 0);
        for paid in self.paid.iter().filter(|paid| paid.account == account && paid.given == currency) {
            match status(state, paid.eid) {
                Some(TransferStatus::Complete) => total -= paid.amount + paid.fee,
                Some(TransferStatus::Pending) => held += paid.amount + paid.fee,
                _ => {}
            }
        }
        for (key, arrival) in &self.arrivals {
            let is_here = self.place(arrival.place).currency == currency && arrival.owner == Some(account);
            if is_here && is_credited(state, key) {
                total += arrival.amount;
            }
        }
        for moved in self.moved.iter().filter(|moved| moved.currency == currency) {
            let waits = moved.is_held && moved.is_open(state);
            if moved.source == account {
                (total, held) =
                    if waits { (total, held + moved.amount) } else { (total - moved.amount, held) };
            } else if moved.target == account && !waits {
                total += moved.amount;
            }
        }
        if currency == self.dollar {
            let kept =
                self.advances.iter().filter(|advance| advance.account == account && !advance.is_returned);
            total += kept.map(|advance| advance.amount).sum::<i128>();
        }
        // The cost of custody is proven elsewhere; here it only has to be listed.
        let rows = state.funds().transfers_of(account).map(|transfer| &transfer.row);
        let fees = rows.filter(|row| row.kind == TransferKind::CustodyFee && row.currency == currency);
        total -= fees.map(|row| row.amount.units()).sum::<i128>();
        (total, held)
    }

    /// Notes what the chains hold, and compares everything with the state. `is_caught_up`: the exchange has seen all of it.
    pub(super) fn compare(
        &mut self,
        state: &State,
        chains: &mut [(&'static str, Truth)],
        is_caught_up: bool,
    ) -> Result<(), Finding> {
        for (network, truth) in chains {
            self.note_arrivals(network, truth)?;
            self.note_payments(network, truth, state)?;
        }
        self.check_arrivals(state, is_caught_up)?;
        for paid in &self.paid {
            let status =
                status(state, paid.eid).ok_or_else(|| format!("{paid:?} was accepted and is lost"))?;
            let is_ended = !matches!(status, TransferStatus::Pending);
            if is_ended && paid.was_final != (status == TransferStatus::Complete) {
                return Err(format!("{status:?} does not fit what the chain has paid: {paid:?}"));
            }
        }
        self.check_balances(state)?;
        state.broken_law().map_or(Ok(()), |law| Err(format!("a law is broken: {law:?}")))
    }

    fn note_arrivals(&mut self, network: &str, truth: &mut Truth) -> Result<(), Finding> {
        for arrival in self.arrivals.iter_mut().filter(|(key, _)| key.network == network) {
            arrival.1.is_there = false;
        }
        let places = self.places.clone();
        let Some(home) = places.iter().find(|place| place.network == network) else { return Ok(()) };
        for (address, memo, account) in &home.own {
            for (incoming, confirmations) in truth.received(address)? {
                let of_code =
                    |place: &&Place| place.network == network && place.code == incoming.output.currency;
                let Some(place) = places.iter().position(|place| of_code(&place)) else { continue };
                let told = incoming.output.memo.as_deref().unwrap_or_default();
                let owner = (memo.is_empty() || memo == told).then_some(*account);
                let key = OutputKey {
                    network: network.to_owned(),
                    tx: incoming.tx.as_str().to_owned(),
                    index: incoming.index,
                };
                let amount = incoming.output.amount.units();
                let new = Arrival { place, owner, amount, was_final: false, is_there: true };
                let arrival = self.arrivals.entry(key).or_insert(new);
                arrival.is_there = true;
                arrival.was_final |= confirmations >= home.required;
            }
        }
        Ok(())
    }

    /// Every payment to a customer was accepted, and is there once.
    fn note_payments(&mut self, network: &str, truth: &mut Truth, state: &State) -> Result<(), Finding> {
        let receivers = self.places.iter().find(|place| place.network == network);
        for (receiver, address) in
            receivers.map(|home| home.receivers.clone()).into_iter().flatten().enumerate()
        {
            let mut seen = Vec::new();
            for (incoming, confirmations) in truth.received(&address)? {
                let (amount, code) = (incoming.output.amount.units(), incoming.output.currency.as_str());
                let places = &self.places;
                let is_it = |paid: &&mut Paid| {
                    let place = places.get(paid.place);
                    place.is_some_and(|place| place.network == network && place.code == code)
                        && (paid.receiver, paid.amount) == (receiver, amount)
                };
                let Some(paid) = self.paid.iter_mut().find(is_it) else {
                    return Err(format!("paid and not accepted: {incoming:?}"));
                };
                if seen.contains(&paid.eid) {
                    return Err(format!("paid twice: {paid:?}, the second time by {incoming:?}"));
                }
                seen.push(paid.eid);
                let required = places.get(paid.place).map_or(0, |place| place.required);
                paid.was_final |= confirmations >= required;
                let is_void =
                    matches!(status(state, paid.eid), Some(TransferStatus::Failed | TransferStatus::Voided));
                if is_void && confirmations > 0 {
                    return Err(format!("paid although it was given up: {paid:?}"));
                }
            }
        }
        Ok(())
    }

    fn check_arrivals(&mut self, state: &State, is_caught_up: bool) -> Result<(), Finding> {
        let mut pending: BTreeMap<(AccountId, CurrencyId), i128> = BTreeMap::new();
        for (key, arrival) in &mut self.arrivals {
            let Some(deposit) = state.funds().deposits().get(key) else {
                if is_caught_up && arrival.is_there {
                    return Err(format!("{key:?} was not seen: {arrival:?}"));
                }
                continue;
            };
            let row = state.funds().transfer(deposit.eid).map(|transfer| &transfer.row).ok_or("no row")?;
            if row.amount.units() != arrival.amount {
                return Err(format!("{key:?} has another amount: {arrival:?}"));
            }
            // A payment that fits no account is the house's until it is assigned.
            let is_unclaimed = state.funds().deposits().unclaimed().any(|(other, _)| other == key);
            match arrival.owner {
                Some(owner) if owner != row.account => return Err(format!("{key:?} is {:?}'s", row.account)),
                None if !is_unclaimed => arrival.owner = Some(row.account),
                Some(_) | None => {}
            }
            if deposit.state == Arrived::Credited && !arrival.was_final {
                return Err(format!("credited early: {key:?}: {arrival:?}"));
            }
            let place = self.places.get(arrival.place).ok_or("no place")?;
            let is_halted = state.funds().halts().stops_credit(place.currency);
            let is_due = arrival.was_final && arrival.is_there && !is_halted;
            if is_caught_up && is_due && deposit.state != Arrived::Credited && row_is_final(row, place) {
                return Err(format!("final, and not credited: {key:?}: {arrival:?}"));
            }
            if deposit.state == Arrived::Waiting {
                *pending.entry((row.account, place.currency)).or_default() += arrival.amount;
            }
        }
        for account in &self.accounts {
            let shown = state.funds().pending(*account);
            for currency in &self.currencies {
                let shown = shown.get(currency).map_or(0, |pending| pending.deposit.units());
                // Rows that are not known here are those of moves.
                let known = pending.get(&(*account, *currency)).copied().unwrap_or_default()
                    + self.moves_in(state, *account, *currency);
                if shown != known {
                    return Err(format!("{account:?} shows {shown} of pending deposits, not {known}"));
                }
            }
        }
        Ok(())
    }

    /// The amount that waiting custody moves will bring to an account.
    fn moves_in(&self, state: &State, account: AccountId, currency: CurrencyId) -> i128 {
        let own = self.moved.iter().filter(|moved| {
            moved.is_held && moved.target == account && moved.currency == currency && moved.is_open(state)
        });
        own.map(|moved| moved.amount).sum()
    }

    fn check_balances(&self, state: &State) -> Result<(), Finding> {
        let now = state.stamp().time;
        if let Some(moved) = self.moved.iter().find(|moved| !moved.is_open(state) && now < moved.run) {
            return Err(format!("complete before the run: {moved:?}"));
        }
        for account in &self.accounts {
            for currency in &self.currencies {
                let (total, held) = self.expected(state, *account, *currency);
                let balance = state.ledger().balance(*account, *currency);
                let found = (balance.total().units(), balance.held.units());
                if found != (total, held) {
                    return Err(format!(
                        "{account:?} has {found:?} of {currency:?}, not {:?}",
                        (total, held)
                    ));
                }
                let advanced = self.advanced(state, *account, *currency, now);
                if balance.available.units() < advanced {
                    return Err(format!("of {advanced} advanced only {:?} stayed", balance.available));
                }
            }
        }
        Ok(())
    }

    /// The withdrawals whose payment cannot confirm any more.
    pub(super) fn lost(&self, state: &State) -> Vec<Eid> {
        let payment = |paid: &&Paid| {
            let payment = state.funds().withdrawals().payment(paid.eid);
            payment.is_some_and(|payment| payment.lost && !payment.is_called_off())
        };
        self.paid.iter().filter(payment).map(|paid| paid.eid).collect()
    }

    /// At the end every withdrawal has ended: each completed one is on the chain once, each other one is not.
    pub(super) fn check_end(
        &self,
        state: &State,
        chains: &mut [(&'static str, Truth)],
    ) -> Result<(), Finding> {
        let now = state.stamp().time;
        if let Some(moved) = self.moved.iter().find(|moved| moved.is_open(state) && moved.run <= now) {
            let is_sent = state.funds().custody_moves_sent().any(|eid| eid == moved.eid);
            let sending = state.funds().custody_sending(moved.eid);
            return Err(format!(
                "at the end a move is not complete: {moved:?}, sent {is_sent}: {sending:?}; {:?} {:?} {:?}",
                state.funds().reserves(),
                state.funds().halts(),
                buttonwood_engine::funds::reserves::sums(state.funds(), state.ledger(), moved.currency)
            ));
        }
        for paid in &self.paid {
            let place = self.place(paid.place);
            let truth = chains.iter_mut().find(|(name, _)| *name == place.network);
            let Some((_, truth)) = truth else { continue };
            let address = place.receivers.get(paid.receiver).ok_or("no receiver")?;
            let count = truth
                .received(address)?
                .iter()
                .filter(|(incoming, confirmations)| {
                    incoming.output.amount.units() == paid.amount
                        && incoming.output.currency == place.code
                        && *confirmations >= place.required
                })
                .count();
            let wanted = match status(state, paid.eid) {
                Some(TransferStatus::Complete) => 1,
                Some(TransferStatus::Failed | TransferStatus::Voided) => 0,
                other => {
                    let sent = state.funds().withdrawals().payment(paid.eid);
                    return Err(format!("at the end it is {other:?}: {paid:?}: {sent:?}"));
                }
            };
            if count != wanted {
                return Err(format!("at the end paid {count} times, not {wanted}: {paid:?}"));
            }
        }
        Ok(())
    }

    /// Currencies of what was final on a network and is in its newest `depth` blocks: a reorganisation of these halts them.
    pub(super) fn final_in(
        &self,
        network: &str,
        truth: &mut Truth,
        depth: u32,
        state: &State,
    ) -> Result<Vec<CurrencyId>, Finding> {
        let mut found = Vec::new();
        let is_removed = |confirmations: u32| (1..=depth).contains(&confirmations);
        let home = self.places.iter().find(|place| place.network == network).ok_or("no place")?;
        for (address, ..) in &home.own {
            for (incoming, confirmations) in truth.received(address)? {
                let tx = incoming.tx.as_str().to_owned();
                let key = OutputKey { network: network.to_owned(), tx, index: incoming.index };
                if is_removed(confirmations) && is_credited(state, &key) {
                    found.extend(self.currency(&incoming.output.currency));
                }
            }
        }
        for address in &home.receivers {
            for (incoming, confirmations) in truth.received(address)? {
                // One that is final on the chain may not be complete yet: a node that failed to answer is asked later.
                let is_final = is_removed(confirmations) && confirmations >= home.required;
                if is_final && self.is_complete(state, incoming.tx.as_str()) {
                    found.extend(self.currency(&incoming.output.currency));
                }
            }
        }
        Ok(found)
    }

    /// Whether the exchange has noted that a transaction has paid a withdrawal for good.
    fn is_complete(&self, state: &State, tx: &str) -> bool {
        let is_it = |eid: Eid| {
            let row = state.funds().transfer(eid).map(|transfer| &transfer.row);
            row.is_some_and(|row| {
                row.status == TransferStatus::Complete && row.chain().is_some_and(|chain| chain.tx == tx)
            })
        };
        self.paid.iter().any(|paid| is_it(paid.eid))
    }

    /// Currencies of withdrawals of a network that were given up: their voids, or failed transactions, may be removed too.
    pub(super) fn given_up(&self, network: &str, state: &State) -> impl Iterator<Item = CurrencyId> {
        let ends = [TransferStatus::Failed, TransferStatus::Voided];
        self.paid.iter().filter_map(move |paid| {
            let place = self.place(paid.place);
            let is_it =
                place.network == network && status(state, paid.eid).is_some_and(|end| ends.contains(&end));
            is_it.then_some(place.currency)
        })
    }

    fn currency(&self, code: &str) -> Option<CurrencyId> {
        self.places.iter().find(|place| place.code == code).map(|place| place.currency)
    }

    /// A withdrawal that was accepted.
    #[expect(clippy::too_many_arguments, reason = "a row of the books")]
    pub(super) fn accept(
        &mut self,
        eid: Eid,
        account: AccountId,
        place: usize,
        receiver: usize,
        amount: i128,
        fee: i128,
        given: CurrencyId,
        free_in: Option<u64>,
        client_id: String,
    ) {
        let was_final = false;
        self.paid.push(Paid {
            eid,
            account,
            place,
            receiver,
            amount,
            fee,
            given,
            free_in,
            client_id,
            was_final,
        });
    }
}

fn status(state: &State, eid: Eid) -> Option<TransferStatus> {
    state.funds().transfer(eid).map(|transfer| transfer.row.status)
}

fn is_credited(state: &State, key: &OutputKey) -> bool {
    state.funds().deposits().get(key).is_some_and(|deposit| deposit.state == Arrived::Credited)
}

/// Whether the exchange itself counts enough confirmations.
fn row_is_final(row: &buttonwood_engine::funds::NewTransfer, place: &Place) -> bool {
    row.chain().is_some_and(|chain| chain.confirmations >= place.required)
}

/// The month of a time, counted from 1970.
pub(super) fn month(now: Time) -> u64 {
    let mut days = now.0 / (86_400 * Time::SECOND);
    let mut month = 0;
    for year in 1970_u64.. {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for length in [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < length {
                return month;
            }
            days -= length;
            month += 1;
        }
    }
    month
}
