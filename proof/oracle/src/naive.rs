//! A naive exchange written from the specification: no indices, no stored holds, no reused buffers.
//!
//! All live orders are rows of one list, sorted for each query; an order's reserve is computed each time.
#![expect(clippy::wildcard_enum_match_arm, reason = "the naive exchange knows only what is dealt")]

mod accounts;
mod auctions;
mod breaks;
mod connections;
mod convert;
mod fees;
mod funds;
mod key;
mod matching;
mod perp;
mod placing;
mod rates;
mod refused;
mod reserve;
mod sessions;
mod stops;

use crate::exchange::{Exchange, Happening};
use crate::worlds::{World, exchange_unit, units};
use accounts::Names;
pub(crate) use auctions::Auctions;
use auctions::is_for_auction;
use breaks::Trade;
use buttonwood_engine::{
    AccessCommand, AccessReject, AccountKind, Adjustment, Answer, Body, Command, ConvertCommand,
    ConvertQuote, FeeSchedule, Founding, GroupTerms, INSTANT, ISSUER, LedgerCommand, LedgerReject, Operation,
    OrderRef, OrderState, Outcome, Owner, Place, Promotion, RatesCommand, Reject, Standing, Terms,
    TradingAnswer, TradingCommand, TradingReject,
};
use buttonwood_model::{
    AccountId, CancelReason, Cidr, ClientId, CurrencyId, OrderId, Role, SessionId, Side, Symbol, SymbolId,
    SymbolStatus, Time,
};
use buttonwood_num::{Money, Price, Qty};
use connections::Ties;
use fees::{Change, Volumes};
use funds::Funds;
pub(crate) use funds::month_of;
use key::Key;
pub use perp::{PerpFigures, PerpFill, PerpMarket, perp_average, perp_figures, perp_quantity};
pub(crate) use perp::{
    PerpFund, PerpHolder, PerpPremiums, perp_collateral, perp_deleveraging_order, perp_deleveraging_price,
    perp_fee, perp_fund_takes, perp_part, perp_seized, perp_zero_price,
};
pub(crate) use refused::Refused;
use std::collections::HashMap;

/// A symbol in the naive exchange.
#[derive(Clone)]
struct Pair {
    name: String,
    base: CurrencyId,
    quote: CurrencyId,
    /// Money units of one tick × one hundredth of a lot, in the quote currency.
    quote_unit: i128,
    /// Money units of one hundredth of a lot, in the base currency.
    base_unit: i128,
    wraps: bool,
    /// The price step, in units of 10⁻¹⁹.
    tick: i128,
    min: Qty,
    closed_to: &'static [&'static str],
    status: SymbolStatus,
    last: Option<Price>,
    /// `None` if there never were any.
    auctions: Option<Auctions>,
}

