//! Orders of contracts: their fields, their rules, and how they are written in the view of their own outcome (PM-013 to PM-017).
//!
//! A contract has one book, whose prices are those of yes. An order about no is converted on its way in and out: at one less its price, on
//! the other side.

use crate::answers::{CancelReasonName, SideName};
use crate::contract::{DecimalText, Flag, InPayload, IsoTime, Loose, Needed, Nullable, Sent, Text};
use crate::draft::{Draft, Figure, Figured, Word};
use crate::order::{reason_name, side_name};
use crate::order_request::ClientOrderId;
use crate::prediction::{ContractMetadata, OutcomeName, contract_metadata, iso, outcome_name, symbol_name};
use crate::{answer, request, words};
use buttonwood_engine::prediction::{own_notional, own_price};
use buttonwood_engine::{OrderState, Place, RefusedDraft, State};
use buttonwood_gate::{Refusal, quoted};
use buttonwood_model::{
    CancelReason, Claim, ClientId, ExecutionOption, OrderId, OrderKind, RefusalReason, Side, Symbol,
    SymbolId, Time,
};
use buttonwood_num::{Decimal as Number, Grid, Money, Price, Qty};
use buttonwood_views::history::ClosedContractOrder;

words! {
    /// The type of an order of a contract.
    pub struct ContractOrderType: "limit", "stop-limit"
}

words! {
    /// How long an order of a contract lives.
    pub struct TimeInForceName: "good-til-cancel", "immediate-or-cancel", "fill-or-kill", "maker-or-cancel"
}

words! {
    /// Where an order of a contract stands.
    pub struct ContractOrderStatus: "open", "filled", "cancelled"
}

request! {
    /// A new order of a contract.
    pub struct NewContractOrder in InPayload {
        /// The symbol of the contract, in any letter case.
        symbol: Needed<Text>,
        /// The type. A stop-limit order waits until the last price of its own outcome reaches the stop price.
        order_type as "orderType": Needed<ContractOrderType>,
        /// Whether it buys or sells claims on the outcome.
        side: Needed<SideName>,
        /// The outcome.
        outcome: Needed<OutcomeName>,
        /// How many claims: a multiple of the contract's `quantityIncrement`, and at least its `quantityMinimum`.
        quantity: Figured<true>,
        /// The limit for one claim on the outcome, in dollars: a multiple of the contract's `priceIncrement` between 0 and 1.
        price: Figured<true>,
        /// The stop price of a stop-limit order, which needs one: for a buy between the last price and the limit, for a sell between the
        /// limit and the last price.
        stop_price as "stopPrice": Figured<false>,
        /// How long it lives; a stop-limit order is `good-til-cancel`, which is the default.
        time_in_force as "timeInForce": Loose<TimeInForceName>,
        /// The same as `maker-or-cancel` in `timeInForce`.
        maker_or_cancel as "makerOrCancel": Flag<false>,
        /// An id of the client's own, which need not be unique.
        client_order_id as "clientOrderId": Sent<ClientOrderId>,
    }
}

answer! {
    /// An order of a contract, in the view of its own outcome.
    pub struct ContractOrder {
        /// The exchange's id of the order.
        pub order_id as "orderId": u64,
        /// The id that the client gave the order.
        pub client_order_id as "clientOrderId": Option<String>,
        /// Where it stands. A waiting stop is `open`.
        pub status: ContractOrderStatus,
        /// The symbol of the contract.
        pub symbol: String,
        /// Whether it buys or sells claims on the outcome.
        pub side: SideName,
        /// The outcome.
        pub outcome: OutcomeName,
        /// The type.
        pub order_type as "orderType": ContractOrderType,
        /// How long it lives.
        pub time_in_force as "timeInForce": TimeInForceName,
        /// The original quantity.
        pub quantity: DecimalText,
        /// The quantity that traded.
        pub filled_quantity as "filledQuantity": DecimalText,
        /// The quantity that did not trade.
        pub remaining_quantity as "remainingQuantity": DecimalText,
        /// The limit.
        pub price: DecimalText,
        /// The stop price of a stop-limit order.
        pub stop_price as "stopPrice": Option<DecimalText>,
        /// The average price of its fills; `null` until something traded.
        pub avg_execution_price as "avgExecutionPrice": Nullable<DecimalText>,
        /// When it entered.
        pub created_at as "createdAt": IsoTime,
        /// When it last changed.
        pub updated_at as "updatedAt": IsoTime,
        /// When it was cancelled.
        pub cancelled_at as "cancelledAt": Option<IsoTime>,
        /// Why it was cancelled.
        pub cancel_reason as "cancelReason": Option<CancelReasonName>,
        /// The contract.
        pub contract_metadata as "contractMetadata": ContractMetadata,
    }
}

