//! Banks: links, wires, advances that clear or are taken back, payments, and what may leave meanwhile.

use buttonwood_engine::funds::bank::{
    BankKind, BankNumbers, CLEARING, Command as BankCommand, NewBank, Payment, Receipt, Reject, Settlement,
};
use buttonwood_engine::funds::halt::Command as HaltCommand;
use buttonwood_engine::funds::internal::{Command as MoveCommand, Move, Reject as MoveReject};
use buttonwood_engine::funds::{Scope, Short};
use buttonwood_engine::{
    AccessCommand, AccessReject, Account, AccountKind, Adjustment, Answer, Body, Command, DeskReject, Eid,
    FeeSchedule, FundsCommand, FundsReject, LENDING, LedgerCommand, Made, Place, PlaceReject,
    Reject as AnyReject, TradingCommand, TradingReject, Transfer, TransferMethod, TransferReference,
    TransferStatus, TransferWay,
};
use buttonwood_model::{AccountId, CurrencyId, Due, OrderKind, Role, SessionId, Side, SymbolId, Time};
use buttonwood_num::{Decimal, HUNDREDTHS_PER_LOT, Money, Price, Qty};
use buttonwood_oracle::{Exchange, caller};
use std::sync::Arc;

/// An exchange with a customer, another account of the customer's group, and a market of bitcoins.
struct Stage {
    exchange: Exchange,
    usd: CurrencyId,
    btc: CurrencyId,
    btcusd: SymbolId,
    ann: AccountId,
    beside: AccountId,
    maker: AccountId,
    trader: SessionId,
    maker_key: SessionId,
    nonce: u64,
}

/// The refusal of an internal transfer.
fn not_moved(short: Short) -> Answer {
    Answer::Rejected(AnyReject::Funds(FundsReject::Internal(MoveReject::Short(short))))
}

fn money(text: &str) -> Money {
    Money::from_decimal(Decimal::parse(text.as_bytes()).expect("the test writes decimals"))
        .expect("an amount of money")
}

impl Stage {
    fn new() -> Self {
        let mut exchange = Exchange::open(FeeSchedule::default(), None);
        let (usd, btc) = (exchange.find_currency("USD"), exchange.find_currency("BTC"));
        let btcusd = exchange.symbol(["BTC", "USD"], ["0.00001", "0.00000001", "0.01"], &[]);
        let ann = exchange.account("ann", "");
        let beside = exchange.account_beside(ann, "beside", "");
        let maker = exchange.account("maker", "");
        let trader = exchange.key("ann", ann, Role::Trader);
        let maker_key = exchange.key("maker", maker, Role::Trader);
        let amounts = vec![(btc, money("10")), (usd, money("1000000"))];
        assert_eq!(exchange.own(Body::credit(maker, amounts)), Answer::Done);
        Self { exchange, usd, btc, btcusd, ann, beside, maker, trader, maker_key, nonce: 0 }
    }

    /// A command of the exchange, and the follow-ups that are due then.
    fn own(&mut self, command: impl Into<Body>) -> Answer {
        let answer = self.exchange.own(command.into());
        while self.exchange.state.has_follow_up() {
            let due = self.exchange.state.next_due().expect("a follow-up is due");
            assert_eq!(self.exchange.own(due.command), Answer::Done);
        }
        assert_eq!(self.exchange.state.broken_law(), None);
        answer
    }

    fn bank(&mut self, command: BankCommand) -> Answer {
        self.own(FundsCommand::from(command))
    }

    fn receive(&mut self, amount: &str, method: TransferMethod) -> Eid {
        let (account, currency) = (self.ann, self.usd);
        let (number, routing) = ("0123451111".to_owned(), "021000021".to_owned());
        let receipt = Receipt { account, currency, amount: money(amount), method, number, routing };
        let answer = self.bank(BankCommand::Receive(Arc::new(receipt)));
        let Answer::Funds(Made::Transfer(eid)) = answer else { panic!("{answer:?}") };
        eid
    }

    fn link(&mut self) -> u32 {
        let numbers = BankNumbers::UnitedStates { routing: "021000021".into() };
        let (number, name) = ("0123451111".to_owned(), "Ann".to_owned());
        let bank = NewBank { account: self.ann, number, numbers, kind: BankKind::Checking, name };
        let answer = self.bank(BankCommand::Link(Arc::new(bank)));
        let Answer::Funds(Made::Bank(number)) = answer else { panic!("{answer:?}") };
        number
    }

