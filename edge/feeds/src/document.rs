//! The document of a feed: a JSON object of prices in dollars, and the time at which they were so in milliseconds,
//! `{"time":"1764356400000","BTC":"50000.1","ETH":"3000"}`.

use buttonwood_engine::perp::feeds::is_index;
use buttonwood_num::{Decimal, Money};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The most prices of a document.
const PRICES_MAX: usize = 256;
/// Characters of a foreign text that an error shows.
const SHOWN: usize = 40;

/// The member that is no price.
const TIME: &str = "time";

/// The prices of a document, and their time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// The prices by the codes of their currencies.
    pub(crate) prices: BTreeMap<String, Money>,
    /// Their time, in milliseconds since 1970.
    pub(crate) time: Option<u64>,
}

/// Reads a document.
///
/// # Errors
/// The mistake, in text that can be logged.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, String> {
    let Entries(entries) = serde_json::from_slice(bytes)
        .map_err(|error| format!("no JSON object of prices: {}", shown(&error.to_string())))?;
    let count = entries.iter().filter(|(code, _)| code != TIME).count();
    if count > PRICES_MAX {
        return Err(format!("{count} prices, more than {PRICES_MAX}"));
    }
    let Document { mut prices, mut time } = Document::default();
    for (code, value) in entries {
        if code == TIME {
            if time.replace(millis(&value)?).is_some() {
                return Err("time: given twice".to_owned());
            }
            continue;
        }
        let price = price(&value).map_err(|why| format!("{}: {why}", shown(&code)))?;
        if prices.insert(code.clone(), price).is_some() {
            return Err(format!("{}: given twice", shown(&code)));
        }
    }
    Ok(Document { prices, time })
}

/// The time in a text.
fn millis(value: &Value) -> Result<u64, String> {
    let digits = value.as_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let millis = digits.and_then(|digits| digits.parse().ok());
    millis.ok_or_else(|| {
        "time: a text of milliseconds since 1970 is wanted, such as \"1764356400000\"".to_owned()
    })
}

/// The price in a text. A JSON number is refused, since its reading may lose digits.
fn price(value: &Value) -> Result<Money, String> {
    let Value::String(text) = value else {
        return Err("a price is a text with a decimal, such as \"50000.1\"".to_owned());
    };
    let price = Decimal::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
    price
        .filter(|price| is_index(*price))
        .ok_or_else(|| format!("a positive decimal that can be counted is wanted, not \"{}\"", shown(text)))
}

/// The start of a foreign text, without characters that would end a line of the log.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The members of an object, in their order; a name may occur twice.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read() {
        let Document { prices, time } =
            read(br#" {"BTC":"50000.1","time":"1764356400000","TRUMP":"0.000000000001"} "#).unwrap();
        assert_eq!(time, Some(1_764_356_400_000));
        let units: Vec<_> = prices.iter().map(|(code, price)| (code.as_str(), price.units())).collect();
        assert_eq!(units, [("BTC", 500_001 * 10_i128.pow(18)), ("TRUMP", 10_i128.pow(7))]);
        assert_eq!(read(b"{}"), Ok(Document::default()));
    }

    /// A document that is wrong anywhere is refused whole; what it says cannot break a line of the log.
    #[test]
    fn wrong_documents_are_refused() {
        let many: Vec<String> = (0..=PRICES_MAX).map(|number| format!("\"C{number}\":\"1\"")).collect();
        let many = format!("{{{}}}", many.join(","));
        for (text, part) in [
            ("", "no JSON object"),
            ("[]", "no JSON object"),
            ("null", "no JSON object"),
            ("{\"BTC\":\"1\"", "no JSON object"),
            ("{\"BTC\":\"1\"} x", "no JSON object"),
            ("{\"BTC\":50000.1}", "BTC: a price is a text"),
            ("{\"BTC\":null}", "BTC: a price is a text"),
            ("{\"BTC\":{}}", "BTC: a price is a text"),
            ("{\"BTC\":\"0\"}", "not \"0\""),
            ("{\"BTC\":\"-1\"}", "not \"-1\""),
            ("{\"BTC\":\"1e3\"}", "not \"1e3\""),
            ("{\"BTC\":\"9999999999999999999\"}", "not \"9999999999999999999\""),
            ("{\"BTC\":\"0.0000000000000000001\"}", "not \"0.0000000000000000001\""),
            ("{\"BTC\":\"\\n\"}", "not \"\\n\""),
            ("{\"ETH\":\"1\",\"BTC\":\"1\",\"BTC\":\"1\"}", "BTC: given twice"),
            ("{\"time\":1764356400000}", "time: a text of milliseconds"),
            ("{\"time\":\"\"}", "time: a text of milliseconds"),
            ("{\"time\":\"-1\"}", "time: a text of milliseconds"),
            ("{\"time\":\"1.5\"}", "time: a text of milliseconds"),
            ("{\"time\":\"99999999999999999999\"}", "time: a text of milliseconds"),
            ("{\"time\":\"1\",\"time\":\"1\"}", "time: given twice"),
            (&many, "257 prices, more than 256"),
        ] {
            let refused = read(text.as_bytes()).expect_err(text);
            assert!(refused.contains(part) && !refused.contains('\n'), "{text}: {refused}");
        }
        assert!(read(b"\xFF").is_err());
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
    }
}
