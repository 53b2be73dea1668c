//! `network add` and `asset add`: networks, and the currencies that move on them (FX-011).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::network::{Command as NetworkCommand, Reject as NetworkReject};
use buttonwood_engine::funds::{Asset, Form as AssetForm, Network, NetworkKind};
use buttonwood_engine::{FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_num::{Decimal as Digits, MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Decimal, Done, Flag, InPayload, Needed, Text, WholeUpTo};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request, words};
use std::sync::Arc;

/// Confirmations at most.
const CONFIRMATIONS_MAX: u64 = 10_000;

/// Adds a network.
pub(crate) const NETWORK: Command =
    Command::once("network add", Effect::Opens, |operator, fields| Box::pin(add_network(operator, fields)))
        .about("Adds a network; without a parent it has addresses of its own.")
        .takes::<NewNetwork>(&[
            Argument::new("network", Form::Place),
            Argument::new("kind", Form::Option),
            Argument::new("confirmations", Form::Option),
            Argument::new("memo", Form::Switch),
            Argument::new("parent", Form::Option),
        ])
        .gives::<NetworkAdded>();

/// Adds an asset.
pub(crate) const ASSET: Command =
    Command::once("asset add", Effect::Opens, |operator, fields| Box::pin(add_asset(operator, fields)))
        .about("Adds a currency to a network, where it can then be deposited and withdrawn.")
        .takes::<NewAsset>(&[
            Argument::new("network", Form::Place),
            Argument::new("currency", Form::Place),
            Argument::new("decimals", Form::Option),
            Argument::new("fee", Form::Option),
            Argument::new("minimum", Form::Option),
            Argument::new("home", Form::Switch),
            Argument::new("token", Form::Switch),
            Argument::new("contract", Form::Option),
        ])
        .gives::<AssetAdded>();

words! {
    /// How a network keeps money.
    struct KindName: "outputs", "evm", "accounts"
}

request! {
    /// A network to add.
    struct NewNetwork in InPayload {
        /// Its name: 1 to 30 lower-case letters, digits and '-'.
        network: Needed<Text>,
        /// How it keeps money: outputs (the family of bitcoin), evm, or accounts.
        kind: Needed<KindName>,
        /// The confirmations that make a payment final; the block that holds the payment is the first.
        confirmations: Needed<WholeUpTo<CONFIRMATIONS_MAX>>,
        /// Whether all accounts share one deposit address and differ in the memo.
        memo: Flag<false>,
        /// The network whose addresses it uses; its own without one.
        parent: Text,
    }
}

request! {
    /// A currency on a network.
    struct NewAsset in InPayload {
        /// The name of the network.
        network: Needed<Text>,
        /// The code of the currency.
        currency: Needed<Text>,
        /// Its decimals on the network.
        decimals: Needed<WholeUpTo<19>>,
        /// The fee of a withdrawal that is not free, in the currency.
        fee: Needed<Decimal>,
        /// The least amount of a withdrawal.
        minimum: Needed<Decimal>,
        /// Whether it is the currency's home network, which v1 withdrawals use.
        home: Flag<false>,
        /// Whether it is a token there; else it is the network's own coin.
        token: Flag<false>,
        /// The contract of a token, if it is known.
        contract: Text,
    }
}

answer! {
    /// The network that was added.
    struct NetworkAdded {
        /// Always `ok`.
        result: Done,
        /// Its name.
        network: String,
    }
}

answer! {
    /// The asset that was added.
    struct AssetAdded {
        /// Always `ok`.
        result: Done,
        /// The network.
        network: String,
        /// The code of the currency.
        currency: String,
    }
}