/// The naive exchange: the balances of accounts, and the live orders in the sequence in which they entered.
#[derive(Clone)]
pub struct Naive {
    /// The rates of the opening.
    fees: FeeSchedule,
    /// Every change of fee rates, oldest first.
    fee_changes: Vec<Change>,
    promotion: Option<Promotion>,
    pub(crate) volumes: Volumes,
    /// The rates that each order was placed under.
    rates: HashMap<OrderId, FeeSchedule>,
    pairs: Vec<Pair>,
    jurisdictions: HashMap<AccountId, &'static str>,
    /// In the order of their ids.
    pub(crate) names: Vec<Names>,
    /// The terms of each group.
    pub(crate) terms: Vec<GroupTerms>,
    /// Where the calls of each group may come from.
    pub(crate) group_addresses: Vec<Vec<Cidr>>,
    pub(crate) keys: Vec<Key>,
    dollar: Option<CurrencyId>,
    /// The house account that wrapped currencies come from.
    issuer: AccountId,
    /// The house account of instant orders.
    instant: AccountId,
    instant_terms: Terms,
    /// The stock that it was given.
    instant_stock: HashMap<CurrencyId, i128>,
    /// Quotes that were neither executed nor replaced, oldest first.
    quotes: Vec<ConvertQuote>,
    /// How many quotes there were.
    quoted: u64,
    /// Total balances, reserved or not.
    pub(crate) totals: HashMap<(AccountId, CurrencyId), i128>,
    /// Transfers, and what belongs to them.
    pub(crate) funds: Funds,
    /// The references of credits and debits.
    references: Vec<String>,
    /// In the sequence in which they entered.
    live: Vec<OrderState>,
    /// The newest order of each account under each client id, live or not.
    newest_named: Vec<(AccountId, ClientId, OrderId)>,
    /// Stop orders that have not entered.
    stopped: Vec<OrderState>,
    /// Those of them that a trade has reached, in the sequence in which they enter.
    pub(crate) due: Vec<OrderId>,
    /// Foreign exchange rates, in the sequence in which they were added.
    fx: Vec<rates::Row>,
    /// Every trade, oldest first.
    trades: Vec<Trade>,
    /// Whether nothing new may trade.
    pub(crate) halted: bool,
    next_id: u64,
    /// Of the command that runs.
    now: Time,
    /// Connections that cancel on disconnect.
    ties: Ties,
    pub(crate) happened: Vec<Happening>,
    /// The refused orders of the command.
    pub(crate) refused: Vec<Refused>,
}

impl Naive {
    /// A naive copy of an exchange that was just founded.
    pub fn found(world: &'static World, exchange: &Exchange) -> Self {
        let symbols = exchange.state.symbols().iter().zip(world.ranges);
        let access = exchange.state.access();
        let mut naive = Self {
            fees: world.fees,
            fee_changes: Vec::new(),
            promotion: None,
            volumes: Volumes::of(exchange),
            rates: HashMap::new(),
            pairs: symbols
                .map(|(symbol, range)| Pair {
                    name: symbol.name.clone(),
                    base: symbol.base,
                    quote: symbol.quote,
                    quote_unit: exchange_unit(range),
                    base_unit: units(range.steps[1]) / 100,
                    tick: units(range.steps[2]),
                    min: Qty::from_hundredths(
                        (units(range.steps[0]) / units(range.steps[1]) * 100).unsigned_abs(),
                    ),
                    closed_to: range.closed_to,
                    wraps: range.wraps,
                    status: SymbolStatus::Open,
                    last: None,
                    auctions: None,
                })
                .collect(),
            jurisdictions: HashMap::new(),
            names: access.accounts().iter().map(|account| Names::of(account, false)).collect(),
            terms: access.groups().iter().map(|group| group.terms).collect(),
            group_addresses: vec![Vec::new(); access.groups().len()],
            keys: Vec::new(),
            issuer: exchange.state.ledger().house(ISSUER.name).unwrap(),
            instant: exchange.state.ledger().house(INSTANT.name).unwrap(),
            instant_terms: exchange.state.conversions().terms(),
            instant_stock: HashMap::new(),
            quotes: Vec::new(),
            quoted: 0,
            dollar: exchange.currencies().find(|id| exchange.state.currency(*id).unwrap().code == "USD"),
            totals: HashMap::new(),
            funds: Funds::of(exchange),
            references: Vec::new(),
            live: Vec::new(),
            newest_named: Vec::new(),
            stopped: Vec::new(),
            due: Vec::new(),
            fx: Vec::new(),
            trades: Vec::new(),
            halted: false,
            next_id: 1,
            now: Time(0),
            ties: Ties::default(),
            happened: Vec::new(),
            refused: Vec::new(),
        };
        for account in exchange.accounts() {
            let place = if access.account(account).unwrap().jurisdiction.is_empty() { "" } else { "US-NY" };
            naive.jurisdictions.insert(account, place);
        }
        for session in access.sessions() {
            let accounts = match session.key.owner {
                Owner::Account(account) => vec![account],
                Owner::Group(group) => {
                    let is_of_it = |at: &AccountId| access.account(*at).unwrap().group == Some(group);
                    exchange.accounts().filter(is_of_it).collect()
                }
            };
            naive.keys.push(Key::new(accounts, &session.key));
        }
        naive
    }

