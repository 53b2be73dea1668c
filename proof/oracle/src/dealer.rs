//! A seeded generator of commands that keep a few small markets busy: orders of every kind around one price, cancels
//! of every kind, funds that run out and are replenished, symbols that close and open, auctions.

mod funds;
mod sockets;
mod transfers;

use crate::dice::Dice;
use crate::exchange::{Exchange, Step, next_step, orders_of};
use crate::worlds::{Range, World, exchange_unit};
use buttonwood_engine::{
    AccessCommand, AccountNames, Body, Caller, Command, ConvertCommand, ConvertQuote, Execute, FeeChange,
    FeeSchedule, FeeTier, FeeTiers, FxPair, FxRate, GroupChange, GroupTerms, INSTANT, NewAccount, NewRates,
    NewSession, Operation, OrderRef, Owner, Place, Promotion, QUOTE_AGE_MAX, QuoteId, QuoteRequest, Room,
    Schedule, Spend, Standing, State, Terms, TradingCommand, Wrap,
};
use buttonwood_model::{
    AccountId, Cidr, ClientId, CurrencyId, ExecutionOption, GroupId, Nonce, OrderId, OrderKind, Product,
    Role, Roles, SessionId, Side, Symbol, SymbolId, SymbolStatus, Time,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use std::sync::Arc;
use transfers::Treasury;

/// One key.
#[derive(Clone, Copy)]
struct Key {
    session: SessionId,
    account: AccountId,
    /// The group of a master key.
    group: Option<GroupId>,
    nonce: u64,
}

impl Key {
    fn new(session: SessionId, account: AccountId) -> Self {
        Self { session, account, group: None, nonce: 1 }
    }

    /// A nonce in this key's format: some have a fraction, some have more digits than a word holds.
    fn spelled(self, number: u64) -> Nonce {
        let behind = ["", ".25", "00000000000000000001"];
        let text = format!("{number}{}", behind[self.session.index() % behind.len()]);
        Nonce::parse(text.as_bytes()).unwrap()
    }
}

/// Generates commands.
pub struct Dealer {
    dice: Dice,
    world: &'static World,
    keys: Vec<Key>,
    /// Keys that create and rename accounts: a master key, and an account key, to which that is closed.
    administrators: [Key; 2],
    credits: Vec<(CurrencyId, i128)>,
    /// Keys and accounts that move funds, and what was moved last.
    treasury: Treasury,
    /// The last few executions that were dealt.
    executed: Vec<Execute>,
    /// How many sessions the world was founded with.
    founded: usize,
    /// How many sessions are known.
    met: usize,
    /// How many sessions there may be.
    keys_max: usize,
}

fn resume() -> Body {
    Operation::Resume.into()
}

/// How many executions are dealt again at times.
const EXECUTED: usize = 4;

/// Client ids in use; few, so that they repeat.
const CLIENT_IDS: [&str; 4] = ["a", "b", "a-client-id-longer-than-one-chunk-of-28", "c"];

impl Dealer {
    /// Creates the world on a new exchange.
    pub fn found(world: &'static World, seed: u64) -> (Exchange, Self) {
        Self::found_on(Exchange::open(world.fees, None), world, seed)
    }

    /// Creates the world on an exchange that was just opened.
    pub fn found_on(mut exchange: Exchange, world: &'static World, seed: u64) -> (Exchange, Self) {
        for range in world.ranges {
            for code in range.pair {
                exchange.find_currency(code);
            }
            exchange.symbol_that(range.pair, range.steps, range.closed_to, range.wraps);
        }
        let mut keys: Vec<Key> = Vec::new();
        for at in 0..world.traders {
            let name = format!("trader{at}");
            let home = if at == world.traders - 1 { "US-NY" } else { "" };
            // The first two belong to one group.
            let account = match keys.first() {
                Some(first) if at == 1 => exchange.account_beside(first.account, &name, home),
                Some(_) | None => exchange.account(&name, home),
            };
            // The second one requires heartbeats, which concerns only a sequencer.
            let sessions = [
                exchange.key(&format!("{name}-0"), account, Role::Trader),
                exchange.beating_key(&format!("{name}-1"), account, Role::Trader),
            ];
            keys.extend(sessions.map(|session| Key::new(session, account)));
        }
        let [first, third] = [0, 4].map(|at| keys[at].account);
        let group = exchange.state.access().account(first).unwrap().group;
        let master = exchange.master_key("master", first, Role::Trader);
        keys.push(Key { group, ..Key::new(master, first) });
        keys.push(Key::new(exchange.timed_key("timed", third, Role::Trader), third));
        let treasury =
            if world.funds > 0 { Treasury::found(&mut exchange, &keys) } else { Treasury::default() };
        keys.push(Key::new(exchange.key("auditor", first, Role::Auditor), first));
        let administrators = [
            Key {
                group,
                ..Key::new(exchange.master_key("administrator", first, Role::Administrator), first)
            },
            Key::new(exchange.key("clerk", first, Role::Administrator), first),
        ];
        let credits =
            world.credits.iter().map(|(code, amount)| (exchange.find_currency(code), *amount)).collect();
        let (dice, executed) = (Dice::seeded(seed), Vec::new());
        let founded = exchange.state.access().sessions().len();
        let keys_max = 2 * founded;
        let met = founded;
        let dealer =
            Self { dice, world, keys, administrators, credits, treasury, executed, founded, met, keys_max };
        (exchange, dealer)
    }

    /// A copy with other dice.
    #[must_use]
    pub fn taking(&self, dice: Dice) -> Self {
        let (keys, credits, executed) = (self.keys.clone(), self.credits.clone(), self.executed.clone());
        let treasury = self.treasury.clone();
        Self { dice, keys, credits, treasury, executed, ..*self }
    }

    /// Whether the input bytes of the dice are used up.
    pub fn is_spent(&self) -> bool {
        self.dice.is_spent()
    }

    /// A call that only reads: its session and the nonce it uses.
    pub fn read(&mut self) -> (SessionId, Nonce) {
        let at = usize::try_from(self.dice.below(u64::try_from(self.keys.len()).unwrap())).unwrap();
        let key = &mut self.keys[at];
        key.nonce += 1;
        (key.session, key.spelled(key.nonce))
    }

    /// Learns the sessions that were made since.
    fn meet_new_sessions(&mut self, state: &State) {
        let sessions = state.access().sessions();
        // A crash may have taken some back.
        if sessions.len() < self.met {
            self.keys.retain(|key| key.session.index() < sessions.len());
        }
        for (at, session) in sessions.iter().enumerate().skip(self.met) {
            let (account, group) = match session.key.owner {
                Owner::Account(account) => (account, None),
                Owner::Group(group) => (
                    state.access().accounts_of(group).next().map_or(AccountId(0), |(first, _)| first),
                    Some(group),
                ),
            };
            let key = Key { group, ..Key::new(SessionId::from_index(at), account) };
            // The auditor stays the last.
            self.keys.insert(self.keys.len() - 1, key);
        }
        self.met = sessions.len();
    }

    /// A command that makes a key, or that changes one when there are enough.
    pub fn deal_key(&mut self, state: &State) -> Command {
        self.meet_new_sessions(state);
        Command { caller: None, body: self.new_session(state) }
    }

    /// Makes a key of a trader's account or of its group; sometimes one that may not be made.
    fn new_session(&mut self, state: &State) -> Body {
        let number = state.access().sessions().len();
        // Not so many that the founded ones are seldom used.
        if number > self.keys_max {
            return self.session_change(state);
        }
        let account = self.dice.pick(&self.keys).account;
        let group = state.access().account(account).and_then(|account| account.group);
        let (owner, kind) = match group {
            Some(group) if self.dice.once_in(4) => (Owner::Group(group), "master"),
            Some(_) | None => (Owner::Account(account), "account"),
        };
        let taken = if self.dice.once_in(12) { 0 } else { number };
        let api_key = if taken == 0 { "account-timed".to_owned() } else { format!("{kind}-made-{taken}") };
        let is_account = matches!(owner, Owner::Account(_));
        if taken == 0 && !is_account {
            return self.session_change(state);
        }
        Body::add_session(NewSession {
            api_key,
            name: format!("made-{number}"),
            owner,
            roles: self.some_roles(),
            require_heartbeat: is_account && self.dice.once_in(3),
            time_based_nonce: self.dice.once_in(8),
            addresses: self.some_addresses(),
        })
    }

    /// Disables, enables, ends, re-roles, renames or restricts a session, mostly one that trades; sometimes restricts a group.
    /// A disabled session is mostly enabled next, so that there are always some to trade.
    fn session_change(&mut self, state: &State) -> Body {
        let session = if self.dice.once_in(40) {
            SessionId::from_index(state.access().sessions().len())
        } else {
            self.dice.pick(&self.keys).session
        };
        let current = state.access().session(session);
        let is_made = session.index() >= self.founded;
        let is_disabled = current.is_some_and(|session| session.standing() == Standing::Disabled);
        let is_trader = current.is_some_and(|session| session.key.roles.has(Role::Trader));
        let cancel_orders = self.dice.once_in(2);
        Body::Access(match self.dice.below(10) {
            _ if is_disabled && !self.dice.once_in(4) => AccessCommand::EnableSession(session),
            0 => AccessCommand::DisableSession { session, cancel_orders },
            1..3 if is_made => AccessCommand::EndSession { session, cancel_orders },
            1 => AccessCommand::EnableSession(session),
            3..6 if is_trader => AccessCommand::SetSessionRoles(session, self.some_roles()),
            // The auditor of the world stays one.
            3..6 if is_made || session.index() + 3 < self.founded => {
                AccessCommand::SetSessionRoles(session, Roles::of(&[Role::Trader]))
            }
            6 => AccessCommand::RenameSession(session, Arc::new(self.dice.pick(&["Ann", "Bob"]).to_owned())),
            7 => {
                let groups = u64::try_from(state.access().groups().len()).unwrap();
                let group = GroupId(u32::try_from(self.dice.below(groups + 1)).unwrap());
                AccessCommand::RestrictGroup(group, Arc::new(self.some_addresses()))
            }
            _ => AccessCommand::RestrictSession(session, Arc::new(self.some_addresses())),
        })
    }

    /// Roles of which most include Trader; sometimes a set that no key may have.
    fn some_roles(&mut self) -> Roles {
        const T: Role = Role::Trader;
        self.dice.pick(&[
            Roles::of(&[T]),
            Roles::of(&[T, Role::FundManager]),
            Roles::of(&[T, Role::Administrator]),
            Roles::of(&[Role::Auditor]),
            Roles::of(&[T, Role::Auditor]),
            Roles::NONE,
        ])
    }

    fn some_addresses(&mut self) -> Vec<Cidr> {
        let texts = self.dice.pick(&[&[][..], &["192.0.2.0/24"], &["192.0.2.7", "2001:db8::/32"]]);
        texts.iter().map(|text| text.parse::<Cidr>().unwrap()).collect()
    }

    /// The next command, and the microseconds between the last one and it.
    pub fn deal(&mut self, exchange: &Exchange) -> (u64, Command) {
        if self.dice.once_in(60)
            && let Some(body) = exchange.some_break(&mut self.dice)
        {
            return (1, Command { caller: None, body });
        }
        self.deal_to(&exchange.state)
    }

    /// Like [`Dealer::deal`], with only the state of the exchange: without breaks of trades.
    pub fn deal_to(&mut self, state: &State) -> (u64, Command) {
        self.meet_new_sessions(state);
        let micros = self.dice.below(3) * self.dice.below(100_000);
        let roll = self.dice.below(1000);
        if state.operations().is_halted() && self.dice.once_in(20) {
            return (micros, Command { caller: None, body: resume() });
        }
        if let Some(order) = state.floor().stops.due()
            && !self.dice.once_in(5)
        {
            return (micros, Command { caller: None, body: Body::Trading(TradingCommand::Trigger(order)) });
        }
        // A debt is repaid before anything else happens, most often.
        if self.world.funds > 0 && Room::has_follow_up(state.funds(), state.ledger()) && !self.dice.once_in(5)
        {
            return self.due_transfer(state);
        }
        if self.world.funds > 0 && self.dice.once_in(self.world.funds) {
            return self.transfers(state, micros);
        }
        let command = match roll {
            0..40 => Command { caller: None, body: self.credit(state) },
            40..43 => Command { caller: None, body: self.status(state) },
            43..45 => {
                let key = self.dice.pick(&self.keys);
                Command { caller: None, body: Body::Trading(TradingCommand::ExpireSession(key.session)) }
            }
            45..47 => {
                let key = self.dice.pick(&self.keys);
                Command { caller: None, body: Body::Access(AccessCommand::ResetNonces(key.session)) }
            }
            47 => Command { caller: None, body: self.listing(state) },
            48..54 => Command { caller: None, body: self.schedule(state) },
            54..80 => {
                let (micros, body) = self.auction(state);
                return (micros, Command { caller: None, body });
            }
            80..84 => Command { caller: None, body: self.fees() },
            84..86 => self.renaming(),
            86..89 => Command { caller: None, body: self.rates(state) },
            89..94 => self.creating(),
            94 => Command { caller: None, body: self.terms(state) },
            95..97 => Command { caller: None, body: self.instant_terms() },
            97..100 => Command { caller: None, body: self.tiers(state) },
            100..102 => Command { caller: None, body: self.promotion(state) },
            102..105 => {
                let (micros, body) = self.midnight(state);
                return (micros, Command { caller: None, body });
            }
            105..108 => Command { caller: None, body: self.closing(state) },
            108..113 => Command { caller: None, body: self.session_change(state) },
            113 => Command { caller: None, body: self.new_session(state) },
            114 => Command { caller: None, body: self.halt() },
            115..119 => Command { caller: None, body: self.adjustment(state) },
            119..122 => Command { caller: None, body: self.operators_cancel(state) },
            122..126 => Command { caller: None, body: self.disconnection(state) },
            _ => self.call(state),
        };
        let micros = self.until_expiry(state, &command).unwrap_or(micros);
        (micros, command)
    }

    /// Sometimes the last moment of the quote that the command executes, or the next one.
    fn until_expiry(&mut self, state: &State, command: &Command) -> Option<u64> {
        let Body::Convert(ConvertCommand::Execute(execute)) = &command.body else { return None };
        let quote = state.conversions().quotes().find(|quote| quote.id == execute.quote)?;
        let left = quote.time.plus(QUOTE_AGE_MAX).0.checked_sub(state.stamp().time.0)?;
        self.dice.once_in(10).then(|| left + self.dice.below(2))
    }

    /// Halts; sometimes resumes what is not halted.
    fn halt(&mut self) -> Body {
        if self.dice.once_in(8) { resume() } else { Operation::Halt.into() }
    }

    fn credit(&mut self, state: &State) -> Body {
        // Sometimes the youngest account, which only a master key reaches.
        let youngest = AccountId::from_index(state.access().accounts().len() - 1);
        let account = match self.dice.below(40) {
            0 => youngest,
            // The stock of instant orders.
            1..8 => state.ledger().house(INSTANT.name).unwrap_or(youngest),
            _ => self.dice.pick(&self.keys).account,
        };
        let mut amounts = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let (currency, most) = self.dice.pick(&self.credits);
            let share = i128::from(self.dice.below(1_000_000));
            let units = most / 1_000_000 * share + i128::from(self.dice.below(1000));
            // An amount that is not positive is no credit.
            let units = if self.dice.once_in(100) { -units.min(1) } else { units };
            amounts.push((currency, Money::from_units(units)));
        }
        Body::credit(account, amounts)
    }

    fn status(&mut self, state: &State) -> Body {
        let status =
            if self.dice.once_in(3) { self.dice.pick(&SymbolStatus::ALL) } else { SymbolStatus::Open };
        Body::Trading(TradingCommand::SetSymbolStatus(self.some_symbol(state), status))
    }

    /// Lists a symbol of the world again under another name, which may be taken by now.
    fn listing(&mut self, state: &State) -> Body {
        let at = self.dice.below(u64::try_from(self.world.ranges.len()).unwrap());
        let like = state.symbols()[usize::try_from(at).unwrap()].clone();
        Body::list_symbol(Symbol { name: format!("{}2", like.name), status: SymbolStatus::Open, ..like })
    }

    /// Other fee rates of a product or of one account, or none of its own any more; sometimes invalid rates.
    fn fees(&mut self) -> Body {
        let schedule = self.fee_rates(16);
        Body::Trading(TradingCommand::SetFees(FeeChange {
            product: if self.dice.once_in(8) { Product::Swap } else { Product::Spot },
            account: (!self.dice.once_in(3)).then(|| self.dice.pick(&self.keys).account),
            schedule: (!self.dice.once_in(3)).then_some(schedule),
        }))
    }

    /// Fee rates; one of `invalid` has one of two faults.
    fn fee_rates(&mut self, invalid: u64) -> FeeSchedule {
        let mut rate = |most: u64| Bps(u16::try_from(self.dice.below(most + 1)).unwrap());
        let (maker, taker) = (rate(60), rate(60));
        let auction = rate(u64::from(maker.max(taker).0));
        let mut schedule = FeeSchedule { maker, taker, auction };
        match self.dice.below(invalid) {
            0 => schedule.auction = Bps(maker.max(taker).0 + 1),
            1 => schedule.taker = Bps(10_001),
            _ => {}
        }
        schedule
    }

    /// Tiers that begin at the volumes of accounts, or a quantum beside them; sometimes invalid ones.
    fn tiers(&mut self, state: &State) -> Body {
        let mut from = vec![0];
        for _ in 0..=self.dice.below(3) {
            let volume = state.volumes().total(self.dice.pick(&self.keys).account).units();
            from.push((volume - 1 + i128::from(self.dice.below(3))).max(1));
        }
        from.sort_unstable();
        from.dedup();
        match self.dice.below(12) {
            0 => from[0] = 1,
            1 => from.push(from[0]),
            _ => {}
        }
        let tier = |from| FeeTier { from: Money::from_units(from), rates: self.fee_rates(60) };
        let tiers = from.into_iter().map(tier).collect();
        let product = if self.dice.once_in(12) { Product::Swap } else { Product::Spot };
        Body::Trading(TradingCommand::SetFeeTiers(Arc::new(FeeTiers { product, tiers })))
    }

    /// A promotion of a few symbols, or of none; sometimes an invalid one.
    fn promotion(&mut self, state: &State) -> Body {
        let mut symbols: Vec<_> = (0..self.dice.below(3)).map(|_| self.some_symbol(state)).collect();
        if self.dice.once_in(12) {
            symbols.push(SymbolId::from_index(state.symbols().len()));
        }
        let rates = self.fee_rates(24);
        Body::Trading(TradingCommand::SetPromotion(Arc::new(Promotion { symbols, rates })))
    }

    /// The next midnight that changes a total, usually when it is due; returns the time until then.
    fn midnight(&mut self, state: &State) -> (u64, Body) {
        let body = Body::Trading(TradingCommand::CloseDay);
        let Some(due) = state.volumes().due() else { return (0, body) };
        let wait = due.0.saturating_sub(state.stamp().time.0);
        let micros = match self.dice.below(8) {
            0 => 0,
            1 => wait.saturating_sub(1),
            2 => wait + self.dice.below(40 * 86_400 * Time::SECOND),
            _ => wait,
        };
        (micros, body)
    }

    /// Other names of an account, of the first two mostly, which are of one group: few names, so that they meet.
    fn renaming(&mut self) -> Command {
        let trader = usize::try_from(self.dice.below(u64::try_from(self.keys.len()).unwrap())).unwrap();
        let key = match self.dice.below(8) {
            0 => &mut self.administrators[1],
            1 => &mut self.keys[trader],
            _ => &mut self.administrators[0],
        };
        key.nonce += 1;
        let key = *key;
        let near = self.keys[usize::try_from(self.dice.below(4)).unwrap()].account;
        let account = match self.dice.below(8) {
            0 => self.dice.pick(&self.keys).account,
            1..4 => key.account,
            _ => near,
        };
        let mut some = |names: &[&str]| (!self.dice.once_in(3)).then(|| self.dice.pick(names).to_owned());
        let (display_name, short_name) =
            (some(&["Ann", "ANN", "Bob", "Trader1"]), some(&["ann", "bob", "trader1"]));
        let caller = Caller { session: key.session, account: Some(account), nonce: key.spelled(key.nonce) };
        Command {
            caller: Some(caller),
            body: AccessCommand::RenameAccount(Arc::new(AccountNames { display_name, short_name })).into(),
        }
    }

    /// Exchange rates of about now, or of the last rate's time, a second apart; sometimes invalid ones.
    fn rates(&mut self, state: &State) -> Body {
        let pair = self.dice.pick(&[FxPair::EurUsd, FxPair::KrwUsd]);
        let provider = self.dice.pick(&["bank", "bank", "bank", "bank", "bank", "other", "other", ""]);
        let last = state.rates().of(pair).last().map(|quote| quote.time).filter(|_| self.dice.once_in(2));
        let second = (last.unwrap_or(state.stamp().time).seconds() + 3).saturating_sub(self.dice.below(7));
        let count = self.dice.below(4) + u64::from(!self.dice.once_in(4));
        let mut rates: Vec<_> = (0..count)
            .map(|at| ((second + at) * 1_000, FxRate::from_units(self.dice.below(1_000_000) + 1)))
            .collect();
        match self.dice.below(16) {
            0 => rates.reverse(),
            1 => rates.push(((second + count) * 1_000, FxRate::from_units(0))),
            _ => {}
        }
        Body::add_rates(NewRates { pair, provider: provider.to_owned(), rates })
    }

    /// Another account of a group, under one of a few names.
    fn creating(&mut self) -> Command {
        let at = usize::from(self.dice.once_in(8));
        let key = &mut self.administrators[at];
        key.nonce += 1;
        let key = *key;
        let number = self.dice.below(9);
        let new = NewAccount {
            display_name: if self.dice.once_in(4) { "BOB".to_owned() } else { format!("Desk {number}") },
            short_name: if self.dice.once_in(4) { "ann".to_owned() } else { format!("desk-{number}") },
            custody: self.dice.once_in(2),
        };
        // An account key has to name its account to get as far as its missing right.
        let account = (at == 1 && self.dice.once_in(2)).then_some(key.account);
        Command {
            caller: Some(Caller { session: key.session, account, nonce: key.spelled(key.nonce) }),
            body: AccessCommand::CreateAccount(Arc::new(new)).into(),
        }
    }

    /// Closes the youngest account, most often; sometimes another one, the house's included, or none that exists.
    fn closing(&mut self, state: &State) -> Body {
        let accounts = u64::try_from(state.access().accounts().len()).unwrap();
        let at = if self.dice.once_in(12) { self.dice.below(accounts + 1) } else { accounts - 1 };
        Body::Access(AccessCommand::CloseAccount(AccountId(u32::try_from(at).unwrap())))
    }

    /// Other terms of a group, most often of the first; sometimes of one that does not exist.
    fn terms(&mut self, state: &State) -> Body {
        let groups = u64::try_from(state.access().groups().len()).unwrap();
        let group = match self.administrators[0].group {
            Some(first) if !self.dice.once_in(4) => first,
            Some(_) | None => GroupId(u32::try_from(self.dice.below(groups + 1)).unwrap()),
        };
        let accounts_max = u32::try_from(self.dice.below(8)).unwrap();
        let terms = GroupTerms { accounts_max, custody: self.dice.once_in(3) };
        // Two commands set terms; which one is dealt follows from the terms, so that no further number is drawn.
        Body::Access(if accounts_max.is_multiple_of(2) {
            let addresses = terms.custody.then(Vec::new);
            AccessCommand::ChangeGroup(Arc::new(GroupChange { group, terms: Some(terms), addresses }))
        } else {
            AccessCommand::SetGroupTerms(group, terms)
        })
    }

    /// Auctions that begin soon and are a minute or more apart; sometimes none, or invalid ones.
    fn schedule(&mut self, state: &State) -> Body {
        const SECOND: u64 = Time::SECOND;
        let mut symbol = self.some_symbol(state);
        if self.dice.once_in(50) {
            // A symbol that is not listed.
            symbol = SymbolId::from_index(state.symbols().len());
        }
        if self.dice.once_in(6) {
            return Body::Trading(TradingCommand::ScheduleAuctions(symbol, None));
        }
        let now = state.stamp().time;
        let mut schedule = Schedule {
            time: now.plus(1 + self.dice.below(20 * SECOND)),
            every: self.dice.pick(&[0, Schedule::EVERY_MIN, Schedule::EVERY_MIN + 1, 3_600 * SECOND]),
            opens: self.dice.pick(&[Schedule::ALWAYS, Schedule::ALWAYS, 30 * SECOND, 10 * SECOND]),
            indicates: self.dice.pick(&[0, 3 * SECOND, 5 * SECOND, 10 * SECOND]),
            indicates_every: self.dice.pick(&[SECOND, 2 * SECOND, 4 * SECOND]),
            last_cancel: self.dice.pick(&[0, SECOND, 5 * SECOND, 10 * SECOND]),
        };
        match self.dice.below(36) {
            0 => schedule.time = now,
            1 => schedule.every = Schedule::EVERY_MIN - 1,
            2 => schedule.every = Schedule::EVERY_MAX + 1,
            3 => (schedule.indicates, schedule.indicates_every) = (1, SECOND - 1),
            4 => schedule.indicates = schedule.indicates_every * Schedule::INDICATIONS_MAX + 1,
            5 => (schedule.opens, schedule.last_cancel) = (10 * SECOND, 10 * SECOND + 1),
            _ => {}
        }
        Body::Trading(TradingCommand::ScheduleAuctions(symbol, Some(schedule)))
    }

    /// The auction task that is due next, usually when it is due; returns the time until then.
    fn auction(&mut self, state: &State) -> (u64, Body) {
        let some = Body::Trading(TradingCommand::Auction(self.some_symbol(state)));
        let Some((time, step)) = next_step(state) else { return (0, some) };
        let wait = time.0.saturating_sub(state.stamp().time.0);
        let Step::Auction(symbol) = step else { return (wait, step.body()) };
        match self.dice.below(12) {
            0 => (0, some),
            1 => (wait.saturating_sub(1), Body::Trading(TradingCommand::Auction(symbol))),
            2 => (wait + self.dice.below(5 * Time::SECOND), Body::Trading(TradingCommand::Auction(symbol))),
            3 if self.dice.once_in(4) => {
                (wait + self.dice.below(300 * Time::SECOND), Body::Trading(TradingCommand::Auction(symbol)))
            }
            _ => (wait, Body::Trading(TradingCommand::Auction(symbol))),
        }
    }

    /// Usually a symbol of the world; sometimes one listed since.
    fn some_symbol(&mut self, state: &State) -> SymbolId {
        let founded = self.world.ranges.len();
        let count = if self.dice.once_in(10) { state.symbols().len() } else { founded };
        SymbolId(u32::try_from(self.dice.below(u64::try_from(count).unwrap())).unwrap())
    }

    /// The range of a symbol's orders: one per pair of currencies.
    fn range(&self, state: &State, symbol: SymbolId) -> Range {
        let pair = |symbol: &Symbol| (symbol.base, symbol.quote);
        let own = pair(state.symbol(symbol).unwrap());
        let like = state.symbols().iter().position(|listed| pair(listed) == own);
        self.world.ranges[like.unwrap()]
    }

    fn call(&mut self, state: &State) -> Command {
        let traders = u64::try_from(self.keys.len()).unwrap() - 1;
        let at = if self.dice.once_in(100) { traders } else { self.dice.below(traders) };
        let at = usize::try_from(at).unwrap();
        if !self.dice.once_in(100) {
            self.keys[at].nonce += 1;
        }
        let key = self.keys[at];
        let number = if self.dice.once_in(150) { self.old(key.nonce) } else { key.nonce };
        // Sometimes a session that does not exist.
        let session = if self.dice.once_in(500) {
            SessionId::from_index(state.access().sessions().len() + at)
        } else {
            key.session
        };
        let account = match key.group {
            _ if self.dice.once_in(200) => self.dice.pick(&self.keys).account,
            Some(group) if self.dice.once_in(2) => {
                let accounts: Vec<_> =
                    state.access().accounts_of(group).map(|(account, _)| account).collect();
                self.dice.pick(&accounts)
            }
            Some(_) | None => key.account,
        };
        let crowded = state.orders().len() > self.world.crowd;
        let body = match self.dice.below(1000) {
            0..3 => Body::Trading(TradingCommand::CancelAll),
            3..8 => Body::Trading(TradingCommand::CancelSession),
            8..10 => Body::Access(AccessCommand::UseNonce),
            10..18 => Body::Convert(ConvertCommand::Wrap(self.wrap(state))),
            18..40 => Body::Convert(ConvertCommand::Quote(self.quote(state))),
            40..62 => Body::Convert(ConvertCommand::Execute(self.execute(state, account))),
            62..180 => self.cancel(state, account),
            180..500 if crowded => self.cancel(state, account),
            880..985 => self.over_a_socket(state, session),
            985.. => Body::Trading(TradingCommand::Refuse(Arc::new(self.draft(state)))),
            _ => Body::Trading(TradingCommand::Place(self.place(state))),
        };
        // A heartbeat names no account.
        let is_about_one = body != Body::Access(AccessCommand::UseNonce) || self.dice.once_in(2);
        let caller = Caller { session, account: is_about_one.then_some(account), nonce: key.spelled(number) };
        Command { caller: Some(caller), body }
    }

    /// A nonce that was dealt before, most likely one of the last few.
    fn old(&mut self, last: u64) -> u64 {
        let reach = self.dice.pick(&[4, 20, 1_000]);
        last.saturating_sub(self.dice.below(reach)).max(1)
    }

    fn cancel(&mut self, state: &State, account: AccountId) -> Body {
        if self.dice.once_in(5) {
            return Body::Trading(TradingCommand::Cancel(OrderRef::ClientId(
                ClientId::new(self.dice.pick(&CLIENT_IDS)).unwrap(),
            )));
        }
        let whose = if self.dice.once_in(10) { self.dice.pick(&self.keys).account } else { account };
        let live: Vec<u64> = orders_of(state, whose).map(|order| order.id.0).collect();
        let id = if live.is_empty() { self.dice.below(1000) } else { self.dice.pick(&live) };
        Body::Trading(TradingCommand::Cancel(OrderRef::Id(OrderId(id))))
    }

    /// Cancels all orders of an account, of a symbol, or of an account on a symbol, or only the older ones; sometimes of neither, or of one
    /// that does not exist.
    fn operators_cancel(&mut self, state: &State) -> Body {
        let mut account = Some(self.dice.pick(&self.keys).account);
        let mut symbol = Some(self.some_symbol(state));
        let mut last = None;
        match self.dice.below(12) {
            0..3 => account = None,
            3..7 => symbol = None,
            7 => (account, symbol) = (None, None),
            8 => account = Some(AccountId::from_index(state.access().accounts().len())),
            9 => symbol = Some(SymbolId::from_index(state.symbols().len())),
            10 => last = Some(OrderId(state.next_id().saturating_sub(20))),
            _ => {}
        }
        Body::Trading(TradingCommand::CancelOrders(account, symbol, last))
    }

    /// Asks for a quote; sometimes for nothing, for too much, or for a symbol that is not listed.
    fn quote(&mut self, state: &State) -> QuoteRequest {
        let symbol = self.some_symbol(state);
        let range = self.range(state, symbol);
        let spend = if self.dice.once_in(2) {
            let per_step = i128::from(range.mid) * i128::try_from(range.qty_step).unwrap();
            let most = range.qty_steps;
            Spend::Buy(self.spend(exchange_unit(&range) * per_step, most))
        } else {
            Spend::Sell(self.qty(&range))
        };
        let spend = if self.dice.once_in(40) { Spend::Buy(Money::ZERO) } else { spend };
        let symbol = if self.dice.once_in(40) { SymbolId::from_index(state.symbols().len()) } else { symbol };
        QuoteRequest { symbol, spend }
    }

    /// Executes a quote of the account; sometimes another account's, one again, one that never was, or on other terms.
    fn execute(&mut self, state: &State, account: AccountId) -> Execute {
        let quotes: Vec<ConvertQuote> = state.conversions().quotes().copied().collect();
        let own: Vec<ConvertQuote> =
            quotes.iter().filter(|quote| quote.account == account).copied().collect();
        let from = if own.is_empty() || self.dice.once_in(12) { &quotes } else { &own };
        if !self.executed.is_empty() && (from.is_empty() || self.dice.once_in(8)) {
            return self.dice.pick(&self.executed);
        }
        if from.is_empty() {
            return Execute {
                quote: QuoteId(self.dice.below(9)),
                symbol: self.some_symbol(state),
                side: Side::Buy,
                quantity: Money::ZERO,
                price: Price::default(),
                fee: Money::ZERO,
                client_id: None,
            };
        }
        let quote = self.dice.pick(from);
        let amounts = quote.amounts(state.symbol(quote.symbol).unwrap()).unwrap();
        let mut execute = Execute {
            quote: quote.id,
            symbol: quote.symbol,
            side: quote.side,
            quantity: amounts.base,
            price: quote.price,
            fee: quote.fee,
            client_id: None,
        };
        match self.dice.below(40) {
            0 => execute.symbol = self.some_symbol(state),
            1 => execute.side = execute.side.opposite(),
            2 => execute.quantity += Money::from_units(1),
            3 => execute.price = Price::from_ticks(execute.price.ticks() + 1),
            4 => execute.fee -= Money::from_units(1),
            _ => {}
        }
        self.executed.push(execute);
        if self.executed.len() > EXECUTED {
            self.executed.remove(0);
        }
        execute
    }

    /// Other terms of instant orders; sometimes invalid ones, or a limit that forbids everything.
    fn instant_terms(&mut self) -> Body {
        let most = 100_000 * 10_i128.pow(19);
        let share = i128::from(self.dice.pick(&[0, 1, 1_000, 1_000_000, 1_000_000]));
        let mut terms = Terms {
            fee: Bps(u16::try_from(self.dice.below(301)).unwrap()),
            exposure: Money::from_units(most / 1_000_000 * share),
            // A thousand dollars, ten cents or next to nothing.
            depth: Money::from_units(self.dice.pick(&[0, 10_i128.pow(18), 1, 1])),
        };
        match self.dice.below(12) {
            2 => terms.depth = Money::from_units(-1),
            0 => terms.fee = Bps(10_001),
            1 => terms.exposure = Money::from_units(-1),
            _ => {}
        }
        Body::Convert(ConvertCommand::SetTerms(terms))
    }

    /// Wraps or unwraps; sometimes a symbol that does not wrap, or is not listed.
    fn wrap(&mut self, state: &State) -> Wrap {
        let wraps = self.world.ranges.iter().position(|range| range.wraps);
        let symbol = match wraps {
            Some(at) if !self.dice.once_in(6) => SymbolId::from_index(at),
            Some(_) | None => self.some_symbol(state),
        };
        let range = self.range(state, symbol);
        let qty = if self.dice.once_in(20) { Qty::from_hundredths(1) } else { self.qty(&range) };
        let symbol = if self.dice.once_in(20) { SymbolId::from_index(state.symbols().len()) } else { symbol };
        Wrap { symbol, side: self.dice.pick(&[Side::Buy, Side::Sell]), qty, client_id: None }
    }

    fn place(&mut self, state: &State) -> Place {
        let symbol = self.some_symbol(state);
        let range = self.range(state, symbol);
        let side = self.dice.pick(&[Side::Buy, Side::Sell]);
        let kind = match self.dice.below(20) {
            0..2 => OrderKind::Market,
            2..4 if side == Side::Buy || self.dice.once_in(20) => OrderKind::MarketSpend,
            4..6 => OrderKind::StopLimit,
            _ => OrderKind::Limit,
        };
        let has_auctions = state.auctions(symbol).is_some_and(|auctions| auctions.schedule().is_some());
        let waits = kind == OrderKind::Limit
            && self.dice.once_in(if has_auctions { self.world.waiting } else { 200 });
        let option = match self.dice.below(12) {
            _ if waits => Some(ExecutionOption::AuctionOnly),
            _ if kind == OrderKind::StopLimit && !self.dice.once_in(50) => None,
            0 if kind == OrderKind::Limit => Some(ExecutionOption::MakerOrCancel),
            1 => Some(ExecutionOption::ImmediateOrCancel),
            2 => Some(ExecutionOption::FillOrKill),
            _ => None,
        };
        let mut place = Place { kind, option, ..Place::limit(symbol, side, Price::default(), Qty::ZERO) };
        if self.dice.once_in(400) {
            // A symbol that is not listed.
            place.symbol = SymbolId::from_index(state.symbols().len());
        }
        if self.dice.once_in(3) {
            place.client_id = Some(ClientId::new(self.dice.pick(&CLIENT_IDS)).unwrap());
        }
        // Sometimes a limit order without a limit, or a sell with an amount to spend.
        if matches!(kind, OrderKind::Limit | OrderKind::StopLimit) && !self.dice.once_in(400) {
            // An order that waits for an auction trades with nothing until then.
            let across = if waits { 2 } else { self.world.across };
            place.price = self.price(&range, side, across);
        }
        if kind == OrderKind::StopLimit {
            place.stop = self.stop(&range, side, place.price);
        }
        if kind == OrderKind::MarketSpend {
            let per_step = i128::from(range.mid) * i128::try_from(range.qty_step).unwrap();
            place.spend = self.spend(exchange_unit(&range) * per_step, range.qty_steps);
        } else {
            place.qty = self.qty(&range);
        }
        place
    }

    fn price(&mut self, range: &Range, side: Side, across: u64) -> Price {
        let span = match self.dice.below(20) {
            0 => range.mid - 1,
            1..3 => range.mid / 12 + 1,
            _ => range.span,
        };
        let far = self.dice.below(span + 1);
        // Buys lie below and sells above, except those that cross.
        let below = (side == Side::Buy) != self.dice.once_in(across);
        Price::from_ticks(if below { range.mid.saturating_sub(far).max(1) } else { range.mid + far })
    }

    /// A stop price on the right side of the limit, most often near it; sometimes on the wrong side, or none.
    fn stop(&mut self, range: &Range, side: Side, limit: Price) -> Price {
        let most = if self.dice.once_in(20) { limit.ticks() } else { range.span.min(limit.ticks() / 3) };
        let away = self.dice.below(most + 1) + u64::from(!self.dice.once_in(50));
        let is_below = (side == Side::Buy) != self.dice.once_in(50);
        let ticks = limit.ticks();
        Price::from_ticks(if is_below { ticks.saturating_sub(away) } else { ticks + away })
    }

    fn qty(&mut self, range: &Range) -> Qty {
        let steps = match self.dice.below(50) {
            0 => self.dice.below(range.qty_steps * 1000),
            1..10 => self.dice.below(range.qty_steps * 10),
            _ => self.dice.below(range.qty_steps),
        };
        Qty::from_hundredths(u128::from(steps + u64::from(!self.dice.once_in(100))) * range.qty_step)
    }

    /// About the cost of some steps of quantity; sometimes a few units, sometimes everything.
    fn spend(&mut self, step_cost: i128, steps: u64) -> Money {
        let most = step_cost * i128::from(self.dice.below(steps * 4) + 1);
        Money::from_units(match self.dice.below(10) {
            0 => 1 + i128::from(self.dice.below(3000)),
            1 => most * 1000,
            _ => 1 + most * i128::from(self.dice.below(1_000_000)) / 1_000_000,
        })
    }
}
