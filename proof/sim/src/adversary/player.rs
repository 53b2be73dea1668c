//! Runs a program: each act becomes a command of a key, or of the house, and what falls due runs at its time.

mod bets;
mod deals;

use super::honest::{Worth, harm, lost_bets};
use super::program::{Act, Amount, Program};
use super::thefts::theft;
use super::value::{Breach, Figures, Outside, judge};
use super::world::{Actor, COINS, Listed, MARKETS, ONE, Scene, WRAPPING, network_of, outside};
use buttonwood_engine::funds::Eid;
use buttonwood_engine::funds::bank::{Command as Banking, Payment, Receipt, Settlement};
use buttonwood_engine::funds::internal::{Command as Internal, Move};
use buttonwood_engine::funds::withdrawal::{Command as Withdrawing, Withdraw};
use buttonwood_engine::{
    Answer, Body, Caller, Command, ConvertAnswer, ConvertCommand, Execute, FeeSchedule, FeeTier, FeeTiers,
    FundsCommand, Made, Outcome, Place, Promotion, QuoteRequest, Schedule, Spend, TradingCommand,
    TransferMethod, Wrap,
};
use buttonwood_model::{
    AccountId, CurrencyId, Due, LOOKS_OF_COMMAND, OrderKind, Product, Rank, SessionId, Side, Time,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_oracle::{Exchange, nonce};
use deals::Promised;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Microseconds that an act takes.
const ACT: u64 = 1_000;

/// Commands that one program may cause, its own and those that fall due.
const COMMANDS_MAX: u64 = 40_000;

/// Acts of one program that repeat others.
const REPEATED_MAX: u64 = 12_000;

/// Due commands that an act may cause, on average, where acts are repeated.
const DUE_OF_ACT: u64 = 4;

/// Due commands that may be skipped, after which a program skips them (as a long move of a manual clock does).
const OPTIONAL_MAX: u64 = 3_000;

/// The text in place of an answer, where an act finds nothing to do.
const NOTHING: &str = "nothing to do";

/// The result of a program.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The breach of the law, if there is one.
    pub breach: Option<Breach>,
    /// The gain of both groups, in units of 10⁻¹⁹ dollars; a loss is negative.
    pub gain: i128,
    /// The rewards for liquidity that the groups were paid, in the same units.
    pub rewarded: i128,
    /// The program's coverage: numbers that stand for answers and for figures of the state.
    pub reached: BTreeSet<u64>,
    /// Each act with its answer, if they are wanted.
    pub lines: Vec<String>,
    /// Commands that were decided.
    pub commands: u64,
    /// Acts that repeated others.
    pub repeated: u64,
}

/// Runs a program on a scene. With `tells`, each act and its answer are kept as text.
pub fn play(scene: &Scene, program: &Program, tells: bool) -> Played {
    let mut player = Player {
        scene,
        exchange: scene.exchange.fork(),
        outside: Outside::default(),
        promised: Promised::default(),
        advances: Vec::new(),
        played: Played::default(),
        number: 0,
        optional: 0,
        tells,
    };
    let state = &player.exchange.state;
    let before = (scene.figures(state), scene.honest_worth(state));
    let ended = player.run(program).and_then(|()| player.settle());
    match ended {
        Ok(()) => player.judge(&before),
        Err(breach) => player.played.breach = Some(breach),
    }
    player.played
}

/// Runs everything that is due up to a time.
///
/// # Errors
/// The breach that ends the process.
pub(super) fn rest(exchange: &mut Exchange, until: Time) -> Result<(), Breach> {
    let mut left = COMMANDS_MAX;
    while let Some(due) =
        exchange.state.next_due().filter(|due| due.rank == Rank::FollowUp || due.time <= until)
    {
        left -= 1;
        if left == 0 {
            return Err(endless(&due.command));
        }
        if !run_due(exchange, due)? {
            break;
        }
    }
    let micros = until.0.saturating_sub(exchange.stamp.time.0);
    submit(exchange, micros, &own(buttonwood_engine::Founding::MoveClock.into())).map(|_| ())
}

