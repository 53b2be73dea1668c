//! `account broker`: marks an account as a broker of OTC clearing, or removes the mark (CLR-027, D-94).

use super::wrong_account;
use buttonwood_engine::ClearingCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_operate::{Argument, Command, Effect, Form, Operator};
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Switch, Text};
use buttonwood_wire::{answer, json, request};

/// With `off` the mark is removed. A broker's orders that were entered before stay valid.
pub(crate) const COMMAND: Command =
    Command::once("account broker", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about("Lets an account enter clearing orders for two others; with --off it enters no more.")
        .after("account risk")
        .takes::<Broker>(&[
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
            Argument::new("off", Form::Switch),
        ])
        .gives::<BrokerSet>();

/// `POST /sandbox/accounts/broker`.
pub(crate) const CALL: Command = COMMAND
    .called::<SetBroker, BrokerSet>(|operator, fields| Box::pin(call(operator, fields)))
    .about("Sets whether an account may enter clearing orders for two others.");

request! {
    /// An account that may be a broker.
    struct Broker in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Whether it is a broker no longer.
        off: Flag<false>,
    }
}

request! {
    /// An account that may be a broker.
    struct SetBroker in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Whether it is a broker.
        broker: Needed<Switch>,
    }
}

answer! {
    /// The mark of an account.
    struct BrokerSet {
        /// Always `ok`.
        result: Done,
        /// Whether the account is a broker now.
        broker: bool,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Broker::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    set(operator, &group, &name, !request.off()?).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetBroker::of(fields);
    let (group, name, broker) = (request.group()?, request.account()?, request.broker()?);
    set(operator, &group, &name, broker).await
}

async fn set(operator: &Operator<'_>, group: &str, name: &str, broker: bool) -> Result<Vec<u8>, Refusal> {
    let account = operator.find_account(group, name)?;
    let refuse = |reject| wrong_account(operator, (account, name), reject);
    operator.send(ClearingCommand::SetBroker(account, broker), refuse).await?;
    Ok(json::body(&BrokerSet { result: Done, broker }))
}
