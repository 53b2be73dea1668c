//! Liquidations: each round is what the naive model computes.

use super::{Part, PerpJudge, check, product, size};
use crate::exchange::{Exchange, Happening};
use crate::naive::{
    PerpFill, PerpHolder, perp_deleveraging_order, perp_deleveraging_price, perp_fee, perp_fund_takes,
    perp_part, perp_seized, perp_zero_price,
};
use buttonwood_engine::perp::liquidation::{Ended, Round as CoreRound, Seized};
use buttonwood_engine::perp::off_book::{Kind, Taken};
use buttonwood_model::{AccountId, CancelReason, Side, SymbolId};
use buttonwood_num::{Money, Round};

/// How far the values of collateral may differ that is weighed at once or in parts, in units of money.
const ROUNDED: i128 = 4;

impl PerpJudge {
    /// A round begins with the first account of the queue: its orders are cancelled, or a part of its largest position is to be closed.
    pub(super) fn note_round(&mut self, exchange: &Exchange, round: &CoreRound) -> Result<(), String> {
        if let Some(part) = round.part.filter(|part| round.account == self.fund && part.deleverages) {
            return self.note_flattening(exchange, round, &part);
        }
        check("the account that is liquidated", &Some(round.account), &self.queue.front().copied())?;
        let account = round.account;
        if !self.is_due(account, exchange) && !self.is_stranded(account, exchange) {
            return Err(format!(
                "{account:?} is not below maintenance: {:?}",
                self.figures(account, exchange)
            ));
        }
        if exchange.orders_of(account).next().is_some() {
            return Err(format!("{account:?} is liquidated and has orders"));
        }
        let Some(part) = round.part else {
            return self.note_cancels(exchange);
        };
        self.is_bare = false;
        let symbol = self.largest(account).ok_or("a round without a position")?;
        check("the position that is reduced", &part.symbol, &symbol)?;
        let contract = self.contracts[&symbol];
        let quantity = self.quantity(account, symbol);
        let whole = if account == self.fund {
            size(quantity)
        } else {
            perp_part(quantity, contract.mark, contract.lot)
        };
        let assets = self.figures(account, exchange).assets;
        let price = perp_zero_price(assets, quantity, contract.mark, contract.tick);
        let grid = &exchange.state.symbols()[symbol.index()].grid;
        check("the part that is closed", &grid.base(part.left), &Some(whole))?;
        check("the zero price", &part.price, &price)?;
        let side = if quantity.is_negative() { Side::Buy } else { Side::Sell };
        let (left, traded) = (whole, Money::ZERO);
        self.round = Some(Part { account, symbol, side, left, price, traded, deleverages: false });
        self.counts.rounds += 1;
        let is_sent = exchange.happened.iter().any(|what| matches!(what, Happening::Accepted(_)));
        check("whether an order is sent", &is_sent, &(account != self.fund))
    }

    /// All orders of the account were cancelled, for the reason of a liquidation.
    fn note_cancels(&mut self, exchange: &Exchange) -> Result<(), String> {
        self.is_bare = true;
        let is_wrong = |what: &&Happening| matches!(what, Happening::Cancelled(_, reason) if *reason != CancelReason::TradingClosed);
        match exchange.happened.iter().find(is_wrong) {
            Some(wrong) => Err(format!("a liquidation cancels so: {wrong:?}")),
            None => Ok(()),
        }
    }

    /// The contract of the largest position that can be closed; of equal ones the first.
    fn largest(&self, account: AccountId) -> Option<SymbolId> {
        let open = self.contracts.iter().filter(|(_, contract)| contract.is_fresh);
        let mut sized: Vec<(Money, SymbolId)> = open
            .filter_map(|(symbol, contract)| {
                Some((product(size(self.quantity(account, *symbol)), contract.mark).ok()?, *symbol))
            })
            .collect();
        sized.sort_by_key(|(notional, symbol)| (-*notional, *symbol));
        sized.first().filter(|(notional, _)| *notional > Money::ZERO).map(|(_, symbol)| *symbol)
    }