/// An order of a contract in the view of its own outcome.
#[derive(Clone, Copy, Debug)]
pub struct OwnOrder {
    /// Its id.
    pub id: OrderId,
    /// The contract.
    pub contract: SymbolId,
    /// The outcome.
    pub claim: Claim,
    /// Whether it buys or sells claims on the outcome.
    pub side: Side,
    /// Limit or stop-limit.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
    /// Its limit for the outcome.
    pub price: Price,
    /// Its original quantity.
    pub original: Qty,
    /// The quantity that did not trade.
    pub remaining: Qty,
    /// The quantity that traded.
    pub executed: Qty,
    /// What the traded quantity cost at the prices of the outcome.
    pub notional: Money,
    /// Its stop price for the outcome.
    pub stop: Option<Price>,
    /// When it entered.
    pub placed: Time,
    /// When it last changed.
    pub updated: Time,
    /// Why it was cancelled.
    pub reason: Option<CancelReason>,
    /// Its client id.
    pub client_id: Option<ClientId>,
}

impl From<&ClosedContractOrder> for OwnOrder {
    fn from(row: &ClosedContractOrder) -> Self {
        Self {
            id: row.order,
            contract: row.contract,
            claim: row.claim,
            side: row.side,
            kind: row.kind,
            option: row.option,
            price: row.price,
            original: row.original,
            remaining: row.remaining,
            executed: row.executed(),
            notional: row.notional,
            stop: row.stop,
            placed: row.placed,
            updated: row.closed,
            reason: row.reason,
            client_id: row.client_id,
        }
    }
}

impl OwnOrder {
    /// An order of the floor, which has the prices of the book. None if a figure is beyond what the contract can have.
    pub fn of(symbol: &Symbol, order: &OrderState, updated: Time) -> Option<Self> {
        let own = |price| own_price(symbol, order.claim, price);
        let stop = match order.stop {
            Some(stop) => Some(own(stop)?),
            None => None,
        };
        Some(Self {
            id: order.id,
            contract: order.symbol,
            claim: order.claim,
            side: side_of(order.claim, order.side),
            kind: order.kind,
            option: order.option,
            price: own(order.price)?,
            original: order.original,
            remaining: order.remaining,
            executed: order.executed(),
            notional: own_notional(symbol, order.claim, order.executed(), order.notional)?,
            stop,
            placed: order.placed,
            updated,
            reason: order.reason,
            client_id: order.client_id,
        })
    }

    fn status(&self) -> ContractOrderStatus {
        ContractOrderStatus(match self.reason {
            Some(_) => "cancelled",
            None if self.remaining > Qty::ZERO => "open",
            None => "filled",
        })
    }

    /// The order as the interface shows it. None if the contract is not in the state.
    pub fn shown(&self, state: &State) -> Option<ContractOrder> {
        let symbol = state.symbol(self.contract)?;
        let grid = &symbol.grid;
        let average = || DecimalText::of(|out| grid.push_average(out, self.notional, self.executed));
        Some(ContractOrder {
            order_id: self.id.0,
            client_order_id: self.client_id.map(|id| id.as_str().to_owned()),
            status: self.status(),
            symbol: symbol_name(symbol),
            side: SideName(side_name(self.side)),
            outcome: outcome_name(self.claim),
            order_type: type_name(self.kind),
            time_in_force: time_in_force(self.option),
            quantity: qty(grid, self.original),
            filled_quantity: qty(grid, self.executed),
            remaining_quantity: qty(grid, self.remaining),
            price: price(grid, self.price),
            stop_price: self.stop.map(|stop| price(grid, stop)),
            avg_execution_price: Nullable((self.executed > Qty::ZERO).then(average)),
            created_at: iso(self.placed),
            updated_at: iso(self.updated),
            cancelled_at: self.reason.map(|_| iso(self.updated)),
            cancel_reason: self.reason.map(|reason| CancelReasonName(reason_name(reason))),
            contract_metadata: contract_metadata(state, self.contract)?,
        })
    }
}

