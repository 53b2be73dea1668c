//! `GET /v1/reserves` and `POST /v1/reserves/proof`: what the house has and owes as of the last cut, and the proof that a balance is
//! among what it owes (D-166, INV-POR-1). `docs/check_reserves.py` checks both.

use buttonwood_address::Network;
use buttonwood_call::{App, Asked, Call, Route};
use buttonwood_engine::funds::Wallet;
use buttonwood_gate::{Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::reserves::Currency;
use buttonwood_wire::contract::{DecimalText, InPayload, IsoTime, Label, Needed, Nullable, Text};
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json, request, words};

/// Everyone.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/reserves", |app, asked| Box::pin(answer(app, asked)))
        .about("Lists what the exchange owed its customers and what it had when its state was last cut, at midnight UTC.")
        .notes(&[
            "The state is cut at 00:00 UTC, later only if the exchange was stopped or busy then; after a \
             stop over several midnights it is cut once.",
        ])
        .gives::<Reserves>();

/// Trader, Fund Manager or Auditor.
pub(crate) const PROOF: Route =
    Route::recalling("/v1/reserves/proof", |app, call| Box::pin(prove(app, call)))
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .scopes(&[Scope::BalancesRead])
        .about("Proves that the account's balance at the last cut is among the liabilities.")
        .notes(&[
            "An unknown currency is refused with `InvalidCurrency`, one that the account did not have \
             with `InvalidParameterValue`, as every currency is before the first cut.",
            "A leaf holds the whole balance to the last decimal; `/v1/balances` shows fewer. Account \
             names are those at the cut. The last node of a level with an odd number of nodes rises as it \
             is.",
        ])
        .takes::<Prove>()
        .gives::<Proof>();

request! {
    /// Which balance.
    struct Prove in InPayload {
        /// The currency.
        currency: Needed<Text>,
    }
}

words! {
    /// The side of a sibling.
    struct SiblingSide: "left", "right"
}

answer! {
    /// Liabilities and assets at the last cut, and the wallets as they are now.
    struct Reserves {
        /// The time of the cut; null before the first one.
        time: Nullable<IsoTime>,
        /// The currencies that customers had at the cut.
        currencies: Vec<CurrencyReserves>,
        /// The wallets; none without simulated funds.
        wallets: Vec<WalletReserves>,
    }
}

answer! {
    /// A currency at the last cut.
    struct CurrencyReserves {
        /// The currency.
        currency: String,
        /// The sum of all accounts' balances, and of the escrows of contracts of the prediction markets.
        liabilities: DecimalText,
        /// The part of it that lay in the escrows of contracts: one leaf of the tree.
        escrow: Option<DecimalText>,
        /// The sum of wallets, banks and other assets.
        assets: DecimalText,
        /// The hash of the root of the currency's tree, in lower-case hex.
        root: String,
    }
}

answer! {
    /// The holdings of the exchange's wallets in a currency on a network.
    struct WalletReserves {
        /// The network.
        network: String,
        /// The currency.
        currency: String,
        /// The amount in hot wallets.
        hot: DecimalText,
        /// The amount in cold wallets.
        cold: DecimalText,
        /// Their addresses, those of hot wallets first.
        addresses: Vec<String>,
    }
}

answer! {
    /// The proof of a balance.
    struct Proof {
        /// The time of the cut.
        time: IsoTime,
        /// The currency.
        currency: String,
        /// The account's balance: the amount of its leaf.
        amount: DecimalText,
        /// The group, the account and 32 random bytes: the text that makes the leaf the account's own.
        nonce: Label,
        /// From the leaf up to the root.
        path: Vec<PathStep>,
    }
}

answer! {
    /// A node that is joined with the one reached so far.
    struct PathStep {
        /// On which side it is joined.
        side: SiblingSide,
        /// Its hash, in lower-case hex.
        hash: String,
        /// Its sum.
        sum: DecimalText,
    }
}

async fn answer(app: &App, _asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let trees = app.exchange.reserves().await;
    let rows = trees.iter().flat_map(|trees| {
        trees.currencies().map(|(id, of)| {
            let code = app.names.currency(id).code.clone();
            row(code, of, trees.escrowed(id))
        })
    });
    let currencies = rows.collect();
    let views = app.exchange.views();
    let wallets = views.state().funds().reserves().wallets();
    let wallets = wallets.map(|of| wallet(app, app.names.currency(of.currency).code.clone(), of)).collect();
    let time = Nullable(trees.as_ref().map(|trees| iso(trees.time)));
    Ok(Reply::json(json::body(&Reserves { time, currencies, wallets })))
}

fn row(currency: String, of: &Currency, escrowed: Option<Money>) -> CurrencyReserves {
    CurrencyReserves {
        currency,
        liabilities: exact(of.root.sum),
        escrow: escrowed.map(exact),
        assets: exact(of.assets),
        root: of.root.hex(),
    }
}

fn wallet(app: &App, currency: String, of: &Wallet) -> WalletReserves {
    WalletReserves {
        network: of.network.clone(),
        currency,
        hot: exact(of.hot),
        cold: exact(of.cold),
        addresses: of.addresses.iter().map(|address| spelled(app, &of.network, address)).collect(),
    }
}

/// An address as every reply spells it; the state has it in canonical spelling.
fn spelled(app: &App, network: &str, address: &str) -> String {
    let read = Network::serving(network).and_then(|format| app.formats.parse(format, address).ok());
    read.map_or_else(|| address.to_owned(), |read| read.display().to_owned())
}

async fn prove(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let code = Prove::of(call.payload()).currency()?;
    let id = app.currency_id(&code).ok_or_else(|| {
        let message = format!("Field 'currency' names no listed currency: '{}'", quoted(&code));
        Refusal::new(Reason::InvalidCurrency, message)
    })?;
    let trees = app.exchange.reserves().await.ok_or_else(|| {
        let message = "There is no proof yet: reserves are cut at midnight UTC, and were not so far";
        Refusal::new(Reason::InvalidParameterValue, message)
    })?;
    let currency = app.names.currency(id).code.clone();
    let leaf = trees.proof(id, call.account()).ok_or_else(|| {
        let time = iso_millis(trees.time);
        let message =
            format!("Field 'currency' names {currency}, of which the account had nothing at {time}");
        Refusal::new(Reason::InvalidParameterValue, message)
    })?;
    let path = leaf.path.iter().map(|step| PathStep {
        side: SiblingSide(step.side.name()),
        hash: step.node.hex(),
        sum: exact(step.node.sum),
    });
    Ok(Reply::json(json::body(&Proof {
        time: iso(trees.time),
        currency,
        amount: exact(leaf.amount),
        nonce: Label(leaf.nonce.to_owned()),
        path: path.collect(),
    })))
}

fn iso(time: Time) -> IsoTime {
    IsoTime(iso_millis(time))
}

/// An amount with all decimals that it has, as it is hashed.
fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