    fn pay(&mut self, bank: u32, amount: &str) -> Answer {
        self.bank(BankCommand::Pay(Payment { account: self.ann, bank, amount: money(amount) }))
    }

    fn settle(&mut self, eid: Eid, returned: bool) -> Answer {
        self.bank(BankCommand::Settle(Settlement { eid, returned }))
    }

    fn give(&mut self, currency: CurrencyId, amount: &str) -> Answer {
        let (source, target) = (self.ann, self.beside);
        let moved = Move { source, target, currency, amount: money(amount), client_id: String::new() };
        self.own(FundsCommand::from(MoveCommand::Transfer(Arc::new(moved))))
    }

    fn order(
        &mut self,
        session: SessionId,
        account: AccountId,
        side: Side,
        qty: &str,
        price: &str,
    ) -> Answer {
        let place = self.limit_order(side, qty, price);
        self.nonce += 1;
        let caller = Some(caller(session, account, self.nonce));
        self.exchange.submit(1, &Command { caller, body: TradingCommand::Place(place).into() })
    }

    /// A limit order, before it is sent.
    fn limit_order(&self, side: Side, qty: &str, price: &str) -> Place {
        let grid = &self.exchange.state.symbol(self.btcusd).expect("it is listed").grid;
        let decimal = |text: &str| Decimal::parse(text.as_bytes()).expect("the test writes decimals");
        Place::limit(
            self.btcusd,
            side,
            grid.price(decimal(price)).expect("a price of the grid"),
            grid.qty(decimal(qty)).expect("a quantity of the grid"),
        )
    }

    fn balance(&self, currency: CurrencyId) -> [Money; 2] {
        let balance = self.exchange.balance(self.ann, currency);
        [balance.available, balance.held]
    }

    /// The next command of banks that falls due within a week; whatever falls due before it is run.
    fn clearing(&mut self) -> Option<Due<Body>> {
        let end = self.exchange.stamp.time.plus(7 * 24 * 3_600 * Time::SECOND);
        loop {
            let due = self.exchange.state.next_due().filter(|due| due.time < end)?;
            if matches!(due.command, Body::Funds(FundsCommand::Bank(_))) {
                return Some(due);
            }
            let wait = due.time.0 - self.exchange.stamp.time.0;
            self.exchange.submit(wait, &Command { caller: None, body: due.command });
        }
    }

    fn lent(&self) -> Money {
        let lending = self.exchange.state.ledger().house(LENDING.name).expect("it is open");
        -self.exchange.balance(lending, self.usd).available
    }

    fn row(&self, eid: Eid) -> &Transfer {
        self.exchange.state.funds().transfer(eid).expect("the row is there")
    }
}

fn refused(reject: Reject) -> Answer {
    Answer::Rejected(AnyReject::Funds(FundsReject::Bank(reject)))
}

/// A link allows no payment until a wire comes from its bank account; an ACH credit, or a wire from another one, does not verify it. A
/// wire is complete at once. Proves BANK-003 (part).
#[test]
fn a_wire_verifies_the_bank_it_comes_from() {
    let mut stage = Stage::new();
    let bank = stage.link();
    assert_eq!(stage.link(), bank, "the same bank account is linked once");
    stage.receive("50", TransferMethod::Ach);
    assert_eq!(stage.pay(bank, "1"), refused(Reject::Unverified));
    let eid = stage.receive("100", TransferMethod::Wire);
    let row = &stage.row(eid).row;
    assert_eq!(
        (row.status, &row.way),
        (TransferStatus::Complete, &TransferWay::Bank(TransferMethod::Wire, Some(bank)))
    );
    assert_eq!(stage.pay(bank + 1, "1"), refused(Reject::UnknownBank));
    assert!(matches!(stage.pay(bank, "1"), Answer::Funds(Made::Transfer(_))));
    // Another account's bank is unknown.
    let payment = Payment { account: stage.maker, bank, amount: money("1") };
    assert_eq!(stage.bank(BankCommand::Pay(payment)), refused(Reject::UnknownBank));
}

