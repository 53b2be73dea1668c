//! Reads the JSON of a node: hashes, amounts, transactions. `None` is malformed.

use crate::{BlockRef, Outpoint, Output, Spends, Transaction, TxHash};
use buttonwood_address::{Network, Params};
use buttonwood_num::Money;
use serde_json::Value;

/// Units of [`Money`] in one satoshi.
const SATOSHI: i128 = 100_000_000_000;

/// The largest amount of a node that is read, in coins. Up to here a JSON number (a double) tells each satoshi apart.
const COINS_MAX: u64 = 67_000_000;

/// How scripts of a network are spelled as addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) network: Network,
    pub(super) params: Params,
    pub(super) currency: String,
}

impl Spelling {
    /// The output script of an address.
    pub(super) fn script(&self, address: &str) -> Option<Vec<u8>> {
        self.params.parse(self.network, address).ok()?.script()
    }

    /// The canonical address of a `scriptPubKey`. The node's spelling counts only if it stands for the script itself.
    fn address(&self, script: &Value) -> Option<String> {
        let named = script.get("address").or_else(|| match script.get("addresses")?.as_array()?.as_slice() {
            [only] => Some(only),
            _ => None,
        });
        let address = self.params.parse(self.network, named?.as_str()?).ok()?;
        let bytes = const_hex::decode(script.get("hex")?.as_str()?).ok()?;
        (address.script()? == bytes).then(|| address.canonical().into_owned())
    }

    /// A transaction with those of its outputs that pay to an address. Parts of it that are in litecoin's extension
    /// blocks (`ismweb`) have neither inputs nor outputs here.
    pub(super) fn transaction(&self, value: &Value) -> Option<Transaction> {
        let tx = hash(value.get("txid")?)?;
        let mut inputs = Vec::new();
        for input in value.get("vin")?.as_array()? {
            if let Some(tx) = input.get("txid") {
                inputs.push(Outpoint { tx: hash(tx)?, index: index(input.get("vout")?)? });
            }
        }
        let mut outputs = Vec::new();
        for output in value.get("vout")?.as_array()? {
            let Some(script) = output.get("scriptPubKey") else { continue };
            let Some(address) = self.address(script) else { continue };
            let amount = money(satoshis(output.get("value")?)?);
            let currency = self.currency.clone();
            outputs.push((index(output.get("n")?)?, Output { address, memo: None, currency, amount }));
        }
        let spends = if inputs.is_empty() { Spends::Unknown } else { Spends::Inputs(inputs) };
        Some(Transaction { tx, spends, outputs, failed: false })
    }
}

/// A hash of 32 bytes in lower-case hex.
pub(super) fn hash(value: &Value) -> Option<TxHash> {
    let text = value.as_str()?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == 64 && text.bytes().all(is_digit)).then(|| TxHash::new(text))
}

/// The number of an output.
pub(super) fn index(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

/// A block by the names of its fields.
pub(super) fn place(value: &Value, height: &str, hash_field: &str) -> Option<BlockRef> {
    Some(BlockRef { height: value.get(height)?.as_u64()?, hash: hash(value.get(hash_field)?)? })
}

/// An amount of coins with 8 decimals.
pub(super) fn satoshis(value: &Value) -> Option<u64> {
    let text = format!("{:.8}", value.as_f64().filter(|coins| coins.is_finite())?);
    let (coins, decimals) = text.split_once('.')?;
    let (coins, decimals): (u64, u64) = (coins.parse().ok()?, decimals.parse().ok()?);
    (coins < COINS_MAX).then(|| coins * 100_000_000 + decimals)
}

/// An amount from satoshis.
pub(super) fn money(satoshis: u64) -> Money {
    Money::from_units(i128::from(satoshis) * SATOSHI)
}

/// An amount in satoshis; `None` if it has more decimals, or is negative.
pub(super) fn in_satoshis(amount: Money) -> Option<u64> {
    let units = amount.units();
    (units % SATOSHI == 0).then_some(units / SATOSHI)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_address::Chain;
    use serde_json::json;

    fn spelling() -> Spelling {
        let params = Params::main().with(Network::Litecoin, Chain::Regtest);
        Spelling { network: Network::Litecoin, params, currency: "LTC".to_owned() }
    }

    #[test]
    fn reads_amounts_exactly() {
        for (text, expected) in [
            ("0.00000001", Some(1)),
            ("1e-8", Some(1)),
            ("48.49998590", Some(4_849_998_590)),
            ("66999999.99999999", Some(6_699_999_999_999_999)),
            ("66999999.99999998", Some(6_699_999_999_999_998)),
            ("0", Some(0)),
            ("5", Some(500_000_000)),
            ("-0.00000001", None),
            ("67000000", None),
            ("1e300", None),
            ("\"1\"", None),
            ("null", None),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(satoshis(&value), expected, "{text}");
        }
        assert_eq!(in_satoshis(money(123)), Some(123));
        assert_eq!(in_satoshis(Money::from_units(SATOSHI + 1)), None);
        assert_eq!(in_satoshis(-money(1)), None);
    }

    #[test]
    fn reads_hashes_strictly() {
        assert!(hash(&json!("0".repeat(64))).is_some());
        for bad in
            [json!("0".repeat(63)), json!("F".repeat(64)), json!(format!("0x{}", "0".repeat(62))), json!(1)]
        {
            assert_eq!(hash(&bad), None, "{bad}");
        }
        assert_eq!((index(&json!(-1)), index(&json!(1_u64 << 32)), index(&json!(1.5))), (None, None, None));
    }

    /// An address that the node prints beside another script would credit a payment that nobody made.
    #[test]
    fn an_address_must_stand_for_its_script() {
        let address = "rltc1qp2ucatp3jq9jv4ugpvjr8mf2jgs4qsztrjjahl";
        let script = "00140ab98eac31900b2657880b2433ed2a922150404b";
        let other = "0014485f53f33ff7a513bd6d22b7793aeb09f08cff92";
        for (script, expected) in [
            (json!({"hex": script, "addresses": [address]}), Some(address)),
            (json!({"hex": script, "address": address}), Some(address)),
            (json!({"hex": other, "address": address}), None),
            (json!({"hex": script, "addresses": [address, address]}), None),
            (json!({"hex": script}), None),
            (json!({"address": address}), None),
        ] {
            assert_eq!(spelling().address(&script).as_deref(), expected, "{script}");
        }
    }

    #[test]
    fn reads_extension_blocks_and_coinbases() {
        let tx = "1".repeat(64);
        let whole = json!({"txid": tx, "vin": [{"ismweb": true, "output_id": "22"}, {"coinbase": "00"}],
            "vout": [{"ismweb": true, "output_id": "33"}]});
        let read = spelling().transaction(&whole).unwrap();
        assert_eq!((read.spends, read.outputs.len()), (Spends::Unknown, 0));
        for broken in [
            json!({"vin": [], "vout": []}),
            json!({"txid": tx, "vout": []}),
            json!({"txid": tx, "vin": [{"txid": "no hash", "vout": 0}], "vout": []}),
            json!({"txid": tx, "vin": [], "vout": {}}),
        ] {
            assert_eq!(spelling().transaction(&broken), None, "{broken}");
        }
    }
}