/// Runs one due command; false if it was refused and must wait for a later turn.
fn run_due(exchange: &mut Exchange, due: Due<Body>) -> Result<bool, Breach> {
    let micros = due.time.0.saturating_sub(exchange.stamp.time.0);
    let command = own(due.command);
    let answer = submit(exchange, micros, &command)?;
    let changes = !matches!(answer, Outcome::Rejected(_)) && !exchange.work.out.events.is_empty();
    if !changes && due.rank == Rank::FollowUp {
        return Err(Breach::Death(
            format!("a follow-up changes nothing: {answer:?}"),
            format!("{:?}", command.body),
        ));
    }
    Ok(!matches!(answer, Outcome::Rejected(_)))
}

/// Commands fall due without an end.
fn endless(next: &Body) -> Breach {
    Breach::Death(format!("more than {COMMANDS_MAX} commands fall due"), format!("{next:?}"))
}

fn own(body: Body) -> Command {
    Command { caller: None, body }
}

/// Submits a command. A panic is a breach, as are more rows than one command should read (D-256).
fn submit(exchange: &mut Exchange, micros: u64, command: &Command) -> Result<Answer, Breach> {
    let answer = catch_unwind(AssertUnwindSafe(|| exchange.submit(micros, command)));
    if exchange.looks > LOOKS_OF_COMMAND {
        return Err(Breach::Looks(exchange.looks, format!("{:?}", command.body)));
    }
    answer.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Breach::Death(text.unwrap_or_default(), format!("{:?}", command.body))
    })
}

struct Player<'a> {
    scene: &'a Scene,
    exchange: Exchange,
    outside: Outside,
    promised: Promised,
    /// Advances that the bank has not taken back: whose, which, how much.
    advances: Vec<(AccountId, Eid, i128)>,
    played: Played,
    number: u64,
    optional: u64,
    tells: bool,
}

