//! Rows of transfers: those of `/v1/transfers` and `/v2/transfers`, of the custody fees, and of `/v1/transactions`.

use crate::contract::{Components, DecimalText, Label, Node, Shape};
use crate::order::push_trade_price;
use crate::prediction::{OutcomeName, outcome_name};
use crate::{Json, Names, answer, words};
use buttonwood_engine::funds::{Networks, OnChain};
use buttonwood_engine::{
    Eid, Transfer, TransferKind as Kind, TransferReference as Reference, TransferStatus as Status,
    TransferWay as Way, Uuid,
};
use buttonwood_model::Side;
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::history::{Part, TradeRow};

words! {
    /// The type of a transfer.
    pub struct TransferType: "Deposit", "Withdrawal", "Reward", "AdminDebit", "AdminCredit"
}

words! {
    /// How far a transfer has come; what is `Advanced` trades and may not leave yet.
    pub struct TransferStatusName: "Complete", "Pending", "Advanced"
}

words! {
    /// How money moves outside the chains.
    pub struct TransferMethodName: "ACH", "Wire", "SEN", "CreditCard", "Internal"
}

answer! {
    /// A transfer. A field without a value is left out.
    pub struct TransferRow {
        /// Its type.
        pub kind as "type": TransferType,
        /// How far it has come.
        pub status: TransferStatusName,
        /// When it was first seen, in milliseconds; it stays when the status changes.
        pub timestampms: u64,
        /// Its number.
        pub eid: u64,
        /// The number of the advance that it completes.
        pub advance_eid as "advanceEid": Option<u64>,
        /// The currency.
        pub currency: String,
        /// How much, without the fee.
        pub amount: DecimalText,
        /// The network, for a transfer on a chain; only in `/v2/transfers`.
        pub network: Option<String>,
        /// The fee: always there for a transfer on a chain.
        pub fee_amount as "feeAmount": Option<DecimalText>,
        /// The currency of the fee.
        pub fee_currency as "feeCurrency": Option<String>,
        /// How many confirmations a pending deposit on a chain has.
        pub confirmations: Option<u64>,
        /// How many it needs.
        pub required_confirmations as "requiredConfirmations": Option<u64>,
        /// The hash of its transaction, once it is known.
        pub tx_hash as "txHash": Option<String>,
        /// The number of the transaction's output, on chains that have outputs.
        pub output_idx as "outputIdx": Option<u64>,
        /// The address that a withdrawal pays.
        pub destination: Option<Label>,
        /// The id that the answer of the withdrawal gave.
        pub withdrawal_id as "withdrawalId": Option<String>,
        /// How the money moves, if not on a chain.
        pub method: Option<TransferMethodName>,
        /// The purpose of an operator's credit or debit, if one was given.
        pub purpose: Option<Label>,
        /// An unusual event of a withdrawal, for people.
        pub message: Option<String>,
    }
}

words! {
    /// The kind of a fee of a custody account.
    pub struct CustodyEventName: "Withdrawal", "CustodyFeeDebit", "RiaFeeDebit", "RiaFeeCredit"
}

answer! {
    /// A fee of a custody account.
    pub struct CustodyFeeRow {
        /// When it was charged, in milliseconds.
        pub tx_time as "txTime": u64,
        /// The fee.
        pub fee_amount as "feeAmount": DecimalText,
        /// Its currency.
        pub fee_currency as "feeCurrency": String,
        /// The number of its transfer.
        pub eid: u64,
        /// The reason for the charge.
        pub event_type as "eventType": CustodyEventName,
    }
}

words! {
    /// The word `trade`.
    pub struct TradeWord: "trade"
}

words! {
    /// The word `transfer`.
    pub struct TransferWord: "transfer"
}

words! {
    /// The side of a trade among the transactions.
    pub struct TransactionSide: "SIDE_TYPE_BUY", "SIDE_TYPE_SELL"
}

words! {
    /// The status of a transfer among the transactions, which list every transfer.
    pub struct TransactionStatus: "Complete", "Pending", "Advanced", "Failed", "Voided", "Returned"
}