fn qty(grid: &Grid, qty: Qty) -> DecimalText {
    DecimalText::of(|out| grid.push_qty(out, qty))
}

fn price(grid: &Grid, price: Price) -> DecimalText {
    DecimalText::of(|out| grid.push_price(out, price))
}

/// The side of the book of an own side, or the own side of one of the book.
const fn side_of(claim: Claim, side: Side) -> Side {
    match claim {
        Claim::Yes => side,
        Claim::No => side.opposite(),
    }
}

const fn type_name(kind: OrderKind) -> ContractOrderType {
    match kind {
        OrderKind::Limit | OrderKind::Market | OrderKind::MarketSpend => ContractOrderType("limit"),
        OrderKind::StopLimit => ContractOrderType("stop-limit"),
    }
}

const fn time_in_force(option: Option<ExecutionOption>) -> TimeInForceName {
    match option {
        None | Some(ExecutionOption::AuctionOnly) => TimeInForceName("good-til-cancel"),
        Some(ExecutionOption::ImmediateOrCancel) => TimeInForceName("immediate-or-cancel"),
        Some(ExecutionOption::FillOrKill) => TimeInForceName("fill-or-kill"),
        Some(ExecutionOption::MakerOrCancel) => TimeInForceName("maker-or-cancel"),
    }
}

/// A decimal as it was sent, and as a number.
type Read<'d> = (&'d str, Number);

/// The terms of a new order that do not depend on its contract.
#[derive(Debug)]
pub struct Terms<'d> {
    /// The contract, as it was sent.
    pub symbol: &'d str,
    kind: OrderKind,
    side: Side,
    claim: Claim,
    quantity: Read<'d>,
    price: Read<'d>,
    stop: Option<Read<'d>>,
    option: Option<ExecutionOption>,
    client_id: Option<ClientId>,
}

impl<'d> Terms<'d> {
    /// The terms of a draft.
    ///
    /// # Errors
    /// The first field that is missing or bad.
    pub fn of(draft: &'d Draft<'_>) -> Result<Self, Refusal> {
        let symbol = text(&draft.symbol)?;
        let kind = match text(&draft.kind)? {
            "limit" => OrderKind::Limit,
            "stop-limit" => OrderKind::StopLimit,
            other => return Err(Refusal::misfit("Field", "orderType", "limit or stop-limit", other)),
        };
        let side = match text(&draft.side)? {
            "buy" => Side::Buy,
            "sell" => Side::Sell,
            other => return Err(Refusal::misfit("Field", "side", "buy or sell", other)),
        };
        let claim = match text(&draft.outcome)? {
            "yes" => Claim::Yes,
            "no" => Claim::No,
            other => return Err(Refusal::misfit("Field", "outcome", "yes or no", other)),
        };
        let quantity = needed("quantity", &draft.quantity)?;
        let price = needed("price", &draft.price)?;
        let stop = match &draft.stop {
            Figure::Absent | Figure::Null => None,
            Figure::Sent(..) => Some(needed("stopPrice", &draft.stop)?),
        };
        match (kind, stop) {
            (OrderKind::StopLimit, None) => {
                return Err(Refusal::missing_key("stopPrice").and("a stop-limit order needs one"));
            }
            (OrderKind::Limit, Some((text, _))) => {
                let expected = "left out: only a stop-limit order has one";
                return Err(Refusal::misfit("Field", "stopPrice", expected, text));
            }
            _ => {}
        }
        let option = option(draft, kind)?;
        let client_id = draft.client_id.clone()?;
        Ok(Self { symbol, kind, side, claim, quantity, price, stop, option, client_id })
    }

