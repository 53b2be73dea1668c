//! A small exchange for the tests of this room.

use crate::Funds;
use crate::network::{self, Asset, Event, Form, Network, NetworkKind};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::{Access, Account, AccountKind};
use buttonwood_index::{Indices, Sources};
use buttonwood_leave::{Advances, Bound, Rooms, Worth};
use buttonwood_ledger::{Balance, Bucket, Cause, HOUSES, Ledger, Posting};
use buttonwood_model::{AccountId, Currency, CurrencyId, CurrencyKind, GroupId, Time};
use buttonwood_num::Money;
use buttonwood_room::{Context, ContextMut};
use buttonwood_trading::Floor;

/// Nothing but transfers bounds what may leave an account.
impl Rooms for Funds {
    fn most(&self, _account: AccountId, _currency: CurrencyId) -> Option<Money> {
        None
    }

    fn bound(&self, account: AccountId, currency: CurrencyId) -> Bound {
        Funds::bound(self, account, currency)
    }

    fn debts(&self, account: AccountId) -> Vec<(CurrencyId, Money)> {
        self.debts_of(account).collect()
    }

    fn group_in_advance(&self, account: AccountId) -> Vec<AccountId> {
        if self.has_advances(account) { alloc::vec![account] } else { Vec::new() }
    }

    fn liabilities(&self, _account: AccountId) -> Money {
        Money::ZERO
    }

    fn worth(&self, _account: AccountId, _currency: CurrencyId) -> Worth {
        Worth::Dollar
    }
}

impl buttonwood_index::Bound for Funds {
    fn is_bound(&self, _account: AccountId) -> bool {
        false
    }
}

impl buttonwood_room::Rooms for Funds {
    fn fund(&self) -> Option<buttonwood_risk::liquidation::Fund> {
        None
    }
}

/// The context of an exchange without symbols.
pub(crate) fn context<'a>(
    (funds, access): (&'a Funds, &'a Access),
    ledger: &'a Ledger,
    advances: &'a Advances,
    (indices, floor): (&'a Indices, &'a Floor),
    time: Time,
) -> Context<'a, Funds> {
    let (dollar, depth) = (ledger.dollar(), Money::ZERO);
    let sources = Sources {
        indices,
        symbols: &[],
        orders: &floor.orders,
        dollar,
        needed: 1,
        depth,
        bound: funds,
        time,
    };
    Context {
        room: funds,
        floor,
        symbols: &[],
        orders: &floor.orders,
        ledger,
        access,
        sources,
        advances,
        rooms: funds,
        is_halted: false,
        seed: 7,
        next_id: 1,
        time,
    }
}

/// The dollar.
pub(crate) const USD: CurrencyId = CurrencyId(0);
/// Bitcoin, on its own network.
pub(crate) const BTC: CurrencyId = CurrencyId(1);
/// The dollar token, on ethereum.
pub(crate) const GUSD: CurrencyId = CurrencyId(2);

/// So many units of a currency, in millionths.
pub(crate) fn micro(amount: i128) -> Money {
    Money::from_units(amount * 10_i128.pow(13))
}

/// Bitcoin and ethereum, with one asset each.
fn tables() -> impl Iterator<Item = Event> {
    let rows = [("bitcoin", NetworkKind::Outputs, BTC, 8), ("ethereum", NetworkKind::Evm, GUSD, 2)];
    rows.into_iter().flat_map(|(name, kind, currency, decimals)| {
        let (name, parent) = (String::from(name), String::new());
        let (fee, minimum, form) = (micro(10_000), micro(10_000), Form::Native);
        let network = name.clone();
        [
            Event::NetworkAdded(Network { name, kind, confirmations: 3, memo: false, parent }),
            Event::AssetAdded(Asset { network, currency, decimals, fee, minimum, is_home: true, form }),
        ]
    })
}

