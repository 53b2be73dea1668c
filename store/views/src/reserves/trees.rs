//! The trees of a cut, one for each currency, and the nonces of their leaves.

use super::tree::{Node, Sibling, Tree, leaf};
use super::{Cut, ESCROWS};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::BTreeMap;

/// Draws the random part of nonces from a secret of the exchange, so that they are the same after a restart and cannot be guessed.
#[derive(Clone)]
pub struct Nonces(Hmac<Sha256>);

impl Nonces {
    /// Nonces from a secret.
    ///
    /// # Panics
    /// Never: HMAC takes a key of any length.
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("HMAC takes a key of any length"))
    }

    /// The random part of an account's nonce for a currency at a cut.
    fn draw(&self, cut: Time, currency: CurrencyId, account: AccountId) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(b"buttonwood reserves");
        mac.update(&cut.0.to_le_bytes());
        mac.update(&currency.0.to_le_bytes());
        mac.update(&account.0.to_le_bytes());
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for Nonces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Nonces(hidden)")
    }
}

/// The trees of one cut.
#[derive(Debug)]
pub struct Trees {
    /// When the state was cut.
    pub time: Time,
    currencies: BTreeMap<CurrencyId, Currency>,
}

/// The tree of one currency.
#[derive(Debug)]
pub struct Currency {
    /// The root; its sum is what all accounts had.
    pub root: Node,
    /// The sum of wallets, banks and other assets (D-166).
    pub assets: Money,
    tree: Tree,
    /// Account, nonce and place of each leaf, in order of the accounts.
    leaves: Vec<(AccountId, String, usize)>,
}

/// The proof of an account's leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// Whose the leaf is, and 32 random bytes: `group/account/hex`.
    pub nonce: &'a str,
    /// The account's balance.
    pub amount: Money,
    /// The siblings from the leaf up to the root.
    pub path: Vec<Sibling>,
}

impl Trees {
    /// Builds the trees of a cut. It takes time for many accounts: not for threads that answer or publish.
    pub fn of(cut: &Cut, nonces: &Nonces) -> Self {
        let mut amounts: BTreeMap<CurrencyId, BTreeMap<AccountId, Money>> = BTreeMap::new();
        for (currency, account, amount) in &cut.amounts {
            let sum = amounts.entry(*currency).or_default().entry(*account).or_insert(Money::ZERO);
            *sum += *amount;
        }
        let assets: BTreeMap<_, _> = cut.assets.iter().copied().collect();
        let currencies = amounts.into_iter().filter_map(|(id, amounts)| {
            let assets = assets.get(&id).copied().unwrap_or(Money::ZERO);
            Some((id, Currency::of(cut, nonces, id, &amounts, assets)?))
        });
        Self { time: cut.time, currencies: currencies.collect() }
    }

    /// The currencies that an account had at the cut.
    pub fn currencies(&self) -> impl Iterator<Item = (CurrencyId, &Currency)> {
        self.currencies.iter().map(|(id, currency)| (*id, currency))
    }

    /// The proof of what an account had; none if it had nothing.
    pub fn proof(&self, currency: CurrencyId, account: AccountId) -> Option<Leaf<'_>> {
        self.currencies.get(&currency)?.proof(account)
    }

    /// The sum of the escrows of all contracts of the prediction markets at the cut, which is one leaf; none if there was nothing.
    pub fn escrowed(&self, currency: CurrencyId) -> Option<Money> {
        self.proof(currency, ESCROWS).map(|leaf| leaf.amount)
    }
}