    /// Answers one command and records the events.
    pub fn submit(&mut self, time: Time, command: &Command) -> Answer {
        self.happened.clear();
        self.refused.clear();
        self.now = time;
        let Some(caller) = &command.caller else { return self.own(&command.body, time) };
        let Some(key) = self.keys.get_mut(caller.session.index()) else {
            return Outcome::Rejected(Reject::Access(AccessReject::UnknownSession));
        };
        if key.standing != Standing::Enabled {
            return Outcome::Rejected(Reject::Access(AccessReject::Disabled));
        }
        if !key.may_use(caller.nonce) {
            return Outcome::Rejected(Reject::Access(AccessReject::NonceUsed));
        }
        key.uses(caller.nonce);
        if caller.account.is_some_and(|account| !key.accounts.contains(&account)) {
            return Outcome::Rejected(Reject::Access(AccessReject::ForeignAccount));
        }
        if command.body == Body::Access(AccessCommand::UseNonce) {
            return Outcome::Done;
        }
        if caller.account.is_none() && key.group.is_none() {
            return Outcome::Rejected(Reject::Access(AccessReject::ForeignAccount));
        }
        let is_of_group = matches!(
            command.body,
            Body::Access(AccessCommand::RenameAccount(_) | AccessCommand::CreateAccount(_))
        );
        let needed = match &command.body {
            _ if is_of_group => Role::Administrator,
            Body::Funds(_) => Role::FundManager,
            _ => Role::Trader,
        };
        if !key.roles.has(needed) || (is_of_group && key.group.is_none()) {
            return Outcome::Rejected(Reject::Access(AccessReject::MissingRole(key.roles)));
        }
        if let (Body::Access(AccessCommand::CreateAccount(new)), Some(group)) = (&command.body, key.group) {
            return self.create(group, new, time);
        }
        if let Body::Funds(funds) = &command.body {
            return self.move_funds(Some(caller), funds);
        }
        let account = caller.account.unwrap();
        let may_trade = matches!(
            command.body,
            Body::Trading(
                TradingCommand::Place(_) | TradingCommand::PlaceOver(..) | TradingCommand::Refuse(_)
            ) | Body::Convert(_)
        );
        if self.halted && may_trade {
            return Outcome::Rejected(Reject::Halted);
        }
        if let Body::Trading(TradingCommand::PlaceOver(connection, place)) = &command.body {
            if let Some(refusal) = self.refuse_over(*connection, (caller.session, account)) {
                return refusal;
            }
            let answer = self.place_for((account, caller.session), place, time);
            self.tie(*connection, &answer);
            return answer;
        }
        if let Body::Trading(TradingCommand::Place(place)) = &command.body {
            return self.place_for((account, caller.session), place, time);
        }
        if matches!(command.body, Body::Convert(_))
            && let Some(reject) = self.why_no_trader(account)
        {
            return Outcome::Rejected(Reject::Access(reject));
        }
        match &command.body {
            Body::Convert(_) if self.names[account.index()].kind == AccountKind::Derivatives => {
                Outcome::Rejected(Reject::Access(AccessReject::WrongKind))
            }
            Body::Trading(TradingCommand::OpenConnection) => self.connect(caller.session),
            Body::Trading(TradingCommand::Refuse(draft)) => self.refuse_draft(account, caller.session, draft),
            Body::Trading(TradingCommand::Cancel(which)) => self.cancel(account, which, time),
            Body::Trading(TradingCommand::CancelSession) => {
                self.cancel_all(account, Some(caller.session), time)
            }
            Body::Trading(TradingCommand::CancelAll) => self.cancel_all(account, None, time),
            Body::Convert(command) => self.convert(account, command, time),
            Body::Access(AccessCommand::RenameAccount(names)) => {
                self.rename(account, names.display_name.as_ref(), names.short_name.as_ref())
            }
            other => panic!("not dealt to keys: {other:?}"),
        }
    }