async fn add_network(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let sent = NewNetwork::of(fields);
    let (name, kind) = (sent.network()?.into_owned(), sent.kind()?);
    let found = NetworkKind::ALL.into_iter().find(|known| known.name() == kind);
    let confirmations = sent.confirmations()?;
    let parent = sent.parent()?.unwrap_or_default().into_owned();
    let network = Network {
        name: name.clone(),
        kind: found.ok_or_else(|| bad_value("kind", "outputs, evm or accounts", &kind))?,
        confirmations: u32::try_from(confirmations).unwrap_or(u32::MAX),
        memo: sent.memo()?,
        parent: parent.clone(),
    };
    let refuse = |reject| match of_networks(reject)? {
        NetworkReject::BadName => {
            Some(bad_value("network", "1 to 30 lower-case letters, digits and '-'", &name))
        }
        NetworkReject::Taken => Some(bad_value("network", "a name that is not listed yet", &name)),
        NetworkReject::BadParent => {
            Some(bad_value("parent", "a listed network with addresses of its own", &parent))
        }
        NetworkReject::BadConfirmations => {
            Some(bad_value("confirmations", "at least 1", &confirmations.to_string()))
        }
        NetworkReject::Foreign
        | NetworkReject::NoNetwork
        | NetworkReject::BadCurrency
        | NetworkReject::BadDecimals
        | NetworkReject::BadFee
        | NetworkReject::BadMinimum
        | NetworkReject::HomeTaken => None,
    };
    operator.send(FundsCommand::from(NetworkCommand::AddNetwork(Arc::new(network))), refuse).await?;
    Ok(json::body(&NetworkAdded { result: Done, network: name }))
}

async fn add_asset(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let sent = NewAsset::of(fields);
    let (network, code) = (sent.network()?.into_owned(), sent.currency()?.to_ascii_uppercase());
    let unknown = || {
        bad_value("currency", "a listed currency that is no fiat money", &code)
            .with_reason(Reason::InvalidCurrency)
    };
    let currency = operator.currency_id(&code).ok_or_else(unknown)?;
    let decimals = sent.decimals()?;
    let (fee, minimum) = (sent.fee()?, sent.minimum()?);
    let form = form(sent.token()?, sent.contract()?.unwrap_or_default().into_owned())?;
    let asset = Asset {
        network: network.clone(),
        currency,
        decimals: u8::try_from(decimals).unwrap_or(MONEY_DECIMALS),
        fee: amount("fee", &fee)?,
        minimum: amount("minimum", &minimum)?,
        is_home: sent.home()?,
        form,
    };
    let places = format!("an amount with at most {decimals} decimals");
    let refuse = |reject| match of_networks(reject)? {
        NetworkReject::NoNetwork => Some(bad_value("network", "a listed network", &network)),
        NetworkReject::BadCurrency => Some(unknown()),
        NetworkReject::Taken => {
            Some(bad_value("currency", &format!("one that is not on {network} yet"), &code))
        }
        NetworkReject::BadFee => Some(bad_value("fee", &places, &fee)),
        NetworkReject::BadMinimum => {
            Some(bad_value("minimum", &format!("{places} and more than zero"), &minimum))
        }
        NetworkReject::HomeTaken => {
            Some(bad_value("home", "absent for a currency that has a home network", "true"))
        }
        NetworkReject::Foreign
        | NetworkReject::BadName
        | NetworkReject::BadParent
        | NetworkReject::BadConfirmations
        | NetworkReject::BadDecimals => None,
    };
    operator.send(FundsCommand::from(NetworkCommand::AddAsset(Arc::new(asset))), refuse).await?;
    let currency = operator.names.find_currency(&code).map(|id| operator.names.currency(id).code.clone());
    Ok(json::body(&AssetAdded { result: Done, network, currency: currency.ok_or_else(failed)? }))
}

fn form(is_token: bool, contract: String) -> Result<AssetForm, Refusal> {
    match (is_token, contract.is_empty()) {
        (true, _) => Ok(AssetForm::Token(contract)),
        (false, true) => Ok(AssetForm::Native),
        (false, false) => Err(bad_value("contract", "absent for what is no token", &contract)),
    }
}

fn amount(field: &str, text: &str) -> Result<Money, Refusal> {
    let amount = Digits::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
    amount.ok_or_else(|| bad_value(field, "a decimal that is not negative", text))
}

fn of_networks(reject: Reject) -> Option<NetworkReject> {
    let Reject::Funds(FundsReject::Network(reject)) = reject else { return None };
    Some(reject)
}