    /// The order for its contract.
    ///
    /// # Errors
    /// A quantity or a price that the contract does not take.
    pub fn place(&self, id: SymbolId, symbol: &Symbol) -> Result<Place, Refusal> {
        let qty = quantity_of(self.quantity, symbol)?;
        let price = price_of("price", self.price, self.claim, symbol)?;
        let stop = self.stop.map(|stop| price_of("stopPrice", stop, self.claim, symbol));
        Ok(Place {
            symbol: id,
            side: side_of(self.claim, self.side),
            claim: self.claim,
            kind: self.kind,
            option: self.option,
            price,
            qty,
            spend: Money::ZERO,
            client_id: self.client_id,
            stop: stop.transpose()?.unwrap_or_default(),
            margin: false,
        })
    }
}

/// The order as [`Draft::refused`] has it.
pub(crate) fn refused(draft: &Draft<'_>, id: SymbolId, refusal: &Refusal) -> Option<RefusedDraft> {
    let terms = Terms::of(draft).ok()?;
    Some(RefusedDraft {
        symbol: id,
        side: terms.side,
        claim: terms.claim,
        kind: terms.kind,
        option: terms.option,
        price: Some(terms.price.1),
        stop: terms.stop.map(|stop| stop.1),
        qty: Some(terms.quantity.1),
        spend: None,
        client_id: terms.client_id,
        reason: RefusalReason::of_name(refusal.code())?,
    })
}

/// A text of a draft; an endpoint that needs it has refused one that is absent.
fn text<'d>(word: &'d Word<'_>) -> Result<&'d str, Refusal> {
    word.as_ref().map(|text| text.as_deref().unwrap_or_default()).map_err(Clone::clone)
}

/// The option of a new order, from both of its fields.
fn option(draft: &Draft<'_>, kind: OrderKind) -> Result<Option<ExecutionOption>, Refusal> {
    let name = draft.option.as_ref().map(Option::as_deref).map_err(Clone::clone)?;
    let named = match name {
        None | Some("good-til-cancel") => None,
        Some("immediate-or-cancel") => Some(ExecutionOption::ImmediateOrCancel),
        Some("fill-or-kill") => Some(ExecutionOption::FillOrKill),
        Some("maker-or-cancel") => Some(ExecutionOption::MakerOrCancel),
        Some(other) => {
            let expected = "good-til-cancel, immediate-or-cancel, fill-or-kill or maker-or-cancel";
            return Err(Refusal::misfit("Field", "timeInForce", expected, other));
        }
    };
    let option = match (draft.maker_or_cancel.clone()?, named) {
        (false, named) => named,
        (true, None | Some(ExecutionOption::MakerOrCancel)) => Some(ExecutionOption::MakerOrCancel),
        (true, Some(_)) => {
            let expected = format!("false for an order that is {}", quoted(name.unwrap_or_default()));
            return Err(Refusal::misfit("Field", "makerOrCancel", &expected, "true"));
        }
    };
    match (kind, option) {
        (OrderKind::StopLimit, Some(option)) => {
            let expected = "good-til-cancel for a stop-limit order";
            Err(Refusal::misfit("Field", "timeInForce", expected, time_in_force(Some(option)).0))
        }
        _ => Ok(option),
    }
}

fn needed<'d>(name: &str, figure: &'d Figure<'_>) -> Result<Read<'d>, Refusal> {
    match figure.needed() {
        None => Err(Refusal::missing_key(name)),
        Some((text, Some(number))) => Ok((text, number)),
        Some((text, None)) => Err(Refusal::misfit("Field", name, "a decimal number without a sign", text)),
    }
}

