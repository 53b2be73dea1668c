//! Good calls: values that the exchange takes, as far as the contract and earlier answers tell.

use crate::call::Call;
use crate::contract::{By, Field, Operation, Place};
use crate::markets::{Market, PERPETUALS, SPOT};
use crate::people::{ACCOUNTS, GROUPS, PAYEES, People};
use crate::pool::Pool;
use crate::rng::Rng;
use serde_json::{Value, json};

/// All that good values are made of.
pub(crate) struct Known<'run> {
    pub(crate) people: &'run People,
    pub(crate) pool: &'run Pool,
    /// The exchange's time.
    pub(crate) now_ms: u64,
}

const CURRENCIES: [&str; 8] = ["USD", "BTC", "ETH", "GUSD", "LINK", "USDC", "BTC", "EUR"];
const ROLES: [&[&str]; 4] = [&["Trader"], &["Fund Manager"], &["Auditor"], &["Trader", "Fund Manager"]];

/// A call of an operation: its required fields and some of the others.
pub(crate) fn call(rng: &mut Rng, known: &Known<'_>, place: usize, operation: &Operation) -> Call {
    let who = (operation.by == By::Key).then(|| key(rng, known.people, operation)).flatten();
    let mut call = Call { operation: place, who, fields: Vec::new() };
    for field in &operation.fields {
        if field.name == "account" && is_master(known, who) && rng.percent(80) {
            let account = rng.pick(&accounts_of(operation)).copied().unwrap_or("front");
            call.fields.push((field.place, field.name.clone(), account.into()));
            continue;
        }
        let is_account = field.name == "account" && operation.by == By::Key;
        let is_wanted = if is_account { is_master(known, who) } else { rng.percent(30) };
        if (field.required || is_wanted)
            && let Some(value) = value(rng, known, who, field)
        {
            call.fields.push((field.place, field.name.clone(), value));
        }
    }
    crate::recipes::refine(rng, known, operation, &mut call);
    call
}

/// A key that may make the call; in one case of twelve any key.
fn key(rng: &mut Rng, people: &People, operation: &Operation) -> Option<usize> {
    let fits = |place: &usize| {
        people.keys.get(*place).is_some_and(|key| {
            let kind = key.kind.is_empty()
                || operation.kinds.is_empty()
                || operation.kinds.iter().any(|kind| kind == key.kind);
            let owner = !operation.for_masters || key.account.is_none();
            let role = operation.roles.is_empty()
                || operation.roles.iter().any(|role| key.roles.contains(&role.as_str()));
            kind && owner && role
        })
    };
    let any = rng.percent(8);
    let places: Vec<usize> = (0..people.keys.len()).filter(|place| any || fits(place)).collect();
    rng.pick(&places).copied()
}

/// The accounts that everyone opened whose kind an operation is for.
fn accounts_of(operation: &Operation) -> Vec<&'static str> {
    let fits = |kind: &str| operation.kinds.is_empty() || operation.kinds.iter().any(|known| known == kind);
    ACCOUNTS.iter().filter(|(_, kind, _)| fits(kind)).map(|(name, ..)| *name).collect()
}

fn is_master(known: &Known<'_>, who: Option<usize>) -> bool {
    who.and_then(|place| known.people.keys.get(place)).is_some_and(|key| key.account.is_none())
}

/// The group of a key; a random one without a key.
pub(crate) fn group(rng: &mut Rng, known: &Known<'_>, who: Option<usize>) -> usize {
    let own = who.and_then(|place| known.people.keys.get(place)).map(|key| key.group);
    own.unwrap_or_else(|| rng.place(GROUPS.len()))
}

/// The name of an account of a group.
pub(crate) fn account(rng: &mut Rng, known: &Known<'_>, group: usize) -> Value {
    let accounts = known.people.groups.get(group).map_or(&[][..], |group| &group.accounts);
    rng.pick(accounts).map_or(json!("front"), |name| name.as_str().into())
}