    /// A fill of the forced order: it costs no trading fee, and its price is the zero price or better.
    pub(super) fn note_forced(
        &mut self,
        taker: AccountId,
        [base, price, fee]: [Money; 3],
    ) -> Result<(), String> {
        let Some(part) = self.round.as_mut().filter(|part| part.account == taker) else { return Ok(()) };
        let is_good = if part.side == Side::Buy { price <= part.price } else { price >= part.price };
        if !is_good || base > part.left || fee != Money::ZERO {
            return Err(format!("{base:?} at {price:?} for a fee of {fee:?} in {part:?}"));
        }
        part.left -= base;
        part.traded += product(base, price)?;
        self.counts.filled += 1;
        Ok(())
    }

    /// The rest that the book left is taken by the fund, or by opposite positions.
    pub(super) fn note_taken(&mut self, exchange: &Exchange, taken: &Taken) -> Result<(), String> {
        let part = self.round.ok_or("something is taken without a round")?;
        let key = (part.account, part.symbol);
        check("what is taken", &(taken.account, taken.symbol), &key)?;
        let fee = perp_fee(part.traded, self.figures(part.account, exchange).assets);
        check("the fee of the fund", &taken.fee, &fee)?;
        self.give(part.account, -fee);
        self.give(self.fund, fee);
        let (kind, trades) = self.takers(exchange, &part)?;
        let grid = &exchange.state.symbols()[part.symbol.index()].grid;
        let mut left = part.left;
        for (number, trade) in taken.trades.iter().enumerate() {
            let base = grid.base(trade.qty).ok_or("a quantity beyond money")?;
            check("who takes it", &Some((trade.account, trade.price, base)), &trades.get(number).copied())?;
            left -= base;
        }
        let is_all = taken.trades.len() == trades.len();
        // The rest that the fund leaves is deleveraged next.
        let rest = if is_all && kind == Kind::Deleveraged { Money::ZERO } else { left };
        if !trades.is_empty() {
            check("how it is taken", &(taken.kind, taken.side), &(kind, part.side))?;
        }
        check("what is left", &grid.base(taken.left), &Some(rest))?;
        if taken.trades.is_empty() && !trades.is_empty() || is_all && left != rest {
            return Err(format!("{left:?} of {part:?} stays"));
        }
        for (account, price, base) in trades.into_iter().take(taken.trades.len()) {
            let quantity = if part.side == Side::Buy { base } else { -base };
            let (symbol, fee) = (part.symbol, Money::ZERO);
            self.fill(PerpFill { account: part.account, symbol, quantity, price, fee })?;
            self.fill(PerpFill { account, symbol, quantity: -quantity, price, fee })?;
            match kind {
                Kind::TakenOver => self.counts.taken_over += 1,
                Kind::Deleveraged => self.counts.deleveraged += 1,
            }
            self.counts.fund_deleveraged += u64::from(part.account == self.fund);
        }
        let goes_on = rest != Money::ZERO;
        self.round = goes_on.then_some(Part { left: rest, traded: Money::ZERO, deleverages: true, ..part });
        let fund = self.fund_beside(exchange, part.symbol);
        let own = size(fund.own).times(self.contracts[&part.symbol].mark, Round::Up).unwrap();
        let tenth = (fund.others + own).mul_div(1, 10, Round::Down).unwrap();
        if kind == Kind::TakenOver
            && !taken.trades.is_empty()
            && fund.assets.units() + ROUNDED < tenth.units()
        {
            return Err(format!("the fund took a position and does not carry it: {fund:?}"));
        }
        Ok(())
    }