answer! {
    /// A trade of an account of the group.
    pub struct TradeTransaction {
        /// Always `trade`.
        pub kind as "type": TradeWord,
        /// The short name of the account.
        pub account: String,
        /// The quantity.
        pub amount: DecimalText,
        /// The id that the client gave the order; empty without one.
        pub client_order_id as "clientOrderId": String,
        /// The price.
        pub price: DecimalText,
        /// When it was made, in milliseconds.
        pub timestampms: u64,
        /// The side of the account's order.
        pub side: TransactionSide,
        /// Whether the account's order was the taker.
        pub is_aggressor as "isAggressor": bool,
        /// The currency of the fee.
        pub fee_asset_code as "feeAssetCode": String,
        /// The fee.
        pub fee_amount as "feeAmount": DecimalText,
        /// The id of the account's order.
        pub order_id as "orderId": u64,
        /// The name of the exchange.
        pub exchange: String,
        /// Whether an auction made the trade.
        pub is_auction_fill as "isAuctionFill": bool,
        /// Whether a clearing order made the trade.
        pub is_clearing_fill as "isClearingFill": bool,
        /// The symbol, in upper case.
        pub symbol: String,
        /// The id of the trade.
        pub tid: u64,
        /// The outcome that the order was about, where the symbol is a contract of the prediction markets. The price and the side are those
        /// of this outcome.
        pub outcome: Option<OutcomeName>,
    }
}

answer! {
    /// A transfer of an account of the group.
    pub struct TransferTransaction {
        /// Always `transfer`.
        pub kind as "type": TransferWord,
        /// When it was first seen, in milliseconds.
        pub timestampms: u64,
        /// Where the money comes from: an account of the group, a network, a bank's method, or the exchange.
        pub source: Label,
        /// Where the money goes: an account of the group, an address, a bank's method, or the exchange.
        pub destination: Label,
        /// Why it moved, for example `Deposit` or `CustodyFeeDebit`.
        pub operation_reason as "operationReason": String,
        /// How far it has come.
        pub status: TransactionStatus,
        /// Its number.
        pub eid: u64,
        /// The currency.
        pub currency: String,
        /// How much, without the fee.
        pub amount: DecimalText,
        /// How it moved: a bank's method, `Internal`, `Blockchain` or `Admin`.
        pub method: String,
        /// The number that the rows of one movement share: that of the first of them.
        pub correlation_id as "correlationId": Option<u64>,
        /// The id of the linked bank account that it came from or went to, if that is known.
        pub bank_id as "bankId": Option<String>,
        /// The purpose of an operator's credit or debit, if one was given.
        pub purpose: Option<Label>,
        /// The hash of its transaction, once it is known.
        pub transaction_hash as "transactionHash": Option<String>,
        /// The `uuid` of a transfer between two exchange accounts.
        pub transfer_id as "transferId": Option<String>,
        /// The `withdrawalId` that the client was given.
        pub withdrawal_id as "withdrawalId": Option<String>,
        /// The id that the client gave the transfer.
        pub client_transfer_id as "clientTransferId": Option<Label>,
        /// The number of the advance that it completes.
        pub advance_eid as "advanceEid": Option<u64>,
        /// The number of the other account's row, where this is the deposit of an internal transfer.
        pub withdrawal_eid as "withdrawalEid": Option<u64>,
        /// An unusual event of a withdrawal, for people.
        pub message: Option<String>,
    }
}

/// A trade or a transfer.
#[derive(Debug)]
pub enum Transaction {
    /// A trade.
    Trade(Box<TradeTransaction>),
    /// A transfer.
    Transfer(Box<TransferTransaction>),
}

impl Shape for Transaction {
    fn node(components: &mut Components) -> Node {
        let either =
            Node::List(vec![TradeTransaction::node(components), TransferTransaction::node(components)]);
        Node::object().with("anyOf", either)
    }

    fn write(&self, json: &mut Json) {
        match self {
            Self::Trade(trade) => trade.write(json),
            Self::Transfer(transfer) => transfer.write(json),
        }
    }
}

