//! Named counts of what a run covered, so that a test can check that it covered its subject.

mod funds;

use crate::exchange::{Exchange, Happening};
use buttonwood_engine::{
    AccessCommand, AccessReject, Answer, Body, BreakError, BreakKind, Command, ConvertInfrequent,
    ConvertReject, LedgerCommand, LedgerReject, Operation, OrderState, Outcome, PlaceReject, RatesReject,
    Reject, TradingAnswer, TradingCommand, TradingReject,
};
use buttonwood_model::{CancelReason, ExecutionOption, Product, Side};
use buttonwood_num::{Money, Price};
use std::collections::{HashMap, HashSet};

/// Orders with more makers than this count as trading with many.
const MANY: usize = 14;

/// How often each thing occurred.
#[derive(Default)]
pub(crate) struct Counts(pub(crate) HashMap<&'static str, u64>);

/// The facts about an exchange before a command that are needed to count what the command did.
pub(crate) struct Before {
    /// The orders that wait for auctions.
    waiting: HashSet<u64>,
    /// Whether an auction has found its price and is not settled.
    is_settling: bool,
}

impl Before {
    pub(crate) fn of(exchange: &Exchange) -> Self {
        let sides = exchange.symbols().flat_map(|symbol| [Side::Buy, Side::Sell].map(|side| (symbol, side)));
        let waiting = sides.flat_map(|(symbol, side)| exchange.waiting(symbol, side));
        Self {
            waiting: waiting.map(|order| order.id.0).collect(),
            is_settling: exchange.state.has_follow_up(),
        }
    }
}

impl Counts {
    fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Counts changes of tiers and promotions, and midnights.
    fn count_fees(&mut self, command: &Command, answer: &Answer) {
        self.count_refused_break(answer);
        let is_done = *answer == Outcome::Done;
        let Body::Trading(command) = &command.body else { return };
        let [done, refused] = if matches!(command, TradingCommand::SetFeeTiers(_)) {
            ["other tiers", "bad tiers"]
        } else if matches!(command, TradingCommand::SetPromotion(_)) {
            ["other promotion", "bad promotion"]
        } else if matches!(command, TradingCommand::CloseDay) {
            ["day closed", "too early for midnight"]
        } else {
            return;
        };
        self.note(if is_done { done } else { refused });
    }

    /// Counts an order that has the rates of a tier above the lowest, or those of a promotion.
    fn count_rates(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let (Body::Trading(TradingCommand::Place(place)), Outcome::Trading(TradingAnswer::Order(order))) =
            (&command.body, answer)
        else {
            return;
        };
        let floor = exchange.state.floor();
        let rates = |symbol| floor.rates(Product::Spot, symbol, order.account).1;
        let has_own = floor
            .fees
            .of_accounts()
            .any(|(account, product, _)| (account, product) == (order.account, Product::Spot));
        let lowest = floor.fees.tiers_of(Product::Spot).next();
        if !has_own && lowest.is_some_and(|lowest| lowest.rates != rates(None)) {
            self.note("order in a higher tier");
        }
        if rates(Some(place.symbol)) != rates(None) {
            self.note("order under promotion");
        }
    }

    /// Counts what was done with sessions, and what came of it.
    fn count_sessions(&mut self, command: &Command, answer: &Answer) {
        match (&command.body, answer) {
            (_, Outcome::Rejected(Reject::Access(AccessReject::Disabled))) => {
                self.note("call of a disabled key");
            }
            (Body::Trading(_), Outcome::Rejected(Reject::Access(AccessReject::MissingRole(_)))) => {
                self.note("order without the role");
            }
            (Body::Access(AccessCommand::AddSession(_)), Outcome::Done) => self.note("key made"),
            (Body::Access(AccessCommand::DisableSession { .. }), Outcome::Done) => self.note("key disabled"),
            (Body::Access(AccessCommand::EndSession { .. }), Outcome::Done) => self.note("key ended"),
            (Body::Access(AccessCommand::SetSessionRoles(..)), Outcome::Done) => self.note("key re-roled"),
            (Body::Access(_), Outcome::Rejected(Reject::Access(AccessReject::BadRoles))) => {
                self.note("bad roles");
            }
            (Body::Access(_), Outcome::Rejected(Reject::Access(AccessReject::Ended))) => {
                self.note("change of an ended key");
            }
            _ => {}
        }
    }

    /// Counts what operators took from accounts, and what was refused.
    fn count_adjustments(&mut self, command: &Command, answer: &Answer) {
        let Body::Ledger(LedgerCommand::Adjust(adjustment)) = &command.body else { return };
        match answer.done() {
            Ok(()) if adjustment.amount < Money::ZERO => self.note("debited"),
            Ok(()) => self.note("credited once"),
            Err(Reject::Ledger(LedgerReject::Short(_))) => self.note("debit of too much"),
            Err(Reject::Ledger(LedgerReject::Taken)) => self.note("reference used again"),
            Err(Reject::Ledger(LedgerReject::BadAmount)) => self.note("debit of nothing"),
            Err(Reject::Access(AccessReject::Closed)) => self.note("debit of a closed account"),
            Err(_) => {}
        }
    }

    /// Counts halts, and what they kept out.
    fn count_halts(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let is_halted = exchange.state.operations().is_halted();
        if let Body::Operation(operation) = &command.body {
            match operation {
                Operation::Halt => self.note("halted"),
                Operation::Resume => self.note("resumed"),
                Operation::Approve(_)
                | Operation::SetApprovals(_)
                | Operation::Propose(_)
                | Operation::ProposeKey(_)
                | Operation::ExpireKey(_) => {}
            }
        }
        if is_halted && let Body::Trading(command) = &command.body {
            self.count_while_halted(exchange, command, answer);
        }
        if *answer == Outcome::Rejected(Reject::Halted) {
            self.note("refused while halted");
        }
    }

    /// Counts what a command of the floor does while the exchange is halted.
    fn count_while_halted(&mut self, exchange: &Exchange, command: &TradingCommand, answer: &Answer) {
        let is_cancel = matches!(command, TradingCommand::Cancel(_));
        let is_auction = matches!(command, TradingCommand::Auction(_));
        let is_due = is_auction || matches!(command, TradingCommand::Trigger(_));
        if is_cancel && !exchange.happened.is_empty() {
            self.note("cancelled while halted");
        } else if is_auction && exchange.happened.iter().any(|what| matches!(what, Happening::Crossed { .. }))
        {
            self.note("settled while halted");
        } else if is_due && *answer == Outcome::Rejected(Reject::Trading(TradingReject::NotNow)) {
            self.note("waits while halted");
        }
    }

    /// Counts what operators cancelled, and what they may not name.
    fn count_operators_cancels(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let Body::Trading(TradingCommand::CancelOrders(account, symbol, last)) = &command.body else {
            return;
        };
        let is_some = exchange.happened.iter().any(|what| matches!(what, Happening::Cancelled(..)));
        match (account, symbol) {
            _ if *answer != Outcome::Done => self.note("bad cancel by operator"),
            (Some(_), None) if is_some => self.note("account cancelled by operator"),
            (None, Some(_)) if is_some => self.note("symbol cancelled by operator"),
            (Some(_), Some(_)) if is_some => self.note("account cancelled on a symbol"),
            (_, _) => {}
        }
        if last.is_some() && is_some {
            self.note("cancelled by operator up to an order");
        }
    }

    /// Counts what came over connections, how these ended, and what was refused before the core.
    fn count_sockets(&mut self, exchange: &Exchange, command: &Command, answer: &Answer) {
        let Body::Trading(command) = &command.body else { return };
        let is_closing = matches!(command, TradingCommand::CloseConnection(_));
        let has = |is_it: fn(&Happening) -> bool| exchange.happened.iter().any(is_it);
        if *answer == Outcome::Rejected(Reject::Trading(TradingReject::NoConnection)) {
            self.note(if is_closing { "end of no connection" } else { "order over no connection" });
        } else if matches!(command, TradingCommand::OpenConnection) && answer.connection().is_err() {
            self.note("refused connection");
        } else if is_closing && has(|what| matches!(what, Happening::Cancelled(..))) {
            self.note("cancelled with its connection");
        } else if matches!(command, TradingCommand::Refuse(_))
            && has(|what| matches!(what, Happening::Refused(..)))
        {
            self.note("refused before the core");
        } else if matches!(command, TradingCommand::PlaceOver(..)) && !exchange.of.refused.is_empty() {
            self.note("refused over a connection");
        }
        if is_closing && has(|what| matches!(what, Happening::CancelRejected(_))) {
            self.note("bound beyond its connection");
        }
    }

    /// Counts what was done with accounts.
    fn count_accounts(&mut self, command: &Command, answer: &Answer) {
        let Body::Access(command) = &command.body else {
            if *answer == Outcome::Rejected(Reject::Access(AccessReject::Closed)) {
                self.note("order of a closed account");
            }
            if *answer == Outcome::Rejected(Reject::Access(AccessReject::InDebt)) {
                self.note("order of a debtor");
            }
            return;
        };
        let reject =
            if let Outcome::Rejected(Reject::Access(reject)) = answer { Some(*reject) } else { None };
        match (command, reject) {
            (AccessCommand::RenameAccount(_), None) => self.note("renamed"),
            (AccessCommand::RenameAccount(_), Some(AccessReject::NameTaken | AccessReject::Taken)) => {
                self.note("name is used");
            }
            (AccessCommand::CreateAccount(_), None) => self.note("account created"),
            (AccessCommand::CreateAccount(_), Some(AccessReject::GroupFull(_))) => self.note("group is full"),
            (AccessCommand::CreateAccount(_), Some(AccessReject::NoCustodyTerms)) => {
                self.note("no custody terms");
            }
            (AccessCommand::CloseAccount(_), None) => self.note("account closed"),
            (AccessCommand::CloseAccount(_), Some(AccessReject::InUse("Trading" | "Ledger"))) => {
                self.note("account in use");
            }
            _ => {}
        }
    }

    /// Counts what one command did.
    pub(crate) fn count(&mut self, before: &Before, exchange: &Exchange, command: &Command, answer: &Answer) {
        let happened = &exchange.happened;
        for happening in happened {
            self.note(label(happening));
            self.count_auction(before, exchange, happening);
        }
        if happened.iter().filter(|what| matches!(what, Happening::Filled { .. })).count() > MANY {
            self.note("many makers");
        }
        self.count_fees(command, answer);
        self.count_rates(exchange, command, answer);
        self.count_accounts(command, answer);
        self.count_sessions(command, answer);
        self.count_halts(exchange, command, answer);
        self.count_adjustments(command, answer);
        self.count_operators_cancels(exchange, command, answer);
        self.count_funds(exchange, command, answer);
        self.count_sockets(exchange, command, answer);
        match (&command.body, answer) {
            (Body::Trading(TradingCommand::SetFees(_)), Outcome::Done) => self.note("other fees"),
            (
                Body::Trading(TradingCommand::SetFees(_)),
                Outcome::Rejected(Reject::Trading(TradingReject::BadFees)),
            ) => self.note("bad fees"),
            (Body::Rates(_), Outcome::Done) => self.note("rates"),
            (Body::Rates(_), Outcome::Rejected(Reject::Rates(RatesReject::Taken(_)))) => {
                self.note("rate of a taken time");
            }
            (Body::Convert(_), Outcome::Rejected(Reject::Convert(reject))) => self.note(refused(*reject)),
            (
                Body::Trading(TradingCommand::ScheduleAuctions(..)),
                Outcome::Rejected(Reject::Trading(TradingReject::Schedule(_))),
            ) => {
                self.note("senseless schedule");
            }
            (
                Body::Trading(TradingCommand::ScheduleAuctions(..)),
                Outcome::Rejected(Reject::Trading(TradingReject::NotNow)),
            ) => {
                self.note("scheduled while one is settled");
            }
            (
                Body::Trading(TradingCommand::Auction(_)),
                Outcome::Rejected(Reject::Trading(TradingReject::NotNow)),
            ) => self.note("too early for an auction"),
            (Body::Trading(TradingCommand::Trigger(_)), Outcome::Done)
                if exchange.happened.iter().any(|what| matches!(what, Happening::Filled { .. })) =>
            {
                self.note("triggered orders that traded");
            }
            (
                Body::Trading(TradingCommand::Place(_)),
                Outcome::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::Stop(_)))),
            ) => self.note("refused stop prices"),
            (
                Body::Trading(TradingCommand::Place(_)),
                Outcome::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::NoAuctions))),
            ) => {
                self.note("no auctions");
            }
            (
                Body::Trading(TradingCommand::Place(_)),
                Outcome::Rejected(Reject::Trading(TradingReject::Place(PlaceReject::AuctionNotOpen {
                    ..
                }))),
            ) => {
                self.note("auction not open");
            }
            (Body::Trading(TradingCommand::Place(_)), Outcome::Trading(TradingAnswer::Order(order)))
                if order.reason == Some(CancelReason::SelfCrossPrevented) =>
            {
                let meets = |own: OrderState| {
                    own.account == order.account && reaches(order.side, order.price, own.price)
                };
                let (symbol, other) = (order.symbol, order.side.opposite());
                if order.option == Some(ExecutionOption::AuctionOnly) {
                    self.note("self cross of one that would wait");
                } else if !exchange.queue(symbol, other).any(meets)
                    && exchange.waiting(symbol, other).any(meets)
                {
                    self.note("self cross with one that waits");
                }
            }
            (Body::Trading(TradingCommand::Place(_)), Outcome::Trading(TradingAnswer::Order(order)))
                if order.is_live() =>
            {
                let waits = order.option == Some(ExecutionOption::AuctionOnly);
                if waits {
                    self.note("waits for an auction");
                }
                if waits && before.is_settling {
                    self.note("waits while an auction is settled");
                }
            }
            _ => {}
        }
    }

    fn count_refused_break(&mut self, answer: &Answer) {
        let Outcome::Rejected(Reject::Trading(TradingReject::Break(error))) = answer else { return };
        self.note(match error {
            BreakError::Unknown => "unknown trade",
            BreakError::Broken(_) => "broken already",
            BreakError::Stale => "stale break",
            BreakError::ManualOnly => "no full break",
            BreakError::Bound => "break with an advance",
            BreakError::Closed => "break with a closed account",
            BreakError::Short { .. } => "money is gone",
        });
    }

    fn count_auction(&mut self, before: &Before, exchange: &Exchange, happening: &Happening) {
        match happening {
            Happening::Cut(_, finding, _) => match finding.price {
                None if finding.beyond.hundredths() > 0 => self.note("auction fails"),
                None => self.note("auction of nothing"),
                Some(_) => {
                    self.note("auction with trades");
                    if finding.collar.is_none() {
                        self.note("auction without collar");
                    } else if finding.bid.is_none() || finding.ask.is_none() {
                        self.note("auction by the last trade");
                    }
                }
            },
            Happening::Crossed { buy, sell, fees: [buyer, seller], .. } => {
                self.note(match [buy, sell].map(|id| before.waiting.contains(id)) {
                    [true, true] => "crossed, both waiting",
                    [true, false] | [false, true] => "crossed with the continuous book",
                    [false, false] => panic!("a book is not crossed"),
                });
                if [buy, sell].into_iter().any(|id| exchange.order(*id).is_some()) {
                    self.note("crossed in part");
                }
                if buyer < seller {
                    self.note("buyer's fee is capped");
                }
            }
            Happening::Cancelled(..) if before.is_settling => {
                self.note("cancelled while an auction is settled");
            }
            Happening::Filled { .. } if before.is_settling => self.note("filled while an auction is settled"),
            Happening::Accepted(_)
            | Happening::Filled { .. }
            | Happening::Booked(_)
            | Happening::Suspended(_)
            | Happening::Triggered(_)
            | Happening::Completed(_)
            | Happening::Refused(..)
            | Happening::Connected(..)
            | Happening::Tied(..)
            | Happening::Disconnected(_)
            | Happening::Cancelled(..)
            | Happening::CancelRejected(_)
            | Happening::Scheduled(..)
            | Happening::Opened(..)
            | Happening::Indicated(..)
            | Happening::Ended(..)
            | Happening::Status(..)
            | Happening::Broken(..)
            | Happening::Credited(..)
            | Happening::Converted(_) => {}
        }
    }
}

