//! Roles of a key (AUTH-020 to AUTH-024).

use serde::{Deserialize, Serialize};

/// One role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Master keys only: creates and views accounts of the group.
    Administrator,
    /// Orders and everything about them.
    Trader,
    /// Money in, out and between accounts.
    FundManager,
    /// Reads only; it is never combined with another role.
    Auditor,
}

impl Role {
    /// All roles, in the order in which messages name them.
    pub const ALL: [Self; 4] = [Self::Administrator, Self::Trader, Self::FundManager, Self::Auditor];

    /// The name on the wire and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Administrator => "Administrator",
            Self::Trader => "Trader",
            Self::FundManager => "Fund Manager",
            Self::Auditor => "Auditor",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Administrator => 1,
            Self::Trader => 2,
            Self::FundManager => 4,
            Self::Auditor => 8,
        }
    }
}

/// A set of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Roles(u8);

impl Roles {
    /// No role. As a requirement, it means any key.
    pub const NONE: Self = Self(0);
    /// As a requirement: no key. A bit that no valid set of roles has.
    pub const NOBODY: Self = Self(1 << 7);
    const ALL: Self = Self::of(&Role::ALL);

    /// The set of these roles.
    pub const fn of(roles: &[Role]) -> Self {
        let mut bits = 0;
        let mut rest = roles;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Self(bits)
    }

    /// Whether the set holds `role`.
    pub const fn has(self, role: Role) -> bool {
        self.0 & role.bit() != 0
    }

    /// Whether a key with these roles may do what requires one of `needed`.
    pub const fn allows(self, needed: Self) -> bool {
        needed.0 == 0 || self.0 & needed.0 != 0
    }

    /// Whether a key may have this set: at least one role, and Auditor only alone (AUTH-024).
    pub const fn is_valid(self) -> bool {
        self.0 != 0
            && self.0 & !Self::ALL.0 == 0
            && (!self.has(Role::Auditor) || self.0 == Role::Auditor.bit())
    }

    /// Whether the set holds every role of the other one.
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The roles in the set, in the order in which messages name them.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.has(*role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves AUTH-024.
    #[test]
    fn auditor_stands_alone() {
        assert!(Roles::of(&[Role::Trader, Role::FundManager]).is_valid());
        assert!(Roles::of(&[Role::Auditor]).is_valid());
        assert!(!Roles::of(&[Role::Auditor, Role::Trader]).is_valid());
        assert!(!Roles::NONE.is_valid());
        assert!(Roles::of(&[Role::Trader]).allows(Roles::NONE));
        assert!(!Roles::of(&[Role::FundManager]).allows(Roles::of(&[Role::Trader, Role::Auditor])));
    }

    #[test]
    fn no_key_has_what_nobody_has() {
        for bits in 0..=u8::MAX {
            let roles = Roles(bits);
            assert!(!roles.is_valid() || !roles.allows(Roles::NOBODY), "{bits}");
        }
        assert!(Roles::of(&Role::ALL[..3]).is_valid() && !Roles(Roles::NOBODY.0 | 2).is_valid());
    }
}
