//! The pool of values from earlier answers: ids, addresses, quotes. Good calls are made of it.

use crate::rng::Rng;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// Fields of answers that name something which a later call may use.
const NAMES: [&str; 13] = [
    "order_id",
    "client_order_id",
    "tid",
    "eid",
    "withdrawalId",
    "txHash",
    "outputIdx",
    "bankId",
    "uuid",
    "continuation_token",
    "memo",
    "referenceId",
    "clientTransferId",
];

/// How many values of a kind are kept.
const KEPT: usize = 40;

/// A value and the call that learned it.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    pub(crate) value: Value,
    pub(crate) source: Source,
}

/// The call that an answer belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// The place of the key; none for a control call.
    pub(crate) who: Option<usize>,
    /// The account that the call named.
    pub(crate) account: Option<Value>,
}

/// The known values, by name.
#[derive(Debug, Default)]
pub(crate) struct Pool(BTreeMap<&'static str, VecDeque<Learned>>);

impl Pool {
    /// Keeps what an answer names, and the whole of it where it is a quote, an address or an unclaimed deposit.
    pub(crate) fn learn(&mut self, path: &str, answer: &Value, source: &Source) {
        if path.starts_with("/v1/instant/quote") {
            self.keep("quote", answer.clone(), source);
        }
        if path.starts_with("/v1/deposit/") {
            self.keep("deposit address", answer.clone(), source);
        }
        if path == "/sandbox/deposits/unclaimed" {
            let rows = answer.as_array().into_iter().flatten();
            rows.take(4).for_each(|row| self.keep("unclaimed", row.clone(), source));
        }
        if path == "/sandbox/banks/wire" {
            self.keep("advance", answer.get("eid").cloned().unwrap_or_default(), source);
        }
        if path == "/v1/payments/sen/withdraw" {
            self.keep("payment", answer.get("withdrawalId").cloned().unwrap_or_default(), source);
        }
        if path == "/sandbox/keys" {
            // Only keys that a call has made: the fuzzer's own are not disabled.
            self.keep("api_key", answer.get("api_key").cloned().unwrap_or_default(), source);
        }
        self.walk(answer, source, 0);
    }

    fn walk(&mut self, answer: &Value, source: &Source, depth: u32) {
        match answer {
            Value::Array(rows) if depth < 4 => {
                rows.iter().take(4).for_each(|row| self.walk(row, source, depth + 1));
            }
            Value::Object(fields) if depth < 4 => {
                for (name, value) in fields {
                    if let Some(known) = NAMES.iter().find(|known| *known == name) {
                        self.keep(known, value.clone(), source);
                    }
                    self.walk(value, source, depth + 1);
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {}
        }
    }

    /// Keeps a value under a name.
    pub(crate) fn keep(&mut self, name: &'static str, value: Value, source: &Source) {
        let values = self.0.entry(name).or_default();
        if value.is_null() || values.iter().any(|known| known.value == value) {
            return;
        }
        if values.len() == KEPT {
            values.pop_front();
        }
        values.push_back(Learned { value, source: source.clone() });
    }

    /// The value of a name that was learned last.
    pub(crate) fn newest(&self, name: &str) -> Option<Learned> {
        self.0.get(name)?.back().cloned()
    }

    /// One of the values of a name, the newer ones more often.
    pub(crate) fn draw(&self, rng: &mut Rng, name: &str) -> Option<Learned> {
        let values = self.0.get(name)?;
        let newest = rng.place(values.len()).max(rng.place(values.len()));
        values.get(newest).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_of_answers_are_kept_with_their_key_and_secrets_are_not() {
        let mut pool = Pool::default();
        let answer =
            json!([{ "order_id": "7", "api_secret": "s", "trades": [{ "tid": 9 }] }, { "order_id": "7" }]);
        let source = Source { who: Some(3), account: Some(json!("front")) };
        pool.learn("/v1/orders", &answer, &source);
        let mut rng = Rng::new(1);
        let order = pool.draw(&mut rng, "order_id").unwrap();
        assert_eq!((order.value, order.source), (json!("7"), source));
        assert_eq!(pool.draw(&mut rng, "tid").unwrap().value, json!(9));
        assert!(pool.draw(&mut rng, "api_secret").is_none() && pool.draw(&mut rng, "quote").is_none());
        (0..100).for_each(|tid| pool.keep("tid", json!(tid), &Source::default()));
        assert_eq!(pool.0["tid"].len(), KEPT);
    }
}
