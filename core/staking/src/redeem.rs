//! Redemptions: requests (STK-009 to STK-011), and the queue of each pair.

use crate::stake::{Request, admit};
use crate::{ALL, Answer, Infrequent, PairId, Receipt, Reject, Staking, accrue, money};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Request as ClientRequest;
use buttonwood_ledger::Cause;
use buttonwood_model::{AccountId, BytesRef, Outbox, Time};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The most open redemptions of an account and a pair with which it may request another one. One that repays a debt is made beyond it too
/// (D-167).
pub const OPEN_MAX: usize = 100;

/// The most redemptions that one command pays.
const STEP_MAX: usize = 1_000;

/// A redemption that is not paid in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redemption {
    /// The number of the transaction.
    pub number: u64,
    /// The account.
    pub account: AccountId,
    /// The pair.
    pub pair: PairId,
    /// The whole amount.
    pub amount: Money,
    /// The amount that was paid.
    pub paid: Money,
    /// When it was requested.
    pub requested: Time,
    /// When it is due.
    pub due: Time,
}

impl Redemption {
    /// The amount that is still to be paid.
    pub fn left(&self) -> Money {
        self.amount.checked_sub(self.paid).unwrap_or(Money::ZERO)
    }
}

/// The event: an account redeems an amount, of which a part may be paid at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redeemed {
    /// The number of the transaction.
    pub number: u64,
    /// The account.
    pub account: AccountId,
    /// The pair.
    pub pair: PairId,
    /// The amount.
    pub amount: Money,
    /// The part that was paid at once.
    pub paid: Money,
    /// When the rest is due.
    pub due: Time,
    /// Whether it repays a debt for a returned advance (D-167): the account did not ask for it.
    pub is_forced: bool,
    /// The client's id; empty without one.
    pub client_id: String,
}

/// The event: redemptions of a pair were paid, in the order of its queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// The pair.
    pub pair: PairId,
    /// The payments.
    pub rows: Vec<Payment>,
}

/// A payment to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The number of the redemption.
    pub number: u64,
    /// When it was due.
    pub due: Time,
    /// The account.
    pub account: AccountId,
    /// The amount.
    pub amount: Money,
    /// Whether nothing is left to be paid.
    pub is_last: bool,
}

/// Decides a request to redeem: appends its event and answers, or refuses it.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    account: AccountId,
    request: &Request,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    let (id, earlier) = admit(context, account, request, false)?;
    if let Some(receipt) = earlier {
        return Ok(receipt.answer);
    }
    if request.amount <= Money::ZERO {
        return Err(Reject::BadAmount);
    }
    let staked = context.room.staked(account, id);
    let amount = if request.amount == ALL { staked } else { request.amount };
    if amount == Money::ZERO || staked < amount {
        return Err(Reject::TooLittleStaked);
    }
    let redeemed = redeemed(context, (account, id), amount).ok_or(Reject::UnknownPair)?;
    if redeemed.paid < redeemed.amount && context.room.count_open(account, id) >= OPEN_MAX {
        return Err(Reject::TooManyOpen);
    }
    accrue::end_days(context, id, out);
    let answer = redeemed.answer(context.time);
    out.push_named(&Infrequent::Redeemed(Redeemed { client_id: request.client_id.clone(), ..redeemed }));
    Ok(answer)
}

/// The redemption of an amount, as far as it is paid at once.
fn redeemed(
    context: &Context<'_, Staking>,
    (account, id): (AccountId, PairId),
    amount: Money,
) -> Option<Redeemed> {
    let pair = context.room.pair(id)?;
    let due = context.time.plus(pair.terms.wait_micros());
    let is_first = context.room.first_of(id).is_none_or(|first| first.due > context.time);
    let is_now = due <= context.time && is_first;
    let at_once = if is_now { amount.min(pair.allowance(context.time)) } else { Money::ZERO };
    let number = context.room.next_number();
    Some(Redeemed {
        number,
        account,
        pair: id,
        amount,
        paid: at_once,
        due,
        is_forced: false,
        client_id: String::new(),
    })
}

/// Decides the redemption of the stakes of an account that owes for a returned advance, up to its debt in each currency.
pub(crate) fn decide_forced<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    account: AccountId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if !context.room.debtors.contains(&account) {
        return Err(Reject::NotDue);
    }
    let mut number = context.room.next_number();
    for (currency, owed) in context.leave().rooms.debts(account) {
        let own = context.room.holdings(account).filter(|(_, pair, _)| pair.currency == currency);
        let own: Vec<_> = own.map(|(id, _, amounts)| (id, amounts)).collect();
        let coming = own.iter().fold(Money::ZERO, |sum, (_, [_, open])| sum.capped_add(*open));
        let mut needed = owed.checked_sub(coming).unwrap_or(Money::ZERO);
        for (id, [staked, _]) in own {
            let amount = staked.min(needed);
            let Some(redeemed) = redeemed(context, (account, id), amount).filter(|_| amount > Money::ZERO)
            else {
                continue;
            };
            accrue::end_days(context, id, out);
            out.push_named(&Infrequent::Redeemed(Redeemed { number, is_forced: true, ..redeemed }));
            number += 1;
            needed = needed.checked_sub(amount).unwrap_or(Money::ZERO);
        }
    }
    out.push_named(&Infrequent::Recovered(account));
    Ok(())
}

