//! Commands and infrequent events of this room.

use crate::liquidity::Rewarded;
use crate::listing::{self, NewCombo, NewEvent};
use crate::resolution::{self, NewResolution, NewVoid, Voided};
use crate::rewards::{self, Rebated, RewardChange};
use crate::score::{self, Scored};
use crate::work::{self, Paid};
use crate::{Acceptance, Predictions, Published, life, liquidity, pools};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::Caller;
use buttonwood_model::{
    BytesRef, Claim, Day, EventId, GroupId, OrderId, Outbox, Right, Role, Roles, Scope, Scopes, SessionId,
    SymbolId, commands, named,
};
use buttonwood_room::{Context, ContextMut};
use buttonwood_trading as trading;
use buttonwood_trading::place::Place;

/// A command of this room. Orders of contracts are placed by the floor's command, apart from those of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Cancel an order of a contract.
    Cancel(OrderId),
    /// Place an order of a batch, which may use the batch's nonce once more. A change of [`Place`] is a new version of this record too.
    BatchPlace(Arc<Place>),
    /// Cancel an order of a contract as an entry of a batch, which may use the batch's nonce once more.
    BatchCancel(OrderId),
    /// Accept the latest terms, for the group of the calling session.
    AcceptTerms,
    /// List an event.
    ListEvent(Arc<NewEvent>),
    /// List a combo.
    ListCombo(Arc<NewCombo>),
    /// Halt an event's trading, or let it go on.
    Halt(EventId, bool),
    /// Set the value of an event's strike.
    SetStrike(EventId, String),
    /// Propose the outcomes of an event.
    Resolve(Arc<NewResolution>),
    /// Dispute the proposed outcomes, for a reason.
    Dispute(EventId, String),
    /// Make an event void.
    Void(Arc<NewVoid>),
    /// Publish terms.
    PublishTerms(String),
    /// Set the terms of rewards.
    SetRewards(Arc<RewardChange>),
    /// Begin the rebates that are due.
    BeginRebates,
    /// Score the event that is due.
    Score,
    /// Begin the payout of a day's rewards for liquidity.
    BeginPayout,
    /// An event's start has come.
    Start(EventId),
    /// An event's expiry has come.
    Expire(EventId),
    /// The window for disputes of an event has ended.
    Finish(EventId),
    /// Do the next step of what is done in bounded steps.
    Work,
}

commands!(Command, "prediction", {
    Cancel { 0: order } = "cancel" 1: client(Self::RIGHT) reduces,
    BatchPlace { 0: place } = "batch_place" 1: entry(Self::RIGHT) trades,
    BatchCancel { 0: order } = "batch_cancel" 1: entry(Self::RIGHT) reduces,
    AcceptTerms {} = "accept_terms" 1: client(Self::ACCEPT) neither,
    ListEvent { 0: event } = "list_event" 1: exchange neither,
    ListCombo { 0: combo } = "list_combo" 1: exchange neither,
    Halt { 0: event, 1: halted } = "halt" 1: exchange neither,
    SetStrike { 0: event, 1: value } = "set_strike" 1: exchange neither,
    Resolve { 0: resolution } = "resolve" 1: exchange neither,
    Dispute { 0: event, 1: reason } = "dispute" 1: exchange neither,
    Void { 0: void } = "void" 1: exchange neither,
    PublishTerms { 0: content } = "publish_terms" 1: exchange neither,
    SetRewards { 0: change } = "set_rewards" 1: exchange neither,
    BeginRebates {} = "begin_rebates" 1: exchange neither,
    Score {} = "score" 1: exchange neither,
    BeginPayout {} = "begin_payout" 1: exchange neither,
    Start { 0: event } = "start" 1: exchange neither,
    Expire { 0: event } = "expire" 1: exchange neither,
    Finish { 0: event } = "finish" 1: exchange neither,
    Work {} = "work" 1: exchange neither,
});

impl Command {
    /// The rights that a client needs to cancel orders, as to place orders.
    pub const RIGHT: Right =
        Right { roles: Roles::of(&[Role::Trader]), scopes: Scopes::of(&[Scope::OrdersCreate]) };

