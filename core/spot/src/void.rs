//! Full breaks: both parties of a trade return what they got, and the house both fees (ORD-023).

use alloc::vec::Vec;
use buttonwood_ledger::{About, Bucket, Cause, FEES, Ledger, Posting};
use buttonwood_model::{AssetId, Symbol};
use buttonwood_num::Money;
use buttonwood_trading::{Break, BreakError};

/// Whether a full break of the trade can be settled: every account has what it returns available.
///
/// # Errors
/// [`BreakError::Short`] names the first account that has not; [`BreakError::Unknown`] for a trade that no two accounts can have
/// made.
pub fn can_void(ledger: &Ledger, symbol: &Symbol, broken: &Break) -> Result<(), BreakError> {
    let accounts = [broken.buyer.account, broken.seller.account];
    if accounts.into_iter().any(|account| account.0 >= ledger.accounts()) {
        return Err(BreakError::Unknown);
    }
    for Posting { account, asset, amount, .. } in entry(ledger, symbol, broken).ok_or(BreakError::Unknown)? {
        let available = ledger.balance(account, asset).available;
        let left = available.checked_add(amount).ok_or(BreakError::Unknown)?;
        if amount.is_negative() && left.is_negative() {
            return Err(BreakError::Short { account, asset, lacks: -left });
        }
    }
    Ok(())
}

/// Settles a full break.
///
/// # Panics
/// When an account lacks what it returns; [`can_void`] prevents it.
pub fn void(ledger: &mut Ledger, symbol: &Symbol, broken: &Break) {
    let entry = entry(ledger, symbol, broken).expect("the decision computed it");
    let parties = [&broken.buyer, &broken.seller];
    let parties = parties.map(|party| (party.account, About::Trade(party.order, broken.trade)));
    ledger.post_between(Cause::Break, &entry, parties);
}

/// The entry that reverses a trade, one posting for each balance. None beyond the range of money.
fn entry(ledger: &Ledger, symbol: &Symbol, broken: &Break) -> Option<Vec<Posting>> {
    let Break { buyer, seller, qty, .. } = broken;
    let (base, quote): (AssetId, AssetId) = (symbol.base.into(), symbol.quote.into());
    let (amount, notional) = (symbol.grid.base(*qty)?, broken.notional(symbol)?);
    let house = ledger.house(FEES.name)?;
    let mut entry: Vec<Posting> = Vec::new();
    let mut add = |account, asset, amount: Money| match entry
        .iter_mut()
        .find(|posting| (posting.account, posting.asset) == (account, asset))
    {
        // An account may have traded with itself in an auction.
        Some(posting) => posting.amount += amount,
        None => entry.push(Posting { account, asset, bucket: Bucket::Available, amount }),
    };
    add(buyer.account, base, -amount);
    add(seller.account, base, amount);
    add(buyer.account, quote, notional.checked_add(buyer.fee)?);
    add(seller.account, quote, seller.fee - notional);
    add(house, quote, -buyer.fee.checked_add(seller.fee)?);
    Some(entry)
}
