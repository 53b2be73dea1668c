//! `POST /v1/clearing/trades`: the clearing orders of an account or of a whole group (CLR-028).

use super::orders::{self, Filter, Ids, codes, decimal, status};
use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_engine::{AccountKind, ClearingCommand};
use buttonwood_gate::{Owner, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, GroupId};
use buttonwood_tables::{ClearingOrder, WantedClearing};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::clearing::ClearingStatus;
use buttonwood_wire::contract::{DecimalText, InPayload, PageRows, Text, Timestamp, Whole};
use buttonwood_wire::field::wrong_kind;
use buttonwood_wire::{answer, json, request};

/// Trader only; a master key may leave the account out.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/clearing/trades", |app, call| Box::pin(answer(app, call)))
        .by(Auth::Session)
        .right(ClearingCommand::LIST_RIGHT)
        .about("Lists the clearing orders of which an account is a side or the broker, the one that was submitted last first.")
        .notes(&[
            "A master key without `account` reads all exchange accounts of its group, `limit_per_account` orders of each; an order between \
             two of them is listed once. `limit_trades` is another name of the limit, which counts where `limit_per_account` is left out.",
        ])
        .takes::<Asked>()
        .gives::<ClearingTrades>();

/// The most orders of an account.
const ORDERS_MAX: usize = 300;

request! {
    /// Which orders.
    struct Asked in InPayload {
        /// Orders of this symbol alone.
        symbol: Text,
        /// Orders that changed at this time or later, in nanoseconds since 1970.
        timestamp_nanos: Whole,
        /// Orders submitted after this time, in seconds or milliseconds.
        timestamp: Timestamp,
        /// How many of each account at most; more than 300 are 300.
        limit_per_account: PageRows<100>,
        /// The same.
        limit_trades: PageRows<100>,
    }
}

answer! {
    /// Clearing orders.
    struct ClearingTrades {
        /// The orders, the one that was submitted last first.
        results: Vec<ClearingTrade>,
    }
}

answer! {
    /// A clearing order. Accounts are counterparty ids.
    struct ClearingTrade {
        /// The source.
        source_account as "sourceAccount": String,
        /// The target, once there is one.
        target_account as "targetAccount": Option<String>,
        /// The symbol, in upper case.
        pair: String,
        /// The side of the source.
        source_side as "sourceSide": SideName,
        /// The price.
        price: DecimalText,
        /// The quantity.
        quantity: DecimalText,
        /// Its id.
        clearing_id as "clearingId": String,
        /// How far it has come.
        status: ClearingStatus,
        /// When it expires, in milliseconds.
        expiration as "expirationTimeMs": u64,
        /// When it was submitted, in milliseconds.
        created as "createdMs": u64,
        /// The last change of its status, or the last confirmation, in milliseconds.
        updated as "lastUpdatedMs": u64,
        /// Whether a broker entered it.
        has_broker as "hasBroker": bool,
        /// Always false: no one is notified.
        was_notified as "wasNotified": bool,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let asked = Asked::of(call.payload());
    let accounts = accounts(app, call)?;
    let symbol = app.listed(asked.symbol()?.as_deref())?;
    let nanos = asked.timestamp_nanos();
    let nanos = nanos.map_err(|refusal| refusal.with_reason(Reason::InvalidTimestampInPayload))?;
    let (limit, other) = (asked.limit_per_account()?, asked.limit_trades()?);
    let is_named = call.payload().field("limit_per_account").is_some();
    let wanted = WantedClearing {
        symbol: symbol.map(|id| app.names.symbol(id).name.clone()),
        after: asked.timestamp()?,
        changed_from: nanos.map(|nanos| nanos.div_ceil(1_000)),
        rows: if is_named { limit } else { other }.rows.min(ORDERS_MAX),
        ..WantedClearing::default()
    };
    let found = orders::of(app, accounts, &Filter { wanted, is_funded: false }).await?;
    let (ids, codes) = (Ids::of(app, &found), codes(app, &found));
    let results = found.iter().zip(codes).map(|(order, code)| row(order, code, &ids)).collect();
    Ok(Reply::json(json::body(&ClearingTrades { results })))
}

fn row(order: &ClearingOrder, clearing_id: String, ids: &Ids) -> ClearingTrade {
    ClearingTrade {
        source_account: ids.get(order.source),
        target_account: order.target.map(|target| ids.get(target)),
        pair: order.symbol.to_ascii_uppercase(),
        source_side: SideName(if order.source_buys { "buy" } else { "sell" }),
        price: decimal(&order.price),
        quantity: decimal(&order.quantity),
        clearing_id,
        status: status(&order.status),
        expiration: order.expires.millis(),
        created: order.submitted.millis(),
        updated: order.changed.millis(),
        has_broker: order.broker.is_some(),
        was_notified: false,
    }
}

/// The account that the call names or its key belongs to, or all exchange accounts of a master key's group.
fn accounts(app: &App, call: &Call) -> Result<Vec<AccountId>, Refusal> {
    match (call.named(), call.owner()) {
        (Some(account), _) | (None, Owner::Account(account)) => {
            let views = app.exchange.views();
            let known = views.state().access().account(account);
            match known.filter(|known| known.kind != AccountKind::Exchange) {
                Some(other) => Err(wrong_kind(&other.short_name, other.kind.name())),
                None => Ok(vec![account]),
            }
        }
        (None, Owner::Group(group)) => Ok(of_group(app, group)),
    }
}

fn of_group(app: &App, group: GroupId) -> Vec<AccountId> {
    let views = app.exchange.views();
    let accounts = views.state().access().accounts_of(group);
    accounts.filter(|(_, account)| account.kind == AccountKind::Exchange).map(|(id, _)| id).collect()
}