/// An ACH credit is an advance to the microsecond of its fifth day, when a second row completes it: no money moves then.
#[test]
fn an_advance_clears_after_five_days() {
    let mut stage = Stage::new();
    let eid = stage.receive("100", TransferMethod::Ach);
    let begun = stage.row(eid).time;
    assert_eq!(stage.row(eid).row.status, TransferStatus::Advanced);
    let due = stage.clearing().unwrap();
    assert_eq!(due.time, Time(begun.0 + 5 * 24 * 3600 * 1_000_000));
    assert_eq!(CLEARING.0, due.time.0 - begun.0);
    let early = stage.own(due.command.clone());
    assert_eq!(early, refused(Reject::NotDue));
    let now = stage.exchange.stamp.time;
    stage.exchange.submit(due.time.0 - now.0, &Command { caller: None, body: due.command.clone() });
    let (first, second) = (stage.row(eid), stage.row(Eid(eid.0 + 1)));
    assert_eq!((first.row.status, first.row.status.name()), (TransferStatus::Cleared, "Advanced"));
    assert_eq!(
        (second.row.status, second.row.advance, second.time),
        (TransferStatus::Complete, Some(eid), due.time)
    );
    assert_eq!((first.row.amount, second.row.amount), (money("100"), money("100")));
    assert_eq!(stage.balance(stage.usd), [money("100"), Money::ZERO]);
    assert_eq!(stage.exchange.state.funds().advanced(stage.ann, stage.usd), Money::ZERO);
    // It is done, so it can be neither cleared nor settled again.
    assert_eq!(stage.own(due.command), refused(Reject::NotDue));
    assert_eq!(stage.settle(eid, true), refused(Reject::SettledBefore));
    assert_eq!(stage.settle(Eid(eid.0 + 1), true), refused(Reject::UnknownRow));
    assert_eq!(stage.settle(Eid(999), false), refused(Reject::UnknownRow));
}

/// A payment is held at once, with a code of six upper-case letters and digits, and ends once: paid, or given back. Its row has the
/// method SEN. Proves BANK-009 (part).
#[test]
fn a_payment_ends_once() {
    let mut stage = Stage::new();
    let bank = stage.link();
    stage.receive("100", TransferMethod::Wire);
    let mut codes = Vec::new();
    for (returned, left, status) in
        [(true, "100", TransferStatus::Returned), (false, "60", TransferStatus::Complete)]
    {
        let Answer::Funds(Made::Transfer(eid)) = stage.pay(bank, "40") else { panic!("it is paid") };
        assert_eq!(stage.balance(stage.usd), [money("60"), money("40")]);
        let row = stage.row(eid).row.clone();
        assert_eq!((row.status, row.held), (TransferStatus::Pending, money("40")));
        let TransferWay::Bank(method, Some(_)) = row.way else { panic!("{row:?}") };
        assert_eq!(method.name(), "SEN");
        let TransferReference::Code(code) = row.reference else { panic!("{row:?}") };
        assert!(
            code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            "{code}"
        );
        assert_eq!(stage.exchange.state.funds().banks().by_code(&code), Some(eid));
        codes.push(code);
        // An account with transfers under way is not closed.
        let closing = stage.own(AccessCommand::CloseAccount(stage.ann));
        assert_eq!(closing, Answer::Rejected(AnyReject::Access(AccessReject::InUse("Funds"))));
        assert_eq!(stage.settle(eid, returned), Answer::Funds(Made::Transfer(eid)));
        assert_eq!(stage.balance(stage.usd), [money(left), Money::ZERO]);
        assert_eq!(stage.row(eid).row.status, status);
        for again in [true, false] {
            assert_eq!(stage.settle(eid, again), refused(Reject::SettledBefore));
        }
    }
    assert_ne!(codes[0], codes[1]);
    assert_eq!(stage.pay(bank, "60.01"), refused(Reject::Short(Short::TooLittle)));
}

