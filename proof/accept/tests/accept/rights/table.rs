//! The product's table of rights, read from the contract, and the specification's tables.

pub(crate) mod spec;

use std::collections::BTreeSet;

use buttonwood_accept::Value;

pub(crate) const CONTRACT: &str = include_str!("../../../../../contract/openapi.json");

/// An endpoint with its rights.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The kind of caller.
    pub(crate) by: String,
    pub(crate) limit: String,
    pub(crate) roles: BTreeSet<String>,
    pub(crate) scopes: BTreeSet<String>,
    pub(crate) kinds: BTreeSet<String>,
    pub(crate) is_stream: bool,
}

impl Row {
    fn of(method: &str, path: &str, row: &Value, is_stream: bool) -> Self {
        let text =
            |name: &str| row[name].as_str().unwrap_or_else(|| panic!("{path} has no {name}")).to_owned();
        let list = |name: &str| -> BTreeSet<String> {
            row[name].as_array().into_iter().flatten().map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            by: text("x-by"),
            limit: text("x-limit"),
            roles: list("x-roles"),
            scopes: list("x-scopes"),
            kinds: list("x-kinds"),
            is_stream,
        }
    }

    /// Whether a key signs it.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self.by.as_str(), "public" | "control")
    }

    /// The path with every parameter as `{}`.
    pub(crate) fn shape(&self) -> String {
        spec::shape(&self.path)
    }

    /// A path that can be called.
    pub(crate) fn example(&self) -> String {
        let segment = |segment: &str| match segment {
            "{symbol}" if self.path.starts_with("/v2/fxrate/") => "gbpusd".to_owned(),
            "{symbol}" => "btcusd".to_owned(),
            "{side}" => "buy".to_owned(),
            "{network}" => "bitcoin".to_owned(),
            "{token}" => "btc".to_owned(),
            "{time_frame}" => "1m".to_owned(),
            "{currency}" => "usd".to_owned(),
            "{timestamp}" => "1767225600000".to_owned(),
            other => other.trim_matches(['{', '}']).to_owned(),
        };
        self.path.split('/').map(segment).collect::<Vec<_>>().join("/")
    }
}

/// Every endpoint.
pub(crate) fn rows() -> Vec<Row> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let mut rows = Vec::new();
    for (path, item) in contract["paths"].as_object().unwrap() {
        if item["x-stream"] == true {
            let call = &item["x-call"];
            rows.push(Row::of(call["method"].as_str().unwrap(), path, call, true));
            continue;
        }
        for (method, operation) in item.as_object().unwrap() {
            rows.push(Row::of(method, path, operation, false));
        }
    }
    rows
}

/// The row of a path.
pub(crate) fn by_path<'a>(rows: &'a [Row], path: &str) -> &'a Row {
    let mut of_path = rows.iter().filter(|row| row.path == path);
    let row = of_path.next().unwrap_or_else(|| panic!("{path} has no row"));
    assert!(of_path.next().is_none(), "{path} has two rows");
    row
}

/// A set of words.
pub(crate) fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