fn quantity_of((text, number): Read<'_>, symbol: &Symbol) -> Result<Qty, Refusal> {
    let grid = &symbol.grid;
    let qty = grid.qty(number).filter(|qty| *qty >= symbol.qty_min);
    qty.ok_or_else(|| {
        let lot = shown(|out| grid.push_lot(out));
        let least = shown(|out| grid.push_qty(out, symbol.qty_min));
        let expected = format!("a multiple of {lot}, and at least {least}");
        Refusal::misfit("Field", "quantity", &expected, text)
    })
}

/// The price of the book for a price of the outcome.
fn price_of(name: &str, (text, number): Read<'_>, claim: Claim, symbol: &Symbol) -> Result<Price, Refusal> {
    let grid = &symbol.grid;
    let one = grid.ticks_of_one().unwrap_or_default();
    let own = grid.price(number).filter(|price| (1..one).contains(&price.ticks()));
    own.and_then(|price| own_price(symbol, claim, price)).ok_or_else(|| {
        let tick = shown(|out| grid.push_tick(out));
        let most = shown(|out| grid.push_price(out, Price::from_ticks(one.saturating_sub(1))));
        let expected = format!("a multiple of {tick}, at least {tick} and at most {most}");
        Refusal::misfit("Field", name, &expected, text)
    })
}

fn shown(print: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    print(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_engine::prediction::combo_grid;
    use buttonwood_gate::Payload;
    use buttonwood_model::{CurrencyId, Product, SymbolStatus};

    fn rain() -> Symbol {
        let (grid, qty_min) = combo_grid().unwrap();
        Symbol {
            name: "svc-rain".to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(0),
            grid,
            qty_min,
            product: Product::Contract,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }
    }

    fn place(fields: &str) -> Result<Place, String> {
        let text = format!(r#"{{"symbol":"SVC-RAIN","quantity":"5","price":"0.30",{fields}}}"#);
        let payload = Payload::read(text.into_bytes()).unwrap();
        Draft::of_contract(&payload).place(SymbolId::contract(0), &rain()).map_err(|refusal| refusal.message)
    }

    /// An order about no is on the other side of the book, at one less its price, and so is its stop. Proves PM-013, PM-018.
    #[test]
    fn orders_about_no_are_converted() {
        let yes = place(r#""orderType":"limit","side":"buy","outcome":"yes""#).unwrap();
        assert_eq!((yes.side, yes.claim, yes.price.ticks()), (Side::Buy, Claim::Yes, 30));
        let no = r#""orderType":"stop-limit","side":"sell","outcome":"no","stopPrice":"0.4""#;
        let no = place(no).unwrap();
        assert_eq!((no.side, no.claim), (Side::Buy, Claim::No));
        assert_eq!((no.price.ticks(), no.stop.ticks(), no.kind), (70, 60, OrderKind::StopLimit));
    }

    /// Both spellings of maker-or-cancel mean the same, and options that contradict each other are refused. Proves PM-014, PM-015.
    #[test]
    fn options_are_read_from_both_fields() {
        let option = |fields: &str| {
            let all = format!(r#""orderType":"limit","side":"buy","outcome":"yes",{fields}"#);
            place(&all).map(|place| place.option)
        };
        assert_eq!(option(r#""timeInForce":null"#), Ok(None));
        let maker = Ok(Some(ExecutionOption::MakerOrCancel));
        assert_eq!(option(r#""makerOrCancel":true"#), maker);
        assert_eq!(option(r#""timeInForce":"maker-or-cancel","makerOrCancel":false"#), maker);
        assert_eq!(option(r#""timeInForce":"good-til-cancel","makerOrCancel":true"#), maker);
        let both = option(r#""timeInForce":"fill-or-kill","makerOrCancel":true"#).unwrap_err();
        assert_eq!(both, "Field 'makerOrCancel' must be false for an order that is fill-or-kill: true");
        let stop = place(r#""orderType":"stop-limit","side":"buy","outcome":"yes""#).unwrap_err();
        assert_eq!(stop, "Missing required field 'stopPrice'; a stop-limit order needs one");
        let stop = option(r#""stopPrice":"0.2""#).unwrap_err();
        assert!(stop.contains("'stopPrice'") && stop.ends_with(": 0.2"), "{stop}");
    }
}