/// An advance does not leave, and neither does the gain from it, through another account of the group either: bitcoins count 90 % of the
/// index, which is the book's while 1,000 dollars of others rest on both sides. Proves BAL-005 (part).
#[test]
fn what_an_advance_bought_stays() {
    let mut stage = Stage::new();
    let bank = stage.link();
    stage.receive("500", TransferMethod::Wire);
    let advance = stage.receive("1000", TransferMethod::Ach);
    let (btc, ann, beside) = (stage.btc, stage.ann, stage.beside);
    assert_eq!(stage.pay(bank, "500.01"), refused(Reject::Short(Short::TooLittle)));
    stage.order(stage.maker_key, stage.maker, Side::Sell, "3", "1000");
    // Without bids there is no index, and a bitcoin counts nothing: to buy it would give up the advance.
    let beyond = |answer: &Answer| {
        let placed = AnyReject::Trading(TradingReject::Place(PlaceReject::Desk(DeskReject::Advances)));
        *answer == Answer::Rejected(placed)
    };
    assert!(beyond(&stage.order(stage.trader, ann, Side::Buy, "1", "1000")));
    stage.order(stage.maker_key, stage.maker, Side::Buy, "1", "999");
    assert!(beyond(&stage.order(stage.trader, ann, Side::Buy, "1", "1000")), "999 dollars are too few");
    stage.order(stage.maker_key, stage.maker, Side::Buy, "1", "998");
    stage.order(stage.trader, ann, Side::Buy, "1", "1000");
    assert_eq!(stage.balance(btc)[0], money("1"));
    // The index is 1,000. The bitcoin counts 900 and the dollars that are left at most 500, against the advance of 1,000.
    let free = |stage: &Stage, account| stage.exchange.state.leave().free(account, btc);
    let most = free(&stage, ann);
    assert!(most <= money("0.4445") && most > money("0.43"), "{most:?}");
    // Within the group it may move, and is bound there.
    assert!(matches!(stage.give(btc, "1"), Answer::Funds(_)));
    assert_eq!(free(&stage, beside), most);
    // It clears, and everything may leave.
    assert_eq!(stage.settle(advance, false), Answer::Funds(Made::Transfer(advance)));
    assert_eq!(free(&stage, beside), money("1"));
    assert_eq!(stage.exchange.stored(), stage.exchange.state);
}

/// The most that a preview names is affordable and a lot more is not, with any amount of money; also where a resting order of a group in
/// advance may trade a part of what it offers, and one of more trades with the next orders (D-181).
#[test]
fn the_most_of_a_preview_knows_what_a_resting_order_covers_in_part() {
    let mut stage = Stage::new();
    let (usd, btc, taker) = (stage.usd, stage.btc, stage.exchange.account("taker", ""));
    let key = stage.exchange.key("taker", taker, Role::Trader);
    stage.receive("100", TransferMethod::Ach);
    stage.own(Body::credit(stage.ann, vec![(btc, money("2"))]));
    stage.order(stage.maker_key, stage.maker, Side::Buy, "5", "990");
    stage.order(stage.maker_key, stage.maker, Side::Sell, "5", "1010");
    // Worth more than it asks for: the loss of a part is within five dollars.
    stage.order(stage.trader, stage.ann, Side::Sell, "2", "991");
    let lot = Qty::from_hundredths(HUNDREDTHS_PER_LOT);
    let preview = |stage: &Stage, qty: Qty| {
        let place = Place { kind: OrderKind::Market, qty, ..stage.limit_order(Side::Buy, "1", "1010") };
        let place = Place { price: Price::default(), ..place };
        stage.exchange.state.preview(&caller(key, taker, 1), &place, stage.exchange.stamp.time)
    };
    let (one, mut near) = (stage.limit_order(Side::Buy, "1", "1010").qty, 0);
    for _ in 0..400 {
        stage.own(Body::credit(taker, vec![(usd, money("2.5"))]));
        let most = preview(&stage, one).most.expect("it is of the amount");
        let (at_most, beyond) = (preview(&stage, most).outcome, preview(&stage, most + lot).outcome);
        let is_short = |outcome: &Result<_, AnyReject>| {
            let funds = |reject: &PlaceReject| matches!(reject, PlaceReject::InsufficientFunds { .. });
            matches!(outcome, Err(AnyReject::Trading(TradingReject::Place(reject))) if funds(reject))
        };
        assert!(!is_short(&at_most) && is_short(&beyond), "{most:?}: {at_most:?}, {beyond:?}");
        near += u32::from(
            at_most
                .is_ok_and(|preview| preview.worst == Some(stage.limit_order(Side::Buy, "1", "991").price)),
        );
    }
    assert!(near > 0, "some trade with the resting order of the group alone");
}