/// A transfer as the listings show it; `shows_network` is false in version 1 (XFER-008).
pub fn row(names: &Names, networks: &Networks, transfer: &Transfer, shows_network: bool) -> TransferRow {
    let required = |chain: &OnChain| Some(networks.find(&chain.network)?.1.confirmations.into());
    let row = &transfer.row;
    let code = &names.currency(row.currency).code;
    let chain = chain(&row.way);
    let leaves = row.kind == Kind::Withdrawal;
    let is_coming = row.kind == Kind::Deposit && row.status == Status::Pending;
    let has_fee = chain.is_some() || row.fee != Money::ZERO;
    TransferRow {
        kind: TransferType(row.kind.name()),
        status: TransferStatusName(row.status.name()),
        timestampms: transfer.time.millis(),
        eid: transfer.eid.0,
        advance_eid: row.advance.map(|Eid(advance)| advance),
        currency: code.clone(),
        amount: amount(row.amount),
        network: chain.filter(|_| shows_network).map(|chain| chain.network.clone()),
        fee_amount: has_fee.then(|| amount(row.fee)),
        fee_currency: has_fee.then(|| code.clone()),
        confirmations: chain.filter(|_| is_coming).map(|chain| chain.confirmations.into()),
        required_confirmations: chain.filter(|_| is_coming).and_then(required),
        tx_hash: transaction_hash(&row.way),
        output_idx: chain.and_then(|chain| chain.output).map(u64::from),
        destination: chain.filter(|_| leaves).map(|chain| Label(chain.address.clone())),
        withdrawal_id: withdrawal_id(&row.reference).filter(|_| leaves),
        method: method(&row.way).map(TransferMethodName),
        purpose: purpose(&row.way),
        message: message(&row.way),
    }
}

/// The unusual event of a withdrawal, if there was one.
fn message(way: &Way) -> Option<String> {
    chain(way).and_then(|chain| chain.mishap).map(|mishap| mishap.message().to_owned())
}

/// A fee of a custody account, if the row is one: the monthly fee, or that of a withdrawal.
pub fn custody_fee(names: &Names, transfer: &Transfer) -> Option<CustodyFeeRow> {
    let row = &transfer.row;
    let (fee, event) = match row.kind {
        Kind::CustodyFee => (row.amount, "CustodyFeeDebit"),
        Kind::Withdrawal if row.fee != Money::ZERO && row.status == Status::Complete => {
            (row.fee, "Withdrawal")
        }
        Kind::Withdrawal | Kind::Deposit | Kind::Reward | Kind::AdminDebit | Kind::AdminCredit => {
            return None;
        }
    };
    Some(CustodyFeeRow {
        tx_time: transfer.time.millis(),
        fee_amount: amount(fee),
        fee_currency: names.currency(row.currency).code.clone(),
        eid: transfer.eid.0,
        event_type: CustodyEventName(event),
    })
}

/// A trade among the transactions; `account` is the short name of its account.
pub fn trade_transaction(names: &Names, trade: &TradeRow, account: &str) -> Transaction {
    let symbol = names.symbol(trade.symbol);
    let side = if trade.side == Side::Buy { "SIDE_TYPE_BUY" } else { "SIDE_TYPE_SELL" };
    Transaction::Trade(Box::new(TradeTransaction {
        kind: TradeWord("trade"),
        account: account.to_owned(),
        amount: DecimalText::of(|out| symbol.grid.push_qty(out, trade.qty)),
        client_order_id: trade.client_id.as_ref().map_or_else(String::new, |id| id.as_str().to_owned()),
        price: DecimalText::of(|out| push_trade_price(out, &symbol.grid, trade)),
        timestampms: trade.time.millis(),
        side: TransactionSide(side),
        is_aggressor: trade.part == Part::Taker,
        fee_asset_code: names.currency(symbol.quote).code.clone(),
        fee_amount: amount(trade.fee),
        order_id: trade.order.0,
        exchange: names.service().to_owned(),
        is_auction_fill: trade.part == Part::Auction,
        is_clearing_fill: trade.part == Part::Clearing,
        symbol: symbol.name.to_ascii_uppercase(),
        tid: trade.trade.0,
        outcome: trade.symbol.is_contract().then(|| outcome_name(trade.claim)),
    }))
}

/// The two ends of a transfer, as its transaction names them.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// The short name of its account.
    pub account: &'a str,
    /// The short name of the account at the other end; empty where that is no account.
    pub other: &'a str,
    /// The linked bank account at the other end, if it is known.
    pub bank: Option<Uuid>,
}