/// A symbol for the kind of account that a key has.
pub(crate) fn market(rng: &mut Rng, known: &Known<'_>, who: Option<usize>) -> Option<&'static Market> {
    let kind = who.and_then(|place| known.people.keys.get(place)).map_or("", |key| key.kind);
    let is_swap = kind == "derivatives" || (kind.is_empty() && rng.percent(35));
    if is_swap { rng.pick(&PERPETUALS) } else { rng.pick(&SPOT) }
}

/// A good value for a field.
fn value(rng: &mut Rng, known: &Known<'_>, who: Option<usize>, field: &Field) -> Option<Value> {
    let is_fixed = field.schema.get("enum").is_some() || field.schema.get("const").is_some();
    if !is_fixed && let Some(named) = by_name(rng, known, who, &field.name) {
        return Some(named);
    }
    if let Some(learned) = known.pool.draw(rng, &field.name) {
        return Some(learned.value);
    }
    Some(by_schema(rng, &field.schema, field.place))
}

/// A value by the name of its field.
fn by_name(rng: &mut Rng, known: &Known<'_>, who: Option<usize>, name: &str) -> Option<Value> {
    let payee = |rng: &mut Rng| rng.pick(&PAYEES).copied().unwrap_or(("bitcoin", ""));
    Some(match name {
        "symbol" => market(rng, known, who)?.symbol.into(),
        "symbols" => json!([market(rng, known, who)?.symbol]),
        "pair" => rng.word(&["eurusd", "gbpusd", "sgdusd"]).into(),
        "currency" | "ticker" | "token" | "base_currency" | "quote_currency" => rng.word(&CURRENCIES).into(),
        "network" => payee(rng).0.into(),
        "address" => payee(rng).1.into(),
        "side" => rng.word(&["buy", "sell"]).into(),
        "group" => rng.word(&GROUPS).into(),
        "account" | "sourceAccount" | "targetAccount" => {
            let group = group(rng, known, who);
            account(rng, known, group)
        }
        "price" | "stop_price" | "rate" => market(rng, known, who)?.near(rng).into(),
        "amount" | "quantity" => market(rng, known, who)?.some(rng).into(),
        "totalSpend" | "total_spend" => rng.within(1, 2_000).to_string().into(),
        "roles" => json!(rng.pick(&ROLES)?),
        "from" => rng.pick(&[json!([]), json!(["127.0.0.0/8"]), json!(["0.0.0.0/0"])])?.clone(),
        "memo" => rng.within(1, 999).to_string().into(),
        "name" | "newName" | "label" | "newAccount" => format!("n{}", rng.below(40)).into(),
        "client_order_id" | "client_transfer_id" | "clientTransferId" => format!("c{}", rng.below(60)).into(),
        "accountnumber" => rng.word(&["123456789", "987654321"]).into(),
        "routing" => rng.word(&["021000021", "011000015"]).into(),
        "time_frame" => rng.word(&["1m", "5m", "1h", "1day"]).into(),
        "method" => rng.word(&["ACH", "Wire"]).into(),
        "timestamp" | "since" | "auction_time_ms" | "time_ms" => {
            let around = known.now_ms.saturating_sub(43_200_000) + rng.below(86_400_000);
            around.to_string().into()
        }
        "key" => rng.pick(&known.people.keys)?.api_key().into(),
        _ => return None,
    })
}

/// A value by its schema.
fn by_schema(rng: &mut Rng, schema: &Value, place: Place) -> Value {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return rng.pick(words).cloned().unwrap_or_default();
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    let kind = schema.get("type");
    match kind.and_then(Value::as_str) {
        Some("boolean") if place == Place::Body => json!(rng.percent(50)),
        Some("boolean") => rng.word(&["true", "false"]).into(),
        Some("array") => match schema.get("items") {
            Some(items) if rng.percent(80) => json!([by_schema(rng, items, place)]),
            _ => json!([]),
        },
        Some("object") => json!({}),
        _ if schema.get("format") == Some(&json!("date")) => "2026-01-05".into(),
        _ if schema.get("minimum").is_some() => {
            let least = schema.get("minimum").and_then(Value::as_u64).unwrap_or(0);
            let most = schema.get("maximum").and_then(Value::as_u64).unwrap_or(1_000);
            rng.within(least, most.min(least + 100)).into()
        }
        _ => rng.word(&["x", "one", "7", "checking"]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_gives_one_of_its_own_values() {
        let mut rng = Rng::new(5);
        let mut draw = |schema: Value| by_schema(&mut rng, &schema, Place::Body);
        assert_eq!(draw(json!({ "type": "string", "enum": ["buy"] })), json!("buy"));
        assert_eq!(draw(json!({ "type": "string", "const": "/v1/roles" })), json!("/v1/roles"));
        assert!(draw(json!({ "type": "boolean" })).is_boolean());
        let count = draw(json!({ "type": ["integer", "string"], "minimum": 1, "maximum": 3 })).as_u64();
        assert!(count.is_some_and(|count| (1..=3).contains(&count)));
    }
}