impl Player<'_> {
    fn run(&mut self, program: &Program) -> Result<(), Breach> {
        for (at, act) in program.acts.iter().enumerate() {
            let said = if let Act::Repeat { acts, times } = *act {
                let before = program.acts.get(at.saturating_sub(acts)..at).unwrap_or_default();
                self.repeat(before, times)?
            } else {
                self.act(act)?
            };
            if self.tells {
                self.played.lines.push(format!("{act}  -> {said}"));
            }
            self.note_said(act, &said);
        }
        Ok(())
    }

    /// Does an act. Returns what was answered.
    fn act(&mut self, act: &Act) -> Result<String, Breach> {
        if let Act::Wait { seconds } = act {
            self.wait(*seconds)?;
            return Ok(String::new());
        }
        match self.command(act) {
            Some(command) => self.call(act, &command),
            None => Ok(NOTHING.to_owned()),
        }
    }

    /// Does acts again, so many times. Returns what the last of them was answered.
    fn repeat(&mut self, acts: &[Act], times: u64) -> Result<String, Breach> {
        let repeats: Vec<_> =
            acts.iter().filter(|act| !matches!(act, Act::Wait { .. } | Act::Repeat { .. })).collect();
        let mut said = NOTHING.to_owned();
        for act in (0..times.min(REPEATED_MAX)).flat_map(|_| &repeats) {
            if self.played.repeated == REPEATED_MAX {
                break;
            }
            self.played.repeated += 1;
            said = self.act(act)?;
        }
        Ok(said)
    }

    /// The end of every program: all orders are cancelled, every advance is taken back, and two hours pass.
    fn settle(&mut self) -> Result<(), Breach> {
        self.note_state();
        for actor in self.scene.actors.clone() {
            let command = self.by(actor, actor.session, TradingCommand::CancelAll);
            self.submit(ACT, &command)?;
        }
        for (_, eid, amount) in std::mem::take(&mut self.advances) {
            self.take_back(eid, amount)?;
        }
        self.wait(2 * 3_600)?;
        self.note_state();
        Ok(())
    }

    fn judge(&mut self, (before, honest): &(Figures, Worth)) {
        let state = &self.exchange.state;
        let after = self.scene.figures(state);
        let others = self.scene.honest_worth(state);
        self.outside.promised = self.promised.dollars();
        self.outside.bets = lost_bets(honest, &others);
        let (breach, gain) = judge(before, &after, self.outside);
        (self.played.breach, self.played.gain) = (breach.or_else(|| harm(honest, &others)), gain);
        if let Some(law) = state.broken_law() {
            self.played.breach =
                Some(Breach::Death(format!("a law is broken: {law:?}"), "the end".to_owned()));
        }
        for (place, (before, after)) in before.houses.iter().zip(&after.houses).enumerate() {
            self.reach(3, place, magnitude(after - before));
        }
        self.played.rewarded = before.promo() - after.promo();
        self.reach(4, 0, magnitude(after.people - before.people));
        self.reach(4, 1, magnitude(after.bad_debt));
    }

    fn submit(&mut self, micros: u64, command: &Command) -> Result<Answer, Breach> {
        self.played.commands += 1;
        self.promised.pass(self.scene, &self.exchange.state, self.exchange.stamp.time.plus(micros));
        let answer = submit(&mut self.exchange, micros, command)?;
        self.note_rewards(bets::is_of_contract(&command.body));
        self.run_dues(self.exchange.stamp.time)?;
        Ok(answer)
    }

    fn wait(&mut self, seconds: u64) -> Result<(), Breach> {
        let until = self.exchange.stamp.time.plus(seconds.saturating_mul(Time::SECOND));
        self.run_dues(until)?;
        let micros = until.0.saturating_sub(self.exchange.stamp.time.0);
        self.submit(micros, &own(buttonwood_engine::Founding::MoveClock.into())).map(|_| ())
    }

    fn run_dues(&mut self, until: Time) -> Result<(), Breach> {
        loop {
            let state = &self.exchange.state;
            let is_due = |due: &Due<Body>| due.rank == Rank::FollowUp || due.time <= until;
            let next = if self.optional < OPTIONAL_MAX {
                state.next_due().filter(is_due)
            } else {
                let last = || state.next_due().filter(is_due).map(|due| Due { time: until, ..due });
                state.next_due_unskippable().filter(is_due).or_else(last)
            };
            let Some(due) = next else { return Ok(()) };
            if self.played.commands >= COMMANDS_MAX + DUE_OF_ACT * self.played.repeated {
                return Err(endless(&due.command));
            }
            self.optional += u64::from(due.may_skip);
            self.played.commands += 1;
            self.promised.pass(self.scene, &self.exchange.state, due.time.max(self.exchange.stamp.time));
            let goes_on = run_due(&mut self.exchange, due)?;
            self.note_rewards(false);
            if !goes_on {
                return Ok(());
            }
        }
    }

    fn call(&mut self, act: &Act, command: &Command) -> Result<String, Breach> {
        let answer = self.submit(ACT, command)?;
        if matches!(act, Act::Steal { .. }) && !matches!(answer, Outcome::Rejected(_)) {
            return Err(Breach::Death(
                format!("a theft succeeds: {answer:?}"),
                format!("{:?}", command.body),
            ));
        }
        if let (Act::Ach { .. }, Outcome::Funds(Made::Transfer(eid))) = (act, &answer)
            && let Body::Funds(FundsCommand::Bank(Banking::Receive(receipt))) = &command.body
        {
            let amount = receipt.amount.units();
            self.outside.received += amount;
            self.advances.push((receipt.account, *eid, amount));
        }
        if let (Act::Return { .. }, Outcome::Funds(_)) = (act, &answer)
            && let Body::Funds(FundsCommand::Bank(Banking::Settle(settlement))) = &command.body
            && let Some(at) = self.advances.iter().position(|(_, eid, _)| *eid == settlement.eid)
        {
            self.outside.returned += self.advances.remove(at).2;
        }
        Ok(brief(&answer))
    }

    fn take_back(&mut self, eid: Eid, amount: i128) -> Result<(), Breach> {
        if self.exchange.state.funds().banks().clears_at(eid).is_some() {
            let settlement = Settlement { eid, returned: true };
            let answer = self.submit(ACT, &own(FundsCommand::from(Banking::Settle(settlement)).into()))?;
            if matches!(answer, Outcome::Funds(_)) {
                self.outside.returned += amount;
            }
        }
        Ok(())
    }

    /// Notes what an act has reached: its kind, who did it, what was answered.
    fn note_said(&mut self, act: &Act, said: &str) {
        let text = act.to_string();
        let who = text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        let words: String = said.chars().filter(|sign| !sign.is_ascii_digit()).collect();
        self.played.reached.insert(hash(&format!("{who} {words}")));
    }

    /// Notes figures of the state: what houses owe, positions, debts, prices far off the index.
    fn note_state(&mut self) {
        let state = &self.exchange.state;
        let mut notes: Vec<(usize, usize, i128)> = Vec::new();
        for (place, listed) in self.scene.markets.iter().enumerate() {
            if let Some(last) = state.orders().last(listed.symbol) {
                notes.push((5, place, magnitude(i128::from(last.ticks()) * listed.tick)));
            }
            let open = state.perps().open_interest(listed.symbol);
            notes.push((6, place, magnitude(open.units())));
            if let Some(contract) = state.perps().contract(listed.symbol) {
                notes.push((7, place, magnitude(contract.premium.unwrap_or_default().units())));
            }
        }
        for (place, actor) in self.scene.actors.iter().enumerate() {
            let owed = state.spot_margin().owed(actor.account).units()
                + state.perps().owed(actor.account, self.scene.currency(1)).units();
            notes.push((8, place, magnitude(owed)));
            let debts: i128 = state.funds().debts_of(actor.account).map(|(_, owed)| owed.units()).sum();
            notes.push((9, place, magnitude(debts)));
            for (pair, _, [staked, open]) in state.staking().holdings(actor.account) {
                notes.push((12, usize::from(pair.0), magnitude(staked.units())));
                notes.push((13, usize::from(pair.0), magnitude(open.units())));
            }
            for order in state.clearing().of_account(actor.account) {
                notes.push((14, place, i128::from(order.status.is_open())));
            }
            notes.push((10, place, i128::from(state.perps().liquidations().contains(actor.account))));
        }
        if let Some(fund) = state.ledger().house("insurance") {
            let held: usize = state.perps().rows_of(fund).filter(|row| !row.position.is_flat()).count();
            notes.push((
                11,
                held,
                magnitude(state.ledger().balance(fund, self.scene.currency(1)).available.units()),
            ));
        }
        notes.extend(
            self.contract_figures().into_iter().map(|(kind, at, figure)| (kind, at, magnitude(figure))),
        );
        for (kind, place, figure) in notes {
            self.reach(kind, place, figure);
        }
    }

    fn reach(&mut self, kind: usize, place: usize, figure: i128) {
        self.played.reached.insert(hash(&format!("{kind} {place} {figure}")));
    }

    /// The command of an act; none where there is nothing to execute or to return.
    fn command(&mut self, act: &Act) -> Option<Command> {
        let now = self.exchange.stamp.time;
        Some(match *act {
            Act::Place { who, .. } | Act::Market { who, .. } => {
                let actor = self.actor(who)?;
                let place = self.order(act, actor)?;
                self.by(actor, actor.session, TradingCommand::Place(place))
            }
            Act::Cancel { who } => {
                let actor = self.actor(who)?;
                self.by(actor, actor.session, TradingCommand::CancelAll)
            }
            Act::Quote { who, market, side, amount } => {
                let actor = self.actor(who)?;
                let request = self.quote(actor, market, side, amount)?;
                self.by(actor, actor.session, ConvertCommand::Quote(request))
            }
            Act::Execute { who } => {
                let actor = self.actor(who)?;
                let execute = self.execution(actor)?;
                self.by(actor, actor.session, ConvertCommand::Execute(execute))
            }
            Act::Wrap { who, side, amount } => {
                let (actor, listed) = (self.actor(who)?, self.listed(WRAPPING)?);
                let qty = qty_of(listed, self.units(actor, coin_given(WRAPPING, side)?, amount));
                let wrap = Wrap { symbol: listed.symbol, side, qty, client_id: None };
                self.by(actor, actor.session, ConvertCommand::Wrap(wrap))
            }
            Act::Send { who, to, coin, amount } => {
                let (actor, target) = (self.actor(who)?, self.actor(to)?);
                let amount = Money::from_units(self.units(actor, coin, amount));
                let (source, target, client_id) = (actor.account, target.account, String::new());
                let moved = Move { source, target, currency: self.scene.currency(coin), amount, client_id };
                self.by(actor, actor.master, FundsCommand::from(Internal::Transfer(Arc::new(moved))))
            }
            Act::Ach { who, amount } => own(self.receipt(self.actor(who)?.account, amount).into()),
            Act::Return { who } => {
                let account = self.actor(who)?.account;
                let (_, eid, _) = *self.advances.iter().find(|(of, ..)| *of == account)?;
                own(FundsCommand::from(Banking::Settle(Settlement { eid, returned: true })).into())
            }
            Act::Pay { who, amount } => {
                let actor = self.actor(who)?;
                let amount = Money::from_units(self.units(actor, 0, amount));
                let payment = Payment { account: actor.account, bank: actor.bank, amount };
                self.by(actor, actor.session, FundsCommand::from(Banking::Pay(payment)))
            }
            Act::Withdraw { who, coin, amount } => {
                let actor = self.actor(who)?;
                let withdraw = self.withdrawal(actor, coin, amount)?;
                self.by(actor, actor.session, FundsCommand::from(Withdrawing::Withdraw(Arc::new(withdraw))))
            }
            Act::Auction { market } => {
                let (time, every) = (now.plus(120 * Time::SECOND), 0);
                let schedule = Schedule {
                    time,
                    every,
                    opens: Schedule::ALWAYS,
                    indicates: 0,
                    indicates_every: 0,
                    last_cancel: 0,
                };
                let symbol = self.listed(market)?.symbol;
                own(TradingCommand::ScheduleAuctions(symbol, Some(schedule)).into())
            }
            Act::Break { market } => own(self.exchange.break_newest(self.listed(market)?.symbol)?),
            Act::Promote { market } => {
                let symbols = vec![self.listed(market)?.symbol];
                own(TradingCommand::SetPromotion(Arc::new(Promotion { symbols, rates: NO_FEES })).into())
            }
            Act::Tiers => {
                let tier = |from: i128, rates| FeeTier { from: Money::from_units(from * ONE), rates };
                let tiers = vec![tier(0, FEES), tier(10_000, NO_FEES)];
                own(TradingCommand::SetFeeTiers(Arc::new(FeeTiers { product: Product::Spot, tiers })).into())
            }
            Act::Steal { who, way } => theft(self.scene, who, self.actor(who)?, way)?,
            Act::Deal { .. } => self.deal(act)?,
            Act::Confirm { who } => self.confirmation(who)?,
            Act::Retract { who } => self.retraction(who)?,
            Act::Stake { who, pool, amount } => self.stake(who, pool, amount)?,
            Act::Unstake { who, pool, amount } => self.unstake(who, pool, amount)?,
            Act::Bet { .. } => self.bet(act)?,
            Act::Resolve { contract, claim } => self.resolution(contract, claim)?,
            Act::Dispute { contract } => self.dispute(contract)?,
            Act::Void { contract, value } => self.void(contract, value)?,
            Act::Halt { contract } => self.halt(contract)?,
            Act::Wait { .. } | Act::Repeat { .. } => return None,
        })
    }

    fn actor(&self, who: usize) -> Option<Actor> {
        self.scene.actors.get(who).copied()
    }

    fn listed(&self, market: usize) -> Option<&Listed> {
        self.scene.markets.get(market)
    }

    /// A command of a key.
    fn by(&mut self, actor: Actor, session: SessionId, body: impl Into<Body>) -> Command {
        self.number += 1;
        let caller = Caller { session, account: Some(actor.account), nonce: nonce(1_000_000 + self.number) };
        Command { caller: Some(caller), body: body.into() }
    }

    /// An amount in units; a share is of what the account has available.
    fn units(&self, actor: Actor, coin: usize, amount: Amount) -> i128 {
        match amount {
            Amount::Exact(units) => units,
            Amount::Share(share) => {
                let balance = self.exchange.state.ledger().balance(actor.account, self.scene.currency(coin));
                balance.available.units() / 100 * i128::from(share)
            }
        }
    }

    fn order(&self, act: &Act, actor: Actor) -> Option<Place> {
        let (market, side, amount, price, option, margin, stop) =
            if let Act::Place { market, side, amount, price, option, margin, stop, .. } = *act {
                (market, side, amount, Some(price), option, margin, stop)
            } else if let Act::Market { market, side, amount, margin, .. } = *act {
                (market, side, amount, None, None, margin, None)
            } else {
                return None;
            };
        let listed = self.listed(market)?;
        let spends = price.is_none() && side == Side::Buy && MARKETS.get(market)?.product == Product::Spot;
        let kind = match (price, stop) {
            (Some(_), Some(_)) => OrderKind::StopLimit,
            (Some(_), None) => OrderKind::Limit,
            (None, _) if spends => OrderKind::MarketSpend,
            (None, _) => OrderKind::Market,
        };
        let amount = if spends {
            self.units(actor, coin_given(market, side)?, amount)
        } else {
            self.quantity(actor, market, side, amount, price)?
        };
        Some(Place {
            kind,
            option,
            spend: if spends { Money::from_units(amount) } else { Money::ZERO },
            stop: stop.map_or(Price::default(), |stop| price_of(listed, stop)),
            margin,
            ..Place::limit(
                listed.symbol,
                side,
                price.map_or(Price::default(), |price| price_of(listed, price)),
                if spends { Qty::ZERO } else { qty_of(listed, amount) },
            )
        })
    }

    /// How much of the base currency an order is about. A share is of what the account can pay for; of perpetuals, at a hundred times its
    /// money.
    fn quantity(
        &self,
        actor: Actor,
        market: usize,
        side: Side,
        amount: Amount,
        price: Option<i128>,
    ) -> Option<i128> {
        let Amount::Share(share) = amount else { return Some(self.units(actor, 0, amount)) };
        let is_swap = MARKETS.get(market)?.product == Product::Swap;
        let coin = if is_swap { 1 } else { coin_given(market, side)? };
        let has = self.units(actor, coin, Amount::Share(share));
        if !is_swap && side == Side::Sell {
            return Some(has);
        }
        let price = price.unwrap_or(COINS.get(MARKETS.get(market)?.pair[0])?.dollars * ONE);
        let has = if is_swap { has.saturating_mul(90) } else { has / 1_000 * 999 };
        has.checked_mul(1_000_000)?.checked_div(price)?.checked_mul(ONE / 1_000_000)
    }

    fn quote(&self, actor: Actor, market: usize, side: Side, amount: Amount) -> Option<QuoteRequest> {
        let listed = self.listed(market)?;
        let units = self.units(actor, coin_given(market, side)?, amount);
        let spend = match side {
            Side::Buy => Spend::Buy(Money::from_units(units)),
            Side::Sell => Spend::Sell(qty_of(listed, units)),
        };
        Some(QuoteRequest { symbol: listed.symbol, spend })
    }

    /// The execution of the account's newest quote.
    fn execution(&self, actor: Actor) -> Option<Execute> {
        let state = &self.exchange.state;
        let quote = state.conversions().quotes().filter(|quote| quote.account == actor.account).last()?;
        let amounts = quote.amounts(state.symbol(quote.symbol)?)?;
        let (symbol, side, price, fee) = (quote.symbol, quote.side, quote.price, quote.fee);
        let quantity = amounts.base;
        Some(Execute { quote: quote.id, symbol, side, quantity, price, fee, client_id: None })
    }

    fn receipt(&self, account: AccountId, amount: Amount) -> FundsCommand {
        let amount = match amount {
            Amount::Exact(units) => units,
            Amount::Share(share) => 100 * ONE * i128::from(share),
        };
        let (number, routing) = (String::new(), String::new());
        let (currency, method): (CurrencyId, _) = (self.scene.currency(0), TransferMethod::Ach);
        let amount = Money::from_units(amount);
        Banking::Receive(Arc::new(Receipt { account, currency, amount, method, number, routing })).into()
    }

    fn withdrawal(&self, actor: Actor, coin: usize, amount: Amount) -> Option<Withdraw> {
        // The smallest part that the network knows.
        let grain = ONE / 100_000_000;
        let units = self.units(actor, coin, amount) / grain * grain;
        Some(Withdraw {
            account: actor.account,
            network: network_of(coin)?.to_owned(),
            currency: self.scene.currency(coin),
            wraps: None,
            address: outside(),
            canonical: outside(),
            memo: String::new(),
            amount: Money::from_units(units),
            client_id: String::new(),
        })
    }
}