    /// The rights that a client needs to accept terms: no app does so for a group (D-267).
    pub const ACCEPT: Right = Right { roles: Self::RIGHT.roles, scopes: Scopes::NONE };
}

/// An infrequent event of this room. Fills and cancels of orders are the floor's; free pairs net without an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// An event was listed, with contracts that take the next numbers.
    Listed(NewEvent),
    /// A combo was listed.
    ComboListed(NewCombo),
    /// Trading of an event began.
    Opened(EventId),
    /// Trading of an event was halted, or goes on.
    Halted(EventId, bool),
    /// The value of an event's strike was set.
    StrikeSet(EventId, String),
    /// Trading of an event ended, and of all combos with a leg on it.
    Closed(EventId),
    /// Outcomes of an event were proposed, in the order of its contracts, with a source.
    Proposed(EventId, Vec<Claim>, String),
    /// The proposed outcomes are disputed, for a reason.
    Disputed(EventId, String),
    /// The proposed outcomes are final.
    Final(EventId),
    /// The legs of a combo decided its outcome.
    Decided(EventId, Claim),
    /// An event became void.
    Voided(Voided),
    /// A leg of a combo is void, and the combo waits for the call that voids it.
    VoidAwaited(EventId),
    /// Orders of a contract were cancelled since its trading ended; true after the last.
    Cleared(SymbolId, bool),
    /// Positions of a contract were paid.
    Paid(Paid),
    /// Every contract of an event was paid.
    Settled(EventId),
    /// A version of the terms was published.
    TermsPublished(String),
    /// A group accepted the latest terms.
    TermsAccepted(GroupId, SessionId),
    /// The terms of rewards were set. True unless an earlier build wrote it: from then on each fill earns its rebate at the rate in force.
    RewardsSet(RewardChange, bool),
    /// Rebates are paid of all that was accrued until now. True as in [`Infrequent::RewardsSet`].
    RebatesBegun(bool),
    /// Rebates were paid.
    Rebated(Rebated),
    /// An event was scored at a full minute.
    Scored(Scored),
    /// The rewards for liquidity of an Eastern day are paid from now on.
    PayoutBegun(Day),
    /// Rewards for liquidity were paid.
    Rewarded(Rewarded),
}

named!(Infrequent, "prediction", {
    Listed { 0: event } = "listed" 1,
    ComboListed { 0: combo } = "combo_listed" 1,
    Opened { 0: event } = "opened" 1,
    Halted { 0: event, 1: halted } = "halted" 1,
    StrikeSet { 0: event, 1: value } = "strike_set" 1,
    Closed { 0: event } = "closed" 1,
    Proposed { 0: event, 1: outcomes, 2: source } = "proposed" 1,
    Disputed { 0: event, 1: reason } = "disputed" 1,
    Final { 0: event } = "final" 1,
    Decided { 0: event, 1: outcome } = "decided" 1,
    Voided { 0: voided } = "voided" 1,
    VoidAwaited { 0: event } = "void_awaited" 1,
    Cleared { 0: contract, 1: last } = "cleared" 1,
    Paid { 0: paid } = "paid" 1,
    Settled { 0: event } = "settled" 1,
    TermsPublished { 0: content } = "terms_published" 1,
    TermsAccepted { 0: group, 1: session } = "terms_accepted" 1,
    RewardsSet { 0: change, 1: exact } = "rewards_set" 2,
    RebatesBegun { 0: exact } = "rebates_begun" 2,
    Rebated { 0: paid } = "rebated" 3,
    Scored { 0: scored } = "scored" 2,
    PayoutBegun { 0: day } = "payout_begun" 1,
    Rewarded { 0: paid } = "rewarded" 1,
});

