//! The engine: one [`State`], one [`Command`], one [`Event`].
//!
//! [`decide`] reads the state and returns events; [`evolve`] applies them and cannot fail. The live exchange,
//! its recovery, its read models and its tests all change the state through [`evolve`].
#![no_std]
extern crate alloc;

mod act;
mod advances;
mod command;
mod command_codec;
mod decide;
mod desks;
mod event;
mod evolve;
mod founding;
mod frame;
mod leave;
mod lending;
mod operations;
mod outcome;
mod prefetch;
mod preview;
mod references;
mod refused;
mod rooms;
mod spare;
mod state;

pub use act::{Act, Audit, Note};
pub use buttonwood_access::{
    ADDRESSES_MAX, Access, Account, AccountKind, AccountNames, Caller, Command as AccessCommand,
    Event as AccessEvent, Group, GroupChange, GroupTerms, Hand, Infrequent as AccessInfrequent, NewAccount,
    NewGroup, NewSession, OWN_KEYS_MAX, OWN_KEYS_PER_SPAN, OwnKey, Owner, Reject as AccessReject, SEEN_MAX,
    Seen, Session, Standing, may_have, memo_code,
};
pub use buttonwood_auction::{Auctions, Collar, Finding, Schedule, ScheduleError};
pub use buttonwood_clearing::{
    self as clearing, Answer as ClearingAnswer, Clearing, Command as ClearingCommand,
    Infrequent as ClearingInfrequent, Order as ClearingOrder, Reject as ClearingReject,
    Status as ClearingStatus,
};
pub use buttonwood_convert::{
    Answer as ConvertAnswer, Command as ConvertCommand, Conversions, Execute, INSTANT,
    Infrequent as ConvertInfrequent, QUOTE_AGE_MAX, QUOTES_MAX, Quote as ConvertQuote, QuoteAmounts, QuoteId,
    QuoteRequest, Reject as ConvertReject, Spend, Term, Terms, Wrap, Wrapped,
};
pub use buttonwood_funds::{
    self as funds, Bank, Command as FundsCommand, Eid, Funds, Infrequent as FundsInfrequent,
    Kind as TransferKind, Made, Method as TransferMethod, Reference as TransferReference,
    Reject as FundsReject, Status as TransferStatus, Transfer, Uuid, Way as TransferWay,
};
pub use buttonwood_identity::{self as identity, Identity};
pub use buttonwood_index::{self as index, FeedPrices, Indices};
pub use buttonwood_ledger::{
    About, Adjustment, Balance, BrokenLaw, CLEARING, Cause, Command as LedgerCommand, FEES, House,
    HouseAccount, INSURANCE, ISSUER, Infrequent as LedgerInfrequent, LENDING, Moved, PROMO, ROUNDING,
    Reject as LedgerReject, SOURCE, STAKING_POOL, STAKING_REWARDS, UNCLAIMED,
};
pub use buttonwood_perp::{self as perp, Perps};
pub use buttonwood_prediction::{
    self as prediction, Command as PredictionCommand, Infrequent as PredictionInfrequent, Predictions,
    Reject as PredictionReject,
};
pub use buttonwood_rates::{
    Command as RatesCommand, FxPair, FxRate, Infrequent as RatesInfrequent, NewRates, Quote, RATES_MAX,
    Rates, Reject as RatesReject,
};
pub use buttonwood_room::{Context, Room};
pub use buttonwood_spot_margin::{self as spot_margin, SpotMargin};
pub use buttonwood_staking::{
    self as staking, Answer as StakingAnswer, Command as StakingCommand, Infrequent as StakingInfrequent,
    Reject as StakingReject, Staking,
};
pub use buttonwood_trading::StopError;
pub use buttonwood_trading::cancel::{OrderRef, STEP as CANCELS_MAX, Withdrawn};
pub use buttonwood_trading::connections::{Connections, Open as OpenConnection};
pub use buttonwood_trading::place::{FILLS_MAX, ORDERS_MAX, Place};
pub use buttonwood_trading::{
    Answer as TradingAnswer, Bar, Break, BreakError, BreakKind, Breaks, Command as TradingCommand, Decided,
    Event as TradingEvent, FeeChange, FeeSchedule, FeeTier, FeeTiers, Fees, Figures,
    Infrequent as TradingInfrequent, Interval, NewOrder, OrderState, Party, Promotion, RefusedDraft,
    RefusedOrder, SYMBOLS_MAX, Standing as QueuePlace, TIERS_MAX, Value, Voided, Volumes, WINDOW_DAYS,
};
pub use command::Command;
pub use decide::decide;
pub use desks::{DeskReject, Desks};
pub use event::Event;
pub use evolve::evolve;
pub use founding::{Founded, Founding, Mode, Opening};
pub use frame::{FORMAT, Frame, FrameError, decode_command, decode_events, encode};
pub use operations::{
    ApprovalError, GuardedCommand, Halt, Operated, Operation, Operations, PROPOSAL_AGE, PROPOSALS_MAX,
    Proposal, Proposed,
};
pub use outcome::{Answer, PlaceReject, RoomAnswer, TradingReject};
pub use prefetch::{Coming, PREFETCH_DISTANCE, Prefetch, Sketch};
pub use preview::{MarginAfter, Preview, Previewed};
pub use rooms::{Body, Broken, Infrequent, Outcome, Reject};
pub use state::{SNAPSHOT_VERSION, State};

/// The house accounts of all rooms, in the order in which this build opens them in a new directory.
pub fn houses() -> impl Iterator<Item = House> {
    buttonwood_ledger::HOUSES.into_iter()
}

/// Buffers that the writer reuses for every command.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Events of the commands decided since the buffer was last cleared.
    pub out: buttonwood_model::Outbox<Event>,
    /// Buffers for planning a match.
    pub planner: buttonwood_trading::Planner<<Desks as buttonwood_trading::Desks>::Plan>,
}
