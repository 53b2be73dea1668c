//! The bytes of the files are pinned: a build that writes other ones cannot continue the files of an earlier one.

use super::*;
use crate::history::{
    ClearingEnd, ClearingRow, ClosedContractOrder, ConversionRow, EntryRow, FundingRow, PredictionRow,
    PublicTrade, SettledPosition, Settlement, SoldClaims, StakingKind, StakingRow,
};
use buttonwood_engine::{About, Cause};
use buttonwood_model::{
    CancelReason, Claim, Codes, CurrencyId, ExecutionOption, OrderKind, SessionId, Side, TradeId,
};
use buttonwood_num::{Money, Price, Qty};

/// Numbers of all widths, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> (self.0 >> 58)
    }

    fn small(&mut self) -> u32 {
        u32::try_from(self.next() % 5).unwrap()
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next()).unwrap() % bound
    }

    fn one_of<T: Copy, const N: usize>(&mut self, values: [T; N]) -> T {
        values[self.below(N)]
    }

    fn money(&mut self) -> Money {
        let units = i128::from(self.next()) * i128::from(self.next());
        Money::from_units(if self.below(2) == 0 { units } else { -units })
    }

    fn qty(&mut self) -> Qty {
        Qty::from_hundredths(u128::from(self.next()) * u128::from(self.next()))
    }

    fn account(&mut self) -> AccountId {
        AccountId(self.small())
    }

    fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(2) == 0).then_some(value)
    }

    fn client_id(&mut self) -> Option<ClientId> {
        let number = u8::try_from(self.small()).unwrap();
        self.maybe(client_id(number % 3))
    }

    fn funding(&mut self) -> FundingRow {
        let account = self.account();
        FundingRow {
            account: self.maybe(account),
            symbol: SymbolId(self.small()),
            hour: Time(self.next()),
            amount: self.money(),
        }
    }

    fn entry(&mut self) -> EntryRow {
        let abouts = [
            About::Nothing,
            About::Order(OrderId(self.next())),
            About::Trade(OrderId(self.next()), TradeId(self.next())),
            About::Transfer(self.next()),
            About::Clearing(Codes::default().code(self.next()), TradeId(self.next())),
            About::Staking(Codes::default().code(self.next())),
            About::Contract(SymbolId(self.small())),
        ];
        EntryRow {
            account: self.account(),
            currency: CurrencyId(u16::try_from(self.small()).unwrap()),
            time: Time(self.next()),
            amount: self.money(),
            balance: self.money(),
            cause: Cause::ALL[self.below(Cause::ALL.len())],
            about: self.one_of(abouts),
        }
    }

    fn conversion(&mut self) -> ConversionRow {
        ConversionRow {
            account: self.account(),
            symbol: SymbolId(self.small()),
            order: OrderId(self.next()),
            time: Time(self.next()),
            side: self.one_of([Side::Buy, Side::Sell]),
            qty: self.qty(),
            price: self.money(),
            notional: self.money(),
            fee: self.money(),
            client_id: self.client_id(),
        }
    }

    fn clearing(&mut self) -> ClearingRow {
        let (target, target_order, broker) = (self.account(), OrderId(self.next() | 1), self.account());
        ClearingRow {
            number: self.next(),
            symbol: SymbolId(self.small()),
            side: self.one_of([Side::Buy, Side::Sell]),
            price: Price::from_ticks(self.next()),
            qty: self.qty(),
            end: self.one_of([ClearingEnd::Settled, ClearingEnd::Expired, ClearingEnd::Cancelled]),
            is_confirmed: self.below(2) == 0,
            source: self.account(),
            source_order: OrderId(self.next()),
            target: self.maybe(target),
            target_order: self.maybe(target_order),
            broker: self.maybe(broker),
            submitted: Time(self.next()),
            expires: Time(self.next()),
            changed: Time(self.next()),
        }
    }

    fn staking(&mut self) -> StakingRow {
        let kinds = [
            StakingKind::Deposit,
            StakingKind::Redeem,
            StakingKind::Interest { rate: self.next(), price: self.money() },
            StakingKind::Paid { requested: Time(self.next()) },
        ];
        let [high, low] = [self.next(), self.next()].map(u64::to_be_bytes);
        StakingRow {
            account: self.account(),
            provider: [high, low].concat().try_into().unwrap(),
            currency: CurrencyId(u16::try_from(self.small()).unwrap()),
            number: self.next(),
            amount: self.money(),
            time: Time(self.next()),
            kind: self.one_of(kinds),
        }
    }

    fn closed_order(&mut self) -> ClosedContractOrder {
        let (stop, option, reason) = (Price::from_ticks(self.next() | 1), self.option(), self.reason());
        ClosedContractOrder {
            account: self.account(),
            contract: SymbolId::contract(self.small()),
            order: OrderId(self.next()),
            claim: self.one_of([Claim::Yes, Claim::No]),
            side: self.one_of([Side::Buy, Side::Sell]),
            kind: self.one_of([OrderKind::Limit, OrderKind::StopLimit, OrderKind::Market]),
            option: self.maybe(option),
            price: Price::from_ticks(self.next()),
            original: self.qty(),
            remaining: self.qty(),
            notional: self.money(),
            stop: self.maybe(stop),
            placed: Time(self.next()),
            closed: Time(self.next()),
            reason: self.maybe(reason),
            client_id: self.client_id(),
        }
    }

    fn order(&mut self) -> OrderRow {
        let (stop, option, reason) = (Price::from_ticks(self.next() | 1), self.option(), self.reason());
        let trades = Position::new(self.next() | 1).unwrap();
        let order = OrderState {
            id: OrderId(self.next()),
            account: self.account(),
            session: SessionId(self.small()),
            symbol: SymbolId(self.small()),
            side: self.one_of([Side::Buy, Side::Sell]),
            claim: Claim::Yes,
            kind: self.one_of([OrderKind::Limit, OrderKind::StopLimit, OrderKind::MarketSpend]),
            option: self.maybe(option),
            price: Price::from_ticks(self.next()),
            original: self.qty(),
            remaining: self.qty(),
            notional: self.money(),
            broken: Qty::ZERO,
            placed: Time(self.next()),
            reason: self.maybe(reason),
            client_id: self.client_id(),
            stop: self.maybe(stop),
        };
        OrderRow { order, closed: Time(self.next()), trades: self.maybe(trades) }
    }

    fn public(&mut self) -> PublicTrade {
        let taker = self.one_of([Side::Buy, Side::Sell]);
        PublicTrade {
            symbol: SymbolId(self.small()),
            trade: TradeId(self.next()),
            time: Time(self.next()),
            price: Price::from_ticks(self.next()),
            qty: self.qty(),
            taker: self.maybe(taker),
        }
    }

    fn option(&mut self) -> ExecutionOption {
        self.one_of([
            ExecutionOption::MakerOrCancel,
            ExecutionOption::ImmediateOrCancel,
            ExecutionOption::FillOrKill,
            ExecutionOption::AuctionOnly,
        ])
    }

    fn reason(&mut self) -> CancelReason {
        self.one_of([
            CancelReason::MakerOrCancelWouldTake,
            CancelReason::Requested,
            CancelReason::Uncovered,
            CancelReason::InsufficientFunds,
        ])
    }

    fn settled(&mut self) -> SettledPosition {
        let results = [
            Settlement::Outcome(Claim::Yes),
            Settlement::Outcome(Claim::No),
            Settlement::Void(None),
            Settlement::Void(Some(self.money())),
        ];
        SettledPosition {
            account: self.account(),
            contract: SymbolId::contract(self.small()),
            claim: self.one_of([Claim::Yes, Claim::No]),
            quantity: self.money(),
            payout: self.money(),
            cost: self.money(),
            realised: self.money(),
            result: self.one_of(results),
            time: Time(self.next()),
        }
    }

    fn sold(&mut self) -> SoldClaims {
        SoldClaims {
            account: self.account(),
            contract: SymbolId::contract(self.small()),
            claim: self.one_of([Claim::Yes, Claim::No]),
            order: OrderId(self.next()),
            trade: TradeId(self.next()),
            quantity: self.money(),
            proceeds: self.money(),
            cost: self.money(),
            time: Time(self.next()),
        }
    }
}

