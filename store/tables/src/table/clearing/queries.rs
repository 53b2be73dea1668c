//! Queries of closed clearing orders: those of an account, newest first, and one by its number.

use crate::{Database, Fault};
use buttonwood_model::{AccountId, OrderId, Time};
use rusqlite::{OptionalExtension, params};

/// The place of an account in a clearing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearingPart {
    /// The initiator, or the source of a broker's order.
    Source,
    /// The other side.
    Target,
    /// The broker.
    Broker,
}

/// The clearing orders that a query wants. Every condition is one more; without any, all of the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedClearing {
    /// Whether those that the account entered as the broker; otherwise those of which it is a side; `None` for both.
    pub is_broker: Option<bool>,
    /// The symbol by its name.
    pub symbol: Option<String>,
    /// The account's own side: `buy` or `sell`.
    pub side: Option<&'static str>,
    /// The status by its name.
    pub status: Option<String>,
    /// The account at the other side.
    pub other: Option<AccountId>,
    /// Submitted after this millisecond.
    pub after: Option<u64>,
    /// The first and the last millisecond of submission.
    pub submitted: Option<(u64, u64)>,
    /// The first and the last millisecond of expiration.
    pub expires: Option<(u64, u64)>,
    /// Changed at this microsecond or later.
    pub changed_from: Option<u64>,
    /// How many rows at most: the newest.
    pub rows: usize,
}

/// A clearing order as an account sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearingOrder {
    /// Its number.
    pub number: u64,
    /// The account's place in it.
    pub part: ClearingPart,
    /// The name of the symbol.
    pub symbol: String,
    /// Whether the source bought.
    pub source_buys: bool,
    /// The price, as a decimal.
    pub price: String,
    /// The quantity, as a decimal.
    pub quantity: String,
    /// Its status by its name; of a closed one `Settled`, `Expired` or `Canceled`.
    pub status: String,
    /// Whether every side had confirmed it.
    pub is_confirmed: bool,
    /// The initiator, or the source of a broker's order.
    pub source: AccountId,
    /// The order id of the source.
    pub source_order: OrderId,
    /// The other side, if there was one.
    pub target: Option<AccountId>,
    /// The order id of the target, if it had confirmed.
    pub target_order: Option<OrderId>,
    /// The broker, if it was a broker's order.
    pub broker: Option<AccountId>,
    /// When it was entered.
    pub submitted: Time,
    /// When it expires, or would have.
    pub expires: Time,
    /// The last change of its status, or the last confirmation.
    pub changed: Time,
}

impl ClearingOrder {
    /// Whether the account itself buys; of its broker whether the source does.
    pub fn buys(&self) -> bool {
        match self.part {
            ClearingPart::Source | ClearingPart::Broker => self.source_buys,
            ClearingPart::Target => !self.source_buys,
        }
    }

    /// The account's own order id; the broker has none, and the target none before it has confirmed.
    pub fn own_order(&self) -> Option<OrderId> {
        match self.part {
            ClearingPart::Source => Some(self.source_order),
            ClearingPart::Target => self.target_order,
            ClearingPart::Broker => None,
        }
    }

    /// The account at the other side; none for the broker, and while there is none.
    pub fn other(&self) -> Option<AccountId> {
        match self.part {
            ClearingPart::Source => self.target,
            ClearingPart::Target => Some(self.source),
            ClearingPart::Broker => None,
        }
    }
}

impl WantedClearing {
    /// Whether an order meets every condition: the same that [`Database::clearing_orders`] puts to closed orders.
    pub fn takes(&self, order: &ClearingOrder) -> bool {
        let is_broker = order.part == ClearingPart::Broker;
        let side = if order.buys() { "buy" } else { "sell" };
        let holds =
            |range: Option<(u64, u64)>, millis| range.is_none_or(|(from, to)| (from..=to).contains(&millis));
        self.is_broker.is_none_or(|wanted| wanted == is_broker)
            && self.symbol.as_ref().is_none_or(|wanted| *wanted == order.symbol)
            && self.side.is_none_or(|wanted| wanted == side)
            && self.status.as_ref().is_none_or(|wanted| *wanted == order.status)
            && self.other.is_none_or(|wanted| order.other() == Some(wanted))
            && self.after.is_none_or(|after| order.submitted.millis() > after)
            && holds(self.submitted, order.submitted.millis())
            && holds(self.expires, order.expires.millis())
            && self.changed_from.is_none_or(|from| order.changed.0 >= from)
    }
}

/// The columns in the order in which [`read`] takes them.
const COLUMNS: &str = "number, part, symbol, side, price, quantity, status, is_confirmed, source, source_order, target, \
     target_order, broker, submitted, expires, changed";

