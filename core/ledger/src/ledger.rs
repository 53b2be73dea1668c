//! All balances and their indices.

mod laws;
mod moves;
mod prefetch;
mod watch;

pub use laws::BrokenLaw;
pub use prefetch::Entry;

use crate::balance::Owner;
use crate::house::Named;
use crate::reason::Recorder;
use crate::trade::Owed;
use crate::{Balance, HouseAccount};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId, Claim, Currency, CurrencyId, DOLLAR, GUSD, Held, SymbolId};
use buttonwood_num::{Money, Round};
use serde::{Deserialize, Serialize};

/// Every balance of the exchange.
///
/// A dense index finds the balance of (account, currency) in two loads; a sparse one finds the balances of other
/// assets. Both are derived: call [`Ledger::reindex`] after a restore.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    accounts: u32,
    currencies: Vec<Currency>,
    balances: Vec<Balance>,
    /// The owner of each balance; apart, since movements need not read it.
    owners: Vec<Owner>,
    houses: Vec<HouseAccount>,
    /// The references that were used.
    references: BTreeSet<String>,
    fingerprint: u64,
    /// The sums of the makers' parts of the order that is being settled; empty between commands.
    #[serde(skip)]
    owed: Owed,
    /// A row of entries per account, at least as long as the list of currencies. 0 means no balance; else the place
    /// in `balances` plus one.
    #[serde(skip)]
    index: Vec<u32>,
    /// The length of a row is 2 to this power.
    #[serde(skip)]
    stride: u32,
    /// Places of the claims of accounts.
    #[serde(skip)]
    sparse: BTreeMap<(AccountId, AssetId), u32>,
    /// By contract: the places of its escrow's dollars and claims.
    #[serde(skip)]
    escrows: Vec<EscrowRow>,
    #[serde(skip)]
    named: Named,
    #[serde(skip)]
    dollar: Option<CurrencyId>,
    #[serde(skip)]
    gusd: Option<CurrencyId>,
    #[serde(skip)]
    watch: watch::Watch,
    /// The changes of entries since they were last taken, if this ledger records.
    #[serde(skip)]
    moves: Recorder,
}

/// The entries of an escrow, as those of the index: of its dollars, and of the claims on yes and no.
type EscrowRow = [u32; 3];

/// Why money cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerError {
    /// The sum would leave the range of [`Money`].
    OutOfRange,
}

impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        (self.accounts, &self.currencies, self.fingerprint)
            == (other.accounts, &other.currencies, other.fingerprint)
            && (&self.balances, &self.owners) == (&other.balances, &other.owners)
            && (&self.houses, &self.references) == (&other.houses, &other.references)
    }
}

/// An odd constant with well-spread bits (2^64 ÷ golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The place that an entry leads to, if it leads to one.
fn place_of(entry: u32) -> Option<usize> {
    Some(AccountId(entry.checked_sub(1)?).index())
}

impl Ledger {
    /// Number of accounts opened so far.
    pub fn accounts(&self) -> u32 {
        self.accounts
    }

    /// Number of balances ever used.
    pub fn len(&self) -> usize {
        self.balances.len()
    }

    /// Whether no balance was ever used.
    pub fn is_empty(&self) -> bool {
        self.balances.is_empty()
    }

    /// Whether a reference was used; the empty one never is.
    pub fn has_reference(&self, reference: &str) -> bool {
        self.references.contains(reference)
    }

    /// Notes that a reference was used.
    pub(crate) fn use_reference(&mut self, reference: String) {
        if !reference.is_empty() {
            self.references.insert(reference);
        }
    }

    /// The account that [`Ledger::open_account`] will open next.
    pub fn next_account(&self) -> AccountId {
        AccountId(self.accounts)
    }

    /// Opens an account without balances.
    pub fn open_account(&mut self) -> AccountId {
        let account = self.next_account();
        self.accounts += 1;
        self.index.resize(self.index.len() + self.row_len(), 0);
        account
    }