    /// A new order, which is refused for its account first.
    fn place_for(&mut self, caller: (AccountId, SessionId), place: &Place, time: Time) -> Answer {
        if let Some(reject) = self.why_no_trader(caller.0) {
            return self.refuse_account(caller, place, reject);
        }
        match self.place(caller.0, caller.1, place, time) {
            Ok(order) => Outcome::Trading(TradingAnswer::Order(order)),
            Err(reject) => self.refuse_order(caller, place, reject),
        }
    }

    /// Why an account neither trades nor converts.
    fn why_no_trader(&self, account: AccountId) -> Option<AccessReject> {
        let names = &self.names[account.index()];
        if names.is_closed {
            Some(AccessReject::Closed)
        } else if self.owes(account) {
            Some(AccessReject::InDebt)
        } else {
            names.is_custody().then_some(AccessReject::WrongKind)
        }
    }

    fn own(&mut self, body: &Body, now: Time) -> Answer {
        match body {
            Body::Ledger(LedgerCommand::Credit(credit)) => {
                return self.credit(credit.account, &credit.amounts);
            }
            Body::Ledger(LedgerCommand::Adjust(adjustment)) => return self.adjust(adjustment),
            Body::Trading(TradingCommand::ListSymbol(symbol)) => return self.list(symbol),
            Body::Trading(TradingCommand::ExpireSession(session)) => {
                // The session of a master key never expires.
                let key = &self.keys[session.index()];
                if key.group.is_none() {
                    return self.cancel_all(key.accounts[0], Some(*session), now);
                }
            }
            Body::Trading(TradingCommand::CancelOrders(account, symbol, last)) => {
                let is_known = account.is_none_or(|account| account.index() < self.names.len())
                    && symbol.is_none_or(|symbol| symbol.index() < self.pairs.len());
                if !is_known || (account.is_none() && symbol.is_none()) {
                    return Outcome::Rejected(Reject::Unknown);
                }
                return self.cancel_those(now, |order| {
                    account.is_none_or(|account| order.account == account)
                        && symbol.is_none_or(|symbol| order.symbol == symbol)
                        && last.is_none_or(|last| order.id <= last)
                });
            }
            Body::Trading(TradingCommand::SetSymbolStatus(symbol, status)) => {
                let pair = &mut self.pairs[symbol.index()];
                if pair.status != *status {
                    pair.status = *status;
                    if *status == SymbolStatus::Closed {
                        self.close_waiting(*symbol, CancelReason::MarketClosed);
                        self.close_stopped(*symbol);
                        for side in [Side::Buy, Side::Sell] {
                            for order in self.queue(*symbol, side) {
                                self.close(order.id, CancelReason::MarketClosed);
                            }
                        }
                    }
                    self.happened.push(Happening::Status(*symbol, *status));
                }
            }
            Body::Access(AccessCommand::CloseAccount(account)) => return self.close_account(*account),
            Body::Access(AccessCommand::SetGroupTerms(group, terms)) => {
                match self.terms.get_mut(group.index()) {
                    Some(set) => *set = *terms,
                    None => return Outcome::Rejected(Reject::Access(AccessReject::Unknown)),
                }
            }
            Body::Access(AccessCommand::ChangeGroup(change)) => {
                let Some(terms) = self.terms.get_mut(change.group.index()) else {
                    return Outcome::Rejected(Reject::Access(AccessReject::Unknown));
                };
                *terms = change.terms.unwrap_or(*terms);
                if let Some(addresses) = &change.addresses {
                    self.group_addresses[change.group.index()].clone_from(addresses);
                }
            }
            Body::Access(AccessCommand::NoncesSeen(seen)) => {
                for (session, nonce) in seen {
                    // A call refused for lack of room was refused before authentication.
                    if let Some(key) = self.keys.get_mut(session.index()) {
                        key.uses(*nonce);
                    }
                }
            }
            Body::Access(AccessCommand::ResetNonces(session)) => {
                self.keys[session.index()].reset();
            }
            Body::Trading(TradingCommand::ScheduleAuctions(symbol, schedule)) => {
                return self.schedule(*symbol, *schedule, now);
            }
            Body::Trading(TradingCommand::CloseConnection(connection)) => {
                return self.disconnect(*connection, now);
            }
            Body::Trading(TradingCommand::Trigger(order)) => return self.trigger(*order),
            Body::Trading(TradingCommand::Auction(symbol)) => return self.auction(*symbol, now),
            Body::Trading(TradingCommand::SetFees(change)) => return self.set_fees(*change),
            Body::Convert(ConvertCommand::SetTerms(terms)) => return self.set_instant_terms(*terms),
            Body::Rates(RatesCommand::AddRates(new)) => return self.add_rates(new),
            Body::Trading(TradingCommand::SetFeeTiers(tiers)) => return self.set_tiers(tiers),
            Body::Trading(TradingCommand::SetPromotion(promotion)) => return self.set_promotion(promotion),
            Body::Trading(TradingCommand::CloseDay) => return self.close_day(now),
            Body::Trading(TradingCommand::BreakTrade(broken)) => return self.break_trade(broken),
            // Marks move no money, and indices are read from books and pins here.
            Body::Founding(Founding::MoveClock) | Body::Perp(buttonwood_engine::perp::Command::TakeMarks) => {
            }
            Body::Funds(command) => return self.move_funds(None, command),
            Body::Access(command) => return self.change_session(command, now),
            Body::Operation(Operation::Halt) => self.halted = true,
            Body::Operation(Operation::Resume) => self.halted = false,
            other => panic!("not dealt: {other:?}"),
        }
        Outcome::Done
    }

