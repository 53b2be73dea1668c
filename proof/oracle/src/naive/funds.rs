//! Transfers: every one is a row, and nothing about a balance is stored but its total.
//!
//! The holds, advances and debts of rows are computed from the rows each time.

mod addresses;
pub(super) mod advances;
mod approvals;
mod banks;
mod calendar;
mod custody;
mod deposits;
mod halts;
mod internal;
mod leave;
mod reserves;
mod row;
mod withdrawals;

use super::Naive;
use crate::exchange::Exchange;
use addresses::Address;
use approvals::Entry;
use banks::Link;
use buttonwood_engine::funds::{ApprovalScope, debt};
use buttonwood_engine::{
    Adjustment, Answer, Caller, FundsCommand, FundsReject, LENDING, Made, Outcome, Reject, TransferKind,
    TransferStatus, UNCLAIMED,
};
use buttonwood_model::{AccountId, CurrencyId, GroupId, Time};
pub(crate) use calendar::month_of;
use custody::Move;
use deposits::Arrival;
pub(crate) use row::{Path, Row};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use withdrawals::Payment;

/// Everything about transfers.
#[derive(Clone, Default)]
pub(crate) struct Funds {
    /// The code of each currency.
    codes: Vec<String>,
    /// Every transfer; the one with number `n` is at place `n - 1`.
    pub(crate) rows: Vec<Row>,
    /// Links to bank accounts.
    pub(crate) links: Vec<Link>,
    /// The house account that lends.
    lender: AccountId,
    /// Issued deposit addresses.
    pub(crate) addresses: Vec<Address>,
    /// Approved addresses, and those that wait for it.
    pub(crate) entries: Vec<Entry>,
    /// Lists that ever had an entry.
    pub(crate) lists: Vec<ApprovalScope>,
    /// Groups whose requests another user must approve.
    multi_user: Vec<GroupId>,
    /// The payments of withdrawals.
    pub(crate) payments: Vec<Payment>,
    /// Accounts whose withdrawals are free.
    overrides: Vec<AccountId>,
    /// The arrivals on the chains.
    pub(crate) arrivals: Vec<Arrival>,
    /// The house account for payments that fit no account.
    unclaimed: AccountId,
    /// Halted assets.
    pub(crate) halted: BTreeSet<CurrencyId>,
    pub(crate) are_withdrawals_halted: bool,
    /// Moves to and from custody that are under way.
    moves: Vec<Move>,
    /// The last month that custody fees were charged for, by its beginning.
    charged: Time,
    /// The debts of accounts for returned advances.
    pub(crate) debts: BTreeMap<(AccountId, CurrencyId), i128>,
    /// The losses of groups with advances of banks.
    pub(crate) given_up: BTreeMap<GroupId, i128>,
    /// When the reserves were cut last; none before the first time.
    pub(crate) cut: Option<Time>,
    /// Test credits less debits.
    pub(super) credited: HashMap<CurrencyId, i128>,
    /// The charges of networks.
    costs: HashMap<CurrencyId, i128>,
    /// The holdings of wallets, with the amounts that count in addition, less the minted ones; by network and currency.
    wallets: HashMap<(String, CurrencyId), i128>,
    /// The currencies whose assets were found too low.
    pub(crate) short: BTreeSet<CurrencyId>,
}

impl Funds {
    /// Before the first transfer of an exchange.
    pub(super) fn of(exchange: &Exchange) -> Self {
        let codes = exchange.state.currencies().iter().map(|currency| currency.code.clone());
        let house = |name| exchange.state.ledger().house(name).unwrap();
        let (unclaimed, lender) = (house(UNCLAIMED.name), house(LENDING.name));
        let codes: Vec<String> = codes.collect();
        // Credits of the founding were test credits.
        let given =
            |at| -exchange.state.ledger().balance(AccountId(0), CurrencyId::from_index(at)).total().units();
        let credited = (0..codes.len()).map(|at| (CurrencyId::from_index(at), given(at))).collect();
        Self { codes, lender, unclaimed, credited, ..Self::default() }
    }

    /// Whether a currency is state money.
    fn is_fiat(&self, currency: CurrencyId) -> bool {
        self.codes[currency.index()] == "USD"
    }
}