    /// Opens a house account.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn open_house(&mut self, name: String, may_be_negative: bool) -> AccountId {
        assert!(self.house(&name).is_none(), "a house account is opened once");
        let house = HouseAccount { name, account: self.open_account(), may_be_negative };
        self.named.note(&house);
        let account = house.account;
        self.houses.push(house);
        account
    }

    /// The house accounts, in the order in which they were opened.
    pub fn houses(&self) -> &[HouseAccount] {
        &self.houses
    }

    /// The house account of this name.
    pub fn house(&self, name: &str) -> Option<AccountId> {
        self.houses.iter().find(|house| house.name == name).map(|house| house.account)
    }

    /// The account that fees go to; no account before it is open.
    #[inline]
    pub fn fees(&self) -> AccountId {
        self.named.fees
    }

    /// Whether an account is the house's: one of those opened by name, or the escrow of a contract.
    pub fn is_house(&self, account: AccountId) -> bool {
        account.is_escrow() || self.houses.iter().any(|house| house.account == account)
    }

    /// The dollars in all escrows together.
    pub fn escrowed(&self) -> Money {
        let places = self.escrows.iter().filter_map(|[dollars, ..]| place_of(*dollars));
        places.filter_map(|place| self.balances.get(place)).map(|balance| balance.available).sum()
    }

    /// All currencies.
    pub fn currencies(&self) -> &[Currency] {
        &self.currencies
    }

    /// Lists a currency.
    pub fn list_currency(&mut self, currency: Currency) {
        self.note_settlement(CurrencyId::from_index(self.currencies.len()), &currency.code);
        self.currencies.push(currency);
        if self.currencies.len() > self.row_len() {
            self.reindex();
        }
    }

    /// Notes a currency that others are settled in.
    fn note_settlement(&mut self, currency: CurrencyId, code: &str) {
        if code == DOLLAR {
            self.dollar.get_or_insert(currency);
        } else if code == GUSD {
            self.gusd.get_or_insert(currency);
        }
    }

    /// The dollar, once it is listed.
    pub fn dollar(&self) -> Option<CurrencyId> {
        self.dollar
    }

    /// The currency that perpetuals are settled in, once it is listed.
    pub fn gusd(&self) -> Option<CurrencyId> {
        self.gusd
    }

    /// Rebuilds the derived index, after a restore or when the rows are too short.
    pub fn reindex(&mut self) {
        for place in 0..self.currencies.len() {
            let code = self.currencies.get(place).map(|currency| currency.code.clone()).unwrap_or_default();
            self.note_settlement(CurrencyId::from_index(place), &code);
        }
        self.stride = self.currencies.len().next_power_of_two().trailing_zeros();
        self.index.clear();
        self.index.resize(self.row_len() * AccountId(self.accounts).index(), 0);
        self.sparse.clear();
        self.escrows.clear();
        for place in 0..self.owners.len() {
            if let Some(owner) = self.owners.get(place).copied() {
                self.enter(owner, place);
            }
        }
        for house in &self.houses {
            self.named.note(house);
        }
    }

    fn row_len(&self) -> usize {
        1 << self.stride
    }

    fn at(&self, account: AccountId, currency: CurrencyId) -> usize {
        // A row has at most 2^16 entries, and there are fewer than 2^32 accounts: no bit is lost.
        account.index().wrapping_shl(self.stride) | currency.index()
    }

    fn enter(&mut self, Owner { account, asset }: Owner, place: usize) {
        let entry = u32::try_from(place + 1).expect("fewer than 2^32 balances");
        let at = if let Some(contract) = account.as_escrow() {
            self.escrow_entry_mut(contract, asset)
        } else if let Some(currency) = asset.currency() {
            let at = self.at(account, currency);
            self.index.get_mut(at)
        } else {
            self.sparse.insert((account, asset), entry);
            return;
        };
        *at.expect(
            "every account has a row as long as the list of currencies, and an escrow one of its assets",
        ) = entry;
    }

    /// The entry of an escrow's balance, made with its row.
    fn escrow_entry_mut(&mut self, contract: SymbolId, asset: AssetId) -> Option<&mut u32> {
        let column = self.escrow_column(contract, asset)?;
        let rows = self.escrows.len().max(contract.contract_index() + 1);
        self.escrows.resize(rows, EscrowRow::default());
        self.escrows.get_mut(contract.contract_index())?.get_mut(column)
    }

    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn place(&self, account: AccountId, asset: AssetId) -> Option<usize> {
        let dense = asset.currency().and_then(|currency| self.index.get(self.at(account, currency)));
        let entry = match dense {
            Some(entry) => *entry,
            None => self.sparse_entry(account, asset),
        };
        place_of(entry)
    }

    /// The entry of a claim, or of an asset of an escrow; 0 where there is none.
    #[cold]
    #[inline(never)]
    fn sparse_entry(&self, account: AccountId, asset: AssetId) -> u32 {
        let entry = match account.as_escrow() {
            None => self.sparse.get(&(account, asset)),
            Some(contract) => self
                .escrow_column(contract, asset)
                .and_then(|column| self.escrows.get(contract.contract_index())?.get(column)),
        };
        entry.copied().unwrap_or_default()
    }

    /// Where an asset stands in the row of an escrow, which holds dollars and its own claims.
    fn escrow_column(&self, contract: SymbolId, asset: AssetId) -> Option<usize> {
        match asset.as_claim() {
            Some((of, claim)) => (of == contract).then_some(1 + claim.index()),
            None => (asset.currency() == self.dollar).then_some(0),
        }
    }

    /// The place of the balance, made if it does not exist.
    #[inline]
    fn place_mut(&mut self, account: AccountId, asset: AssetId) -> usize {
        match self.place(account, asset) {
            Some(place) => place,
            None => self.new_place(account, asset),
        }
    }

    #[cold]
    fn new_place(&mut self, account: AccountId, asset: AssetId) -> usize {
        let place = self.balances.len();
        self.balances.push(Balance::default());
        self.owners.push(Owner { account, asset });
        self.enter(Owner { account, asset }, place);
        self.note_place(account, asset, place);
        // From here on, the fingerprint identifies the owner by the place.
        let owner = u64::from(account.0) << 32 | u64::from(asset.number());
        self.fingerprint = (self.fingerprint ^ owner).wrapping_mul(SPREAD).rotate_left(29);
        place
    }

    /// The account's balance in the asset.
    pub fn balance(&self, account: AccountId, asset: impl Into<AssetId>) -> Balance {
        self.find(account, asset).1
    }

    /// The account's balance in the asset, and the place that it has or will get.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn find(&self, account: AccountId, asset: impl Into<AssetId>) -> (Held, Balance) {
        match self.place(account, asset.into()) {
            Some(place) => {
                let balance = self.balances.get(place).expect("the index leads to balances");
                (Held::from_index(place), *balance)
            }
            None => (Held::from_index(self.balances.len()), Balance::default()),
        }
    }

    /// All balances ever used, in the order of first use.
    pub fn balances(&self) -> impl Iterator<Item = (AccountId, AssetId, Balance)> {
        let owned = self.balances.iter().zip(&self.owners);
        owned.map(|(balance, owner)| (owner.account, owner.asset, *balance))
    }

    /// The account's balances that were ever used, by currency.
    pub fn balances_of(&self, account: AccountId) -> impl Iterator<Item = (CurrencyId, Balance)> {
        (0..self.currencies.len()).map(CurrencyId::from_index).filter_map(move |currency| {
            let place = self.place(account, currency.into())?;
            Some((currency, *self.balances.get(place)?))
        })
    }

    /// The account's balances in assets that are no currencies, as far as they were ever used.
    pub fn claims_of(&self, account: AccountId) -> impl Iterator<Item = (AssetId, Balance)> {
        let first = AssetId::claim(SymbolId(0), Claim::Yes);
        let own = self.sparse.range((account, first)..).take_while(move |((owner, _), _)| *owner == account);
        own.filter_map(move |((_, asset), _)| {
            Some((*asset, *self.balances.get(self.place(account, *asset)?)?))
        })
    }

    /// Whether the source account can issue this much within the range of money.
    ///
    /// # Errors
    /// [`LedgerError::OutOfRange`].
    pub fn can_issue(&self, currency: CurrencyId, amount: Money) -> Result<(), LedgerError> {
        self.can_give(self.named.source, currency, amount)
    }

    /// Whether a house account that may be negative can give this much within the range of money. The sum of such accounts' debts
    /// bounds all other balances, so nothing else can overflow then.
    ///
    /// # Errors
    /// [`LedgerError::OutOfRange`].
    pub fn can_give(&self, house: AccountId, currency: CurrencyId, amount: Money) -> Result<(), LedgerError> {
        let left = self.left_with(currency, Some((house, amount)));
        if left.is_some() { Ok(()) } else { Err(LedgerError::OutOfRange) }
    }

    /// How much more the house accounts that may be negative can owe together within the range of money.
    pub fn left_to_give(&self, currency: CurrencyId) -> Money {
        self.left_with(currency, None).unwrap_or(Money::ZERO)
    }

    /// Whether all that the house accounts have given of a currency, and `more` of it, can be valued at a price, sixteen times over: the
    /// figures of an account add up several currencies.
    pub fn can_value(&self, currency: CurrencyId, more: Money, price: Money) -> bool {
        let value = || {
            let given = Money::MAX.checked_sub(self.left_to_give(currency))?.checked_add(more)?;
            given.times(price, Round::Up)
        };
        value().is_some_and(|value| value <= Money::from_units(i128::MAX / 16))
    }

    /// The amount that is left after one of them gave an amount. None beyond the range.
    fn left_with(&self, currency: CurrencyId, gift: Option<(AccountId, Money)>) -> Option<Money> {
        let may_owe = self.houses.iter().filter(|house| house.may_be_negative);
        let owed = may_owe.map(|house| {
            let own = gift.filter(|(giver, _)| *giver == house.account);
            let amount = own.map_or(Money::ZERO, |(_, amount)| amount);
            let after = self.balance(house.account, currency).available.checked_add(-amount)?;
            Some(after.min(Money::ZERO))
        });
        let owed = { owed }.try_fold(Money::ZERO, |sum, owed| sum.checked_add(owed?))?;
        // The smallest number is excluded: the sum of all other balances, its negative, is not representable.
        Some(Money::from_units(i128::MAX.checked_add(owed.units())?)).filter(|left| !left.is_negative())
    }

    /// The chain of all balances so far; see [`Ledger::post`].
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

#[cfg(test)]
mod tests;