/// A returned advance that was spent: orders are cancelled, the house lends the rest, and until that is repaid, first of all from what
/// comes in, the account neither trades nor withdraws. Proves D-167.
#[test]
fn a_returned_advance_that_was_spent_is_lent() {
    let mut stage = Stage::new();
    let bank = stage.link();
    stage.receive("10", TransferMethod::Wire);
    let advance = stage.receive("1000", TransferMethod::Ach);
    stage.order(stage.maker_key, stage.maker, Side::Buy, "2", "999");
    stage.order(stage.maker_key, stage.maker, Side::Sell, "2", "1001");
    stage.order(stage.maker_key, stage.maker, Side::Sell, "0.5", "1000");
    stage.order(stage.trader, stage.ann, Side::Buy, "0.5", "1000");
    // An order holds part of what is left.
    assert!(matches!(stage.order(stage.trader, stage.ann, Side::Buy, "0.1", "1000"), Answer::Trading(_)));
    let [available, held] = stage.balance(stage.usd);
    assert!(available > Money::ZERO && held > Money::ZERO);
    assert_eq!(stage.settle(advance, true), Answer::Funds(Made::Loan(stage.ann)));
    assert_eq!(stage.exchange.orders_of(stage.ann).count(), 0, "its orders are cancelled");
    assert_eq!(stage.balance(stage.usd), [Money::ZERO, Money::ZERO]);
    let owed = money("1000") - available - held;
    assert_eq!((stage.lent(), stage.exchange.state.funds().owed(stage.ann, stage.usd)), (owed, owed));
    assert_eq!(stage.row(advance).row.status, TransferStatus::Returned);
    assert_eq!(stage.settle(advance, true), refused(Reject::SettledBefore));
    // It neither trades nor withdraws, not by a new key or a master key either.
    let in_debt = Answer::Rejected(AnyReject::Access(AccessReject::InDebt));
    let new = stage.exchange.key("new", stage.ann, Role::Trader);
    let master = stage.exchange.master_key("master", stage.ann, Role::Trader);
    for session in [stage.trader, new, master] {
        assert_eq!(stage.order(session, stage.ann, Side::Sell, "0.1", "5000"), in_debt);
    }
    assert_eq!(stage.give(stage.btc, "0.1"), not_moved(Short::Debt));
    assert_eq!(stage.pay(bank, "1"), refused(Reject::Short(Short::Debt)));
    // Money that comes in repays it first.
    stage.receive("100", TransferMethod::Wire);
    assert_eq!((stage.balance(stage.usd)[0], stage.lent()), (Money::ZERO, owed - money("100")));
    assert_eq!(stage.order(stage.trader, stage.ann, Side::Sell, "0.1", "5000"), in_debt);
    // After a restore too.
    stage.exchange.state = stage.exchange.stored();
    let credit = Body::credit(stage.ann, vec![(stage.usd, owed)]);
    assert_eq!(stage.own(credit), Answer::Done);
    assert_eq!((stage.balance(stage.usd)[0], stage.lent()), (money("100"), Money::ZERO));
    assert!(matches!(stage.order(stage.trader, stage.ann, Side::Sell, "0.1", "5000"), Answer::Trading(_)));
    assert!(matches!(stage.give(stage.btc, "0.1"), Answer::Funds(_)));
    // A snapshot holds all of it.
    assert_eq!(stage.exchange.stored(), stage.exchange.state);
}

/// A returned advance that is still there is just taken back: nothing is cancelled and nothing lent.
#[test]
fn a_returned_advance_that_is_there_is_taken_back() {
    let mut stage = Stage::new();
    stage.receive("300", TransferMethod::Wire);
    let advance = stage.receive("1000", TransferMethod::Ach);
    stage.order(stage.trader, stage.ann, Side::Buy, "0.2", "1000");
    let [available, held] = stage.balance(stage.usd);
    assert_eq!(stage.settle(advance, true), Answer::Funds(Made::Transfer(advance)));
    assert_eq!(stage.balance(stage.usd), [available - money("1000"), held]);
    assert_eq!((stage.exchange.orders_of(stage.ann).count(), stage.lent()), (1, Money::ZERO));
    assert_eq!(stage.clearing(), None, "nothing completes later");
}

