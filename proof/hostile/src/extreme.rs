//! Values that nobody means well: extremes of numbers, wrong types, odd texts.

use crate::raw::raw;
use crate::rng::Rng;
use serde_json::{Value, json};

/// Numbers at the bounds of the types that a program may use, and forms that a reader may take wrongly.
const NUMBERS: [&str; 40] = [
    "0",
    "-0",
    "-1",
    "1",
    "0.0",
    "00",
    "007",
    "+1",
    ".5",
    "5.",
    "1e3",
    "1E-19",
    "1e19",
    "1e400",
    "-1e-400",
    "NaN",
    "Infinity",
    "0x10",
    "1_000",
    "1,000",
    " 1",
    "1 ",
    "",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1844674407370955.1615",
    "1844674407370955.1616",
    "17014118346046923173.1687303715884105727",
    "17014118346046923173.1687303715884105728",
    "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",
    "340282366920938463463374607431768211456",
];

/// Texts that a reader, a log or a page may take wrongly.
const TEXTS: [&str; 22] = [
    "",
    " ",
    "\u{0}",
    "\n",
    "\"",
    "\\",
    "'; drop table orders; --",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "%2e%2e%2f",
    "%00",
    "{symbol}",
    "null",
    "true",
    "ſymbol",
    "ＢＴＣＵＳＤ",
    "btcusd\u{200b}",
    "🦀🦀",
    "\u{202e}dsu",
    "e\u{301}\u{301}\u{301}",
    "primary\r\nX: y",
    "İıß",
];

/// A number as text, of any size from 10^-19 to 10^19, or at a bound.
pub(crate) fn number(rng: &mut Rng) -> String {
    if rng.percent(45) {
        return rng.word(&NUMBERS).to_owned();
    }
    let digits = match rng.below(3) {
        0 => "1".to_owned(),
        1 => rng.within(1, 99).to_string(),
        _ => rng.within(1, 999_999_999_999).to_string(),
    };
    let sign = if rng.percent(5) { "-" } else { "" };
    let power = rng.within(0, 19);
    format!("{sign}{}", if rng.percent(50) { larger(&digits, power) } else { smaller(&digits, power) })
}

/// Digits with zeros behind them.
fn larger(digits: &str, power: u64) -> String {
    format!("{digits}{}", "0".repeat(usize::try_from(power).unwrap_or(0)))
}

/// Digits divided by a power of ten.
fn smaller(digits: &str, power: u64) -> String {
    let power = usize::try_from(power).unwrap_or(0);
    let padded = format!("{digits:0>width$}", width = power + 1);
    let (whole, fraction) = padded.split_at(padded.len() - power);
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// A number, as a JSON text or as a JSON number.
fn number_value(rng: &mut Rng) -> Value {
    let number = number(rng);
    let is_json = number.bytes().next().is_some_and(|first| first.is_ascii_digit() || first == b'-')
        && !number.contains(['x', '_', ',', ' ', 'N', 'I'])
        && !number.ends_with('.');
    if is_json && rng.percent(35) { raw(&number) } else { number.into() }
}

/// A text: one of the odd ones, or a long one.
fn text_value(rng: &mut Rng) -> Value {
    if rng.percent(80) {
        return rng.word(&TEXTS).into();
    }
    let length = [51, 101, 300, 5_000, 70_000];
    let length = rng.pick(&length).copied().unwrap_or(0);
    let piece = rng.word(&["a", "9", "é", "🦀"]);
    piece.repeat(length / piece.len().max(1)).into()
}

/// A value of a type that no field has where it stands.
fn misfit(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!([]),
        3 => json!({}),
        4 => json!([[["x"]]]),
        5 => json!({ "amount": "1", "currency": "USD" }),
        6 => (0..60).fold(json!(1), |inner, _| json!([inner])),
        _ => raw("1.5"),
    }
}

/// A hostile value for a field with this schema.
pub(crate) fn value(rng: &mut Rng, schema: &Value) -> Value {
    let is_number = schema.get("minimum").is_some();
    let (numbers, texts) = if is_number { (80, 90) } else { (15, 80) };
    match rng.below(100) {
        drawn if drawn < numbers => number_value(rng),
        drawn if drawn < texts => text_value(rng),
        _ => misfit(rng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_moved_by_powers_of_ten() {
        assert_eq!(larger("12", 3), "12000");
        assert_eq!(smaller("12", 0), "12");
        assert_eq!(smaller("12", 1), "1.2");
        assert_eq!(smaller("12", 19), "0.0000000000000000012");
    }

    #[test]
    fn number_fields_get_numbers_of_every_size() {
        let mut rng = Rng::new(1);
        let schema = json!({ "type": ["string", "number"], "minimum": 0 });
        let drawn: Vec<String> = (0..5_000).map(|_| crate::raw::plain(&value(&mut rng, &schema))).collect();
        for wanted in ["0.0000000000000000001", "10000000000000000000", "18446744073709551615", "007", "null"]
        {
            assert!(drawn.iter().any(|text| text == wanted), "{wanted}");
        }
    }
}