/// The length and the checksum of each file.
fn sums(directory: &TempDir) -> Vec<(usize, u32)> {
    contents(directory).iter().map(|bytes| (bytes.len(), crc32c::crc32c(bytes))).collect()
}

/// The files of a venue, with rows of every kind.
#[test]
fn files_have_their_bytes() {
    let directory = tempdir().unwrap();
    let mut rig = scattered(directory.path());
    rig.history.flush().unwrap();
    assert_eq!(
        sums(&directory),
        [
            (14_484, 0x93e3_2c10),
            (16_870, 0x07b0_3db5),
            (10_007, 0x2889_6fcc),
            (5_140, 0x32f0_e214),
            (10_608, 0xf2ec_c0d3),
            (9_578, 0x591a_4222),
            (13_527, 0x6084_294d),
            (12_110, 0xe766_660b),
            (8_740, 0x82a9_4253),
            (14_077, 0x6ee5_bb5a),
        ]
    );
}

/// Rows with fields of every form and width.
#[test]
fn rows_have_their_bytes() {
    let directory = tempdir().unwrap();
    let mut history = History::open(directory.path(), Index::new(KEY)).unwrap();
    let mut numbers = Numbers(1);
    for _ in 0..500 {
        history.push(&numbers.funding());
        history.push(&numbers.entry());
        history.push(&numbers.conversion());
        history.push(&numbers.clearing());
        history.push(&numbers.staking());
        history.push(&PredictionRow::Order(numbers.closed_order()));
        history.push(&PredictionRow::Settled(numbers.settled()));
        history.push(&PredictionRow::Sold(numbers.sold()));
    }
    history.flush().unwrap();
    assert_eq!(
        sums(&directory),
        [
            (8, 0xc0fc_3e16),
            (8, 0xe0af_6f1f),
            (8, 0x5392_12bd),
            (11_489, 0x34fa_6799),
            (26_676, 0xd6b7_cd16),
            (39_433, 0x78e9_25bc),
            (27_820, 0x83d6_28e1),
            (22_113, 0xf177_40d2),
            (101_573, 0xe9d5_8acc),
            (8, 0x3cae_1cb8),
        ]
    );
}

/// Rows whose links depend on earlier rows, with fields of every width.
#[test]
fn linked_rows_have_their_bytes() {
    let directory = tempdir().unwrap();
    let mut history = History::open(directory.path(), Index::new(KEY)).unwrap();
    let mut numbers = Numbers(2);
    let (orders, trades): (Vec<_>, Vec<_>) = (0..500).map(|_| (numbers.order(), numbers.public())).unzip();
    for row in &orders {
        history.push(row);
    }
    for row in &trades {
        history.push(row);
    }
    history.flush().unwrap();
    let scan = Scan::open(&Folder::from(directory.path()), history.index().lengths()).unwrap().unwrap();
    assert!(scan.orders.map(Result::unwrap).eq(orders));
    assert!(scan.public.map(Result::unwrap).eq(trades));
    assert_eq!(sums(&directory)[1..3], [(49_167, 0xc581_fb9a), (28_175, 0x25bc_6144)]);
}
