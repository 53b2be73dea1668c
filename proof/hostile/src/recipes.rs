//! The needs of some operations beyond fields that are good one by one: an order's price and amount of its own symbol, the fields
//! of a quote, an address that a network has, a sum that an account may have.

use crate::call::Call;
use crate::contract::Operation;
use crate::good::{Known, account, group, market};
use crate::markets::SPOT;
use crate::people::PAYEES;
use crate::pool::Learned;
use crate::raw;
use crate::rng::Rng;
use serde_json::Value;

/// An address that is approved and removed, again and again.
const OTHER_PAYEE: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

/// Makes the fields of a good call fit each other.
pub(crate) fn refine(rng: &mut Rng, known: &Known<'_>, operation: &Operation, call: &mut Call) {
    match operation.path.as_str() {
        "/v1/order/new" => order(rng, known, call),
        "/v1/margin/order/preview" => preview(rng, call),
        "/v1/order/cancel" | "/v1/order/status" => by_order_id(rng, known, call),
        "/v1/instant/execute" => execute(rng, known, call),
        "/v1/instant/quote" | "/v1/instant/quote/{side}/{symbol}" => quote(rng, known, call),
        "/v1/wrap/{symbol}" => {
            call.set("symbol", "gusdusd");
            call.set("amount", sum(rng));
        }
        "/v1/account/transfer/{currency}" => transfer(rng, known, call),
        "/v1/withdraw/{currency}" | "/v2/withdraw/{network}/{ticker}" => withdrawal(rng, call),
        "/v1/approvedAddresses/{network}/request" => pair_address(rng, call),
        "/v1/approvedAddresses/{network}/remove" => {
            // Not one that withdrawals go to, in general: an approval takes a week.
            call.set("network", "bitcoin");
            call.set("address", OTHER_PAYEE);
        }
        "/sandbox/symbols" => symbol(rng, call),
        "/v1/deposit/{network}/newAddress" => {
            call.remove("legacy");
            // A network whose addresses need a memo.
            if rng.percent(30) {
                call.set("network", "cosmos");
            }
        }
        "/v1/payments/sen/withdraw" => payment(rng, known, call),
        "/v2/fxrate/{symbol}/{timestamp}" => call.set("symbol", rng.word(&["eurusd", "gbpusd", "sgdusd"])),
        "/sandbox/banks/wire" => wire(rng, known, call),
        "/sandbox/banks/settle" => settle(rng, known, call),
        "/sandbox/chains/{network}/send" => send(rng, known, call),
        "/sandbox/deposits/assign" => assign(rng, known, call),
        "/sandbox/symbols/{symbol}/auctions" => auction(rng, known, call),
        "/sandbox/clock/advance" => {
            let seconds = [1, 10, 61, 600, 3_600, 3_600, 7_200, 86_400, 172_800];
            call.set("seconds", rng.pick(&seconds).copied().unwrap_or(1));
        }
        _ => {}
    }
    if call.field("group").is_some() && call.field("account").is_some() {
        pair_account(rng, known, call);
    }
}

fn order(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let Some(market) = market(rng, known, call.who) else { return };
    call.set("symbol", market.symbol);
    call.set("amount", market.some(rng));
    call.remove("total_spend");
    call.remove("stop_price");
    if rng.percent(60) {
        call.remove("options");
        call.remove("margin_order");
    }
    match rng.below(10) {
        0 => {
            call.set("type", "exchange market");
            call.remove("price");
            if rng.percent(50) {
                call.remove("amount");
                call.set("total_spend", sum(rng));
                call.set("side", "buy");
            }
        }
        1 => {
            call.set("type", "exchange stop limit");
            call.set("price", market.near(rng));
            call.set("stop_price", market.near(rng));
            call.remove("options");
        }
        _ => {
            call.set("type", "exchange limit");
            let price =
                if rng.percent(50) { market.beside(rng, &call.text("side")) } else { market.near(rng) };
            call.set("price", price);
        }
    }
}