impl Currency {
    fn of(
        cut: &Cut,
        nonces: &Nonces,
        id: CurrencyId,
        amounts: &BTreeMap<AccountId, Money>,
        assets: Money,
    ) -> Option<Self> {
        // The leaves are in the order of their random parts, which is another one at each cut: a place reveals nothing of an account.
        let mut drawn: Vec<_> = amounts
            .iter()
            .map(|(account, amount)| (nonces.draw(cut.time, id, *account), *account, *amount))
            .collect();
        drawn.sort_unstable();
        let (mut leaves, mut nodes) = (Vec::new(), Vec::new());
        for (place, (random, account, amount)) in drawn.into_iter().enumerate() {
            let nonce = format!("{}/{}", cut.name(account)?, const_hex::encode(random));
            nodes.push(leaf(&nonce, amount));
            leaves.push((account, nonce, place));
        }
        leaves.sort_unstable_by_key(|(account, ..)| *account);
        let tree = Tree::over(nodes);
        Some(Self { root: *tree.root()?, assets, tree, leaves })
    }

    fn proof(&self, account: AccountId) -> Option<Leaf<'_>> {
        let at = self.leaves.binary_search_by_key(&account, |(account, ..)| *account).ok()?;
        let (_, nonce, place) = self.leaves.get(at)?;
        let amount = self.tree.leaf(*place)?.sum;
        Some(Leaf { nonce, amount, path: self.tree.path(*place) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Side;
    use super::*;

    fn cut() -> Cut {
        let names = ["one/primary", "one/a|b", "two/primary"];
        let ends = names.iter().scan(0, |end, name| {
            *end += name.len();
            Some(*end)
        });
        let of =
            |currency, account, units| (CurrencyId(currency), AccountId(account), Money::from_units(units));
        Cut {
            time: Time(86_400_000_000),
            names: names.concat(),
            accounts: [5, 6, 9].map(AccountId).into_iter().zip(ends).collect(),
            amounts: vec![of(0, 9, 7), of(1, 5, 1), of(0, 5, 10), of(0, 6, 20)],
            assets: vec![(CurrencyId(0), Money::from_units(38)), (CurrencyId(1), Money::ZERO)],
        }
    }

    /// Each account's proof leads to the root of its currency, whose sum is that of all accounts.
    #[test]
    fn every_account_has_its_leaf() {
        let trees = Trees::of(&cut(), &Nonces::new(b"secret"));
        let roots: Vec<_> =
            trees.currencies().map(|(id, of)| (id.0, of.root.sum.units(), of.assets.units())).collect();
        assert_eq!(roots, [(0, 37, 38), (1, 1, 0)]);
        for (account, name, units) in [(5, "one/primary/", 10), (6, "one/a|b/", 20), (9, "two/primary/", 7)] {
            let proof = trees.proof(CurrencyId(0), AccountId(account)).unwrap();
            assert!(proof.nonce.starts_with(name) && proof.nonce.len() == name.len() + 64, "{}", proof.nonce);
            assert_eq!(proof.amount.units(), units);
            let reached = proof.path.iter().fold(leaf(proof.nonce, proof.amount), |below, step| {
                let pair = match step.side {
                    Side::Left => vec![step.node, below],
                    Side::Right => vec![below, step.node],
                };
                *Tree::over(pair).root().unwrap()
            });
            assert_eq!(reached, trees.currencies.get(&CurrencyId(0)).unwrap().root);
        }
        assert_eq!(trees.proof(CurrencyId(1), AccountId(9)), None);
        assert_eq!(trees.proof(CurrencyId(2), AccountId(5)), None);
    }

    /// The same cut and secret give the same trees; another secret, cut or currency gives other nonces.
    #[test]
    fn nonces_follow_from_cut_and_secret() {
        let nonce = |cut: &Cut, secret: &[u8], currency| {
            let trees = Trees::of(cut, &Nonces::new(secret));
            trees.proof(CurrencyId(currency), AccountId(5)).unwrap().nonce.to_owned()
        };
        let first = nonce(&cut(), b"secret", 0);
        assert_eq!(first, nonce(&cut(), b"secret", 0));
        let later = Cut { time: Time(2), ..cut() };
        for other in [nonce(&cut(), b"another", 0), nonce(&later, b"secret", 0), nonce(&cut(), b"secret", 1)]
        {
            assert_ne!(first, other);
        }
    }
}