    fn credit(&mut self, account: AccountId, amounts: &[(CurrencyId, Money)]) -> Answer {
        if account.index() >= self.names.len() {
            return Outcome::Rejected(Reject::Ledger(LedgerReject::Unknown));
        }
        if self.names[account.index()].is_closed {
            return Outcome::Rejected(Reject::Access(AccessReject::Closed));
        }
        if amounts.iter().any(|(_, amount)| *amount <= Money::ZERO) {
            return Outcome::Rejected(Reject::Ledger(LedgerReject::BadAmount));
        }
        for (currency, amount) in amounts {
            self.pay(AccountId(0), account, *currency, amount.units());
            if account == self.instant {
                *self.instant_stock.entry(*currency).or_default() += amount.units();
            }
            *self.funds.credited.entry(*currency).or_default() += amount.units();
            self.happened.push(Happening::Credited(account, *currency, *amount));
        }
        Outcome::Done
    }

    /// A debit takes no more than is neither owed to orders nor gone; a reference counts once.
    fn adjust(&mut self, adjustment: &Adjustment) -> Answer {
        let Adjustment { account, currency, amount, reference } = adjustment;
        if self.names[account.index()].is_closed {
            return Outcome::Rejected(Reject::Access(AccessReject::Closed));
        }
        if !reference.is_empty() && self.references.contains(reference) {
            return Outcome::Rejected(Reject::Ledger(LedgerReject::Taken));
        }
        let available = self.available(*account, *currency);
        if *amount == Money::ZERO {
            return Outcome::Rejected(Reject::Ledger(LedgerReject::BadAmount));
        }
        if *amount < Money::ZERO && available + amount.units() < 0 {
            return Outcome::Rejected(Reject::Ledger(LedgerReject::Short(Money::from_units(available))));
        }
        self.pay(AccountId(0), *account, *currency, amount.units());
        *self.funds.credited.entry(*currency).or_default() += amount.units();
        self.list_adjustment(adjustment);
        self.references.push(reference.clone());
        self.happened.push(Happening::Credited(*account, *currency, *amount));
        Outcome::Done
    }

