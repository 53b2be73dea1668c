//! The coins for which a new directory lends dollars, and those that count as collateral, from the table `data/credit.csv`.

use crate::trouble::Trouble;
use buttonwood_engine::{Body, perp, spot_margin};
use buttonwood_model::{Currency, CurrencyId};

const CREDIT: &str = include_str!("../data/credit.csv");

/// A row of the table.
struct Row {
    currency: CurrencyId,
    lends: bool,
    /// The percentage of its value that counts as collateral; 0 if it is none.
    collateral: u8,
    is_dollar: bool,
}

/// The commands that set both lists, of a new directory that lists these currencies. A directory of an earlier build keeps the lists that were
/// built in until operators set others.
pub(crate) fn commands(currencies: &[Currency]) -> Result<[Body; 2], Trouble> {
    let rows = CREDIT.lines().skip(1).map(|line| row(line, currencies)).collect::<Result<Vec<_>, _>>()?;
    let coins = rows.iter().filter(|row| row.lends);
    let coins = coins.map(|row| spot_margin::Coin { currency: row.currency, lends: true }).collect();
    let counted = rows.iter().filter(|row| row.collateral > 0);
    let counted = counted.map(|row| perp::Counted {
        currency: row.currency,
        percent: row.collateral,
        is_dollar: row.is_dollar,
    });
    let collateral = perp::Command::SetCollateral(counted.collect());
    Ok([spot_margin::Command::SetCoins(coins).into(), collateral.into()])
}

fn row(line: &str, currencies: &[Currency]) -> Result<Row, Trouble> {
    let bad = |what: &str| Trouble::Reference(format!("{what} in '{line}'"));
    let fields: Vec<&str> = line.split(',').collect();
    let [code, lends, collateral, is_dollar] = *fields else { return Err(bad("4 fields expected")) };
    let place = currencies.iter().position(|listed| listed.code == code);
    Ok(Row {
        currency: place.map(CurrencyId::from_index).ok_or_else(|| bad("an unknown currency"))?,
        lends: lends == "true",
        collateral: collateral.parse().map_err(|_| bad("a percentage expected"))?,
        is_dollar: is_dollar == "true",
    })
}
