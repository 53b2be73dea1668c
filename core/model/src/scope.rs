//! Scopes of access tokens (OAUTH-027 to OAUTH-039).

use crate::{Role, Roles};
use serde::{Deserialize, Serialize};

/// One scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Reads deposit addresses and approved addresses.
    AddressesRead,
    /// Makes deposit addresses, and asks for approved addresses.
    AddressesCreate,
    /// Reads balances.
    BalancesRead,
    /// Adds banks.
    BanksCreate,
    /// Reads payment methods.
    BanksRead,
    /// Withdraws by SEN.
    PaymentsCreate,
    /// Enters, confirms and cancels clearing orders.
    ClearingCreate,
    /// Reads clearing orders and trades.
    ClearingRead,
    /// Withdraws coins.
    CryptoSend,
    /// Reads past orders, trades, transfers and volumes.
    HistoryRead,
    /// Places and cancels orders.
    OrdersCreate,
    /// Reads orders and positions.
    OrdersRead,
    /// Reads the account.
    AccountRead,
}

impl Scope {
    /// Every scope, in the order of the specification's table.
    pub const ALL: [Self; 13] = [
        Self::AddressesRead,
        Self::AddressesCreate,
        Self::BalancesRead,
        Self::BanksCreate,
        Self::BanksRead,
        Self::PaymentsCreate,
        Self::ClearingCreate,
        Self::ClearingRead,
        Self::CryptoSend,
        Self::HistoryRead,
        Self::OrdersCreate,
        Self::OrdersRead,
        Self::AccountRead,
    ];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddressesRead => "addresses:read",
            Self::AddressesCreate => "addresses:create",
            Self::BalancesRead => "balances:read",
            Self::BanksCreate => "banks:create",
            Self::BanksRead => "banks:read",
            Self::PaymentsCreate => "payments:create",
            Self::ClearingCreate => "clearing:create",
            Self::ClearingRead => "clearing:read",
            Self::CryptoSend => "crypto:send",
            Self::HistoryRead => "history:read",
            Self::OrdersCreate => "orders:create",
            Self::OrdersRead => "orders:read",
            Self::AccountRead => "account:read",
        }
    }

    /// The scope with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// A user needs one of these roles to grant it: one that some endpoint of the scope takes (D-134).
    pub const fn roles(self) -> Roles {
        const TRADER: Role = Role::Trader;
        const FUNDS: Role = Role::FundManager;
        const AUDITOR: Role = Role::Auditor;
        match self {
            Self::AddressesRead
            | Self::AddressesCreate
            | Self::BalancesRead
            | Self::BanksCreate
            | Self::BanksRead => Roles::of(&[TRADER, FUNDS, AUDITOR]),
            Self::PaymentsCreate | Self::CryptoSend => Roles::of(&[FUNDS]),
            Self::ClearingCreate | Self::OrdersCreate => Roles::of(&[TRADER]),
            Self::ClearingRead | Self::OrdersRead => Roles::of(&[TRADER, AUDITOR]),
            Self::HistoryRead | Self::AccountRead => {
                Roles::of(&[Role::Administrator, TRADER, FUNDS, AUDITOR])
            }
        }
    }

    /// Whether a user must have given a code in the last minutes to grant it: it moves money, or where money may go.
    pub const fn needs_code(self) -> bool {
        matches!(
            self,
            Self::CryptoSend
                | Self::PaymentsCreate
                | Self::ClearingCreate
                | Self::AddressesCreate
                | Self::BanksCreate
        )
    }

    #[expect(clippy::as_conversions, reason = "there are 13")]
    const fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scopes(u16);

impl Scopes {
    /// No scope. As a requirement: no token.
    pub const NONE: Self = Self(0);
    /// Every scope.
    pub const ALL: Self = Self::of(&Scope::ALL);

    /// The set of these scopes.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut rest = scopes;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Self(bits)
    }

    /// Whether the set holds `scope`.
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a token with these scopes may do what needs one of `needed`.
    pub const fn allows(self, needed: Self) -> bool {
        self.0 & needed.0 != 0
    }

    /// Whether every scope of this set is in the other.
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The scopes that both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set with one more scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// The scopes of this set that a user with these roles may grant (D-134).
    #[must_use]
    pub fn grantable(self, roles: Roles) -> Self {
        self.iter().filter(|scope| roles.allows(scope.roles())).fold(Self::NONE, Self::with)
    }

    /// The scopes in the set, in the order of the specification's table.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets hold what they are made of, and each name is read back.
    #[test]
    fn sets_hold_their_scopes() {
        for scope in Scope::ALL {
            assert_eq!(Scope::named(scope.name()), Some(scope));
            let one = Scopes::of(&[scope]);
            assert!(one.has(scope) && one.is_within(Scopes::ALL) && Scopes::ALL.allows(one));
            assert!(!Scopes::NONE.allows(one) && !one.allows(Scopes::NONE));
            assert_eq!(one.iter().collect::<alloc::vec::Vec<_>>(), [scope]);
        }
        assert_eq!(Scopes::ALL.iter().count(), 13);
        assert_eq!(Scope::named("orders"), None);
        assert!(!Scopes::ALL.is_within(Scopes::of(&[Scope::OrdersRead])));
    }

    /// A user grants the scopes of their roles alone.
    #[test]
    fn roles_limit_what_is_granted() {
        let auditor = Scopes::ALL.grantable(Roles::of(&[Role::Auditor]));
        assert!(auditor.has(Scope::OrdersRead) && !auditor.has(Scope::OrdersCreate));
        assert_eq!(Scopes::ALL.grantable(Roles::of(&[Role::Trader, Role::FundManager])), Scopes::ALL);
        assert_eq!(Scopes::of(&[Scope::CryptoSend]).grantable(Roles::of(&[Role::Trader])), Scopes::NONE);
    }
}