/// Ledger, access and the state of the room, with an exchange account and a custody account.
pub(crate) struct Rig {
    pub(crate) funds: Funds,
    pub(crate) ledger: Ledger,
    pub(crate) advances: Advances,
    pub(crate) access: Access,
    indices: Indices,
    floor: Floor,
    pub(crate) time: Time,
    /// The exchange account, with 10 of each currency.
    pub(crate) ann: AccountId,
    /// The custody account, with 10 of each currency.
    pub(crate) vault: AccountId,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let (mut ledger, mut access) = (Ledger::default(), Access::default());
        for (code, kind, networks) in [
            ("USD", CurrencyKind::Fiat, Vec::new()),
            ("BTC", CurrencyKind::Crypto, alloc::vec!["bitcoin".into()]),
            ("GUSD", CurrencyKind::Crypto, alloc::vec!["ethereum".into()]),
        ] {
            let code = String::from(code);
            ledger.list_currency(Currency { name: code.clone(), code, decimals: 19, kind, networks });
        }
        for house in HOUSES {
            ledger.open_house(house.name.into(), house.may_be_negative);
            access.add_account(Account::house(Time(0)));
        }
        access.add_group("group".into());
        let mut open = |kind| {
            let account = ledger.open_account();
            let group = Some(GroupId(0));
            access.add_account(Account { group, kind, ..Account::house(Time(0)) });
            account
        };
        let (ann, vault) = (open(AccountKind::Exchange), open(AccountKind::Custody));
        let source = ledger.house("source").unwrap();
        for (account, currency) in
            [ann, vault].into_iter().flat_map(|one| [USD, BTC, GUSD].map(|of| (one, of)))
        {
            let posting = |account, amount| Posting {
                account,
                asset: currency.into(),
                bucket: Bucket::Available,
                amount,
            };
            ledger.post(
                Cause::Adjustment,
                &[posting(source, -micro(10_000_000)), posting(account, micro(10_000_000))],
            );
        }
        let funds = Funds::default();
        // 2026-11-23 00:00 UTC.
        let time = Time(1_795_392_000 * Time::SECOND);
        let mut rig = Self {
            funds,
            ledger,
            advances: Advances::default(),
            access,
            indices: Indices::default(),
            floor: Floor::default(),
            time,
            ann,
            vault,
        };
        for event in tables() {
            rig.apply(|books| network::evolve(books, event));
        }
        rig
    }

    pub(crate) fn context(&self) -> Context<'_, Funds> {
        let Self { funds, ledger, advances, access, time, .. } = self;
        context((funds, access), ledger, advances, (&self.indices, &self.floor), *time)
    }

    /// Applies a change, and checks the laws of the ledger, of holds and of open rows after it.
    pub(crate) fn apply(&mut self, change: impl FnOnce(&mut ContextMut<'_, Funds>)) {
        let Self { funds, ledger, advances, access, indices, time, .. } = self;
        change(&mut ContextMut {
            room: funds,
            ledger,
            access,
            advances,
            indices,
            symbols: &[],
            seed: 7,
            next_id: 1,
            time: *time,
        });
        assert_eq!(self.ledger.broken_law(), None);
        assert_eq!(self.funds.unequal_sums(), None);
        for account in (0..self.ledger.accounts()).map(AccountId) {
            for currency in [USD, BTC, GUSD] {
                let held: Money = self
                    .funds
                    .reserved(account)
                    .filter(|(asset, _)| *asset == currency.into())
                    .map(|(_, held)| held)
                    .sum();
                assert_eq!(self.ledger.balance(account, currency).held, held, "INV-LEDGER-5");
            }
        }
    }

    pub(crate) fn balance(&self, account: AccountId, currency: CurrencyId) -> Balance {
        self.ledger.balance(account, currency)
    }

    pub(crate) fn house(&self, name: &str, currency: CurrencyId) -> Money {
        self.ledger.balance(self.ledger.house(name).unwrap(), currency).available
    }
}