impl Database {
    /// The closed clearing orders of an account, the one that was submitted last first.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn clearing_orders(
        &self,
        account: AccountId,
        wanted: &WantedClearing,
    ) -> Result<Vec<ClearingOrder>, Fault> {
        let sql = format!(
            "SELECT {COLUMNS} FROM clearing_orders WHERE account = ?1
                AND (?2 IS NULL OR (part = 'broker') = ?2)
                AND (?3 IS NULL OR symbol = ?3)
                AND (?4 IS NULL OR ((part = 'target') <> (side = ?4)))
                AND (?5 IS NULL OR status = ?5)
                AND (?6 IS NULL OR (part = 'source' AND target = ?6) OR (part = 'target' AND source = ?6))
                AND (?7 IS NULL OR submitted / 1000 > ?7)
                AND (?8 IS NULL OR submitted / 1000 BETWEEN ?8 AND ?9)
                AND (?10 IS NULL OR expires / 1000 BETWEEN ?10 AND ?11)
                AND (?12 IS NULL OR changed >= ?12)
             ORDER BY number DESC LIMIT ?13"
        );
        let mut find = self.connection.prepare(&sql)?;
        let (from, to) = wanted.submitted.map_or((None, None), ends);
        let (first, last) = wanted.expires.map_or((None, None), ends);
        let values = params![
            account.0,
            wanted.is_broker,
            wanted.symbol,
            wanted.side,
            wanted.status,
            wanted.other.map(|account| account.0),
            wanted.after.map(integer),
            from,
            to,
            first,
            last,
            wanted.changed_from.map(integer),
            integer(u64::try_from(wanted.rows).unwrap_or(u64::MAX)),
        ];
        let found = find.query_map(values, read)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// A closed clearing order of an account, by its number.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn clearing_order(&self, account: AccountId, number: u64) -> Result<Option<ClearingOrder>, Fault> {
        let sql = format!("SELECT {COLUMNS} FROM clearing_orders WHERE account = ? AND number = ?");
        let mut find = self.connection.prepare(&sql)?;
        Ok(find.query_row((account.0, number.cast_signed()), read).optional()?)
    }

    /// A closed clearing order of which an account is a side, by the account's own order id.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn clearing_order_of(
        &self,
        account: AccountId,
        order: OrderId,
    ) -> Result<Option<ClearingOrder>, Fault> {
        let sql = format!(
            "SELECT {COLUMNS} FROM clearing_orders
             WHERE account = ?1 AND ((part = 'source' AND source_order = ?2) OR (part = 'target' AND target_order = ?2))"
        );
        let mut find = self.connection.prepare(&sql)?;
        Ok(find.query_row((account.0, order.0.cast_signed()), read).optional()?)
    }

    /// A closed clearing order as its source sees it, by its number alone. It reads every row: for control calls of a sandbox.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn any_clearing_order(&self, number: u64) -> Result<Option<ClearingOrder>, Fault> {
        let sql = format!("SELECT {COLUMNS} FROM clearing_orders WHERE number = ? AND part = 'source'");
        let mut find = self.connection.prepare(&sql)?;
        Ok(find.query_row((number.cast_signed(),), read).optional()?)
    }
}

/// Both ends of a range; the database has no larger number than the largest signed one.
fn ends((from, to): (u64, u64)) -> (Option<i64>, Option<i64>) {
    (Some(integer(from)), Some(integer(to)))
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn read(row: &rusqlite::Row<'_>) -> Result<ClearingOrder, rusqlite::Error> {
    let number = |place| row.get::<_, i64>(place).map(i64::cast_unsigned);
    let account = |place| row.get::<_, Option<u32>>(place).map(|account| account.map(AccountId));
    let part: String = row.get(1)?;
    let part = match part.as_str() {
        "target" => ClearingPart::Target,
        "broker" => ClearingPart::Broker,
        _ => ClearingPart::Source,
    };
    Ok(ClearingOrder {
        number: number(0)?,
        part,
        symbol: row.get(2)?,
        source_buys: row.get::<_, String>(3)? == "buy",
        price: row.get(4)?,
        quantity: row.get(5)?,
        status: row.get(6)?,
        is_confirmed: row.get(7)?,
        source: AccountId(row.get(8)?),
        source_order: OrderId(number(9)?),
        target: account(10)?,
        target_order: row.get::<_, Option<i64>>(11)?.map(|order| OrderId(order.cast_unsigned())),
        broker: account(12)?,
        submitted: Time(number(13)?),
        expires: Time(number(14)?),
        changed: Time(number(15)?),
    })
}
