//! `fees list`.

use super::{exact, names, send};
use crate::command::{Command, Lines};
use crate::operator::Operator;
use buttonwood_engine::{FeeSchedule, State};
use buttonwood_gate::Refusal;
use buttonwood_model::Product;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::{answer, json};

/// Only for operators.
pub(crate) const COMMAND: Command = Command::list("fees list", |operator, _, lines| Box::pin(run(operator, lines)))
    .about("Lists the fee rates in force: of all accounts, by tier where there are tiers; of single accounts; of promoted symbols.")
    .gives::<ListedFees>();

answer! {
    /// Fee rates.
    struct ListedFees {
        /// The product.
        product: String,
        /// The volume of 30 days, in dollars, from which on accounts have these rates, if there are tiers.
        from: Option<DecimalText>,
        /// The name of the group, of rates of a single account.
        group: Option<Label>,
        /// The short name of the account, of its own rates.
        account: Option<Label>,
        /// The symbol on which accounts pay no more than these rates, of a promotion.
        symbol: Option<String>,
        /// The rate of a maker, in basis points.
        maker_bps: u64,
        /// The rate of a taker, in basis points.
        taker_bps: u64,
        /// The rate in auctions, in basis points.
        auction_bps: u64,
    }
}

impl ListedFees {
    fn of(product: Product, rates: FeeSchedule) -> Self {
        let product = match product {
            Product::Spot => "spot",
            Product::Swap => "swap",
            Product::Contract => "contract",
        };
        Self {
            product: product.to_owned(),
            from: None,
            group: None,
            account: None,
            symbol: None,
            maker_bps: rates.maker.0.into(),
            taker_bps: rates.taker.0.into(),
            auction_bps: rates.auction.0.into(),
        }
    }
}

async fn run(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let rows = rows(operator.exchange.views().state());
    send(lines, rows.iter().map(json::body).collect()).await;
    Ok(())
}

fn rows(state: &State) -> Vec<ListedFees> {
    let fees = state.fees();
    let mut rows = Vec::new();
    for product in [Product::Spot, Product::Swap] {
        let tiers = fees.tiers_of(product);
        let before = rows.len();
        rows.extend(
            tiers.map(|tier| ListedFees {
                from: Some(exact(tier.from)),
                ..ListedFees::of(product, tier.rates)
            }),
        );
        if rows.len() == before {
            rows.push(ListedFees::of(product, fees.of_product(product)));
        }
    }
    rows.extend(fees.of_accounts().map(|(account, product, rates)| {
        let (group, name) = names(state, account);
        ListedFees { group: Some(group), account: Some(name), ..ListedFees::of(product, rates) }
    }));
    if let Some(rates) = fees.promotion() {
        rows.extend(fees.symbols_promoted().filter_map(|id| {
            let symbol = state.symbol(id)?;
            Some(ListedFees { symbol: Some(symbol.name.clone()), ..ListedFees::of(symbol.product, rates) })
        }));
    }
    rows
}
