//! `margin coin` and `collateral set`: for which coins dollars are lent, and which currencies count as collateral.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::Reject;
use buttonwood_engine::perp::{COLLATERAL_MAX, Command as PerpCommand, Counted};
use buttonwood_engine::spot_margin::{COINS_MAX, Coin, Command as MarginCommand, Reject as MarginReject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::CurrencyId;
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Text, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Lends dollars for a coin, or no more.
pub(crate) const COIN: Command =
    Command::once("margin coin", Effect::SetsTerms, |operator, fields| Box::pin(set_coin(operator, fields)))
        .about("Lends dollars for a coin that has a book against USD; with --stop no more: it then still counts as what an account has.")
        .takes::<CoinToSet>(&[
            Argument::new("currency", Form::Place),
            Argument::new("stop", Form::Switch),
            Argument::new("remove", Form::Switch),
        ])
        .gives::<CoinsSet>();

/// Counts a currency as collateral.
pub(crate) const COLLATERAL: Command =
    Command::once("collateral set", Effect::SetsTerms, |operator, fields| Box::pin(set_collateral(operator, fields)))
        .about("Counts a percentage of a currency's value as collateral of perpetuals; with 0 the currency counts no more.")
        .takes::<CollateralToSet>(&[
            Argument::new("currency", Form::Place),
            Argument::new("percent", Form::Option),
            Argument::new("dollar", Form::Switch),
        ])
        .gives::<CollateralSet>();

request! {
    /// A coin of spot margin.
    struct CoinToSet in InPayload {
        /// Its code.
        currency: Needed<Text>,
        /// Whether nothing is lent for it any more.
        stop: Flag<false>,
        /// Whether it leaves the list and counts no more, which it may only while no account owes or has live orders of spot margin.
        remove: Flag<false>,
    }
}

request! {
    /// A currency as collateral.
    struct CollateralToSet in InPayload {
        /// Its code.
        currency: Needed<Text>,
        /// The percentage of its value that counts; with 0 it is no collateral.
        percent: Needed<WholeUpTo<100>>,
        /// Whether a unit is worth one dollar; other currencies are worth their index.
        dollar: Flag<false>,
    }
}

answer! {
    /// The coins of spot margin.
    struct CoinsSet {
        /// Always `ok`.
        result: Done,
        /// The coins in force.
        coins: Vec<CoinRow>,
    }
}

answer! {
    /// A coin of spot margin.
    struct CoinRow {
        /// Its code.
        currency: String,
        /// Whether dollars are lent for it.
        lends: bool,
    }
}

answer! {
    /// The collateral of perpetuals.
    struct CollateralSet {
        /// Always `ok`.
        result: Done,
        /// The currencies in force.
        collateral: Vec<CollateralRow>,
    }
}

answer! {
    /// A currency that counts as collateral.
    struct CollateralRow {
        /// Its code.
        currency: String,
        /// The percentage of its value that counts.
        percent: u64,
        /// Whether a unit is worth one dollar.
        dollar: bool,
    }
}

async fn set_coin(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = CoinToSet::of(fields);
    let code = request.currency()?;
    let currency = operator.find_currency(&code)?;
    let (stops, leaves) = (request.stop()?, request.remove()?);
    let lends = (!leaves).then_some(!stops);
    let refuse = |reject| {
        let Reject::SpotMargin(reject) = reject else { return None };
        Some(match reject {
            MarginReject::CoinInUse => {
                bad_value("remove", "left out while accounts owe or have live orders of spot margin", "true")
            }
            MarginReject::UnknownCoin => bad_value("currency", "a coin of the list", &code),
            MarginReject::NoBook => {
                bad_value("currency", "a coin with a book against USD, and no dollar", &code)
            }
            MarginReject::BadCoins | MarginReject::BadConditions | MarginReject::NotDue => {
                bad_value("currency", &format!("one of at most {COINS_MAX} coins"), &code)
            }
        })
    };
    operator.send(MarginCommand::SetCoin(currency, lends), refuse).await?;
    // The list in force, in which a dry run has changed nothing.
    let mut coins: Vec<Coin> = {
        let views = operator.exchange.views();
        views.state().spot_margin().coins().map(|(coin, _)| coin).collect()
    };
    coins.retain(|coin| coin.currency != currency);
    coins.extend(lends.map(|lends| Coin { currency, lends }));
    coins.sort_unstable_by_key(|coin| coin.currency);
    let row = |coin: Coin| CoinRow { currency: code_of(operator, coin.currency), lends: coin.lends };
    Ok(json::body(&CoinsSet { result: Done, coins: coins.into_iter().map(row).collect() }))
}

async fn set_collateral(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = CollateralToSet::of(fields);
    let code = request.currency()?;
    let currency = operator.find_currency(&code)?;
    let (percent, is_dollar) = (request.percent()?, request.dollar()?);
    let new = Counted { currency, percent: u8::try_from(percent).unwrap_or_default(), is_dollar };
    let refuse = |reject| {
        let Reject::Perp(reject) = reject else { return None };
        Some(if reject == buttonwood_engine::perp::Reject::Unknown {
            bad_value("currency", "a listed currency other than GUSD", &code)
        } else {
            bad_value("currency", &format!("one of at most {COLLATERAL_MAX} currencies of collateral"), &code)
        })
    };
    operator.send(PerpCommand::CountCollateral(new), refuse).await?;
    // The list in force, in which a dry run has changed nothing.
    let mut list: Vec<Counted> = {
        let views = operator.exchange.views();
        let counted = views.state().perps().counted(views.state().ledger());
        counted.filter(|counted| counted.currency != currency).collect()
    };
    list.extend((new.percent > 0).then_some(new));
    list.sort_unstable_by_key(|counted| counted.currency);
    let row = |counted: Counted| CollateralRow {
        currency: code_of(operator, counted.currency),
        percent: counted.percent.into(),
        dollar: counted.is_dollar,
    };
    Ok(json::body(&CollateralSet { result: Done, collateral: list.into_iter().map(row).collect() }))
}

fn code_of(operator: &Operator<'_>, currency: CurrencyId) -> String {
    operator.names.currency(currency).code.clone()
}
