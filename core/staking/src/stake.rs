//! Stakes (STK-005 to STK-008).

use crate::{
    ALL, Answer, Infrequent, PairId, Provider, Rate, Receipt, Reject, Staking, accrue, money, price,
};
use alloc::string::String;
use buttonwood_access::{AccountKind, Request as ClientRequest};
use buttonwood_ledger::Cause;
use buttonwood_model::{AccountId, BytesRef, CurrencyId, Outbox, Time, month_number};
use buttonwood_num::{Money, Round};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// The command of a client: stake an amount, or redeem it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The provider.
    pub provider: Provider,
    /// The currency.
    pub currency: CurrencyId,
    /// The amount; more than zero. A redemption of [`ALL`](crate::ALL) takes the whole stake.
    pub amount: Money,
    /// The client's id; empty without one.
    pub client_id: String,
}

/// The event: an account staked an amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staked {
    /// The number of the transaction.
    pub number: u64,
    /// The account.
    pub account: AccountId,
    /// The pair.
    pub pair: PairId,
    /// The amount.
    pub amount: Money,
    /// The dollars that count for the limit of the month.
    pub dollars: Money,
    /// The pair's rate.
    pub rate: Rate,
    /// The account's interest with the pair until now.
    pub accrued: Money,
    /// The client's id; empty without one.
    pub client_id: String,
    /// The dollar price of one coin at which it counts; zero in records of version 1.
    pub price: Money,
}

impl Staked {
    /// The answer to the command.
    pub(crate) fn answer(&self) -> Answer {
        let Self { number, pair, amount, rate, accrued, .. } = *self;
        Answer::Staked { number, pair, amount, rate, accrued }
    }
}

/// The pair of a request of an account, or the answer to an earlier request with the same client id.
pub(crate) fn admit(
    context: &Context<'_, Staking>,
    account: AccountId,
    request: &Request,
    is_stake: bool,
) -> Result<(PairId, Option<Receipt>), Reject> {
    let is_exchange = context.account(account).is_some_and(|account| account.kind == AccountKind::Exchange);
    if !is_exchange {
        return Err(Reject::WrongKind);
    }
    let pair = context.room.find(request.provider, request.currency).map(|(id, _)| id);
    let earlier = context.access.client_id(account, &request.client_id);
    let number = match earlier {
        None => {
            let unknown = if context.room.has_provider(request.provider) {
                Reject::UnknownPair
            } else {
                Reject::UnknownProvider
            };
            return pair.map(|pair| (pair, None)).ok_or(unknown);
        }
        Some(ClientRequest::Stake(number)) if is_stake => number,
        Some(ClientRequest::Unstake(number)) if !is_stake => number,
        Some(_) => return Err(Reject::OtherTerms),
    };
    let receipt = context.room.receipts.get(&number).copied().ok_or(Reject::OtherTerms)?;
    match pair {
        Some(pair) if receipt.is_of(pair, request.amount) => Ok((pair, Some(receipt))),
        Some(_) | None => Err(Reject::OtherTerms),
    }
}

/// Decides a stake: appends its event and answers, or refuses it. An advance bounds it as it bounds a withdrawal (D-181 b). It gives up nothing against the
/// index, so it adds nothing to what the group gives up (D-181 d, Q-423).
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Staking>,
    account: AccountId,
    request: &Request,
    out: &mut Outbox<E>,
) -> Result<Answer, Reject> {
    let (id, earlier) = admit(context, account, request, true)?;
    if let Some(receipt) = earlier {
        return Ok(receipt.answer);
    }
    let pair = context.room.pair(id).ok_or(Reject::UnknownPair)?;
    if request.amount <= Money::ZERO || request.amount == ALL {
        return Err(Reject::BadAmount);
    }
    if pair.terms.paused {
        return Err(Reject::Paused);
    }
    if !context.room.has_key() || money::houses(context.ledger).is_none() {
        return Err(Reject::Unavailable);
    }
    let leaves = (request.currency, request.amount);
    context.leave().check(account, leaves, None).map_err(Reject::Short)?;
    let price = price::of_stake(context, request.currency).ok_or(Reject::NoPrice)?;
    // Rounded up.
    let beyond = Reject::BeyondLimit(pair.terms.limit);
    let dollars = request.amount.times(price, Round::Up).ok_or(beyond)?;
    if used(context.room, (id, account), context.time).capped_add(dollars) > pair.terms.limit {
        return Err(beyond);
    }
    accrue::end_days(context, id, out);
    let staked = Staked {
        number: context.room.next_number(),
        account,
        pair: id,
        amount: request.amount,
        dollars,
        rate: pair.terms.rate,
        accrued: context.room.accrued(account, id),
        client_id: request.client_id.clone(),
        price,
    };
    let answer = staked.answer();
    out.push_named(&Infrequent::Staked(staked));
    Ok(answer)
}

/// The dollars that an account has staked with a pair in the month.
pub(crate) fn used(room: &Staking, (pair, account): (PairId, AccountId), now: Time) -> Money {
    let used = room.used.get(&(pair, account)).filter(|(month, _)| *month == month_number(now));
    used.map_or(Money::ZERO, |(_, dollars)| *dollars)
}

/// Applies the event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Staking>, staked: &Staked) {
    let Staked { number, account, pair, amount, dollars, .. } = *staked;
    let seconds = books.time.seconds();
    books.room.last = number;
    books.room.roll(pair, seconds);
    let used = used(books.room, (pair, account), books.time).capped_add(dollars);
    books.room.used.insert((pair, account), (month_number(books.time), used));
    books.room.change((pair, account), seconds, |row| row.stake(amount, seconds));
    let reason = money::reason(books.room, Cause::Stake, number);
    if let Some(pair) = books.room.pair_mut(pair) {
        pair.note_price(Some(staked.price));
        money::into_pool(books.ledger, (account, pair.currency), amount, reason);
    }
    books.access.use_client_id(account, &staked.client_id, ClientRequest::Stake(number));
    if !staked.client_id.is_empty() {
        books.room.receipts.insert(number, Receipt { answer: staked.answer(), time: books.time });
    }
}