/// A payment that banks cannot send is refused.
#[test]
fn what_banks_do_not_send() {
    let mut stage = Stage::new();
    let house = stage.exchange.state.ledger().house(LENDING.name).unwrap();
    let group = stage.exchange.state.access().account(stage.ann).unwrap().group;
    let [vault, perps] = [AccountKind::Custody, AccountKind::Derivatives].map(|kind| {
        let opened = stage.exchange.state.stamp().time;
        let account = Account { group, short_name: kind.name().to_owned(), kind, ..Account::house(opened) };
        assert_eq!(stage.own(Body::open_account(account)), Answer::Done);
        AccountId::from_index(stage.exchange.state.access().accounts().len() - 1)
    });
    let good = Receipt {
        account: stage.ann,
        currency: stage.usd,
        amount: money("1"),
        method: TransferMethod::Wire,
        number: String::new(),
        routing: String::new(),
    };
    for (receipt, reject) in [
        (Receipt { account: AccountId(99), ..good.clone() }, Reject::UnknownAccount),
        (Receipt { account: house, ..good.clone() }, Reject::UnknownAccount),
        (Receipt { account: vault, ..good.clone() }, Reject::WrongKind),
        (Receipt { account: perps, ..good.clone() }, Reject::WrongKind),
        (Receipt { account: perps, method: TransferMethod::Ach, ..good.clone() }, Reject::WrongKind),
        (Receipt { currency: stage.btc, ..good.clone() }, Reject::UnknownCurrency),
        (Receipt { currency: CurrencyId(99), ..good.clone() }, Reject::UnknownCurrency),
        (Receipt { method: TransferMethod::Sen, ..good.clone() }, Reject::BadMethod),
        (Receipt { amount: Money::ZERO, ..good.clone() }, Reject::BadAmount),
        (Receipt { amount: -money("1"), ..good.clone() }, Reject::BadAmount),
        (Receipt { amount: Money::MAX, ..good.clone() }, Reject::BadAmount),
    ] {
        let before = stage.exchange.state.funds().clone();
        assert_eq!(
            stage.bank(BankCommand::Receive(Arc::new(receipt.clone()))),
            refused(reject),
            "{receipt:?}"
        );
        assert_eq!(stage.exchange.state.funds(), &before);
    }
    assert!(matches!(stage.bank(BankCommand::Receive(Arc::new(good))), Answer::Funds(_)));
}

/// A halt of withdrawals stops payments by banks too, and takes nothing back that was accepted.
#[test]
fn halted_withdrawals_stop_payments() {
    let mut stage = Stage::new();
    let bank = stage.link();
    stage.receive("300", TransferMethod::Wire);
    assert!(matches!(stage.pay(bank, "10"), Answer::Funds(Made::Transfer(_))));
    for scope in [Scope::Withdrawals, Scope::Asset(stage.usd)] {
        stage.own(FundsCommand::from(HaltCommand::Halt(scope)));
        assert_eq!(stage.pay(bank, "10"), refused(Reject::Halted), "{scope:?}");
        stage.own(FundsCommand::from(HaltCommand::Resume(scope)));
        assert!(matches!(stage.pay(bank, "10"), Answer::Funds(Made::Transfer(_))), "{scope:?}");
    }
}

/// The house lends no more than it can count: a return beyond that is refused, and changes nothing.
#[test]
fn the_house_lends_what_it_can_count() {
    const MOST: &str = "999999999999999999";
    let mut stage = Stage::new();
    assert_eq!(stage.bank(BankCommand::SetAdvanceLimit(Money::MAX)), Answer::Done);
    let advances: Vec<Eid> = (0..18)
        .map(|_| {
            let eid = stage.receive(MOST, TransferMethod::Ach);
            let (account, currency, amount) = (stage.ann, stage.usd, -money(MOST));
            let debit = Adjustment { account, currency, amount, reference: String::new() };
            assert_eq!(stage.own(LedgerCommand::Adjust(Arc::new(debit))), Answer::Done);
            eid
        })
        .collect();
    assert!(stage.exchange.state.funds().advanced(stage.ann, stage.usd) > money(MOST), "no sum overflows");
    let last = advances.len() - 1;
    for (at, eid) in advances.into_iter().enumerate() {
        let answer = stage.settle(eid, true);
        assert_eq!(answer == refused(Reject::BadAmount), at == last, "{at}: {answer:?}");
    }
}