/// The fees of the markets, and none.
const FEES: FeeSchedule = FeeSchedule { maker: Bps(2), taker: Bps(5), auction: Bps(2) };
const NO_FEES: FeeSchedule = FeeSchedule { maker: Bps(0), taker: Bps(0), auction: Bps(0) };

/// The currency that a side of a spot market gives.
fn coin_given(market: usize, side: Side) -> Option<usize> {
    let [base, quote] = MARKETS.get(market)?.pair;
    Some(if side == Side::Buy { quote } else { base })
}

/// A price on the grid: at least one step, at most the largest.
pub(super) fn price_of(listed: &Listed, units: i128) -> Price {
    Price::from_ticks(u64::try_from((units / listed.tick).max(1)).unwrap_or(u64::MAX))
}

/// A quantity in whole lots.
pub(super) fn qty_of(listed: &Listed, units: i128) -> Qty {
    Qty::from_hundredths(u128::try_from(units.max(0) / listed.lot).unwrap_or_default().saturating_mul(100))
}

/// The sign of a figure and its power of two, in steps of four.
fn magnitude(figure: i128) -> i128 {
    let size = i128::from(128 - figure.unsigned_abs().leading_zeros()) / 2;
    if figure < 0 { -size } else { size }
}

/// An answer in a few words.
fn brief(answer: &Answer) -> String {
    match (answer.order(), answer.done()) {
        (_, Err(reject)) => format!("{reject:?}"),
        (Ok(order), Ok(())) => {
            let how = if order.remaining == Qty::ZERO {
                "is filled"
            } else if order.remaining < order.original {
                "is filled in part"
            } else {
                "is not filled"
            };
            order.reason.map_or_else(|| how.to_owned(), |reason| format!("{how}: {reason:?}"))
        }
        (Err(_), Ok(())) if answer.is_not_live() => "no order".to_owned(),
        (Err(_), Ok(())) => {
            let converted = answer.of::<ConvertAnswer>();
            converted.map_or_else(|_| "done".to_owned(), |converted| format!("{converted:?}"))
        }
    }
}

/// A number for a text (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
