//! A clearing order.

use buttonwood_model::{AccountId, CurrencyId, OrderId, RowHash, Side, Symbol, SymbolId, Time};
use buttonwood_num::{Bps, Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// How far an order has come (CLR-006). `Confirmed` is never shown: the last confirmation leads to one of the states after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Status {
    /// A bilateral order awaits its counterparty.
    AwaitConfirm,
    /// A broker's order awaits its source.
    AwaitSourceConfirm,
    /// A broker's order awaits its target.
    AwaitTargetConfirm,
    /// A broker's order awaits both.
    AwaitSourceTargetConfirm,
    /// It is confirmed, and waits for money.
    AttemptSettlement,
    /// Both legs have moved.
    Settled,
    /// Its time was over before it settled.
    Expired,
    /// It was cancelled before it was confirmed.
    Canceled,
}

impl Status {
    /// Every status, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::AwaitConfirm,
        Self::AwaitSourceConfirm,
        Self::AwaitTargetConfirm,
        Self::AwaitSourceTargetConfirm,
        Self::AttemptSettlement,
        Self::Settled,
        Self::Expired,
        Self::Canceled,
    ];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwaitConfirm => "AwaitConfirm",
            Self::AwaitSourceConfirm => "AwaitSourceConfirm",
            Self::AwaitTargetConfirm => "AwaitTargetConfirm",
            Self::AwaitSourceTargetConfirm => "AwaitSourceTargetConfirm",
            Self::AttemptSettlement => "AttemptSettlement",
            Self::Settled => "Settled",
            Self::Expired => "Expired",
            Self::Canceled => "Canceled",
        }
    }

    /// Its number in fingerprints.
    const fn number(self) -> u64 {
        match self {
            Self::AwaitConfirm => 0,
            Self::AwaitSourceConfirm => 1,
            Self::AwaitTargetConfirm => 2,
            Self::AwaitSourceTargetConfirm => 3,
            Self::AttemptSettlement => 4,
            Self::Settled => 5,
            Self::Expired => 6,
            Self::Canceled => 7,
        }
    }

    /// Whether it awaits a confirmation.
    pub const fn is_open(self) -> bool {
        matches!(
            self,
            Self::AwaitConfirm
                | Self::AwaitSourceConfirm
                | Self::AwaitTargetConfirm
                | Self::AwaitSourceTargetConfirm
        )
    }
}

/// A side of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Party {
    /// The initiator of a bilateral order, or a broker's source.
    Source,
    /// The other side.
    Target,
}

/// An order, as it stands or as it was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Its number; [`Clearing::code`](crate::Clearing::code) is its `clearing_id`.
    pub number: u64,
    /// Its symbol, of spot.
    pub symbol: SymbolId,
    /// The side of its source.
    pub side: Side,
    /// The price.
    pub price: Price,
    /// The quantity, in the base currency.
    pub qty: Qty,
    /// The source.
    pub source: AccountId,
    /// The source's order id, from the common counter.
    pub source_order: OrderId,
    /// Whether the source has agreed: by its entry, or by its confirmation of a broker's order.
    pub source_confirmed: bool,
    /// The target: the one that was named, or that has confirmed.
    pub target: Option<AccountId>,
    /// The target's order id; there is one once the target has confirmed.
    pub target_order: Option<OrderId>,
    /// The broker; none of a bilateral order.
    pub broker: Option<AccountId>,
    /// When it was entered.
    pub submitted: Time,
    /// When it expires. At this time it neither is confirmed nor settles any more.
    pub expires: Time,
    /// The last change of its status, or the last confirmation.
    pub changed: Time,
    /// Its place among the confirmed orders, by the last confirmation; 0 before.
    pub rank: u64,
    /// How far it has come.
    pub status: Status,
}

/// The money that a side of an order gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) account: AccountId,
    pub(crate) currency: CurrencyId,
    pub(crate) amount: Money,
}