/// The key and account of the call that learned a value.
fn adopt(call: &mut Call, learned: &Learned) {
    if learned.source.who.is_none() {
        return;
    }
    call.who = learned.source.who;
    call.remove("account");
    if let Some(account) = &learned.source.account {
        call.set("account", account.clone());
    }
}

/// An order of the key that learned its id.
fn by_order_id(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let Some(learned) = known.pool.draw(rng, "order_id") else { return };
    if rng.percent(85) {
        adopt(call, &learned);
    }
    call.set("order_id", learned.value);
    call.remove("client_order_id");
}

/// An order for a margin account that asks for its effect.
fn preview(rng: &mut Rng, call: &mut Call) {
    let Some(market) = rng.pick(&SPOT[..2]) else { return };
    call.set("symbol", market.symbol);
    call.set("side", rng.word(&["buy", "sell"]));
    call.remove("totalSpend");
    call.set("amount", market.some(rng));
    if rng.percent(30) {
        call.set("type", "market");
        call.remove("price");
    } else {
        call.set("type", "limit");
        call.set("price", market.near(rng));
    }
}

/// A payment to a bank that the key has seen.
fn payment(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    call.set("amount", sum(rng));
    if let Some(bank) = known.pool.draw(rng, "bankId") {
        adopt(call, &bank);
        call.set("bankId", bank.value);
    }
}

/// A symbol that has an index and dollars to pay with; not for derivatives.
fn quote(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let is_swapper = |place: usize| known.people.keys.get(place).is_some_and(|key| key.kind == "derivatives");
    if call.who.is_some_and(is_swapper) && rng.percent(90) {
        call.who = call.who.and_then(|place| place.checked_sub(1));
    }
    call.set("symbol", rng.word(&["btcusd", "ethusd", "btcusd", "linkusd"]));
    call.set("totalSpend", if rng.percent(80) { rng.within(1, 300).to_string() } else { "0.01".to_owned() });
    call.remove("paymentMethodType");
    call.remove("paymentMethodUuid");
}

/// All fields as they were quoted.
fn execute(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let newest = if rng.percent(60) { known.pool.newest("quote") } else { known.pool.draw(rng, "quote") };
    let Some(quote) = newest else { return };
    adopt(call, &quote);
    let field = |name: &str| quote.value.get(name).cloned().unwrap_or_default();
    call.set("symbol", field("pair"));
    for name in ["side", "quantity", "price", "fee", "quoteId"] {
        call.set(name, field(name));
    }
}

fn transfer(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let group = group(rng, known, call.who);
    call.set("sourceAccount", account(rng, known, group));
    call.set("targetAccount", account(rng, known, group));
    call.remove("account");
    money(rng, call, "currency");
}

/// A currency and a sum of it that an account may have.
fn money(rng: &mut Rng, call: &mut Call, name: &str) {
    let currency = rng.word(&["USD", "GUSD", "BTC", "ETH", "USD"]);
    call.set(name, currency);
    let amount = if matches!(currency, "BTC" | "ETH") { fraction(rng) } else { sum(rng) };
    call.set("amount", amount);
}

/// A coin and an address of its network.
fn withdrawal(rng: &mut Rng, call: &mut Call) {
    let place = rng.place(PAYEES.len());
    let Some((network, address)) = PAYEES.get(place) else { return };
    let currency = if *network == "bitcoin" { "BTC" } else { rng.word(&["ETH", "GUSD", "LINK"]) };
    for name in ["currency", "ticker"] {
        if call.field(name).is_some() {
            call.set(name, currency);
        }
    }
    if call.field("network").is_some() {
        call.set("network", *network);
    }
    call.set("address", *address);
    call.set("amount", if currency == "GUSD" { sum(rng) } else { fraction(rng) });
    call.remove("memo");
}

fn pair_address(rng: &mut Rng, call: &mut Call) {
    // Another request begins another hold.
    if rng.percent(95) {
        call.set("network", "bitcoin");
        call.set("address", OTHER_PAYEE);
        call.remove("memo");
        return;
    }
    if let Some((network, address)) = rng.pick(&PAYEES) {
        call.set("network", *network);
        call.set("address", *address);
        call.remove("memo");
    }
}