/// Applies the event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Staking>, redeemed: &Redeemed) {
    let Redeemed { number, account, pair, amount, paid, due, .. } = *redeemed;
    let seconds = books.time.seconds();
    books.room.last = number;
    books.room.change((pair, account), seconds, |row| row.unstake(amount, seconds));
    let redemption = Redemption { number, account, pair, amount, paid, requested: books.time, due };
    books.room.note_redemption(&redemption);
    if paid < amount {
        books.room.enqueue(redemption);
    }
    pay_out(books, pair, (account, number), paid);
    books.access.use_client_id(account, &redeemed.client_id, ClientRequest::Unstake(number));
    if !redeemed.client_id.is_empty() {
        let answer = redeemed.answer(books.time);
        books.room.receipts.insert(number, Receipt { answer, time: books.time });
    }
}

impl Redeemed {
    /// The answer to the command of this time.
    pub(crate) fn answer(&self, requested: Time) -> Answer {
        let Self { number, pair, amount, paid, .. } = *self;
        Answer::Redeemed { number, pair, amount, paid, requested }
    }
}

/// Pays an account from the pool.
fn pay_out(
    books: &mut ContextMut<'_, Staking>,
    id: PairId,
    (account, number): (AccountId, u64),
    amount: Money,
) {
    if amount == Money::ZERO {
        return;
    }
    let reason = money::reason(books.room, Cause::Redemption, number);
    let Some(pair) = books.room.pair_mut(id) else { return };
    pair.note_paid(books.time, amount);
    money::from_pool(books.ledger, (account, pair.currency), amount, reason);
}

/// The pair whose redemptions are paid next, and when.
pub(crate) fn next_due(room: &Staking) -> Option<(Time, PairId)> {
    if room.queue.is_empty() {
        return None;
    }
    let all = room.pairs().filter_map(|(id, pair)| Some((pair.paid_from(room.first_of(id)?.due), id)));
    all.min()
}

/// Decides the next payments of a pair: first come, first served, within the day's maximum.
pub(crate) fn decide_payment<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    id: PairId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let mut left = context.room.pair(id).ok_or(Reject::NotDue)?.allowance(context.time);
    let mut rows = Vec::new();
    for redemption in context.room.queue_of(id).take(STEP_MAX) {
        if redemption.due > context.time || left == Money::ZERO {
            break;
        }
        let Redemption { number, due, account, .. } = *redemption;
        let amount = redemption.left().min(left);
        left = left.checked_sub(amount).unwrap_or(Money::ZERO);
        rows.push(Payment { number, due, account, amount, is_last: amount == redemption.left() });
    }
    if rows.is_empty() {
        return Err(Reject::NotDue);
    }
    out.push_named(&Infrequent::Paid(Paid { pair: id, rows }));
    Ok(())
}

/// Applies the event.
pub(crate) fn evolve_payment(books: &mut ContextMut<'_, Staking>, paid: &Paid) {
    for row in &paid.rows {
        let key = (paid.pair, row.due, row.number);
        let Some(redemption) = books.room.queue.get_mut(&key) else { continue };
        redemption.paid = redemption.paid.capped_add(row.amount);
        let redemption = *redemption;
        books.room.note_redemption(&redemption);
        if row.is_last {
            books.room.dequeue(&redemption);
        }
        pay_out(books, paid.pair, (row.account, row.number), row.amount);
    }
}

/// Applies the event: shorter terms hold for redemptions that wait too, so that later requests overtake none of them.
pub(crate) fn evolve_shorter(room: &mut Staking, id: PairId) {
    let Some(wait) = room.pair(id).map(|pair| pair.terms.wait_micros()) else { return };
    for redemption in room.shorten(id, wait) {
        room.note_redemption(&redemption);
    }
}

impl Staking {
    /// The open redemptions of a pair, in the order in which they are paid.
    pub fn queue_of(&self, pair: PairId) -> impl Iterator<Item = &Redemption> {
        self.queue
            .range((pair, Time(0), 0)..)
            .take_while(move |((of, ..), _)| *of == pair)
            .map(|(_, row)| row)
    }

    /// The redemption that is paid next.
    pub(crate) fn first_of(&self, pair: PairId) -> Option<&Redemption> {
        self.queue_of(pair).next()
    }

    /// How many redemptions of a pair an account has open.
    pub(crate) fn count_open(&self, account: AccountId, pair: PairId) -> usize {
        self.open.range((account, pair, 0)..=(account, pair, u64::MAX)).count()
    }

    /// An open redemption of an account, by its number.
    pub fn redemption(&self, account: AccountId, number: u64) -> Option<&Redemption> {
        self.open_of(account).find(|redemption| redemption.number == number)
    }
}
