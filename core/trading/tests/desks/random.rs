//! Random commands to the engine and to the naive desks, compared after each.

use crate::engine::{BTC, BTCUSD, Command, Engine, FIRST, PERP, RAIN, Reject, USD};
use crate::naive::{Counts, Naive};
use buttonwood_model::{
    AccountId, AssetId, Claim, ExecutionOption, OrderId, OrderKind, Product, SessionId, Side, SymbolId,
};
use buttonwood_num::{Bps, Money, Price, Qty};
use buttonwood_trading::place::{Place, Placer};
use buttonwood_trading::{self as trading, FeeChange, FeeSchedule, OrderState};

const CUSTOMERS: u32 = 8;

/// Splitmix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[usize::try_from(self.below(u64::try_from(list.len()).unwrap())).unwrap()]
    }

    fn account(&mut self) -> AccountId {
        AccountId(FIRST + u32::try_from(self.below(CUSTOMERS.into())).unwrap())
    }
}

/// Both, and what deals to them.
struct Pair {
    engine: Engine,
    naive: Naive,
    dice: Dice,
    /// Around which price the perpetual is dealt; it drifts far, so that margins are lost.
    middle: u64,
}

/// Runs a seed, whose failure names it, and adds what came up to `counts`.
pub(crate) fn run(seed: u64, commands: u32, counts: &mut Counts) {
    let mut pair = Pair {
        engine: Engine::found(CUSTOMERS),
        naive: Naive::found(*counts),
        dice: Dice(seed),
        middle: 10_000,
    };
    for step in 0..commands {
        pair.step(step, &format!("seed {seed}, command {step}"));
        if step % 500 == 499 {
            pair.engine.restart();
        }
    }
    pair.engine.check_replay();
    *counts = pair.naive.counts;
}

impl Pair {
    fn step(&mut self, step: u32, at: &str) {
        match self.dice.below(100) {
            0..4 => self.credit(at),
            4..8 => self.set_fees(at),
            8..11 => self.liquidate(at),
            11..24 => self.cancel(at),
            24..26 => {
                let account = self.dice.account();
                self.engine.submit(&Command::CancelAll(account)).unwrap();
                self.naive.cancel(account.0, None);
            }
            _ => self.place(at),
        }
        self.compare(at);
        if step.is_multiple_of(20) {
            self.middle = (self.middle + self.dice.below(1_600)).clamp(5_800, 16_200) - 800;
        }
    }

    fn credit(&mut self, at: &str) {
        let (account, currency) = (self.dice.account(), self.dice.pick(&[USD, USD, BTC]));
        let most = if currency == USD { 6 } else { 1 };
        let amount = i128::from(self.dice.below(1_000_000)) * most * 10_i128.pow(13);
        let amount = Money::from_units(amount + 1);
        assert_eq!(self.engine.submit(&Command::Credit(account, currency, amount)), Ok(()), "{at}");
        self.naive.credit(account.0, currency.into(), amount.units());
    }

    fn set_fees(&mut self, at: &str) {
        let mut rate = || Bps(u16::try_from(self.dice.below(100)).unwrap());
        let schedule = FeeSchedule { maker: rate(), taker: rate(), auction: Bps(0) };
        let change = FeeChange {
            product: self.dice.pick(&[Product::Spot, Product::Swap]),
            account: (self.dice.below(2) == 0).then(|| self.dice.account()),
            schedule: (self.dice.below(3) > 0).then_some(schedule),
        };
        let command = Command::Trading(trading::Command::SetFees(change));
        assert_eq!(self.engine.submit(&command), Ok(()), "{at}");
        self.naive.set_fees(change);
    }

    /// The exchange cancels an account's orders and closes its position at the market.
    fn liquidate(&mut self, at: &str) {
        let account = self.dice.account();
        self.engine.submit(&Command::CancelAll(account)).unwrap();
        self.naive.cancel(account.0, None);
        self.compare(at);
        let Some(place) = self.engine.closing(account) else { return };
        self.both(Placer::exchange(account), &place, at);
    }

    fn cancel(&mut self, at: &str) {
        let account = self.dice.account();
        let live: Vec<u64> = self.naive.rows.iter().map(|row| row.id).collect();
        if live.is_empty() {
            return;
        }
        // Mostly an order of the account's own.
        let own: Vec<u64> =
            self.naive.rows.iter().filter(|row| row.account == account.0).map(|row| row.id).collect();
        let id = if own.is_empty() { self.dice.pick(&live) } else { self.dice.pick(&own) };
        let got = self.engine.submit(&Command::Cancel(account, OrderId(id)));
        let expected = if self.naive.cancel(account.0, Some(id)) { Ok(()) } else { Err(Reject::NotLive) };
        assert_eq!(got, expected, "{at}");
    }