impl Order {
    /// Whether both sides have agreed; it stays so when the order expires.
    pub const fn is_confirmed(&self) -> bool {
        self.source_confirmed && self.target_order.is_some()
    }

    /// The account that entered it.
    pub fn entered_by(&self) -> AccountId {
        self.broker.unwrap_or(self.source)
    }

    /// The side of the order that an account is; none for the broker and for others.
    pub fn party(&self, account: AccountId) -> Option<Party> {
        if self.source == account {
            Some(Party::Source)
        } else if self.target == Some(account) {
            Some(Party::Target)
        } else {
            None
        }
    }

    /// Whether the account is one of its sides or its broker.
    pub fn concerns(&self, account: AccountId) -> bool {
        self.party(account).is_some() || self.broker == Some(account)
    }

    /// Whether the account entered it, or has confirmed it: then it counts for the account, and the account cannot be closed.
    pub fn binds(&self, account: AccountId) -> bool {
        self.entered_by() == account
            || match self.party(account) {
                Some(Party::Source) => self.source_confirmed,
                Some(Party::Target) => self.target_order.is_some(),
                None => false,
            }
    }

    /// Whether an account may see it (CLR-005, D-88): its parties and its broker, and while it is open without a counterparty every account
    /// that holds its id.
    pub fn is_seen_by(&self, account: AccountId) -> bool {
        self.concerns(account) || self.status.is_open() && self.target.is_none()
    }

    /// The side as an account sees it: its own, and the source's for the broker.
    pub fn side_of(&self, account: AccountId) -> Side {
        if self.source == account || self.broker == Some(account) { self.side } else { self.side.opposite() }
    }

    /// Whether its time is over.
    pub fn is_over(&self, now: Time) -> bool {
        now >= self.expires
    }

    /// The currency and the amount that a side gives, with a fee at `rate`; none beyond the range of money.
    pub fn gives(&self, party: Party, symbol: &Symbol, rate: Bps) -> Option<(CurrencyId, Money)> {
        let side = match party {
            Party::Source => self.side,
            Party::Target => self.side.opposite(),
        };
        let amount = match side {
            Side::Buy => symbol.grid.cost(self.price, self.qty, rate)?,
            Side::Sell => symbol.grid.base(self.qty)?,
        };
        Some((symbol.paid_in(side), amount))
    }

    /// What source and target give; none before there is a target, and beyond the range of money.
    pub(crate) fn needs(&self, symbol: &Symbol, rate: Bps) -> Option<[Need; 2]> {
        let need = |party, account| {
            let (currency, amount) = self.gives(party, symbol, rate)?;
            Some(Need { account, currency, amount })
        };
        Some([need(Party::Source, self.source)?, need(Party::Target, self.target?)?])
    }