fn refused(reject: ConvertReject) -> &'static str {
    match reject {
        ConvertReject::InvalidSymbol => "no conversion of this symbol",
        ConvertReject::BelowMinimum => "conversion of too little",
        ConvertReject::MarketClosed | ConvertReject::MarketNotOpen(_) => "conversion while closed",
        ConvertReject::InsufficientFunds => "conversion without funds",
        ConvertReject::Advances => "conversion that gives up an advance",
        ConvertReject::Unavailable => "conversion beyond the house",
        ConvertReject::NoQuote => "no such quote",
        ConvertReject::Differs(_) => "not as quoted",
        ConvertReject::NoLiquidity => "quote beyond the book",
        ConvertReject::Moved(_) => "quote void",
        ConvertReject::BeyondExposure => "conversion beyond the exposure",
        ConvertReject::BadTerms => "bad terms of instant orders",
        ConvertReject::Unknown => "conversion by the exchange itself",
    }
}

fn reaches(side: Side, limit: Price, price: Price) -> bool {
    match side {
        Side::Buy => price <= limit,
        Side::Sell => price >= limit,
    }
}

fn label(happening: &Happening) -> &'static str {
    match happening {
        Happening::Accepted(_) => "accepted",
        Happening::Filled { .. } => "filled",
        Happening::Crossed { .. } => "crossed",
        Happening::Booked(_) => "booked",
        Happening::Suspended(_) => "suspended",
        Happening::Triggered(_) => "triggered",
        Happening::Completed(_) => "completed",
        Happening::Refused(..) => "refused",
        Happening::Connected(..) => "connected",
        Happening::Tied(..) => "tied",
        Happening::Disconnected(_) => "disconnected",
        Happening::Cancelled(_, reason) => match reason {
            CancelReason::MakerOrCancelWouldTake => "maker or cancel",
            CancelReason::ImmediateOrCancelWouldPost => "immediate or cancel",
            CancelReason::FillOrKillWouldNotFill => "fill or kill",
            CancelReason::SelfCrossPrevented => "self cross",
            CancelReason::ExceedsPriceLimits => "collar",
            CancelReason::Requested => "requested",
            CancelReason::MarketClosed => "closed",
            CancelReason::AuctionCancelled => "auction cancelled",
            CancelReason::Uncovered => "uncovered",
            CancelReason::TradingClosed => "trading closed",
            CancelReason::InsufficientFunds => "advance given up",
        },
        Happening::CancelRejected(_) => "cancel rejected",
        Happening::Scheduled(_, Some(_)) => "scheduled",
        Happening::Scheduled(_, None) => "abandoned",
        Happening::Opened(..) => "opened",
        Happening::Indicated(..) => "indicated",
        Happening::Cut(..) => "cut",
        Happening::Ended(..) => "ended",
        Happening::Status(..) => "status",
        Happening::Credited(..) => "credited",
        Happening::Converted(ConvertInfrequent::Wrapped(wrapped)) => match wrapped.wrap.side {
            Side::Buy => "wrapped",
            Side::Sell => "unwrapped",
        },
        Happening::Converted(ConvertInfrequent::Quoted(_)) => "quoted",
        Happening::Converted(ConvertInfrequent::Executed(_, quote, _)) => match quote.side {
            Side::Buy => "bought at once",
            Side::Sell => "sold at once",
        },
        Happening::Converted(ConvertInfrequent::TermsSet(_)) => "terms of instant orders",
        Happening::Broken(_, BreakKind::Manual) => "broken manually",
        Happening::Broken(_, BreakKind::Full) => "broken in full",
    }
}