fn wire(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    call.set("currency", "USD");
    call.set("amount", sum(rng));
    if call.text("method") != "Wire" {
        call.remove("accountnumber");
        call.remove("routing");
    }
    pair_account(rng, known, call);
}

/// Either an advance or a payment.
fn settle(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let known_of = |name: &str, rng: &mut Rng| known.pool.draw(rng, name).map(|learned| learned.value);
    let (name, other) = if rng.percent(60) { ("eid", "withdrawalId") } else { ("withdrawalId", "eid") };
    call.remove(other);
    // Of all ids, only those of banks can be settled.
    let bank = if name == "eid" { "advance" } else { "payment" };
    if let Some(value) = known_of(bank, rng).or_else(|| known_of(name, rng)) {
        call.set(name, value);
    }
}

/// A payment from outside to an address of the exchange.
fn send(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let Some(learned) = known.pool.draw(rng, "deposit address") else { return };
    let field = |name: &str| learned.value.get(name).cloned();
    call.set("network", field("network").unwrap_or_default());
    call.set("address", field("address").unwrap_or_default());
    match field("memo") {
        Some(memo) => call.set("memo", memo),
        None => call.remove("memo"),
    }
    let currency = match raw::plain(&field("network").unwrap_or_default()).as_str() {
        "bitcoin" => "BTC",
        "cosmos" => "ATOM",
        _ => rng.word(&["ETH", "LINK", "GUSD"]),
    };
    call.set("currency", currency);
    // Without its memo it arrives for no one.
    if currency == "ATOM" && rng.percent(40) {
        call.remove("memo");
    }
    call.set("amount", fraction(rng));
}

fn assign(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let Some(learned) = known.pool.draw(rng, "unclaimed") else { return };
    for name in ["network", "txHash", "outputIdx"] {
        call.set(name, learned.value.get(name).cloned().unwrap_or_default());
    }
}

/// An auction soon.
fn auction(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let optional =
        ["every_seconds", "auction_open_ms", "first_indicative_ms", "last_cancel_time_ms", "enabled"];
    for name in optional {
        if rng.percent(80) {
            call.remove(name);
        }
    }
    call.set("symbol", rng.word(&["btcusd", "ethusd", "ethbtc"]));
    call.set("auction_time_ms", known.now_ms + 60_000 * rng.within(1, 240));
}

/// A symbol that is not listed yet.
fn symbol(rng: &mut Rng, call: &mut Call) {
    let base = rng.word(&["LTC", "PAXG", "SOL", "ZEC", "DAI", "OXT", "FIL"]);
    let quote = rng.word(&["GUSD", "EUR", "ETH", "USDC"]);
    call.set("base_currency", base);
    call.set("quote_currency", quote);
    call.set("symbol", format!("{base}{quote}").to_ascii_lowercase());
    call.set("tick_size", rng.word(&["0.0001", "0.01", "1"]));
    call.set("quote_increment", rng.word(&["0.01", "0.00001", "1"]));
    call.set("min_order_size", rng.word(&["0.01", "1"]));
}

/// An account of the group that the call names.
fn pair_account(rng: &mut Rng, known: &Known<'_>, call: &mut Call) {
    let named = call.text("group");
    let place = known.people.groups.iter().position(|group| group.name == named);
    if let Some(place) = place {
        call.set("account", account(rng, known, place));
    }
}

/// Some dollars.
fn sum(rng: &mut Rng) -> Value {
    let most = rng.pick(&[10, 100, 1_000, 5_000]).copied().unwrap_or(1);
    rng.within(1, most).to_string().into()
}

/// A part of a coin.
fn fraction(rng: &mut Rng) -> Value {
    let most = rng.pick(&[9, 99, 999]).copied().unwrap_or(1);
    format!("0.{:0>4}", rng.within(1, most)).into()
}
