//! What a run is founded with: two currencies with dollar books, accounts that borrow, makers that lend their books, an insurance fund.

use crate::trial::found::{Listing, Market, commands_of, credit, list, open, open_exchange};
use buttonwood_engine::{AccountKind, Body, Command};
use buttonwood_model::{AccountId, CurrencyId, Product, SessionId, SymbolId};
use buttonwood_oracle::Dice;

/// Accounts that borrow, and makers.
const BORROWERS: usize = 6;
const MAKERS: usize = 3;

/// A founded exchange.
pub(super) struct Founded {
    pub(super) commands: Vec<Command>,
    pub(super) usd: CurrencyId,
    pub(super) gusd: CurrencyId,
    pub(super) fund: AccountId,
    pub(super) borrowers: Vec<(AccountId, SessionId)>,
    pub(super) makers: Vec<(AccountId, SessionId)>,
    /// The symbol that turns dollars of one kind into the other.
    pub(super) wraps: SymbolId,
    markets: Vec<Market>,
}

impl Founded {
    /// One of the two markets.
    pub(super) fn market_mut(&mut self, at: usize) -> &mut Market {
        self.markets.get_mut(at).expect("there are two")
    }
}

/// The commands that found the exchange.
pub(super) fn found(dice: &mut Dice) -> Founded {
    let mut exchange = open_exchange();
    let [usd, gusd] = ["USD", "GUSD"].map(|code| exchange.find_currency(code));
    let swap = Listing {
        quote: "GUSD",
        product: Product::Swap,
        lot: "0.0001",
        tick: "0.5",
        least: 100,
        wraps: false,
    };
    let spot = |lot| Listing { quote: "USD", product: Product::Spot, lot, tick: "0.01", ..swap };
    let mut markets = Vec::new();
    for (code, lot, ticks) in [("BTC", "0.00000001", 5_000_000), ("ETH", "0.000001", 300_000)] {
        let market = list(&mut exchange, code, &spot(lot), ticks);
        // The contract makes the index a mark.
        list(&mut exchange, code, &swap, 1);
        markets.push(market);
    }
    let dollars = Listing { lot: "0.01", tick: "0.01", wraps: true, ..spot("0.01") };
    let wraps = list(&mut exchange, "GUSD", &dollars, 100).symbol;
    exchange.own(Body::add_group("margin".into()));
    let fund = exchange.state.ledger().house("insurance").expect("it is opened first");
    for market in &markets {
        exchange.own(market.pin());
    }
    let (mut borrowers, mut makers) = (Vec::new(), Vec::new());
    for number in 0..BORROWERS {
        let borrower = open(&mut exchange, &format!("borrower-{number}"), AccountKind::Margin);
        credit(&mut exchange, borrower.0, usd, 10_000);
        credit(&mut exchange, borrower.0, gusd, 2_000);
        borrowers.push(borrower);
    }
    for number in 0..MAKERS {
        let maker = open(&mut exchange, &format!("maker-{number}"), AccountKind::Exchange);
        credit(&mut exchange, maker.0, usd, 50_000_000);
        credit(&mut exchange, maker.0, gusd, 100_000);
        for market in &markets {
            credit(&mut exchange, maker.0, market.base, 10_000);
        }
        makers.push(maker);
    }
    let of_fund = dice.pick(&[(usd, 1), (usd, 500), (gusd, 5_000), (usd, 100_000)]);
    credit(&mut exchange, fund, of_fund.0, of_fund.1);
    let commands = commands_of(&exchange);
    Founded { commands, usd, gusd, fund, borrowers, makers, wraps, markets }
}