/// Why a command of this room is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The account is not of the kind `exchange`.
    WrongKind,
    /// The account's group has not accepted the latest terms (PM-012).
    TermsNotAccepted,
    /// There is no such contract.
    UnknownContract,
    /// A price or a stop price is no price of a contract, or the order is of a kind that contracts do not have (PM-016).
    BadPrice,
    /// The contract takes no orders (PM-020).
    NotOpen,
    /// The account's jurisdiction may only sell (D-119).
    SellOnly,
    /// There is no such event.
    UnknownEvent,
    /// The ticker is not made of upper-case letters and digits, or too long.
    BadTicker,
    /// An event, a contract or a combo with this name exists.
    Taken,
    /// Title, category, label, source or another text is empty or too long.
    BadText,
    /// The expiry is not after now and after the start.
    BadExpiry,
    /// The price increment does not divide one, or both increments have too many decimals together.
    BadIncrement,
    /// The minimum is not a positive multiple of the quantity increment.
    BadMinimum,
    /// A contract has the ticker of another, or there are too many.
    BadContracts,
    /// The exchange has the most contracts that it may have.
    Full,
    /// The value is no decimal number, or is public already.
    BadStrike,
    /// The event has no strike.
    NoStrike,
    /// The event is neither approved nor active.
    NotTrading,
    /// A combo has between two and six legs on contracts of different events, none a combo, all of them approved or active.
    BadLegs,
    /// A combo is resolved by its legs.
    IsCombo,
    /// Outcomes were proposed already, and are not disputed.
    AlreadyProposed,
    /// No outcomes are proposed, or they are disputed already.
    NotProposed,
    /// The event is paid, being paid, or void, or its window for disputes has ended.
    Ended,
    /// A contract has no outcome, or an outcome is of no contract.
    BadOutcomes,
    /// An exclusive event has exactly one yes.
    NotOneYes,
    /// The costs of the positions differ from the escrow, and the call says neither `at_cost` nor a value (D-106).
    CostsDiffer,
    /// The value is not between 0 and 1.
    BadValue,
    /// A term of rewards is out of its range.
    BadRewards,
    /// Nothing is due.
    NotDue,
    /// No key may send the command, or only a key may.
    Unknown,
}

/// The result of a caller's command, apart from its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Its events say it.
    Done,
    /// The floor cancels the order, if the account has such a live order of a contract.
    Cancel(OrderId),
    /// The floor places the order.
    Place(Place),
}

/// Decides a command of a client.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide<E: From<BytesRef>>(
    context: &Context<'_, Predictions>,
    caller: &Caller,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Answered, Reject> {
    match command {
        Command::Cancel(order) | Command::BatchCancel(order) => Ok(Answered::Cancel(*order)),
        Command::BatchPlace(place) if place.symbol.is_contract() => Ok(Answered::Place(**place)),
        Command::BatchPlace(_) => Err(Reject::UnknownContract),
        Command::AcceptTerms => {
            let (owner, _) = context.access.rights_of(caller.session).ok_or(Reject::Unknown)?;
            let group = context.access.group_of(owner).ok_or(Reject::Unknown)?;
            if !context.room.has_accepted(group) {
                out.push_named(&Infrequent::TermsAccepted(group, caller.session));
            }
            Ok(Answered::Done)
        }
        Command::ListEvent(_)
        | Command::ListCombo(_)
        | Command::Halt(..)
        | Command::SetStrike(..)
        | Command::Resolve(_)
        | Command::Dispute(..)
        | Command::Void(_)
        | Command::PublishTerms(_)
        | Command::SetRewards(_)
        | Command::BeginRebates
        | Command::Score
        | Command::BeginPayout
        | Command::Start(_)
        | Command::Expire(_)
        | Command::Finish(_)
        | Command::Work => Err(Reject::Unknown),
    }
}

