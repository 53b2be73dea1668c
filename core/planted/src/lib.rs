//! Bugs that can be planted, to see whether the suite finds them: it must catch each one.
//!
//! Without the feature `on` no bug is ever planted, [`planted`] is the constant `false`, and the compiler removes what
//! stands behind it. The simulator's feature `planted` switches it on, for a build that nobody runs an exchange with.
#![no_std]

#[cfg(feature = "on")]
use core::sync::atomic::{AtomicUsize, Ordering};

macro_rules! bugs {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A bug that can be planted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Bug {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Bug {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What it does, in words.
            pub const fn says(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc),+),)+
                }
            }
        }
    };
}

bugs! {
    /// The journal does not sync a batch.
    SyncSkipped,
    /// The journal does not sync the folder after it renamed a file.
    NamesUnsynced,
    /// A segment gets its number before its header is synced.
    HeaderUnsynced,
    /// The journal tries a failed sync again, and believes the second answer.
    SyncRetried,
    /// The journal goes on after a failed append.
    AppendErrorIgnored,
    /// A recovery takes a torn tail for damage.
    TornTailRefused,
    /// A recovery takes damage in the middle for a torn tail.
    MiddleTakenForTail,
    /// A recovery accepts a history that ends before what was acknowledged.
    LostTailAccepted,
    /// A recovery does not compare a batch with its hash.
    ContentUnchecked,
    /// A start replaces the last segment though it holds batches.
    SegmentReplaced,
    /// A segment says that the one before it ends a block later.
    SealMisplaced,
    /// The journal's lock is not looked at.
    LockIgnored,
    /// A batch claims that it was acknowledged itself.
    WatermarkAhead,
    /// Callers are answered before their batch is durable.
    AnsweredEarly,
    /// The answers of a batch reach one another's callers.
    AnswersExchanged,
    /// Who cancels several orders is not told of the last one.
    CancelUntold,
    /// A command is stamped with the time of the one before it.
    StampedLate,
    /// The views show a batch before it is durable.
    ShownEarly,
    /// The nonces of reads are not journaled.
    ReadNoncesForgotten,
    /// The nonces of reads wait until a command comes.
    ReadNoncesLate,
    /// Where a manual clock was moved to is not journaled.
    MovesForgotten,
    /// A silent session is expired after 31 seconds.
    ExpiresLate,
    /// A session is expired after 29 seconds.
    ExpiresEarly,
    /// After a start no session is watched.
    SessionsUnwatched,
    /// A batch carries the fingerprint of the state before it.
    FingerprintStale,
    /// A snapshot claims to stand for one batch more than it holds.
    SnapshotAhead,
    /// The last command of a batch is not journaled.
    LastUnjournaled,
    /// Cancels are turned away when the disk is full.
    CancelsTurnedAway,
    /// No snapshot follows the first one.
    SnapshotsEnd,
    /// A snapshot is made before the history's files are synced.
    HistoryUnsynced,
    /// A stop makes its snapshot before the history's files are synced.
    StopUnsynced,
    /// A stop forgets the nonces that reads have just used.
    StopForgetsNonces,
    /// A history file whose sync has failed is trusted the next time.
    HistoryDoubtForgotten,
    /// Rows of history that could not be written are forgotten.
    HistoryWriteForgotten,
    /// Filled orders stay in the depth.
    DepthKeepsFilled,
    /// The history shows each party of a trade the other one's fee.
    FeesExchanged,
    /// The history forgets why an order was cancelled.
    ReasonForgotten,
    /// A row of history is not compared with its checksum.
    RowUnchecked,
    /// A public trade names the side that rested.
    PublicSideWrong,
    /// A day's figures count what a resting order had left, and not what traded.
    DayCountsLeft,
    /// An order is shown with the trades of the one that lay in its place before.
    TradesInherited,
    /// Of several closed orders with one client id the oldest is shown.
    ClosedOldest,
    /// An account's trades of one symbol are those of all.
    SymbolUnasked,
    /// A fee that does not come out even is rounded down.
    FeeRoundsDown,
    /// The resting order pays the taker's rate.
    MakerPaysTakerRate,
    /// A resting buy pays more than its fill frees, where its fees round up too often.
    MakerFeeUncapped,
    /// An order's hold is reckoned with the lower of its fees.
    HoldTooSmall,
    /// An order's hold is reckoned with the taker's fee where the maker's is higher.
    HoldAtTakerRate,
    /// A cancelled order's hold stays.
    HoldKept,
    /// An order enters whether or not its account has the money.
    FundsUnchecked,
    /// A buyer's fills are not added up before they happen.
    CostUnchecked,
    /// Money is credited that nobody gives.
    CreditFromNowhere,
    /// An order below the minimum enters.
    MinimumIgnored,
    /// A symbol that is closed to an account's jurisdiction takes its orders.
    JurisdictionIgnored,
    /// A symbol that only takes cancels takes orders.
    CancelOnlyPlaces,
    /// A symbol that only posts lets orders take.
    PostOnlyTakes,
    /// An account trades with itself.
    SelfCrossAllowed,
    /// A maker-or-cancel order takes.
    MakerOrCancelTakes,
    /// A fill-or-kill order keeps the part that was filled.
    FillOrKillFillsPart,
    /// What an immediate-or-cancel order does not fill rests.
    ImmediateOrCancelRests,
    /// Orders trade at any price.
    CollarIgnored,
    /// A buy reaches 106 percent of the reference.
    CollarWide,
    /// A resting order that was filled in part queues behind the others.
    PriorityLost,
    /// Of several orders with one client id the oldest is cancelled.
    ClientIdOldest,
    /// An order is cancelled for whoever names its id.
    ForeignCancelled,
    /// Cancelling all leaves one order.
    CancelAllLeavesOne,
    /// Cancelling a session's orders cancels the account's.
    SessionCancelsAll,
    /// Closing a symbol leaves its asks.
    ClosingLeavesAsks,
    /// An auction trades at any distance from its collar.
    AuctionUncollared,
    /// At one price of an auction the younger order trades first.
    AuctionForgetsAge,
    /// An auction's trades cost the taker's rate.
    AuctionPaysTaker,
    /// What an auction leaves of its orders stays.
    AuctionKeepsRest,
    /// Orders that wait for an auction are shown on the continuous book.
    AuctionOrdersShown,
    /// Orders for an auction can be cancelled until it runs.
    AuctionCancelledLate,
    /// A state that is read from a snapshot has its queues the wrong way round.
    QueuesReversed,
    /// A cancel does not use its nonce.
    CancelKeepsNonce,
    /// A refused call does not use its nonce.
    RefusalKeepsNonce,
    /// A used nonce is taken again.
    NonceReusable,
    /// A key needs no role.
    RoleUnchecked,
    /// A key acts for any account.
    AccountUnchecked,
    /// A master key acts for the accounts of every group.
    GroupUnchecked,
    /// The journal keeps the first sixteen digits of a nonce.
    NonceCut,
}

#[cfg(feature = "on")]
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Plants one bug in place of the last one, or none.
#[cfg(feature = "on")]
#[expect(clippy::as_conversions, reason = "an enum without fields")]
pub fn plant(bug: Option<Bug>) {
    CHOSEN.store(bug.map_or(usize::MAX, |bug| bug as usize), Ordering::Relaxed);
}

/// Whether a bug is planted.
#[cfg(feature = "on")]
#[expect(clippy::as_conversions, reason = "an enum without fields")]
pub fn planted(bug: Bug) -> bool {
    CHOSEN.load(Ordering::Relaxed) == bug as usize
}

/// Whether a bug is planted: never in this build.
#[cfg(not(feature = "on"))]
#[inline(always)]
#[expect(clippy::inline_always, reason = "nothing of it may be left in the product")]
pub const fn planted(_bug: Bug) -> bool {
    false
}