    fn place(&mut self, at: &str) {
        let mut place = self.deal();
        let placer = Placer { account: self.dice.account(), session: SessionId(0) };
        // Several orders may count on closing one position.
        if place.symbol == PERP
            && self.dice.below(3) == 0
            && let Some(closing) = self.engine.closing(placer.account)
        {
            place = Place { side: closing.side, qty: closing.qty.max(place.qty), ..place };
        }
        self.both(placer, &place, at);
    }

    fn both(&mut self, placer: Placer, place: &Place, at: &str) {
        let got = self.engine.submit(&Command::Place(placer, *place));
        let expected = self.naive.place(placer, place).map_err(Reject::Place);
        assert_eq!(got, expected, "{at}: {placer:?} {place:?}");
        if got.is_ok() {
            assert_eq!(self.engine.cancelled(), self.naive.cancelled, "{at}: {place:?}");
        }
    }

    fn deal(&mut self) -> Place {
        let dice = &mut self.dice;
        let symbol = dice.pick(&[BTCUSD, PERP, PERP, PERP, RAIN, RAIN]);
        let kind = if dice.below(8) == 0 { OrderKind::Market } else { OrderKind::Limit };
        let ticks = match symbol {
            RAIN => 20 + dice.below(60) + 40 * u64::from(dice.below(100) == 0),
            PERP => self.middle - 300 + dice.below(600),
            _ => 9_700 + dice.below(600),
        };
        let option = match (kind, dice.below(10)) {
            (OrderKind::Limit, 0) => Some(ExecutionOption::MakerOrCancel),
            (_, 1) => Some(ExecutionOption::ImmediateOrCancel),
            (_, 2) => Some(ExecutionOption::FillOrKill),
            _ => None,
        };
        let lots = if symbol == RAIN { 12 } else { 400 };
        let qty = if dice.below(200) == 0 { 99 } else { 100 * (1 + dice.below(lots)) };
        let qty = if kind == OrderKind::Limit { qty } else { qty.max(100) };
        let side = dice.pick(&[Side::Buy, Side::Sell]);
        let claim = if symbol == RAIN { dice.pick(&[Claim::Yes, Claim::No]) } else { Claim::Yes };
        let price = Price::from_ticks(if kind == OrderKind::Limit { ticks } else { 0 });
        Place { claim, kind, option, ..Place::limit(symbol, side, price, Qty::from_hundredths(qty.into())) }
    }

    fn compare(&self, at: &str) {
        let (state, naive) = (&self.engine.state, &self.naive);
        state.check_laws();
        assert_eq!(state.next_id, naive.next_id, "{at}");
        let ledger = &state.desks.ledger;
        let claims = [Claim::Yes, Claim::No].map(|claim| AssetId::claim(RAIN, claim));
        for account in 0..ledger.accounts() {
            for asset in [USD.into(), BTC.into()].into_iter().chain(claims) {
                let balance = ledger.balance(AccountId(account), asset);
                let total = naive.totals.get(&(account, asset)).copied().unwrap_or(0);
                let expected = (total, naive.held(account, asset));
                assert_eq!(
                    (balance.total().units(), balance.held.units()),
                    expected,
                    "{at}: {account} {asset:?}"
                );
            }
            let position = state.desks.perp.position(AccountId(account), PERP);
            let expected = naive.positions.get(&account).copied().unwrap_or_default();
            assert_eq!([position.qty, position.value, position.margin], expected, "{at}: {account}");
            let debt = state.desks.debts.get(&AccountId(account)).map_or(0, |debt| debt.units());
            assert_eq!(debt, naive.debts.get(&account).copied().unwrap_or(0), "{at}: {account}");
        }
        for symbol in [BTCUSD, PERP, RAIN] {
            for side in [Side::Buy, Side::Sell] {
                self.compare_queue(symbol, side, at);
            }
        }
        // Claims are issued in pairs, and the collateral pays for either outcome.
        let issued = claims.map(|claim| -state.house("issuer", claim));
        let whole = state.house("collateral", USD);
        assert!(issued.iter().all(|issued| *issued == whole), "{at}: {issued:?} of {whole}");
    }

    fn compare_queue(&self, symbol: SymbolId, side: Side, at: &str) {
        let seen = |order: &OrderState| {
            let left = i128::try_from(order.remaining.hundredths()).unwrap();
            (order.id.0, order.account.0, i128::from(order.price.ticks()), left)
        };
        let got: Vec<_> = self.engine.state.queue(symbol, side).iter().map(seen).collect();
        let rows = self.naive.queue(symbol, side);
        let expected: Vec<_> = rows.iter().map(|row| (row.id, row.account, row.price, row.left)).collect();
        assert_eq!(got, expected, "{at}: {symbol:?} {side:?}");
    }
}