impl Naive {
    /// Runs a command about transfers; no caller is the exchange itself or an operator.
    pub(super) fn move_funds(&mut self, caller: Option<&Caller>, command: &FundsCommand) -> Answer {
        let made = match command {
            FundsCommand::Internal(command) => self.transfer(caller, command).map_err(FundsReject::Internal),
            FundsCommand::Address(command) => self.issue(caller, command).map_err(FundsReject::Address),
            FundsCommand::Approval(command) => self.approve(caller, command).map_err(FundsReject::Approval),
            FundsCommand::Withdrawal(command) => {
                self.pay_out(caller, command).map_err(FundsReject::Withdrawal)
            }
            FundsCommand::Deposit(command) => self.arrive(command).map_err(FundsReject::Deposit),
            FundsCommand::Halt(command) => self.halt(command).map_err(FundsReject::Halt),
            FundsCommand::Bank(command) => self.bank(caller, command).map_err(FundsReject::Bank),
            FundsCommand::Debt(debt::Command::Repay(account, currency)) => {
                let is_due = self.repay(*account, *currency);
                if is_due { Ok(Made::Nothing) } else { Err(FundsReject::Debt(debt::Reject::NotDue)) }
            }
            FundsCommand::Custody(command) => self.custody(command).map_err(FundsReject::Custody),
            FundsCommand::Reserves(command) => self.reserves(command).map_err(FundsReject::Reserves),
            other => panic!("not dealt: {other:?}"),
        };
        match made {
            // Only a client is answered that nothing was made.
            Ok(Made::Nothing) if caller.is_none() => Outcome::Done,
            Ok(made) => Outcome::Funds(made),
            Err(reject) => Outcome::Rejected(Reject::Funds(reject)),
        }
    }

    /// Whether the account is a customer's, and the caller's where there is one.
    fn acts_for(&self, caller: Option<&Caller>, account: AccountId) -> bool {
        let is_own =
            caller.is_none_or(|caller| self.keys[caller.session.index()].accounts.contains(&account));
        is_own && self.names.get(account.index()).is_some_and(|names| names.group.is_some())
    }

    /// Adds a row; returns its number.
    fn add_row(&mut self, row: Row) -> u64 {
        self.funds.rows.push(Row { time: self.now, before: self.next_id, ..row });
        u64::try_from(self.funds.rows.len()).unwrap()
    }

    /// The row with a number.
    fn row(&self, number: u64) -> Option<&Row> {
        self.funds.rows.get(usize::try_from(number.checked_sub(1)?).unwrap())
    }

    fn row_mut(&mut self, number: u64) -> &mut Row {
        &mut self.funds.rows[usize::try_from(number - 1).unwrap()]
    }

    /// The row that a client id of an account stands for: the first that was accepted with it, for ever (D-78).
    fn by_client_id(&self, account: AccountId, id: &str) -> Option<(u64, &Row)> {
        let is_it = |row: &Row| !id.is_empty() && row.account == account && row.client_id == id;
        let at = self.funds.rows.iter().position(is_it)?;
        Some((u64::try_from(at).unwrap() + 1, &self.funds.rows[at]))
    }

    /// The holds of all rows.
    pub(super) fn held_by_rows(&self) -> HashMap<(AccountId, CurrencyId), i128> {
        let mut held = HashMap::new();
        for row in &self.funds.rows {
            if row.held() != 0 {
                *held.entry((row.account, row.given)).or_default() += row.held();
            }
        }
        held
    }

    /// An operator's gift to a customer, or debit of one, is listed (D-69).
    pub(super) fn list_adjustment(&mut self, adjustment: &Adjustment) {
        if self.names[adjustment.account.index()].group.is_none() {
            return;
        }
        let amount = adjustment.amount.units();
        let kind = if amount < 0 { TransferKind::AdminDebit } else { TransferKind::AdminCredit };
        let row = Row::new(adjustment.account, kind, adjustment.currency, amount.abs(), Path::House);
        self.add_row(Row { status: TransferStatus::Complete, ..row });
    }

    /// When something of transfers is due next: at once, if it follows from what has just happened. A custody move settles when
    /// its chain says so, which is not counted here.
    pub(crate) fn funds_due(&self) -> Option<Time> {
        if self.can_repay() {
            return Some(Time(0));
        }
        let custody = [self.next_custody_run(), self.next_custody_fee()];
        let times = [self.next_hold(), self.next_clearing(), Some(self.next_cut())];
        times.into_iter().chain(custody).flatten().min()
    }

    /// Whether the account owes the house anything.
    pub(super) fn owes(&self, account: AccountId) -> bool {
        self.funds.debts.keys().any(|(owner, _)| *owner == account)
    }
}
