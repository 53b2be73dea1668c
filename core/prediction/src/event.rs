//! Events and their contracts, as they stand.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{Claim, EventId, SymbolId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// Where an event stands between its listing and its payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Status {
    /// Listed; trading has not begun.
    Approved,
    /// Trading.
    Active,
    /// Trading has ended; it is not resolved.
    Closed,
    /// A resolution was proposed, is disputed or is being paid.
    UnderReview,
    /// Paid.
    Settled,
    /// Void.
    Invalid,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 6] =
        [Self::Approved, Self::Active, Self::Closed, Self::UnderReview, Self::Settled, Self::Invalid];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Active => "active",
            Self::Closed => "closed",
            Self::UnderReview => "under_review",
            Self::Settled => "settled",
            Self::Invalid => "invalid",
        }
    }
}

/// The composition of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// One contract.
    Binary,
    /// Several contracts.
    Categorical,
    /// One contract, whose outcome is that of its legs.
    Combo,
}

impl Kind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Categorical => "categorical",
            Self::Combo => "combo",
        }
    }
}

/// The meaning of the value of a strike (facts F§18.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StrikeKind {
    /// A value that is captured at a time, and unknown before.
    Reference,
    /// The outcome is yes above the value.
    Above,
    /// The value is a spread.
    Spread,
    /// Over the value.
    Over,
    /// Over the value, or equal to it.
    OverOrEqual,
    /// Under the value.
    Under,
    /// Under the value, or equal to it.
    UnderOrEqual,
}

impl StrikeKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Reference,
        Self::Above,
        Self::Spread,
        Self::Over,
        Self::OverOrEqual,
        Self::Under,
        Self::UnderOrEqual,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Above => "above",
            Self::Spread => "spread",
            Self::Over => "over",
            Self::OverOrEqual => "over_or_equal",
            Self::Under => "under",
            Self::UnderOrEqual => "under_or_equal",
        }
    }
}

/// The strike of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strike {
    /// The meaning of the value.
    pub kind: StrikeKind,
    /// A decimal, as the operator wrote it; none before it is known.
    pub value: Option<String>,
    /// When the value is public. Until then it may be replaced.
    pub available: Time,
}

impl Strike {
    /// The value, once it is public.
    pub fn public_value(&self, now: Time) -> Option<&str> {
        self.value.as_deref().filter(|_| now >= self.available)
    }
}

/// An event.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all go together")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its ticker: letters and digits, unique; a combo's is its symbol.
    pub ticker: String,
    /// Its title.
    pub title: String,
    /// Its category, for example `crypto`.
    pub category: String,
    /// Its composition.
    pub kind: Kind,
    /// Whether exactly one of its contracts is resolved with yes.
    pub is_exclusive: bool,
    /// When it was listed.
    pub listed: Time,
    /// When trading begins; the time of its listing without a later start.
    pub start: Time,
    /// When trading ends at the latest.
    pub expiry: Time,
    /// How long a resolution may be disputed, in microseconds.
    pub dispute: u64,
    /// Its strike, if it has one.
    pub strike: Option<Strike>,
    /// Jurisdictions whose accounts may not buy (D-119), for example `US-NY`.
    pub closed_to: Vec<String>,
    /// By what it will be resolved, as far as the operator said so.
    pub source: Option<String>,
    /// Where it stands.
    pub status: Status,
    /// Whether an operator halted its trading.
    pub is_halted: bool,
    /// Whether trading has ended, by the expiry, a resolution or a void of the event or, for a combo, of a leg's event.
    pub is_closed: bool,
    /// Whether a leg of the combo is void, so that the combo waits for the call that voids it.
    pub awaits_void: bool,
    /// The number of its first contract.
    pub first: u32,
    /// How many contracts it has.
    pub count: u32,
    /// Its resolution, from the first proposal on.
    pub resolution: Option<Box<Resolution>>,
    /// When it was settled or void.
    pub resolved: Option<Time>,
    /// The legs of a combo, sorted; empty for other events.
    pub legs: Vec<Leg>,
}

impl Event {
    /// Its contracts, in the order of their listing.
    pub fn contracts(&self) -> impl DoubleEndedIterator<Item = SymbolId> + use<> {
        (self.first..self.first.saturating_add(self.count)).map(SymbolId::contract)
    }

    /// Whether it takes orders.
    pub fn is_open(&self) -> bool {
        self.status == Status::Active && !self.is_halted && !self.is_closed
    }

    /// Whether trading may go on or begin.
    pub fn is_before_close(&self) -> bool {
        matches!(self.status, Status::Approved | Status::Active) && !self.is_closed
    }

    /// Whether it is paid, being paid, or void: nothing can be decided any more.
    pub fn is_decided(&self) -> bool {
        matches!(self.stage(), Some(Stage::Final | Stage::Void))
    }

    /// How far its resolution has come.
    pub fn stage(&self) -> Option<Stage> {
        self.resolution.as_ref().map(|resolution| resolution.stage)
    }
}

/// How far the resolution of an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// It may be disputed until its window ends.
    Proposed,
    /// It is disputed; the window has stopped.
    Disputed,
    /// Payouts have begun.
    Final,
    /// The event is void.
    Void,
}

impl Stage {
    /// Its number in a fingerprint.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Self::Proposed => 0,
            Self::Disputed => 1,
            Self::Final => 2,
            Self::Void => 3,
        }
    }

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Disputed => "disputed",
            Self::Final => "final",
            Self::Void => "void",
        }
    }
}

/// The resolution of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// How far it has come.
    pub stage: Stage,
    /// The outcomes of the contracts, in their order; empty for an event that was void before a proposal.
    pub outcomes: Vec<Claim>,
    /// By what it was resolved; empty for an event that was void before a proposal.
    pub source: String,
    /// When the window ends; none while it is disputed, and after that.
    pub settles: Option<Time>,
    /// Its acts, oldest first.
    pub history: Vec<Past>,
}

/// An act in the history of a resolution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// When.
    pub time: Time,
    /// The act.
    pub act: Act,
}

/// An act in a resolution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Outcomes were proposed, in the order of the contracts, with a source.
    Proposed(Vec<Claim>, String),
    /// It was disputed, for a reason.
    Disputed(String),
    /// The window ended without a dispute, or the legs of a combo decided.
    Final,
    /// The event became void, for a reason.
    Void(String),
}

/// A leg of a combo: the outcome that a contract must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Leg {
    /// The contract.
    pub contract: SymbolId,
    /// The outcome that the combo needs.
    pub required: Claim,
}

/// A contract, apart from what the floor knows of its symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// Its event.
    pub event: EventId,
    /// Its ticker within the event; the event's for a lone contract.
    pub ticker: String,
    /// Its name for people.
    pub label: String,
    /// Its outcome, once that is final.
    pub outcome: Option<Claim>,
    /// The dollars that a claim on yes is paid, once that is decided: 1 or 0, or the value with which it became void; none for a contract that
    /// is paid back at cost.
    pub value: Option<Money>,
    /// When its outcome became final, or it void.
    pub resolved: Option<Time>,
    /// How many contracts were traded.
    pub traded: Money,
    /// The sum of the costs of all positions.
    pub costs: Money,
}