    /// A symbol listed later trades like the founded symbol of the same currencies.
    fn list(&mut self, symbol: &Symbol) -> Answer {
        if self.pairs.iter().any(|pair| pair.name == symbol.name) {
            return Outcome::Rejected(Reject::Trading(TradingReject::Taken));
        }
        let mut pairs = self.pairs.iter();
        let like = pairs.find(|pair| (pair.base, pair.quote) == (symbol.base, symbol.quote)).unwrap();
        let name = symbol.name.clone();
        self.pairs.push(Pair { name, status: symbol.status, last: None, auctions: None, ..like.clone() });
        Outcome::Done
    }

    fn pay(&mut self, from: AccountId, to: AccountId, currency: CurrencyId, amount: i128) {
        *self.totals.entry((from, currency)).or_default() -= amount;
        *self.totals.entry((to, currency)).or_default() += amount;
    }

    /// The orders of a side of the continuous book, best price first, then oldest first.
    pub(crate) fn queue(&self, symbol: SymbolId, side: Side) -> Vec<OrderState> {
        self.line(symbol, side, |order| !is_for_auction(order))
    }

    /// The orders of a side that wait for an auction, in the same sequence.
    pub(crate) fn waiting(&self, symbol: SymbolId, side: Side) -> Vec<OrderState> {
        self.line(symbol, side, is_for_auction)
    }

    /// The orders of a side that `has` selects, in the same sequence.
    fn line(&self, symbol: SymbolId, side: Side, has: impl Fn(&OrderState) -> bool) -> Vec<OrderState> {
        let is_in = |order: &&OrderState| order.symbol == symbol && order.side == side && has(order);
        let mut queue: Vec<_> = self.live.iter().filter(is_in).copied().collect();
        // The sort is stable and the list is in order of age.
        match side {
            Side::Buy => queue.sort_by_key(|order| std::cmp::Reverse(order.price)),
            Side::Sell => queue.sort_by_key(|order| order.price),
        }
        queue
    }

    /// Every live order, the newest first.
    fn newest_first(&self) -> Vec<OrderState> {
        let mut orders: Vec<_> = self.live.iter().chain(&self.stopped).copied().collect();
        orders.sort_by_key(|order| std::cmp::Reverse(order.id));
        orders
    }

    fn close(&mut self, id: OrderId, reason: CancelReason) {
        self.live.retain(|order| order.id != id);
        self.stopped.retain(|order| order.id != id);
        self.due.retain(|due| *due != id);
        self.happened.push(Happening::Cancelled(id.0, reason));
    }

    fn cancel(&mut self, account: AccountId, which: &OrderRef, now: Time) -> Answer {
        let named = |order: &&OrderState| match which {
            OrderRef::Id(id) => order.id == *id,
            OrderRef::ClientId(text) => self.newest_named.contains(&(account, *text, order.id)),
        };
        let found = self
            .newest_first()
            .into_iter()
            .filter(|order| order.account == account)
            .find(|order| named(&order));
        let Some(order) = found else { return Outcome::Trading(TradingAnswer::NotLive) };
        let reason = self.cancel_one(&order, now).then_some(CancelReason::Requested);
        Outcome::Trading(TradingAnswer::Order(OrderState { reason, ..order }))
    }

    /// Cancels an order unless it is too late; returns whether it did.
    fn cancel_one(&mut self, order: &OrderState, now: Time) -> bool {
        let is_past_last_cancel = self.is_past_last_cancel(order, now);
        if is_past_last_cancel {
            self.happened.push(Happening::CancelRejected(order.id.0));
        } else {
            self.close(order.id, CancelReason::Requested);
        }
        !is_past_last_cancel
    }

    fn cancel_all(&mut self, account: AccountId, session: Option<SessionId>, now: Time) -> Answer {
        self.cancel_those(now, |order| {
            order.account == account && session.is_none_or(|session| order.session == session)
        })
    }

    fn cancel_those(&mut self, now: Time, is_meant: impl Fn(&OrderState) -> bool) -> Answer {
        let orders: Vec<_> = self.newest_first().into_iter().filter(|order| is_meant(order)).collect();
        for order in orders {
            self.cancel_one(&order, now);
        }
        Outcome::Done
    }
}