/// Decides a command of the exchange itself or of an operator.
///
/// # Errors
/// [`Reject`]; the caller must undo what was written.
pub fn decide_own<E: From<BytesRef> + From<trading::Event>>(
    context: &Context<'_, Predictions>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    match command {
        Command::ListEvent(new) => listing::decide(context, new, out),
        Command::ListCombo(new) => listing::decide_combo(context, new, out),
        Command::Halt(event, halted) => life::halt(context, *event, *halted, out),
        Command::SetStrike(event, value) => life::set_strike(context, *event, value, out),
        Command::Resolve(new) => resolution::propose(context, new, out),
        Command::Dispute(event, reason) => resolution::dispute(context, *event, reason, out),
        Command::Void(new) => resolution::void(context, new, out),
        Command::PublishTerms(text) => {
            listing::check_text(text, listing::CONTENT_MAX)?;
            out.push_named(&Infrequent::TermsPublished(text.clone()));
            Ok(())
        }
        Command::SetRewards(change) => rewards::set(context, change, out),
        Command::BeginRebates => rewards::begin(context, out),
        Command::Score => score::decide(context, out),
        Command::BeginPayout => liquidity::begin_payout(context, out),
        Command::Start(event) => life::start(context, *event, out),
        Command::Expire(event) => life::expire(context, *event, out),
        Command::Finish(event) => resolution::finish(context, *event, out),
        Command::Work => work::decide(context, out),
        Command::Cancel(_) | Command::BatchPlace(_) | Command::BatchCancel(_) | Command::AcceptTerms => {
            Err(Reject::Unknown)
        }
    }
}

/// Applies an infrequent event.
pub fn evolve(books: &mut ContextMut<'_, Predictions>, event: Infrequent) {
    let time = books.time;
    let may_change_pools = pools::may_change(&event);
    apply(books, event);
    if may_change_pools {
        pools::update(books.room, time);
    }
}

fn apply(books: &mut ContextMut<'_, Predictions>, event: Infrequent) {
    let ContextMut { room, ledger, time, .. } = books;
    let time = *time;
    match event {
        Infrequent::Listed(new) => listing::evolve(room, new, time),
        Infrequent::ComboListed(new) => listing::evolve_combo(room, new, time),
        Infrequent::Opened(event) => life::evolve_start(room, event),
        Infrequent::Halted(event, halted) => life::evolve_halt(room, event, halted),
        Infrequent::StrikeSet(event, value) => life::evolve_strike(room, event, value),
        Infrequent::Closed(event) => life::evolve_close(room, event, time),
        Infrequent::Proposed(event, outcomes, source) => {
            resolution::evolve_proposal(room, event, outcomes, source, time);
        }
        Infrequent::Disputed(event, reason) => resolution::evolve_dispute(room, event, reason, time),
        Infrequent::Final(event) => resolution::evolve_final(room, event, time),
        Infrequent::Decided(event, outcome) => resolution::evolve_decision(room, event, outcome, time),
        Infrequent::Voided(voided) => resolution::evolve_void(room, voided, time),
        Infrequent::VoidAwaited(event) => resolution::evolve_awaited(room, event),
        Infrequent::Cleared(_, is_last) => work::evolve_clearing(room, is_last, time),
        Infrequent::Paid(paid) => work::evolve_payment(books, &paid),
        Infrequent::Settled(event) => work::evolve_settled(room, event, time),
        Infrequent::TermsPublished(content) => {
            room.terms.push(Published { content, time });
            room.fold_terms(None);
        }
        Infrequent::TermsAccepted(group, session) => {
            let version = room.terms_version();
            room.accepted.insert(group, Acceptance { version, session, time });
            room.fold_terms(Some(group));
        }
        Infrequent::RewardsSet(change, is_exact) => {
            rewards::evolve_set(room, change, is_exact, time);
            room.fold_rewards();
        }
        Infrequent::RebatesBegun(is_exact) => {
            room.fold_rewards();
            rewards::evolve_begin(room, is_exact, time);
        }
        Infrequent::Rebated(paid) => {
            rewards::evolve_pay(room, ledger, &paid, time);
            room.fold_rewards();
            work::end_step(room, paid.is_last, time);
        }
        Infrequent::Scored(scored) => score::evolve(room, &scored),
        Infrequent::PayoutBegun(day) => liquidity::evolve_begin(room, day, time),
        Infrequent::Rewarded(paid) => {
            liquidity::evolve_pay(room, ledger, &paid, time);
            room.fold_rewards();
            work::end_step(room, paid.is_last, time);
        }
    }
}