    /// Who takes what is left of a part, at which price, and how much.
    #[expect(clippy::type_complexity, reason = "a list of account, price and quantity")]
    fn takers(
        &self,
        exchange: &Exchange,
        part: &Part,
    ) -> Result<(Kind, Vec<(AccountId, Money, Money)>), String> {
        let Part { account, symbol, side, left, price, deleverages, .. } = *part;
        let mark = self.contracts[&symbol].mark;
        if left == Money::ZERO {
            return Ok((Kind::TakenOver, Vec::new()));
        }
        let signed = if side == Side::Buy { -left } else { left };
        if account != self.fund && !deleverages && !self.is_near_hour(exchange.stamp.time) {
            let lot = self.contracts[&symbol].lot;
            let taken = perp_fund_takes(&self.fund_beside(exchange, symbol), signed, [price, mark, lot]);
            if taken > Money::ZERO {
                return Ok((Kind::TakenOver, vec![(self.fund, price, taken)]));
            }
        }
        let is_opposite =
            |quantity: Money| quantity != Money::ZERO && quantity.is_negative() == (side == Side::Sell);
        let held =
            self.quantities.iter().filter(|((_, of), quantity)| *of == symbol && is_opposite(**quantity));
        let mut holders: Vec<PerpHolder> = held
            .map(|((account, _), quantity)| PerpHolder {
                account: *account,
                quantity: *quantity,
                cost: self.before[&(*account, symbol)].cost,
                assets: self.figures(*account, exchange).assets,
            })
            .collect();
        perp_deleveraging_order(&mut holders, mark, self.fund);
        let (mut left, mut trades) = (left, Vec::new());
        for holder in holders {
            let base = left.min(size(holder.quantity));
            if base > Money::ZERO {
                trades.push((holder.account, perp_deleveraging_price(&holder, price, mark), base));
                left -= base;
            }
        }
        Ok((Kind::Deleveraged, trades))
    }

    /// A liquidation ends when its account has recovered or nothing can be closed. From a flat account the fund takes collateral for what
    /// it owes, and pays what is left as far as its money goes and its own positions leave it value.
    pub(super) fn note_end(&mut self, exchange: &Exchange, ended: &Ended) -> Result<(), String> {
        check("the account whose liquidation ends", &Some(ended.account), &self.queue.pop_front())?;
        let account = ended.account;
        self.is_bare = false;
        if self.is_due(account, exchange) {
            return Err(format!("the liquidation of {account:?} ends too early"));
        }
        let is_flat = self.contracts.keys().all(|symbol| self.quantity(account, *symbol) == Money::ZERO);
        let mut owed = (-self.money(account)).max(Money::ZERO);
        let mut seized = Vec::new();
        let mut covered = Money::ZERO;
        if is_flat && account != self.fund {
            let mut is_bare = true;
            // It pays with money that it has, and borrows nothing.
            let mut money = self.dollars_of_fund();
            for (currency, percent, worth) in self.collateral(account, exchange) {
                let [amount, repaid] = perp_seized(worth, percent, owed.min(money));
                if amount > Money::ZERO && repaid > Money::ZERO {
                    seized.push(Seized { currency, amount, repaid });
                    owed -= repaid;
                    money -= repaid;
                }
                is_bare &= amount == worth[0];
            }
            let spent: Money = seized.iter().map(|seized| seized.repaid).sum();
            if is_bare {
                // The exchange's balances already show what was taken, for which the fund pays as much.
                let value = self.figures(self.fund, exchange).assets - spent;
                covered = owed.min(self.dollars_of_fund() - spent).min(value).max(Money::ZERO);
                let rounded = (ended.covered.units() - covered.units()).abs() <= ROUNDED;
                if rounded && !seized.is_empty() {
                    covered = ended.covered;
                }
                owed -= covered;
            }
        }
        check("the collateral that the fund takes", &ended.seized, &seized)?;
        check("what the fund pays", &ended.covered, &covered)?;
        for Seized { currency, amount, repaid } in seized {
            self.note_credit(account, currency, -amount);
            self.note_credit(self.fund, currency, amount);
            self.give(account, repaid);
            self.give(self.fund, -repaid);
            self.counts.seized += 1;
        }
        self.give(account, covered);
        self.give(self.fund, -covered);
        self.counts.covered += u64::from(covered > Money::ZERO);
        self.counts.written_off += u64::from(is_flat && owed > Money::ZERO);
        Ok(())
    }

    /// The fund's dollars, without its debts.
    pub(super) fn dollars_of_fund(&self) -> Money {
        let costs = self.before.iter().filter(|((account, _), _)| *account == self.fund);
        let costs: Money = costs.map(|(_, before)| before.cost).sum();
        (self.money(self.fund) + costs).max(Money::ZERO)
    }
}