/// A transfer among the transactions. Its fee and its state are in its own row, so it has neither a `feeId` nor a `pendingEid`: a pending
/// transfer keeps its row and its `eid` when it completes.
pub fn transfer_transaction(names: &Names, transfer: &Transfer, ends: Ends<'_>) -> Transaction {
    let row = &transfer.row;
    let Ends { account, other, bank } = ends;
    let leaves = matches!(row.kind, Kind::Withdrawal | Kind::AdminDebit | Kind::CustodyFee);
    let far_end = match &row.way {
        Way::Bank(method, _) => method.name(),
        Way::Internal { .. } => other,
        Way::Operator(_) => names.service(),
        Way::Chain(chain) if leaves => &chain.address,
        Way::Chain(chain) => &chain.network,
    };
    let (source, destination) = if leaves { (account, far_end) } else { (far_end, account) };
    let other_row = match row.way {
        Way::Internal { other_row: Eid(row), .. } => Some(row),
        Way::Bank(..) | Way::Operator(_) | Way::Chain(_) => None,
    };
    let advance = row.advance.map(|Eid(advance)| advance);
    let other_kind = match row.way {
        Way::Chain(_) => "Blockchain",
        Way::Bank(..) | Way::Internal { .. } | Way::Operator(_) => "Admin",
    };
    Transaction::Transfer(Box::new(TransferTransaction {
        kind: TransferWord("transfer"),
        timestampms: transfer.time.millis(),
        source: Label(source.to_owned()),
        destination: Label(destination.to_owned()),
        operation_reason: row.kind.name().to_owned(),
        status: TransactionStatus(row.status.name()),
        eid: transfer.eid.0,
        currency: names.currency(row.currency).code.clone(),
        amount: amount(row.amount),
        method: method(&row.way).unwrap_or(other_kind).to_owned(),
        correlation_id: other_row.map(|row| row.min(transfer.eid.0)).or(advance),
        bank_id: bank.map(|id| id.to_string()),
        purpose: purpose(&row.way),
        transaction_hash: transaction_hash(&row.way),
        transfer_id: match &row.reference {
            Reference::Uuid(id) => Some(id.to_string()),
            Reference::None | Reference::Withdrawal(_) | Reference::Code(_) => None,
        },
        withdrawal_id: withdrawal_id(&row.reference),
        client_transfer_id: Some(&row.client_id).filter(|id| !id.is_empty()).cloned().map(Label),
        advance_eid: advance,
        withdrawal_eid: other_row.filter(|_| !leaves),
        message: message(&row.way),
    }))
}

/// An amount, to its last decimal.
fn amount(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}

fn chain(way: &Way) -> Option<&buttonwood_engine::funds::OnChain> {
    match way {
        Way::Chain(chain) => Some(chain),
        Way::Bank(..) | Way::Internal { .. } | Way::Operator(_) => None,
    }
}

fn method(way: &Way) -> Option<&'static str> {
    match way {
        Way::Bank(method, _) => Some(method.name()),
        Way::Internal { .. } => Some(buttonwood_engine::TransferMethod::Internal.name()),
        Way::Operator(_) | Way::Chain(_) => None,
    }
}

fn transaction_hash(way: &Way) -> Option<String> {
    let hash = match way {
        Way::Internal { tx, .. } => tx,
        Way::Chain(chain) => &chain.tx,
        Way::Bank(..) | Way::Operator(_) => return None,
    };
    Some(hash).filter(|hash| !hash.is_empty()).cloned()
}

fn withdrawal_id(reference: &Reference) -> Option<String> {
    match reference {
        Reference::Withdrawal(id) => Some(id.to_string()),
        Reference::Code(code) => Some(code.clone()),
        Reference::None | Reference::Uuid(_) => None,
    }
}

fn purpose(way: &Way) -> Option<Label> {
    match way {
        Way::Operator(purpose) => Some(purpose).filter(|purpose| !purpose.is_empty()).cloned().map(Label),
        Way::Bank(..) | Way::Internal { .. } | Way::Chain(_) => None,
    }
}

#[cfg(test)]
mod tests;