    /// The row in a fingerprint.
    pub(crate) fn hash(&self) -> RowHash {
        const ROW: RowHash = RowHash::of("clearing order");
        let side = match self.side {
            Side::Buy => 0,
            Side::Sell => 1,
        };
        let account = |account: AccountId| u64::from(account.0);
        ROW.word(self.number)
            .word(self.symbol.0.into())
            .word(side)
            .word(self.price.ticks())
            .bytes(&self.qty.hundredths().to_le_bytes())
            .word(account(self.source))
            .word(self.source_order.0)
            .word(self.source_confirmed.into())
            .option(self.target.map(account))
            .option(self.target_order.map(|order| order.0))
            .option(self.broker.map(account))
            .word(self.submitted.0)
            .word(self.expires.0)
            .word(self.changed.0)
            .word(self.rank)
            .word(self.status.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::Fingerprint;

    const SOURCE: AccountId = AccountId(5);
    const TARGET: AccountId = AccountId(6);
    const BROKER: AccountId = AccountId(7);
    const OTHER: AccountId = AccountId(8);

    fn bilateral() -> Order {
        Order {
            number: 1,
            symbol: SymbolId(2),
            side: Side::Buy,
            price: Price::from_ticks(10_000),
            qty: Qty::from_hundredths(300),
            source: SOURCE,
            source_order: OrderId(40),
            source_confirmed: true,
            target: Some(TARGET),
            target_order: None,
            broker: None,
            submitted: Time(100),
            expires: Time(200),
            changed: Time(100),
            rank: 0,
            status: Status::AwaitConfirm,
        }
    }

    fn brokered() -> Order {
        Order {
            source_confirmed: false,
            broker: Some(BROKER),
            status: Status::AwaitSourceTargetConfirm,
            ..bilateral()
        }
    }

    /// Each account sees its own side; the broker sees the source's.
    #[test]
    fn a_side_is_the_callers() {
        let sides = [SOURCE, TARGET, BROKER, OTHER].map(|account| brokered().side_of(account));
        assert_eq!(sides, [Side::Buy, Side::Sell, Side::Buy, Side::Sell]);
    }

    /// Only while it is open without a counterparty do others see an order that hold its id.
    #[test]
    fn an_order_is_seen_by_its_parties() {
        let seen = |order: Order| [SOURCE, TARGET, BROKER, OTHER].map(|account| order.is_seen_by(account));
        assert_eq!(seen(bilateral()), [true, true, false, false]);
        assert_eq!(seen(brokered()), [true, true, true, false]);
        let open = Order { target: None, ..bilateral() };
        assert_eq!(seen(open), [true; 4]);
        assert_eq!(seen(Order { status: Status::Canceled, ..open }), [true, false, false, false]);
    }

    /// An order binds who entered it and who confirmed it.
    #[test]
    fn an_order_binds_who_agreed() {
        let bound = |order: Order| [SOURCE, TARGET, BROKER, OTHER].map(|account| order.binds(account));
        assert_eq!(bound(bilateral()), [true, false, false, false]);
        assert_eq!(
            bound(Order { target_order: Some(OrderId(41)), ..bilateral() }),
            [true, true, false, false]
        );
        assert_eq!(bound(brokered()), [false, false, true, false]);
        assert_eq!(bound(Order { source_confirmed: true, ..brokered() }), [true, false, true, false]);
    }

    /// Its time is over at its instant, not after it.
    #[test]
    fn an_order_is_over_at_its_instant() {
        assert_eq!([199, 200, 201].map(|now| bilateral().is_over(Time(now))), [false, true, true]);
    }

    /// A replay with another order has another fingerprint, whatever differs (INV-LEDGER-7).
    #[test]
    fn an_order_that_differs_shows() {
        let of = |order: Order| {
            let mut fingerprint = Fingerprint::default();
            fingerprint.add(order.hash());
            fingerprint.part("clearing")
        };
        let right = brokered();
        for wrong in [
            Order { number: 2, ..right },
            Order { symbol: SymbolId(3), ..right },
            Order { side: Side::Sell, ..right },
            Order { price: Price::from_ticks(10_001), ..right },
            Order { qty: Qty::from_hundredths(301), ..right },
            Order { source: OTHER, ..right },
            Order { source_order: OrderId(41), ..right },
            Order { source_confirmed: true, ..right },
            Order { target: None, ..right },
            Order { target_order: Some(OrderId(41)), ..right },
            Order { broker: None, ..right },
            Order { submitted: Time(101), ..right },
            Order { expires: Time(201), ..right },
            Order { changed: Time(101), ..right },
            Order { rank: 1, ..right },
            Order { status: Status::Expired, ..right },
        ] {
            assert_ne!(of(wrong), of(right), "{wrong:?}");
        }
    }

    /// Every status has a name and a number of its own.
    #[test]
    fn statuses_are_told_apart() {
        for (place, status) in (0..).zip(Status::ALL) {
            assert_eq!(status.number(), place);
            assert_eq!(Status::ALL.iter().filter(|other| other.name() == status.name()).count(), 1);
        }
        assert_eq!(Status::ALL.iter().filter(|status| status.is_open()).count(), 4);
    }
}
